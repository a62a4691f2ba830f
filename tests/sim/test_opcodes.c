// Compares every instruction in every form, on edge values of its types, with an oracle in C. The
// tables are opcodes/*.def; opcodes/opcodes.h describes a row. The same PTX runs on the simulated
// driver and on a GPU. tests/data/opcodes/ keeps a GPU's results as golden files, and later runs
// are compared with these too.
//
//     test_opcodes [--only REGEX]        run on device 0; compare with the oracle and golden files
//     test_opcodes --record DIR          also write the device's results to DIR, by family
//     test_opcodes --golden DIR          take golden files from DIR/sm_90/ and the like
//     test_opcodes --assemble sm_90a     assemble every module; needs nvJitLink, but no device
//     test_opcodes --since 91            only rows whose minimum architecture is sm_91 or later
//     test_opcodes --list                name the instances
//
// Exits 1 if a result is wrong, and 77 without a device or nvJitLink.
#include "opcodes/opcodes.h"

#include <cucore/cucore.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum {
    SKIP = 77,
    MOST_REPORTED = 3, // wrong results to show for each instance
    MODULE = 100,      // kernels
    SLOTS = MAX_IN * CASES > CASES_ALL ? MAX_IN *CASES : CASES_ALL, // 8-byte slots of a buffer
};

static const char *record_folder, *golden_folder = OPCODE_GOLDEN;
static bool verbose;
static int since; // lowest architecture of rows to run
static regex_t only;
static bool has_only;

static cuc_stream *stream;
static cuc_buffer *device_in, *device_out;
static char device_arch[32];
static char header[1024];
static bool simulated, lost;

// For all threads: inputs, outputs, and the part of the outputs that all devices agree on.
static uint64_t *in[MAX_IN], *got[MAX_OUT], *settled[MAX_OUT];

static struct {
    uint32_t instances, wrong, compared, stale, bits;
    uint64_t results, open;
} total;

static bool wanted(const struct instance *x, int arch)
{
    char line[4096];

    if (x->row->arch > arch || x->row->arch < since)
        return false;
    snprintf(line, sizeof(line), "%s: %s", x->row->family, x->text);
    return !has_only || regexec(&only, line, 0, NULL, 0) == 0;
}

static bool fine(cuc_status st, const struct instance *x, const char *what)
{
    if (st >= 0)
        return true;
    printf("WRONG %s: %s\n  %s: %.*s\n", x->row->family, x->text, what, 300,
           *cuc_error_log() ? cuc_error_log() : cuc_error_message());
    if (cuc_context_is_lost(cuc_stream_context(stream))) {
        printf("WRONG the context is lost: what follows was not run\n");
        lost = true;
    }
    return false;
}

static bool run(const struct instance *x, cuc_kernel *kernel)
{
    static const struct kind *last[MAX_IN];
    static uint32_t last_count, last_cases;
    const size_t bytes = (size_t)x->cases * 8;
    cuc_status st = CUC_OK;

    if (last_count != x->ins || last_cases != x->cases ||
        memcmp(last, x->in, x->ins * sizeof(*last))) {
        kind_values(in, x->in, x->ins, x->cases);
        for (uint32_t k = 0; k < x->ins && st >= 0; k++)
            st = cuc_buffer_write_async(stream, device_in, k * bytes, in[k], bytes);
        last_count = x->ins;
        last_cases = x->cases;
        memcpy(last, x->in, x->ins * sizeof(*last));
    }
    if (st >= 0)
        st = CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { x->cases / BLOCK }, .block = { BLOCK }),
                        kernel, device_in, device_out);
    for (uint32_t k = 0; k < x->outs && st >= 0; k++)
        st = cuc_buffer_read_async(stream, got[k], device_out, k * bytes, bytes);
    if (st >= 0)
        st = cuc_stream_synchronize(stream);
    for (uint32_t k = 0; k < x->outs; k++)
        for (uint32_t n = 0; n < x->cases; n++)
            got[k][n] &= kind_mask(x->out[k]);
    return fine(st, x, "it did not run");
}

static void answers_of(const struct instance *x, uint32_t n, struct answer *answers)
{
    struct call c = { .x = x, .n = n, .column = in };
    const uint32_t each = x->elements;

    if (each == 1) {
        for (uint32_t k = 0; k < x->ins; k++)
            c.in[k] = in[k][n];
        x->row->answer(&c, answers);
        return;
    }
    for (uint32_t e = 0; e < each; e++) {
        struct answer one[MAX_OUT];
        for (uint32_t k = 0; k < x->ins; k++) {
            const uint32_t bits = x->in[k]->bits;
            c.in[k] = in[k][n] >> (e * bits) & ((UINT64_C(1) << bits) - 1);
        }
        x->row->answer(&c, one);
        for (uint32_t o = 0; o < x->outs; o++)
            answers[o * each + e] = one[o];
    }
}

