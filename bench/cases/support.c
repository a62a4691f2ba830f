#include "support.h"

#include "base/array.h"

#include <cucore/buffer.h>
#include <cucore/copy.h>
#include <cucore/error.h>
#include <cucore/linker.h>
#include <cucore/program.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cuc_status bench_fail(cuc_status status, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return cuc_error_set(status, NULL, text);
}

cuc_status bench_no_memory(const char *what)
{
    return bench_fail(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %s", what);
}

void *bench_allocate(cuc_bench_state *state, size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p) {
        bench_no_memory("a point");
        return NULL;
    }
    return cuc_bench_state_defer(state, free, p) < 0 ? NULL : p;
}

cuc_bench_input *bench_input(cuc_bench_state *state, cuc_dtype dtype, uint64_t count, int32_t fill,
                             uint32_t sets)
{
    cuc_bench_input_options o = CUC_BENCH_INPUT_OPTIONS_INIT;
    cuc_bench_input *input = NULL;

    o.count = count;
    o.dtype = dtype;
    o.fill = fill;
    o.sets = sets;
    return cuc_bench_state_add_input(&input, state, &o) < 0 ? NULL : input;
}

// ---- Subjects that failed before measurement; their check reports the reason

static cuc_status tell_failure(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    (void)stream;
    snprintf(why, why_size, "%s", (const char *)data);
    return 1;
}

static cuc_status no_sample(void *data, uint64_t set, double *seconds)
{
    (void)data;
    (void)set;
    (void)seconds;
    return bench_fail(CUC_ERROR_NOT_SUPPORTED, "there is nothing to measure");
}

cuc_status bench_failed_subject(cuc_bench_state *state, const char *name, uint32_t modes)
{
    char *why = bench_allocate(state, 512);
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;

    if (!why)
        return cuc_error_status();
    snprintf(why, 512, "%s", cuc_error_message());
    subject.name = name;
    subject.data = why;
    subject.kind = CUC_BENCH_KIND_FOREIGN;
    subject.modes = modes;
    subject.check = tell_failure;
    subject.sample = no_sample;
    return cuc_bench_state_add_subject(state, &subject);
}

// ---- Kernels

cuc_status bench_compile(cuc_object **out, cuc_device *device, const char *name, const char *source)
{
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;

    options.name = name;
    options.arch = device ? cuc_device_arch(device) : "sm_90";
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0, &options);
    if (st < 0)
        return st;
    st = cuc_program_compile(out, program, CUC_CODE_CUBIN);
    cuc_program_release(program);
    return st;
}

char *bench_one_kernel(const char *file, const char *name)
{
    char head[64];
    const char *first = strncmp(file, "kernel ", 7) == 0 ? file : strstr(file, "\nkernel ");

    snprintf(head, sizeof(head), "\nkernel %s(", name);
    const char *begin = strncmp(file, head + 1, strlen(head + 1)) == 0 ? file : strstr(file, head);
    if (!first || !begin) {
        (void)bench_fail(CUC_ERROR_NOT_FOUND, "the tile program has no kernel %s", name);
        return NULL;
    }
    const char *end = strstr(begin + 1, "\n}\n");
    size_t before = (size_t)(first - file), bytes = end ? (size_t)(end - begin) + 3 : strlen(begin);
    char *text = malloc(before + bytes + 1);
    if (!text) {
        (void)bench_no_memory("a tile program");
        return NULL;
    }
    memcpy(text, file, before);
    memcpy(text + before, begin, bytes);
    text[before + bytes] = 0;
    return text;
}

void bench_drop_kernel(void *kernel)
{
    cuc_kernel_release(kernel);
}

void bench_drop_buffer(void *buffer)
{
    cuc_buffer_release(buffer);
}

cuc_status bench_link(cuc_object **out, cuc_object *const *inputs, size_t count, const char *arch,
                      const char *ptxas)
{
    cuc_linker_options options = CUC_LINKER_OPTIONS_INIT;
    cuc_linker *linker;

    cuc_object_release(*out);
    *out = NULL;
    options.arch = arch;
    options.backend = CUC_LINKER_NVJITLINK;
    options.no_cache = CUC_ON;
    options.cache = cuc_cache_none();
    options.ptxas_options = &ptxas;
    options.ptxas_option_count = ptxas != NULL;
    cuc_status st = cuc_linker_create(&linker, &options);
    if (st < 0)
        return st;
    for (size_t i = 0; i < count && st >= 0; i++)
        if (inputs[i])
            st = cuc_linker_add(linker, inputs[i]);
    if (st >= 0)
        st = cuc_linker_link(out, linker, CUC_CODE_CUBIN);
    cuc_linker_release(linker);
    return st;
}

cuc_status bench_kernel(cuc_kernel **out, cuc_bench_state *state, const char *file,
                        const char *source, const char *kernel)
{
    cuc_object *object;
    cuc_kernel *found;
    cuc_status st = bench_compile(&object, cuc_bench_state_device(state), file, source);

    if (st < 0)
        return st;
    st = cuc_object_get_kernel(&found, object, kernel);
    cuc_object_release(object); // the kernel keeps it
    if (st >= 0)
        st = cuc_bench_state_defer(state, bench_drop_kernel, found);
    if (st >= 0)
        *out = found;
    return st;
}

cuc_status bench_compare(cuc_stream *stream, cuc_device_ptr at, uint64_t bytes,
                         bench_expect *expect, void *data, char *why, size_t why_size)
{
    const size_t most = (size_t)4 << 20;
    size_t chunk = bytes < most ? (size_t)bytes : most;
    unsigned char *got = malloc(2 * chunk), *expected = got + chunk;
    cuc_status st = got ? CUC_OK : bench_no_memory("what is compared");

    for (uint64_t offset = 0; offset < bytes && st == CUC_OK; offset += chunk) {
        size_t n = bytes - offset < chunk ? (size_t)(bytes - offset) : chunk;
        size_t i = 0;
        if ((st = cuc_copy_to_host(stream, got, at + offset, n)) < 0 ||
            (st = cuc_stream_synchronize(stream)) < 0 ||
            (st = expect(data, expected, offset, n)) < 0 || memcmp(got, expected, n) == 0)
            continue;
        while (got[i] == expected[i])
            i++;
        snprintf(why, why_size, "byte %llu is 0x%02x, expected 0x%02x",
                 (unsigned long long)(offset + i), got[i], expected[i]);
        st = 1;
    }
    free(got);
    return st;
}

bool bench_find_file(char *out, size_t size, const char *name)
{
    static const char *const places[] = { "", "../share/cucore/" };
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < CUC_LENGTH(places); i++) {
        int n = snprintf(out, size, "%.*s/%s%s", (int)(slash - program), program, places[i], name);
        if (n > 0 && (size_t)n < size && access(out, R_OK) == 0)
            return true;
    }
    snprintf(out, size, "%s/%s", BENCH_DATA_FOLDER, name);
    return access(out, R_OK) == 0;
}
