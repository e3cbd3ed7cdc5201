/* The program that every candidate of the cast benchmark runs: reads stdin to its end and prints its first argument.
 *
 * With BENCH_FIRST=FILE the first process writes its start time into FILE, in nanoseconds since 1970.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *first = getenv("BENCH_FIRST");
    if (first) {
        int file = open(first, O_WRONLY | O_CREAT | O_EXCL, 0600);
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (file >= 0) dprintf(file, "%lld", now.tv_sec * 1000000000LL + now.tv_nsec);
    }
    static char buffer[65536];
    while (read(0, buffer, sizeof buffer) > 0) {}
    return argc > 1 && write(1, argv[1], strlen(argv[1])) < 0;
}