static void tell(const struct instance *x, uint32_t n, uint32_t o, uint32_t e,
                 const struct answer *a, uint64_t value, const char *whose)
{
    char want[256];

    answer_text(want, sizeof(want), a, x->out[o]);
    printf("  %s gave %" PRIx64 ", not %s: output %u", whose, value, want, o);
    if (x->out[o]->elements > 1)
        printf(" element %u", e);
    printf(" of thread %u with", n);
    for (uint32_t k = 0; k < x->ins && k < 8; k++)
        printf(" %" PRIx64, in[k][n]);
    printf("\n");
}

// Compares one output register with its expected values. Stores in `settled` the part of it that
// all devices agree on.
static bool check_output(const struct instance *x, uint32_t n, uint32_t o, const struct answer *a,
                         const struct record *record, uint32_t *told)
{
    const struct kind *kind = x->out[o];
    const uint32_t each = kind->elements;
    bool right = true;

    settled[o][n] = 0;
    for (uint32_t e = 0; e < each; e++, a++) {
        // A single element takes the whole register, including unused upper bits.
        const uint64_t mask = each == 1 ? kind_mask(kind) : (UINT64_C(1) << kind->bits) - 1;
        const uint64_t value = got[o][n] >> (e * kind->bits) & mask;
        bool same = agrees(a, kind, value);
        if (a->is == ANSWER_OPEN) {
            total.open += !same;
            if (!same && ++*told <= MOST_REPORTED)
                tell(x, n, o, e, a, value, "the device");
            right = right && (same || !simulated);
            continue;
        }
        if (!same && ++*told <= MOST_REPORTED)
            tell(x, n, o, e, a, value, "the device");
        right = right && same;
        uint64_t plain = a->is == ANSWER_NAN && same ? format_nan(kind->format) : value;
        settled[o][n] |= (plain & mask) << (e * kind->bits);
        if (record && record->values && n < record->count / x->outs) {
            const uint32_t at = o * (record->count / x->outs) + n;
            const uint64_t kept = record->values[at] >> (e * kind->bits) & mask;
            if (!agrees(a, kind, kept)) {
                right = false;
                if (++*told <= MOST_REPORTED)
                    tell(x, n, o, e, a, kept, "the golden file");
            }
        }
    }
    return right;
}

static bool check(const struct instance *x, const struct golden *golden, struct golden *recorded)
{
    struct record r = { .text = x->text };
    const struct record *record = golden ? golden_find(golden, x->text) : NULL;
    const uint64_t open_before = total.open;
    uint32_t told = 0, wrong = 0;

    for (uint32_t k = 0; k < x->ins; k++)
        r.inputs = hash(r.inputs, in[k], x->cases);
    if (record && record->inputs != r.inputs) {
        total.stale++;
        record = NULL;
    }
    total.compared += record != NULL;
    if (record && record->values && (record->count % x->outs || record->count > x->outs * x->cases))
        record = NULL;
    for (uint32_t n = 0; n < x->cases; n++) {
        struct answer answers[MAX_ANSWERS], *a = answers;
        bool right = true;
        answers_of(x, n, answers);
        for (uint32_t o = 0; o < x->outs; a += x->out[o++]->elements)
            right = check_output(x, n, o, a, record, &told) && right;
        wrong += !right;
    }
    for (uint32_t o = 0; o < x->outs; o++) {
        r.outputs = hash(r.outputs, settled[o], x->cases);
        r.bits = hash(r.bits, got[o], x->cases);
    }
    if (record && !record->values && record->outputs != r.outputs) {
        wrong++;
        printf("  other results than the golden file's, which has no more of them than a hash\n");
    }
    const bool other_bits = record && record->bits != r.bits && x->row->how == COMPARE_EXACT;
    total.bits += other_bits;
    if (other_bits && (verbose || simulated))
        printf("other NaNs %s: %s\n", x->row->family, x->text);
    wrong += other_bits && simulated; // the simulator must produce the NaNs of the recorded device
    if (wrong)
        printf("WRONG %s: %s: %u of %u threads\n", x->row->family, x->text, wrong, x->cases);
    if (recorded) {
        // A hash of unexpected results would say too little, so record values. For matrices, the
        // values of half the threads suffice, because these cover every kind of element.
        const bool unexpected = wrong || total.open != open_before;
        if (x->row->how != COMPARE_EXACT || unexpected) {
            const uint32_t kept = x->row->how == COMPARE_DOT && !unexpected ? x->cases / 2
                                                                            : x->cases;
            r.count = x->outs * kept;
            r.values = calloc(r.count, sizeof(*r.values));
            for (uint32_t o = 0; r.values && o < x->outs; o++)
                memcpy(r.values + o * kept, got[o], kept * sizeof(uint64_t));
        }
        golden_add(recorded, &r);
        free(r.values);
    }
    total.results += (uint64_t)x->outs * x->cases;
    return !wrong;
}

