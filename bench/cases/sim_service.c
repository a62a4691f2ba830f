// Child processes of the suite sim: each loads the simulated driver with its own settings and runs
// kernels through cucore, like any program.
#include "sim_service.h"

#include "base/array.h"
#include "bench_case_kernels.h"
#include "serve.h"
#include "support.h"

#include <cucore/buffer.h>
#include <cucore/copy.h>
#include <cucore/launch.h>
#include <cucore/system.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS = 3 };

typedef struct point {
    const struct program *program;
    cuc_device *device;
    cuc_stream *stream;
    cuc_kernel *kernel;
    cuc_buffer *buffers[BUFFERS];
    cuc_launch_config config;
    uint32_t n;
    double allocated, resident; // bytes: on the device, and growth of the process
    double most_resident;       // limit, as a multiple of `allocated`; 0: none
} point;

// ---- Numbers, made piece by piece, so that the host needs no memory of their total size

static cuc_status x_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    float *x = to;

    (void)data;
    for (size_t i = 0; i < bytes / 4; i++)
        x[i] = (float)((offset / 4 + i) % 1000);
    return CUC_OK;
}

static cuc_status twice_x_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    float *x = to;

    x_of(data, to, offset, bytes);
    for (size_t i = 0; i < bytes / 4; i++)
        x[i] *= 2;
    return CUC_OK;
}

// Return a multiple of 1/8 from -1 to 1: products and sums of these are exact in f32.
static float eighth(uint64_t i, uint64_t n, uint64_t step)
{
    return (float)((int)((i * step + i / n * 3) % 17) - 8) / 8;
}

// Convert a number that is a normal f16 value.
static uint16_t f16_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return (uint16_t)(x == 0 ? 0
                             : bits >> 31 << 15 | ((bits >> 23 & 255) - 112) << 10 |
                                   (bits >> 13 & 1023));
}

static const uint64_t steps[] = { 7, 5 }; // steps of the number sequences in a and in b

static cuc_status a_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    const point *p = data;
    uint16_t *a = to;

    for (size_t i = 0; i < bytes / 2; i++)
        a[i] = f16_of(eighth(offset / 2 + i, p->n, steps[0]));
    return CUC_OK;
}

static cuc_status b_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    const point *p = data;
    uint16_t *b = to;

    for (size_t i = 0; i < bytes / 2; i++)
        b[i] = f16_of(eighth(offset / 2 + i, p->n, steps[1]));
    return CUC_OK;
}

static cuc_status write_all(point *p, cuc_buffer *to, bench_expect *make)
{
    const size_t piece = (size_t)1 << 20;
    size_t bytes = cuc_buffer_bytes(to);
    void *from = malloc(piece);
    cuc_status st = from ? CUC_OK : bench_no_memory("a kernel's input");

    for (size_t at = 0; at < bytes && st >= 0; at += piece) {
        size_t n = bytes - at < piece ? bytes - at : piece;
        if ((st = make(p, from, at, n)) >= 0 &&
            (st = cuc_buffer_write_async(p->stream, to, at, from, n)) >= 0)
            st = cuc_stream_synchronize(p->stream);
    }
    free(from);
    return st;
}

// ---- Programs

static cuc_status launch_saxpy(const point *p)
{
    return CUC_LAUNCH(p->stream, &p->config, p->kernel, 2.0f, p->buffers[0], p->buffers[1],
                      (int32_t)p->n);
}

static cuc_status launch_reverse(const point *p)
{
    return CUC_LAUNCH(p->stream, &p->config, p->kernel, p->buffers[0], p->buffers[1]);
}

static cuc_status launch_matmul(const point *p)
{
    return CUC_LAUNCH(p->stream, &p->config, p->kernel, p->buffers[0], p->buffers[1], p->buffers[2],
                      (int32_t)p->n);
}

