/* The baseline of starting a process: the time to spawn a command, read its output and reap it.
 *
 *   cc -O2 -o spawn spawn.c && ./spawn N [STREAMS [PROGRAM]]
 *
 * Does posix_spawn + pipe + read to the end + waitpid N times in a row, with stdin from /dev/null, and prints the median
 * nanoseconds of one. STREAMS is how many streams are captured: 2 (stdout and stderr, the default) or 1 (stdout).
 * PROGRAM is /bin/true unless given. It has no process trees, deadlines or output limits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* Reads every stream to its end; with two streams, the one that has data. */
static void drain(int *ends, int streams) {
    static char buffer[65536];
    if (streams == 1) {
        while (read(ends[0], buffer, sizeof buffer) > 0) {}
        close(ends[0]);
        return;
    }
    struct pollfd fds[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
    for (int open = 2; open > 0;) {
        if (poll(fds, 2, -1) < 0) fail("poll");
        for (int i = 0; i < 2; i++) {
            if (fds[i].fd >= 0 && fds[i].revents && read(fds[i].fd, buffer, sizeof buffer) <= 0) {
                close(fds[i].fd);
                fds[i].fd = -1;
                open--;
            }
        }
    }
}

static void once(char *program, int streams) {
    char *argv[] = {program, NULL};
    int ends[2], child_ends[2];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < streams; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC) < 0) fail("pipe2");
        ends[i] = both[0];
        child_ends[i] = both[1];
        posix_spawn_file_actions_adddup2(&actions, child_ends[i], 1 + i);
    }
    pid_t pid;
    if (posix_spawn(&pid, program, &actions, NULL, argv, environ) != 0) fail("posix_spawn");
    for (int i = 0; i < streams; i++) close(child_ends[i]);
    drain(ends, streams);
    int status;
    if (waitpid(pid, &status, 0) < 0) fail("waitpid");
    posix_spawn_file_actions_destroy(&actions);
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 0;
    int streams = argc > 2 ? atoi(argv[2]) : 2;
    char *program = argc > 3 ? argv[3] : "/bin/true";
    if (n < 1 || streams < 1 || streams > 2) {
        fprintf(stderr, "usage: spawn N [1|2 [PROGRAM]]\n");
        return 2;
    }
    long long *took = malloc((size_t)n * sizeof *took);
    if (!took) fail("malloc");
    for (long i = 0; i < n; i++) {
        long long start = now();
        once(program, streams);
        took[i] = now() - start;
    }
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("%lld\n", took[n / 2]);
    return 0;
}
