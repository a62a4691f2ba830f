// Compares the driver with the interpreter on kernels with products in loops: a table of forms that
// must become pipelines, and random kernels. Without arguments the random kernels are the same each
// time, each from a seed:
//
//     test_tile_schedule --seed 4711 --count 10000   these, for a long run
//     test_tile_schedule --seed 4711 --print         its source
//     test_tile_schedule --source FILE               the edited output of --print
//     test_tile_schedule --slice 2/8                 an eighth of the default run
//     test_tile_schedule --assemble --count 500      only assembles them for sm_90a
#include "assembler.h"
#include "base/array.h"
#include "construct.h"
#include "random_schedule.h"
#include "schedule_forms.h"
#include "slice.h"

#include "tests.h"

#include <cucore/cucore.h>
#include <getopt.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BATCH = 10, COUNT = 200 };

static uint64_t first = 1, count = COUNT;

// Messages from the checking processes to their parent.
static struct told {
    uint64_t checked, with_roles;
    bool is_hopper;
} * told;

static const char *path; // a source to check instead of random ones
static bool assembles;   // --assemble: runs no kernel

static const char head[] = "# seed %llu: %255[^\n]\n# %u warps, stages=%u split=%u cluster=%u, "
                           "%u multiprocessors, strides %d, contract=%d roles_only=%d\n";

static void read_source(struct random_schedule *p)
{
    FILE *in = fopen(path, "r");
    size_t bytes = 0;
    int contract, roles_only;
    unsigned long long seed;

    ck_assert_msg(in && getdelim(&p->source, &bytes, 0, in) > 0, "%s cannot be read", path);
    fclose(in);
    ck_assert_msg(sscanf(p->source, head, &seed, p->sizes, &p->options.warps, &p->options.stages,
                         &p->options.split, &p->options.cluster, &p->options.multiprocessors,
                         &p->options.mode, &contract, &roles_only) == 10,
                  "%s does not begin as --print writes it", path);
    p->options.contract = contract;
    p->options.roles_only = roles_only;
    p->options.specific = true;
}

static void check_kernel(uint64_t seed)
{
    struct random_schedule p = { 0 };
    char name[64];

    if (path)
        read_source(&p);
    else
        random_schedule_make(&p, seed);
    snprintf(name, sizeof(name), "seed %llu", (unsigned long long)seed);
    const struct construct row = { .name = name, .sizes = p.sizes, .source = p.source };
    told->with_roles += construct_check_with(&row, NULL, &p.options) > 0;
    told->checked++;
    free(p.source);
}

// Options for the forms: few and many stages, and the loop split over the blocks of a cluster.
static const struct construct_options ways[] = {
    { .multiprocessors = 3, .contract = true, .specific = true },
    { .multiprocessors = 1, .contract = true, .specific = true, .stages = 2, .roles_only = true },
    { .multiprocessors = 4, .specific = true, .split = 3, .roles_only = true },
};

static bool has_forms;
static struct slice slice = { 0, 1 };

static bool checks_forms(void)
{
    return has_forms;
}

CASE("forms", .timeout = 120, .only_if = checks_forms);

TEST_SLICE(a_form_becomes_a_pipeline, slice, CUC_LENGTH(forms))
{
    const struct form *form = &forms[_i];
    const char *dtype;
    char room[8];

    construct_start();
    for (int n = 0; (dtype = construct_dtype(&form->as, n, room)); n++)
        for (size_t i = 0; i < CUC_LENGTH(ways); i++) {
            uint32_t ran = construct_check_with(&form->as, dtype, &ways[i]);
            ck_assert_msg(ran >= form->roles || !construct_is_hopper(),
                          "%s of %s: an entry with roles ran %u of %u cases", form->as.name, dtype,
                          ran, form->roles);
        }
    construct_stop();
}

static int batches;

static bool runs_kernels(void)
{
    return !assembles;
}

CASE("kernels", .timeout = 300, .only_if = runs_kernels);

TEST_SLICE(the_driver_and_the_interpreter_agree, slice, batches)
{
    uint64_t from = first + (uint64_t)_i * BATCH, end = first + count;

    construct_start();
    told->is_hopper = construct_is_hopper();
    for (uint64_t seed = from; seed < from + BATCH && seed < end; seed++)
        check_kernel(seed);
    construct_stop();
}