// Compare some rows of the matrix product with an f64 reference.
static cuc_status check_matmul(point *p, char *why, size_t why_size)
{
    size_t n = p->n;
    float *row = malloc(n * sizeof(*row));
    cuc_status st = row ? CUC_OK : bench_no_memory("a row");

    for (size_t i = 0; i < n && st == CUC_OK; i += n / 8 + 1) {
        if ((st = cuc_buffer_read_async(p->stream, row, p->buffers[2], i * n * 4, n * 4)) < 0 ||
            (st = cuc_stream_synchronize(p->stream)) < 0)
            break;
        for (size_t j = 0; j < n && st == CUC_OK; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += (double)eighth(i * n + k, n, steps[0]) * eighth(k * n + j, n, steps[1]);
            if ((double)row[j] == sum)
                continue;
            snprintf(why, why_size, "row %zu, column %zu is %g, expected %g", i, j, (double)row[j],
                     sum);
            st = 1;
        }
    }
    free(row);
    return st;
}

static cuc_status check_saxpy(point *p, char *why, size_t why_size)
{
    return bench_compare(p->stream, cuc_buffer_ptr(p->buffers[1]), 4 * (uint64_t)p->n, twice_x_of,
                         p, why, why_size);
}

static cuc_status check_reverse(point *p, char *why, size_t why_size)
{
    return bench_compare(p->stream, cuc_buffer_ptr(p->buffers[1]), 4 * (uint64_t)p->n, x_of, p, why,
                         why_size);
}

static const struct program {
    const char *name, *source;
    uint32_t block;
    uint32_t tile;                   // the grid is n / tile, in both dimensions for square matrices
    uint32_t element_bytes[BUFFERS]; // element size of a buffer of n or n * n elements; 0: none
    bool square;
    bench_expect *fills[BUFFERS]; // NULL: zero the buffer before each check
    cuc_status (*launch)(const point *p);
    cuc_status (*check)(point *p, char *why, size_t why_size);
} programs[] = {
    // clang-format off
    { "saxpy",   saxpy_cu,   256, 256, { 4, 4 },    false, { x_of },       launch_saxpy,   check_saxpy },
    { "reverse", reverse_cu, 256, 256, { 4, 4 },    false, { x_of },       launch_reverse, check_reverse },
    { "matmul",  matmul_cu,  128,  64, { 2, 2, 4 }, true,  { a_of, b_of }, launch_matmul,  check_matmul },
    // clang-format on
};

// Count the PTX instructions of a thread that executes each once; returns 0 if there are backward
// jumps, because loops cannot be counted.
static uint64_t count_instructions(const char *ptx)
{
    static const char label_marks[] = "$:";
    uint64_t count = 0;
    bool body = false;

    for (const char *line = ptx; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = line + strspn(line, " \t");
        size_t length = strcspn(at, "\n");
        if (*at == '{' || *at == '}')
            body = *at == '{';
        if (!body || !length || at[length - 1] != ';' || *at == '.' || *at == '/')
            continue;
        count++;
        // Jumps count as not taken; a jump to an earlier label is backward.
        const char *label = strstr(at, "bra");
        label = label && label < at + length ? strchr(label, label_marks[0]) : NULL;
        if (label && label < at + length) {
            char name[64];
            snprintf(name, sizeof(name), "\n%.*s%c", (int)strcspn(label, ";\n"), label,
                     label_marks[1]);
            const char *place = strstr(ptx, name);
            if (!place || place < at)
                return 0;
        }
    }
    return count;
}

