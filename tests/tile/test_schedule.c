// Random kernels with products in loops, the driver against the interpreter. Without arguments, the
// same ones every time, each from a seed:
//
//     test_tile_schedule --seed 4711 --count 10000   these, for a long run
//     test_tile_schedule --seed 4711 --print         its source
#include "construct.h"
#include "random_schedule.h"

#include "tests.h"

#include <cucore/cucore.h>
#include <getopt.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BATCH = 10, COUNT = 200 };

static uint64_t first = 1, count = COUNT;

// Messages of the checking processes to their parent.
static struct told {
    uint64_t checked, with_roles;
} * told;

static void check_kernel(uint64_t seed)
{
    struct random_schedule p = { 0 };
    char name[64];

    random_schedule_make(&p, seed);
    snprintf(name, sizeof(name), "seed %llu", (unsigned long long)seed);
    const struct construct row = { .name = name, .sizes = p.sizes, .source = p.source };
    told->with_roles += construct_check_with(&row, NULL, &p.options) > 0;
    told->checked++;
    free(p.source);
}

static int batches;

CASE("kernels", .timeout = 300);

TEST_RANGE(the_driver_and_the_interpreter_do_the_same, 0, batches)
{
    uint64_t from = first + (uint64_t)_i * BATCH, end = first + count;

    construct_start();
    for (uint64_t seed = from; seed < from + BATCH && seed < end; seed++)
        check_kernel(seed);
    construct_stop();
}

static void print_kernel(uint64_t seed)
{
    struct random_schedule p = { 0 };

    random_schedule_make(&p, seed);
    printf("# seed %llu: %s\n# %u warps, stages=%u split=%u cluster=%u, %u multiprocessors\n%s",
           (unsigned long long)seed, p.sizes, p.options.warps, p.options.stages, p.options.split,
           p.options.cluster, p.options.multiprocessors, p.source);
    free(p.source);
}

int main(int argc, char **argv)
{
    static const struct option options[] = { { "seed", required_argument, NULL, 's' },
                                             { "count", required_argument, NULL, 'c' },
                                             { "print", no_argument, NULL, 'p' },
                                             { NULL, 0, NULL, 0 } };
    int option;
    bool print = false;

    setenv("CK_MAX_MSG_SIZE", "100000", 0); // a message contains the source
    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 's':
            first = strtoull(optarg, NULL, 10);
            break;
        case 'c':
            count = strtoull(optarg, NULL, 10);
            break;
        case 'p':
            print = true;
            break;
        default:
            return 2;
        }
    if (print) {
        print_kernel(first);
        return 0;
    }
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return 2;
    batches = (int)((count + BATCH - 1) / BATCH);
    int status = run_tests("tile schedule");
    printf("%llu kernels, %llu of them with roles\n", (unsigned long long)told->checked,
           (unsigned long long)told->with_roles);
    return status;
}
