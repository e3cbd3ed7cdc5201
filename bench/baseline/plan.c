/* The baseline of running a plan: the minimum for the same processes and the same data.
 *
 *   cc -O2 -o plan plan.c
 *   ./plan wide N WIDTH       N times `true`, WIDTH at a time, stdout captured through a pipe each
 *   ./plan steps N BYTES      N times `cat`, one after another, BYTES passed on in spool files
 *   ./plan handover BYTES     one step writes BYTES into a spool file, the next counts them
 *   ./plan oneshot            one `echo hi`, captured and printed
 *
 * It has no process trees, deadlines, output limits or reports.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char buffer[65536];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Creates an unnamed file. */
static int spool(void) {
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) fail("O_TMPFILE");
    return fd;
}

/* Opens the same file again, with its own position at the start. */
static int reopen(int fd) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_RDONLY | O_CLOEXEC);
    if (again < 0) fail("reopen");
    return again;
}

static pid_t start(char *const argv[], int in, int out) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (in >= 0) posix_spawn_file_actions_adddup2(&actions, in, 0);
    else posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    pid_t pid;
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0) fail("posix_spawnp");
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void reap(pid_t pid) {
    int status;
    if (waitpid(pid, &status, 0) < 0 || status != 0) fail("a command failed");
}

static void wide(long n, int width) {
    char *argv[] = {"true", NULL};
    struct pollfd *fds = calloc((size_t)width, sizeof *fds);
    pid_t *pids = calloc((size_t)width, sizeof *pids);
    long started = 0, running = 0;
    for (int i = 0; i < width; i++) fds[i].fd = -1;
    while (started < n || running > 0) {
        for (int i = 0; i < width && started < n; i++) {
            if (fds[i].fd >= 0) continue;
            int ends[2];
            if (pipe2(ends, O_CLOEXEC) < 0) fail("pipe2");
            pids[i] = start(argv, -1, ends[1]);
            close(ends[1]);
            fds[i].fd = ends[0];
            fds[i].events = POLLIN;
            started++, running++;
        }
        if (poll(fds, (nfds_t)width, -1) < 0) fail("poll");
        for (int i = 0; i < width; i++) {
            if (fds[i].fd < 0 || !fds[i].revents || read(fds[i].fd, buffer, sizeof buffer) > 0) continue;
            close(fds[i].fd);
            fds[i].fd = -1;
            reap(pids[i]);
            running--;
        }
    }
}

static void steps(long n, size_t bytes) {
    char *argv[] = {"cat", NULL};
    int flow = spool();
    memset(buffer, 'x', bytes);
    if (write(flow, buffer, bytes) != (ssize_t)bytes) fail("write");
    for (long i = 0; i < n; i++) {
        int in = reopen(flow), out = spool();
        pid_t pid = start(argv, in, out);
        close(in);
        reap(pid);
        close(flow);
        flow = out;
    }
}

static void print_all(int fd) {
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0)
        if (write(1, buffer, (size_t)got) != got) fail("write");
}

static void handover(char *bytes) {
    char *first[] = {"head", "-c", bytes, "/dev/zero", NULL}, *second[] = {"wc", "-c", NULL};
    int flow = spool(), count = spool();
    reap(start(first, -1, flow));
    reap(start(second, reopen(flow), count));
    print_all(reopen(count));
}

static void oneshot(void) {
    char *argv[] = {"echo", "hi", NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) fail("pipe2");
    pid_t pid = start(argv, -1, ends[1]);
    close(ends[1]);
    print_all(ends[0]);
    reap(pid);
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "wide")) wide(atol(argv[2]), atoi(argv[3]));
    else if (argc == 4 && !strcmp(argv[1], "steps") && atol(argv[3]) <= (long)sizeof buffer) steps(atol(argv[2]), (size_t)atol(argv[3]));
    else if (argc == 3 && !strcmp(argv[1], "handover")) handover(argv[2]);
    else if (argc == 2 && !strcmp(argv[1], "oneshot")) oneshot();
    else return fprintf(stderr, "usage: see the head of plan.c\n"), 2;
    return 0;
}
