// Compares the driver with the interpreter on random tile programs. Without arguments, runs the
// same programs each time, as many as fit into 40 seconds, each from a seed:
//
//     test_tile_random --seed 4711 --count 1     that one
//     test_tile_random --full                    larger ones, for 10 minutes
//     test_tile_random --seed 4711 --print       its source
//     test_tile_random --seed 4711 --shrink      removes lines while it fails
//     test_tile_random --source FILE             the edited output of --print
//
// With another CUCORE_DRIVER, or none, they run on a GPU.
#include "construct.h"
#include "random_program.h"

#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tests.h"

#include <cucore/cucore.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 100, BATCHES_A_SECOND = 4, SECONDS = 40, FULL_SECONDS = 600, MOST_LINES = 4096 };

static uint64_t first = 1, count;
static bool large;
static double end_time;
static int batches; // 0: only the candidate

// Messages from the checking processes to their parent.
static struct told {
    uint64_t checked, at;
} * told;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check_program(const struct random_program *p, uint64_t seed)
{
    char name[64];

    snprintf(name, sizeof(name), "seed %llu%s", (unsigned long long)seed, large ? " --full" : "");
    const struct construct row = {
        .name = name, .sizes = p->sizes, .source = p->source, .ulps = 64, .scale = 1e-3
    };
    construct_check_as(&row, p->warps, p->mode, "oa");
}

CASE("programs", .timeout = 300);

TEST_RANGE(the_driver_and_the_interpreter_agree, 0, batches)
{
    uint64_t from = first + (uint64_t)_i * BATCH;
    uint64_t end = count && first + count < from + BATCH ? first + count : from + BATCH;

    if (now() > end_time)
        return;
    construct_start();
    for (uint64_t seed = from; seed < end && now() < end_time; seed++) {
        struct random_program p = { 0 };
        told->at = seed;
        random_program_make(&p, seed, large);
        check_program(&p, seed);
        free(p.source);
        told->checked++;
    }
    construct_stop();
}

static int run(enum print_output output)
{
    return run_tests_as("tile random", CK_FORK_GETENV, output);
}

// ---- Shrinking
//
// Removes lines, and all lines from a line's { to its }, as long as the program still fails without
// an error in its source.

static struct random_program candidate;

TEST_RANGE(the_candidate_passes, 0, batches == 0)
{
    construct_start();
    check_program(&candidate, first);
    construct_stop();
}

static bool parses(const char *source)
{
    struct tile_module *m = tile_parse("random.tile", source, strlen(source), NULL, 0);
    bool ok = m && !m->diagnostics->errors;

    tile_module_free(m);
    return ok;
}

static bool still_fails(void)
{
    int status;
    pid_t child;

    if (!parses(candidate.source))
        return false;
    fflush(stdout);
    if (!(child = fork())) {
        alarm(20);
        _exit(run(CK_SILENT));
    }
    return waitpid(child, &status, 0) == child &&
           !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) && status != 0;
}

static char *joined(char *const *lines, int n)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    for (int i = 0; i < n; i++)
        if (lines[i])
            fprintf(out, "%s\n", lines[i]);
    fclose(out);
    return text;
}

// Returns the line that closes the block opened in line i.
static int end_of(char *const *lines, int n, int i)
{
    int open = 0;

    for (; i < n; i++) {
        for (const char *s = lines[i] ? lines[i] : ""; *s; s++)
            open += (*s == '{') - (*s == '}');
        if (open <= 0)
            return i;
    }
    return n - 1;
}

static bool try_without(char **lines, int n, int from, int end, bool ends_only)
{
    char *kept[MOST_LINES], *before = candidate.source;

    memcpy(kept, lines, (size_t)n * sizeof(*lines));
    for (int i = from; i <= end; i++)
        if (!ends_only || i == from || i == end)
            lines[i] = NULL;
    candidate.source = joined(lines, n);
    if (still_fails()) {
        free(before);
        return true;
    }
    free(candidate.source);
    candidate.source = before;
    memcpy(lines, kept, (size_t)n * sizeof(*lines));
    return false;
}

static int shrink(void)
{
    char *lines[MOST_LINES], *text;
    bool smaller = true;
    int n = 0;

    if (!candidate.source)
        random_program_make(&candidate, first, large);
    if (!parses(candidate.source) || !still_fails()) {
        printf("it %s\n", parses(candidate.source) ? "holds" : "does not parse");
        return EXIT_FAILURE;
    }
    text = strdup(candidate.source);
    for (char *s = strtok(text, "\n"); s && n < MOST_LINES; s = strtok(NULL, "\n"))
        lines[n++] = s;
    while (smaller) {
        smaller = false;
        for (int i = n - 1; i >= 0; i--) {
            int end = lines[i] ? end_of(lines, n, i) : i;
            if (!lines[i] || strncmp(lines[i], "kernel", 6) == 0 || strcmp(lines[i], "}") == 0)
                continue;
            smaller |= try_without(lines, n, i, end, false) ||
                       (end > i && try_without(lines, n, i, end, true));
        }
    }
    run(CK_NORMAL);
    printf("# seed %llu: %s\n# %u warps, strides %d\n%s", (unsigned long long)first,
           candidate.sizes, candidate.warps, candidate.mode, candidate.source);
    return EXIT_SUCCESS;
}

static bool read_source(struct random_program *p, const char *path)
{
    FILE *in = fopen(path, "r");
    size_t bytes = 0;

    bool ok = in && getdelim(&p->source, &bytes, 0, in) > 0 &&
              sscanf(p->source, "# seed %*[^:]: %255[^#\n]\n# %u warps, strides %d", p->sizes,
                     &p->warps, &p->mode) == 3;
    if (in)
        fclose(in);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "seed", required_argument, NULL, 's' },   { "count", required_argument, NULL, 'c' },
        { "full", no_argument, NULL, 'f' },         { "print", no_argument, NULL, 'p' },
        { "shrink", no_argument, NULL, 'k' },       { "seconds", required_argument, NULL, 't' },
        { "source", required_argument, NULL, 'o' }, { NULL, 0, NULL, 0 }
    };
    int option, seconds = 0;
    bool print = false, shrinks = false;
    const char *path = NULL;

    setenv("CK_MAX_MSG_SIZE", "1000000", 0); // a message contains the source
    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 's':
            first = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            count = strtoull(optarg, NULL, 10);
            break;
        case 't':
            seconds = atoi(optarg);
            break;
        case 'f':
            large = true;
            break;
        case 'p':
            print = true;
            break;
        case 'k':
            shrinks = true;
            break;
        case 'o':
            path = optarg;
            break;
        default:
            return 2;
        }
    if (print) {
        struct random_program p = { 0 };
        random_program_make(&p, first, large);
        printf("# seed %llu: %s\n# %u warps, strides %d\n%s", (unsigned long long)first, p.sizes,
               p.warps, p.mode, p.source);
        free(p.source);
        return 0;
    }
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return 2;
    if (path && !read_source(&candidate, path)) {
        fprintf(stderr, "%s: it cannot be read, or does not say how it runs\n", path);
        return 2;
    }
    if (shrinks)
        return shrink();
    if (path)
        return run(CK_ENV);
    if (!seconds)
        seconds = large ? FULL_SECONDS : SECONDS;
    batches = count ? (int)((count + BATCH - 1) / BATCH) : seconds * BATCHES_A_SECOND;
    end_time = now() + (count ? 1e9 : seconds);
    int status = run(CK_ENV);
    printf("%llu programs\n", (unsigned long long)told->checked);
    if (status)
        printf("the last was seed %llu\n", (unsigned long long)told->at);
    return status;
}