static cuc_status load(cuc_object **object, const struct instance *const *list, size_t count)
{
    char *ptx = instances_ptx(list, count, device_arch, simulated);
    cuc_kernel *kernel = NULL;
    cuc_status st = cuc_object_create(object, CUC_CODE_PTX, ptx, strlen(ptx), NULL);

    free(ptx);
    if (st >= 0)
        st = cuc_object_get_kernel(&kernel, *object, "k0"); // loads the object
    cuc_kernel_release(kernel);
    return st;
}

static void run_one(const struct instance *x, cuc_object *object, size_t index,
                    const struct golden *golden, struct golden *recorded)
{
    cuc_kernel *kernel = NULL;
    char name[32];

    snprintf(name, sizeof(name), "k%zu", index);
    total.instances++;
    if (!fine(cuc_object_get_kernel(&kernel, object, name), x, "its kernel is not found") ||
        !run(x, kernel) || !check(x, golden, recorded))
        total.wrong++;
    else if (verbose)
        printf("right %s: %s\n", x->row->family, x->text);
    cuc_kernel_release(kernel);
}

// Puts instances into one module or, if that does not load, each into its own.
static void run_module(const struct instance *const *list, size_t count,
                       const struct golden *golden, struct golden *recorded)
{
    cuc_object *object = NULL;
    cuc_status st = load(&object, list, count);

    for (size_t i = 0; i < count && st >= 0 && !lost; i++)
        run_one(list[i], object, i, golden, recorded);
    if (st < 0 && count == 1) {
        fine(st, list[0], "it is not loaded");
        total.instances++;
        total.wrong++;
    } else if (st < 0) {
        for (size_t i = 0; i < count && !lost; i++)
            run_module(&list[i], 1, golden, recorded);
    }
    cuc_object_release(object);
}

static void run_family(const char *family, const struct instance *const *list, size_t count)
{
    char folder[2048];
    const char *why;
    struct golden *golden, *recorded = record_folder ? golden_new(header) : NULL;

    // Target names with and without a suffix have the same results on an architecture.
    snprintf(folder, sizeof(folder), "%s/%.*s", golden_folder,
             (int)strspn(device_arch, "sm_0123456789"), device_arch);
    golden = golden_read(folder, family, &why);
    if (why) {
        printf("WRONG %s\n", why);
        total.wrong++;
    }
    for (size_t i = 0; i < count && !lost; i += MODULE)
        run_module(list + i, count - i < MODULE ? count - i : MODULE, golden, recorded);
    if (recorded && !golden_write(recorded, record_folder, family)) {
        printf("WRONG %s/%s.txt cannot be written\n", record_folder, family);
        total.wrong++;
    }
    golden_free(golden);
    golden_free(recorded);
}

// Returns sm_90a for sm_90, which also enables architecture-specific instructions.
static const char *target_of(int arch)
{
    static char target[16];
    snprintf(target, sizeof(target), "sm_%d%s", arch, arch == 90 || arch >= 100 ? "a" : "");
    return target;
}

// Quotes the lines that the assembler's log names.
static void tell_lines(const char *log, const char *ptx)
{
    unsigned number;

    for (const char *at = log; (at = strstr(at, "line ")) != NULL; at++) {
        const char *line = ptx;
        if (sscanf(at, "line %u;", &number) != 1 || at[strcspn(at, ";\n")] != ';')
            continue;
        for (unsigned n = 1; n < number && line; n++)
            line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
        if (line)
            printf("  %.*s\n    %.*s\n", (int)strcspn(line, "\n"), line, (int)strcspn(at, "\n"),
                   at);
    }
}

static int assemble(const struct instance *const *list, size_t count, const char *target)
{
    char *ptx = instances_ptx(list, count, target, false);
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    int result = 0;

    o.arch = target;
    o.split_compile = CUC_ZERO;
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_PTX, ptx, strlen(ptx), &o);
    if (st >= 0)
        st = cuc_program_compile(&object, program, CUC_CODE_CUBIN);
    if (st == CUC_ERROR_NOT_FOUND) {
        printf("skipped: there is no nvJitLink\n");
        result = SKIP;
    } else if (st < 0) {
        printf("WRONG %s for %s: %s\n", list[0]->row->family, target, cuc_error_message());
        tell_lines(cuc_error_log(), ptx);
        result = 1;
    }
    cuc_object_release(object);
    cuc_program_release(program);
    free(ptx);
    return result;
}