// ---- Assembling

static void assemble(const struct random_schedule *p, const char *name)
{
    const struct construct_options *as = &p->options;
    const char *why = NULL;
    cuc_program *program;
    cuc_object *object;
    cuc_status st = cuc_program_create(
        &program, CUC_SOURCE_TILE, p->source, 0,
        CUC_PROGRAM_OPTIONS(.name = name, .arch = "sm_90a", .warps = (int)as->warps,
                            .stages = (int)as->stages, .split = (int)as->split,
                            .cluster = (int)as->cluster));

    if (st == CUC_OK)
        st = cuc_program_compile(&object, program, CUC_CODE_PTX);
    ck_assert_msg(st == CUC_OK, "%s: %s\n%s", name, cuc_error_message(), cuc_error_log());
    ck_assert_msg(assembler_run(object, "sm_90a", NULL, &why) != NULL, "%s: %s\n%s", name, why,
                  p->source);
    cuc_object_release(object);
    cuc_program_release(program);
}

static bool only_assembles(void)
{
    return assembles;
}

CASE("assembler", .timeout = 300, .only_if = only_assembles);

// Kernels on which ptxas of CUDA 13.0 crashed, as --print writes them.
static const char *const crashed[] = { "seed_71000033", "seed_71200027", "seed_71400051",
                                       "seed_71500107" };

TEST_ROWS(the_assembler_survives_a_stride_times_the_constant_1, crashed)
{
    struct random_schedule p = { 0 };
    char file[512];

    snprintf(file, sizeof(file), "%s/%s.tile", ASSEMBLED, crashed[_i]);
    path = file;
    read_source(&p);
    assemble(&p, crashed[_i]);
    free(p.source);
}

TEST_SLICE(the_assembler_accepts_the_code, slice, batches)
{
    uint64_t from = first + (uint64_t)_i * BATCH, end = first + count;

    for (uint64_t seed = from; seed < from + BATCH && seed < end; seed++) {
        struct random_schedule p = { 0 };
        char name[64];
        random_schedule_make(&p, seed);
        snprintf(name, sizeof(name), "seed %llu", (unsigned long long)seed);
        assemble(&p, name);
        free(p.source);
    }
}

static void print_kernel(uint64_t seed)
{
    struct random_schedule p = { 0 };

    random_schedule_make(&p, seed);
    printf("# seed %llu: %s\n# %u warps, stages=%u split=%u cluster=%u, %u multiprocessors, "
           "strides %d, contract=%d roles_only=%d\n%s",
           (unsigned long long)seed, p.sizes, p.options.warps, p.options.stages, p.options.split,
           p.options.cluster, p.options.multiprocessors, p.options.mode, p.options.contract,
           p.options.roles_only, p.source);
    free(p.source);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "seed", required_argument, NULL, 's' }, { "count", required_argument, NULL, 'c' },
        { "print", no_argument, NULL, 'p' },      { "source", required_argument, NULL, 'o' },
        { "assemble", no_argument, NULL, 'a' },   { NULL, 0, NULL, 0 }
    };
    int option;
    bool print = false;

    has_forms = argc == 1;
    if (slice_asked(argc, argv)) {
        if (!slice_read(&slice, argv))
            return 2;
        has_forms = true;
        argc = 1;
    }
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
        case 'a':
            assembles = true;
            break;
        case 'o':
            path = optarg;
            count = 1;
            break;
        default:
            return 2;
        }
    if (print) {
        print_kernel(first);
        return 0;
    }
    if (assembles && !assembler_exists()) {
        printf("skipped: there is no ptxas\n");
        return 77;
    }
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return 2;
    batches = (int)((count + BATCH - 1) / BATCH);
    int status = run_tests("tile schedule");
    if (assembles)
        return status;
    printf("%llu kernels, %llu of them with roles\n", (unsigned long long)told->checked,
           (unsigned long long)told->with_roles);
    // Make sure that the random kernels of the default run keep testing pipelines.
    if (has_forms && slice.step == 1 && told->is_hopper && 4 * told->with_roles < told->checked) {
        printf("fewer than a quarter have roles\n");
        return EXIT_FAILURE;
    }
    return status;
}