// ---- The service

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Return the process's resident memory.
static double resident_bytes(void)
{
    unsigned long long all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%llu %llu", &all, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void drop(void *data)
{
    point *p = data;

    for (int i = 0; i < BUFFERS; i++)
        cuc_buffer_release(p->buffers[i]);
    cuc_kernel_release(p->kernel);
    cuc_stream_release(p->stream);
    free(p);
}

static cuc_status load(point *p, json_t *answer)
{
    cuc_object *object;
    const char *ptx;
    cuc_status st = cuc_stream_create(&p->stream, p->device, NULL);

    if (st < 0 ||
        (st = bench_compile(&object, p->device, p->program->name, p->program->source)) < 0)
        return st;
    st = cuc_object_get_kernel(&p->kernel, object, p->program->name);
    if (st >= 0 && (st = cuc_object_get_ptx(&ptx, NULL, object)) >= 0) {
        double threads = (double)p->config.grid[0] * p->config.grid[1] * p->config.block[0];
        json_object_set_new(answer, "items", json_real((double)count_instructions(ptx) * threads));
    }
    cuc_object_release(object);
    return st;
}

static cuc_status make_buffers(point *p)
{
    const struct program *program = p->program;
    size_t count = program->square ? (size_t)p->n * p->n : p->n;
    cuc_status st = CUC_OK;

    for (int i = 0; i < BUFFERS && st >= 0; i++) {
        if (!program->element_bytes[i])
            continue;
        st = cuc_buffer_create(&p->buffers[i], p->stream, NULL, count * program->element_bytes[i]);
        if (st >= 0 && program->fills[i])
            st = write_all(p, p->buffers[i], program->fills[i]);
        p->allocated += st < 0 ? 0 : (double)cuc_buffer_bytes(p->buffers[i]);
    }
    return st;
}

static cuc_status run_once(point *p)
{
    cuc_status st = CUC_OK;

    for (int i = 0; i < BUFFERS && st >= 0; i++)
        if (p->buffers[i] && !p->program->fills[i])
            st =
                cuc_buffer_fill(p->stream, p->buffers[i], 0, 0, 4, cuc_buffer_bytes(p->buffers[i]));
    if (st >= 0)
        st = p->program->launch(p);
    return st < 0 ? st : cuc_stream_synchronize(p->stream);
}

static cuc_status prepare(point *p, json_t *answer)
{
    uint32_t blocks = p->n / p->program->tile;

    p->config.grid[0] = blocks;
    p->config.grid[1] = p->program->square ? blocks : 1;
    p->config.block[0] = p->program->block;
    cuc_status st = load(p, answer);
    if (st < 0)
        return st;
    double before = resident_bytes();
    if ((st = make_buffers(p)) < 0 || (st = run_once(p)) < 0)
        return st;
    p->resident = resident_bytes() - before;
    json_object_set_new(
        answer, "figures",
        json_pack("{s:f, s:f}", "allocated_bytes", p->allocated, "resident_bytes", p->resident));
    return CUC_OK;
}

static cuc_status make_point(void **out, const json_t *request, json_t *answer)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    json_int_t n = json_integer_value(json_object_get(request, "n"));
    cuc_device *device;
    size_t i = 0;
    cuc_status st = cuc_device_get(&device, 0);

    if (st < 0)
        return st;
    if (!cuc_driver_is_simulated())
        return bench_fail(CUC_ERROR_NO_DRIVER, "the driver is none that simulates");
    while (i < CUC_LENGTH(programs) && (!name || strcmp(programs[i].name, name) != 0))
        i++;
    if (i == CUC_LENGTH(programs) || n < programs[i].tile || n % programs[i].tile || n > 1 << 30)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "kernel %s of %lld is none that is known",
                          name ? name : "(none)", (long long)n);
    point *p = calloc(1, sizeof(*p));
    if (!p)
        return bench_no_memory("a point");
    p->program = &programs[i];
    p->n = (uint32_t)n;
    p->most_resident = json_number_value(json_object_get(request, "most_resident"));
    p->device = device;
    p->config = (cuc_launch_config)CUC_LAUNCH_CONFIG_INIT;
    st = prepare(p, answer);
    if (st < 0)
        drop(p);
    else
        *out = p;
    return st;
}

static cuc_status check(void *data, char *why, size_t why_size)
{
    point *p = data;
    cuc_status st = run_once(p);

    if (st >= 0 && p->most_resident > 0 && p->resident > p->most_resident * p->allocated) {
        snprintf(why, why_size,
                 "%.0f bytes are resident for %.0f that are allocated: more than %g "
                 "times as many",
                 p->resident, p->allocated, p->most_resident);
        return 1;
    }
    return st < 0 ? st : p->program->check(p, why, why_size);
}

static cuc_status sample(void *data, uint64_t set, double *seconds)
{
    point *p = data;
    double begun = now();
    cuc_status st = p->program->launch(p);

    (void)set;
    if (st >= 0)
        st = cuc_stream_synchronize(p->stream);
    *seconds = now() - begun;
    return st;
}

int bench_sim_serve(void)
{
    static const bench_service service = { make_point, check, sample, drop };

    return bench_serve(&service);
}