static int open_device(int *arch)
{
    cuc_device *device;
    int32_t major, minor, version = 0;
    char driver[CUC_NVML_DRIVER_VERSION_BYTES] = "";

    if (cuc_device_get(&device, 0) < 0) {
        printf("skipped: %s\n", cuc_error_message());
        return SKIP;
    }
    simulated = cuc_driver_is_simulated();
    if (cuc_device_get_compute_capability(&major, &minor, device) < 0 ||
        cuc_stream_create(&stream, device, NULL) < 0 ||
        cuc_buffer_create(&device_in, stream, NULL, SLOTS * 8) < 0 ||
        cuc_buffer_create(&device_out, stream, NULL, SLOTS * 8) < 0) {
        printf("WRONG %s\n", cuc_error_message());
        return 1;
    }
    *arch = major * 10 + minor;
    snprintf(device_arch, sizeof(device_arch), "%s", target_of(*arch));
    cuc_driver_get_version(&version);
    if (simulated || cuc_nvml_get_driver_version(driver, sizeof(driver)) < 0)
        snprintf(driver, sizeof(driver), "none");
    // The driver assembles the PTX, with the assembler of its own CUDA version.
    snprintf(header, sizeof(header), "device %s\narch %s\ndriver %s\ncuda %d.%d\n",
             cuc_device_name(device), device_arch, driver, version / 1000, version % 1000 / 10);
    return 0;
}

static int usage(const char *what)
{
    fprintf(stderr,
            "%s: test_opcodes [--list] [--only REGEX] [--since NUMBER] [--record DIR] "
            "[--golden DIR] [--assemble ARCH] [--verbose]\n",
            what);
    return 2;
}

int main(int argc, char **argv)
{
    const char *target = NULL;
    bool listing = false;
    int arch = 0, result = 0;
    size_t count;

    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--list") == 0)
            listing = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--only") == 0 && more && !has_only) {
            if (regcomp(&only, argv[++i], REG_EXTENDED | REG_NOSUB) != 0)
                return usage(argv[i]);
            has_only = true;
        } else if (strcmp(argv[i], "--record") == 0 && more)
            record_folder = argv[++i];
        else if (strcmp(argv[i], "--golden") == 0 && more)
            golden_folder = argv[++i];
        else if (strcmp(argv[i], "--assemble") == 0 && more)
            target = argv[++i];
        else if (strcmp(argv[i], "--since") == 0 && more)
            since = atoi(argv[++i]);
        else
            return usage(argv[i]);
    }
    if (target && sscanf(target, "sm_%d", &arch) != 1)
        return usage(target);
    if (!target && !listing && (result = open_device(&arch)) != 0)
        return result;

    // If an input takes all values, it is the only one, so only the first column has full length.
    for (uint32_t k = 0; k < MAX_IN; k++)
        in[k] = calloc(k ? CASES : CASES_ALL, sizeof(**in));
    for (uint32_t k = 0; k < MAX_OUT; k++) {
        got[k] = calloc(k < 2 ? CASES_ALL : CASES, sizeof(**got));
        settled[k] = calloc(k < 2 ? CASES_ALL : CASES, sizeof(**settled));
    }
    struct instance *all = instances(&count);
    const struct instance **list = calloc(count, sizeof(*list));
    for (size_t begin = 0; begin < count;) {
        const char *family = all[begin].row->family;
        size_t chosen = 0, i = begin;
        for (; i < count && strcmp(all[i].row->family, family) == 0; i++)
            if (wanted(&all[i], listing ? 1000 : arch))
                list[chosen++] = &all[i];
        for (size_t k = 0; listing && k < chosen; k++)
            printf("%s: %s\n", family, list[k]->text);
        if (chosen && target && result != SKIP)
            result |= assemble(list, chosen, target);
        else if (chosen && !listing && !lost)
            run_family(family, list, chosen);
        begin = i;
    }
    instances_free(all, count);
    free(list);
    if (listing || target)
        return result;
    printf("%u instances, %" PRIu64
           " results: %u wrong; %u compared with golden files, %u of other inputs\n",
           total.instances, total.results, total.wrong, total.compared, total.stale);
    if (total.open)
        printf("%" PRIu64 " results that the ISA leaves open are not as expected\n", total.open);
    if (total.bits)
        printf(
            "%u instances differ from the golden files in NaNs, or where the ISA leaves it open\n",
            total.bits);
    cuc_buffer_release(device_in);
    cuc_buffer_release(device_out);
    cuc_stream_release(stream);
    for (uint32_t k = 0; k < MAX_IN; k++)
        free(in[k]);
    for (uint32_t k = 0; k < MAX_OUT; k++) {
        free(got[k]);
        free(settled[k]);
    }
    if (has_only)
        regfree(&only);
    return total.wrong != 0;
}
