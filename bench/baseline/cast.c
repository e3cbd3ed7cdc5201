/* The baseline of a cast: the same processes, files and bytes, one fdatasync per step, and nothing else.
 *
 *   cast DIR STEPS PROGRAM TEXT INPUT KEPT COMMAND LOG
 *
 * Each step starts PROGRAM TEXT with INPUT bytes on stdin, captures both of its streams, and writes into DIR: KEPT bytes
 * of input, the stdout, the stderr, and COMMAND bytes of metadata, a file each; then LOG bytes to one log, synced.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void write_file(int dir, int step, const char *kind, const char *bytes, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%d-WI-%d.%s", step, step, kind);
    int file = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) fail(name);
    if (length > 0 && write(file, bytes, length) < 0) fail(name);
    close(file);
}

int main(int argc, char **argv) {
    if (argc != 9) return 2;
    int steps = atoi(argv[2]);
    size_t input = atol(argv[5]), kept = atol(argv[6]), command = atol(argv[7]), log_bytes = atol(argv[8]);
    size_t size = input + kept + command + log_bytes + 1;
    char *bytes = malloc(size);
    memset(bytes, 'x', size);
    if (mkdir(argv[1], 0700) < 0 || chdir(argv[1]) < 0) fail(argv[1]);
    int log = open("events.jsonl", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int dirs[2];
    for (int i = 0; i < 2; i++) {
        mkdir(i ? "two" : "one", 0700);
        dirs[i] = open(i ? "two" : "one", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    static char out[2][1 << 20];
    for (int step = 0; step < steps; step++) {
        int in[2], outs[2][2];
        if (pipe2(in, O_CLOEXEC) < 0 || pipe2(outs[0], O_CLOEXEC) < 0 || pipe2(outs[1], O_CLOEXEC) < 0) fail("pipe2");
        write_file(dirs[step % 2], step / 2, "input.json", bytes, kept);
        /* The log must be synced before the program is started. */
        if (write(log, bytes, log_bytes) < 0 || fdatasync(log) < 0) fail("log");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        posix_spawn_file_actions_adddup2(&actions, outs[0][1], 1);
        posix_spawn_file_actions_adddup2(&actions, outs[1][1], 2);
        char *args[] = {argv[3], argv[4], NULL};
        pid_t pid;
        if (posix_spawn(&pid, argv[3], &actions, NULL, args, environ) != 0) fail("posix_spawn");
        posix_spawn_file_actions_destroy(&actions);
        close(in[0]);
        close(outs[0][1]);
        close(outs[1][1]);
        for (size_t at = 0; at < input;) {
            ssize_t count = write(in[1], bytes + at, input - at);
            if (count < 0) fail("stdin");
            at += count;
        }
        close(in[1]);
        size_t lengths[2] = {0, 0};
        struct pollfd fds[2] = {{outs[0][0], POLLIN, 0}, {outs[1][0], POLLIN, 0}};
        for (int left = 2; left > 0;) {
            if (poll(fds, 2, -1) < 0) fail("poll");
            for (int i = 0; i < 2; i++) {
                if (fds[i].fd < 0 || !fds[i].revents) continue;
                ssize_t count = read(fds[i].fd, out[i] + lengths[i], sizeof out[i] - lengths[i]);
                if (count > 0) {
                    lengths[i] += count;
                } else {
                    close(fds[i].fd);
                    fds[i].fd = -1;
                    left--;
                }
            }
        }
        int status;
        if (waitpid(pid, &status, 0) < 0 || status != 0) fail("the program");
        write_file(dirs[step % 2], step / 2, "stdout.txt", out[0], lengths[0]);
        write_file(dirs[step % 2], step / 2, "stderr.txt", out[1], lengths[1]);
        write_file(dirs[step % 2], step / 2, "command.json", bytes, command);
    }
    return 0;
}
