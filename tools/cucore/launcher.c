#include "launcher.h"

#include "expect.h"

#include <cucore/copy.h>
#include <cucore/error.h>
#include <cucore/event.h>
#include <cucore/system.h>
#include <cucore/tile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMES_BYTES = 512,
    NO_ADDRESS = 4096, // address of an array without memory; never read
};

int launcher_check_outputs(const launcher *l)
{
    for (size_t i = 0; i < l->argument_count; i++)
        for (size_t j = 0; j < i; j++)
            if (l->arguments[i].out_path && l->arguments[j].out_path &&
                strcmp(l->arguments[i].out_path, l->arguments[j].out_path) == 0)
                return cli_usage_error("'%s' and '%s' are written to one file",
                                       l->arguments[j].text, l->arguments[i].text);
    return CLI_DONE;
}

int launcher_take_arguments(launcher *l, size_t count, char **texts)
{
    cli_why why;

    if (count > ARGUMENT_MAX)
        return cli_usage_error("%zu arguments are given, and no kernel has more than %d", count,
                               ARGUMENT_MAX);
    l->arguments = cli_allocate((count + 1) * sizeof(*l->arguments));
    for (size_t i = 0; i < count; i++) {
        if (!argument_parse(&l->arguments[i], texts[i], &why))
            return cli_usage_error("argument %zu: %s", i, why.text);
        l->argument_count = i + 1;
    }
    return launcher_check_outputs(l);
}

static int find_device(launcher *l)
{
    if (cuc_device_get_current(&l->device) == CUC_OK)
        return CLI_DONE;
    int status = cli_fail_cuc();
    if (cuc_error_status() == CUC_ERROR_NO_DRIVER || cuc_error_status() == CUC_ERROR_NO_DEVICE)
        cli_note("cucore compile works without a GPU; cucore doctor says what is missing here");
    return status;
}

static void make_argument(cuc_arg *out, const launcher *l, size_t i)
{
    const argument *a = &l->arguments[i];

    *out = (cuc_arg){ .type = a->dtype, .bytes = (uint32_t)a->bytes };
    if (a->kind != ARGUMENT_SCALAR && l->tile) {
        out->type = CUC_ARG_TENSOR;
        out->bytes = sizeof(cuc_device_ptr);
        out->value.pointer = &l->tensors[i];
    } else if (a->kind != ARGUMENT_SCALAR) {
        out->type = CUC_ARG_BUFFER;
        out->bytes = sizeof(cuc_device_ptr);
        out->value.pointer = l->buffers[i];
    } else if (a->bytes <= sizeof(out->value)) {
        memcpy(out->value.raw, a->scalar, (size_t)a->bytes);
    } else {
        out->type = CUC_ARG_BYTES;
        out->value.pointer = a->scalar;
    }
}

static void keep_dimension(void *user, const char *dimension)
{
    if (!strstr(dimension, "=-")) // an argument with a negative value is no extent
        source_options_know(user, dimension);
}

// Tell auto() the shapes of the arguments. Ignores errors here, because compilation and launch
// report mistakes in the arguments or the source.
static void know_dimensions(launcher *l)
{
    size_t n = l->argument_count;
    cuc_program *program = NULL;

    if (l->options.dimension_count)
        return;
    l->args = cli_allocate(n * sizeof(*l->args));
    l->tensors = cli_allocate(n * sizeof(*l->tensors));
    for (size_t i = 0; i < n; i++) {
        const argument *a = &l->arguments[i];
        l->tile = a->kind != ARGUMENT_SCALAR;
        if (l->tile)
            cuc_tensor_from_pointer(&l->tensors[i], NO_ADDRESS, a->dtype, a->rank, a->shape, -1);
        make_argument(&l->args[i], l, i);
    }
    l->tile = false;
    if (source_program(&program, &l->source, &l->options, l->options.arch) == CUC_OK)
        (void)cuc_tile_visit_dimensions(program, l->kernel_name, l->args, n, keep_dimension,
                                        &l->options);
    cuc_program_release(program);
    cuc_error_clear();
    free(l->args);
    free(l->tensors);
    l->args = NULL;
    l->tensors = NULL;
}

// Prints the compiler's remark that the grid leaves multiprocessors idle. `cucore compile` prints a
// kernel's other remarks.
static void note_grid(const launcher *l, const cuc_program *program)
{
    static const char before[] = "remark: kernel: ", is[] = ": a grid of ";
    size_t length = l->kernel_name ? strlen(l->kernel_name) : 0;

    for (const char *at = cuc_program_log(program); (at = strstr(at, before));) {
        at += strlen(before);
        size_t name = strcspn(at, ":\n");
        if ((!length || (name == length && strncmp(at, l->kernel_name, name) == 0)) &&
            strncmp(at + name, is, strlen(is)) == 0) {
            cli_note("%.*s", (int)strcspn(at, "\n"), at);
            return;
        }
    }
}

// Compile a source. CUDA C++ kernels are looked up by name expression: saxpy finds both extern "C"
// and C++ kernels, and axpy<float> is instantiated.
static int compile_source(launcher *l)
{
    const char *arch = l->options.arch ? l->options.arch
                                       : source_device_arch(&l->source, l->device);
    // The simulated device runs PTX without an assembler. Tile programs go to the driver as PTX,
    // because its assembler, unlike nvJitLink, moves registers between the warp roles of a
    // pipeline.
    int32_t kind = l->source.language->source;
    bool as_ptx = strncmp(arch, "compute_", 8) == 0 ||
                  (kind == CUC_SOURCE_TILE && !l->options.extra_count) ||
                  (kind != CUC_SOURCE_CUDA && cuc_driver_is_simulated());
    int32_t target = as_ptx ? CUC_CODE_PTX : CUC_CODE_CUBIN;
    cuc_program *program = NULL;

    l->options.expressions[0] = l->kernel_name;
    l->options.expression_count = kind == CUC_SOURCE_CUDA;
    if (kind == CUC_SOURCE_TILE) {
        arch = l->options.arch; // NULL: the device's, with its tuning records
        know_dimensions(l);
        l->options.remarks = l->repeats > 0;
    }
    cuc_status st = source_program(&program, &l->source, &l->options, arch);
    if (st == CUC_OK)
        st = cuc_program_compile(&l->object, program, target);
    if (st == CUC_OK && l->options.remarks)
        note_grid(l, program);
    cuc_program_release(program);
    if (st == CUC_OK)
        return CLI_DONE;
    if (st != CUC_ERROR_COMPILE || !l->options.expression_count || strchr(l->kernel_name, '<'))
        return cli_fail_cuc();

    // The compiler reports an unknown kernel as an error in the source. If that is the only error,
    // a list of the existing names helps more than the compiler's log.
    l->options.expression_count = 0;
    cuc_object *plain = NULL;
    cuc_program *again = NULL;
    if (source_program(&again, &l->source, &l->options, arch) == CUC_OK &&
        cuc_program_compile(&plain, again, target) == CUC_OK) {
        l->object = plain;
        cuc_program_release(again);
        return CLI_DONE; // the lookup then fails and reports the unknown name
    }
    cuc_program_release(again);
    return cli_fail_cuc();
}

static int load_code(launcher *l)
{
    const source_language *language = l->source.language;
    cuc_object_options options = CUC_OBJECT_OPTIONS_INIT;
    cli_why why;

    if (!language->source)
        return cuc_object_from_file(&l->object, l->path, language->code, NULL) == CUC_OK
                   ? CLI_DONE
                   : cli_fail_cuc();
    if (!source_read(&l->source, l->path, &why))
        return cli_fail("%s", why.text);
    // Without compiler options, the driver loads PTX directly.
    if (language->source != CUC_SOURCE_PTX || source_options_given(&l->options))
        return compile_source(l);
    options.name = l->source.name;
    return cuc_object_create(&l->object, language->code, l->source.text, l->source.bytes,
                             &options) == CUC_OK
               ? CLI_DONE
               : cli_fail_cuc();
}

static cuc_status fill_buffer(launcher *l, size_t i)
{
    const argument *a = &l->arguments[i];

    if (l->tile) // a tile kernel's array may have no elements
        cuc_tensor_from_pointer(&l->tensors[i], 0, a->dtype, a->rank, a->shape,
                                cuc_device_ordinal(l->device));
    if (l->tile && !a->bytes)
        return CUC_OK;
    cuc_status st = cuc_buffer_create(&l->buffers[i], l->stream, NULL, (size_t)a->bytes);
    if (st >= 0 && l->tile)
        st = cuc_tensor_from_buffer(&l->tensors[i], l->buffers[i], a->dtype, a->rank, a->shape);
    if (st < 0)
        return st;
    if (a->kind == ARGUMENT_OUT)
        return cuc_buffer_fill(l->stream, l->buffers[i], 0, LAUNCHER_POISON, 1, (size_t)a->bytes);
    return cuc_buffer_write_async(l->stream, l->buffers[i], 0,
                                  (const char *)a->file + a->data_offset, (size_t)a->bytes);
}

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;

    return (x > y) - (x < y);
}

// Two events per launch of a timed batch; batching keeps launches from waiting for the host.
enum { EVENTS = 2 * 128 };

static cuc_status time_batch(launcher *l, cuc_event **events, float *times, size_t count)
{
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < count && st >= 0; i++) {
        if ((st = cuc_event_record(l->stream, events[2 * i])) >= 0 &&
            (st = cuc_launch(l->stream, &l->config, l->kernel, l->args, l->argument_count)) >= 0)
            st = cuc_event_record(l->stream, events[2 * i + 1]);
    }
    if (st >= 0)
        st = cuc_stream_synchronize(l->stream);
    for (size_t i = 0; i < count && st >= 0; i++)
        st = cuc_event_get_elapsed(&times[i], events[2 * i], events[2 * i + 1]);
    return st;
}

static cuc_status time_launches(launcher *l)
{
    cuc_event_options options = CUC_EVENT_OPTIONS_INIT;
    cuc_event *events[EVENTS] = { NULL };
    float *times = cli_allocate(l->repeats * sizeof(*times));
    size_t n = l->repeats;
    size_t pairs = n < EVENTS / 2 ? n : EVENTS / 2;
    cuc_status st = CUC_OK;

    options.flags = CUC_EVENT_TIMING;
    for (size_t i = 0; i < 2 * pairs && st >= 0; i++)
        st = cuc_event_create(&events[i], l->device, &options);
    for (size_t done = 0; done < n && st >= 0; done += pairs)
        st = time_batch(l, events, times + done, n - done < pairs ? n - done : pairs);
    for (size_t i = 0; i < 2 * pairs; i++)
        cuc_event_release(events[i]);
    if (st >= 0) {
        qsort(times, n, sizeof(*times), compare_times);
        l->median_us = 1e3 * ((double)times[(n - 1) / 2] + (double)times[n / 2]) / 2;
        l->least_us = 1e3 * (double)times[0];
        l->most_us = 1e3 * (double)times[n - 1];
    }
    free(times);
    return st;
}

cuc_status launcher_read(launcher *l)
{
    cuc_status st = CUC_OK;

    if (!l->results)
        l->results = cli_allocate(l->argument_count * sizeof(*l->results));
    for (size_t i = 0; i < l->argument_count && st >= 0; i++) {
        const argument *a = &l->arguments[i];
        if (a->kind != ARGUMENT_INOUT && a->kind != ARGUMENT_OUT)
            continue;
        if (!l->results[i])
            l->results[i] = cli_allocate((size_t)a->bytes);
        if (!l->buffers[i])
            continue;
        st = cuc_buffer_read_async(l->stream, l->results[i], l->buffers[i], 0, (size_t)a->bytes);
    }
    return st < 0 ? st : cuc_stream_synchronize(l->stream);
}

cuc_status launcher_fill(launcher *l)
{
    cuc_status st = CUC_OK;

    l->args = cli_allocate(l->argument_count * sizeof(*l->args));
    l->buffers = cli_allocate(l->argument_count * sizeof(*l->buffers));
    l->tensors = cli_allocate(l->argument_count * sizeof(*l->tensors));
    for (size_t i = 0; i < l->argument_count && st >= 0; i++) {
        if (l->arguments[i].kind != ARGUMENT_SCALAR)
            st = fill_buffer(l, i);
        make_argument(&l->args[i], l, i);
    }
    return st;
}

// Launch the kernel. The results come from the first launch; timing runs the kernel again on its
// own results.
static int launch(launcher *l)
{
    cuc_status st = cuc_stream_create(&l->stream, l->device, NULL);
    size_t parameters;

    if (st >= 0)
        st = launcher_fill(l);
    l->counted = cuc_kernel_get_parameter_count(&parameters, l->kernel) == CUC_OK;
    if (st >= 0)
        st = cuc_launch(l->stream, &l->config, l->kernel, l->args, l->argument_count);
    if (st >= 0 && l->tile)
        st = cuc_tile_select_entry(&l->entry, l->kernel, l->device, l->args, l->argument_count);
    if (st >= 0)
        st = launcher_read(l);
    if (st >= 0 && l->repeats)
        st = time_launches(l);
    return st < 0 ? cli_fail_cuc() : CLI_DONE;
}

// Ask the user to name a kernel, listing as many names as fit.
static int ask_which(const launcher *l, size_t count)
{
    char names[NAMES_BYTES] = "";
    const char *name;
    size_t used = 0;

    if (!count)
        return cli_fail("'%s' has no kernel", l->path);
    for (size_t i = 0; i < count && used < sizeof(names); i++) {
        if (cuc_object_get_kernel_name(&name, l->object, i) < 0)
            return cli_fail_cuc();
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", name);
    }
    return cli_usage_error("'%s' has %zu kernels, say which to run: --kernel NAME, one of %s%s",
                           l->path, count, names, used < sizeof(names) ? "" : " ...");
}

// Find the kernel, which needs no name if it is the only one. Compiled code shows only here whether
// it is a tile kernel.
static int find_kernel(launcher *l)
{
    cuc_tile_parameter parameter = CUC_TILE_PARAMETER_INIT;
    size_t count;

    if (!l->kernel_name && cuc_object_get_kernel_count(&count, l->object) < 0)
        return cli_fail_cuc();
    if (!l->kernel_name && count != 1)
        return ask_which(l, count);
    if (!l->kernel_name && cuc_object_get_kernel_name(&l->kernel_name, l->object, 0) < 0)
        return cli_fail_cuc();
    if (cuc_object_get_kernel(&l->kernel, l->object, l->kernel_name) < 0) {
        int status = cli_fail_cuc();
        if (l->source.language->source == CUC_SOURCE_CUDA && !strchr(l->kernel_name, '<') &&
            strstr(l->source.text, "template") && !*cuc_error_explanation())
            cli_note("a kernel template is named with its arguments: --kernel '%s<float>'",
                     l->kernel_name);
        return status;
    }
    l->tile = cuc_tile_get_parameter(&parameter, l->kernel, 0) != CUC_ERROR_NOT_FOUND;
    cuc_error_clear();
    if (l->tile)
        return CLI_DONE;
    const char *prefix = l->prefix ? l->prefix : "";
    if (!l->config.grid[0])
        return cli_usage_error("say how many blocks to launch: --%sgrid X[,Y[,Z]]", prefix);
    if (!l->config.block[0])
        return cli_usage_error("say how many threads a block has: --%sblock X[,Y[,Z]]", prefix);
    return CLI_DONE;
}

static int load_files(launcher *l)
{
    cli_why why;

    l->expected = cli_allocate(l->argument_count * sizeof(*l->expected));
    for (size_t i = 0; i < l->argument_count; i++) {
        argument *a = &l->arguments[i];
        if (!argument_load(a, &why) || (a->expected_path && !expect_load(&l->expected[i], a, &why)))
            return cli_fail("%s", why.text);
    }
    return CLI_DONE;
}

int launcher_load(launcher *l)
{
    int status = load_files(l);

    if (!status && !l->device)
        status = find_device(l);
    if (!status)
        status = load_code(l);
    return status ? status : find_kernel(l);
}

int launcher_run(launcher *l)
{
    int status = launcher_load(l);

    return status ? status : launch(l);
}

// Fill an array in host memory; the array also receives the result.
static void fill_memory(launcher *l, size_t i)
{
    const argument *a = &l->arguments[i];

    l->results[i] = cli_allocate((size_t)a->bytes + 1);
    if (a->kind == ARGUMENT_OUT)
        memset(l->results[i], LAUNCHER_POISON, (size_t)a->bytes);
    else
        memcpy(l->results[i], (const char *)a->file + a->data_offset, (size_t)a->bytes);
    cuc_tensor_from_pointer(&l->tensors[i], (cuc_device_ptr)(uintptr_t)l->results[i], a->dtype,
                            a->rank, a->shape, -1);
}

static void print_piece(void *user, const char *text)
{
    fputs(text, user);
}

int launcher_interpret(launcher *l)
{
    cuc_tile_interpret_options options = CUC_TILE_INTERPRET_OPTIONS_INIT;
    cuc_program *program = NULL;
    cli_why why;
    int status = load_files(l);

    if (status)
        return status;
    l->tile = l->counted = true;
    l->args = cli_allocate(l->argument_count * sizeof(*l->args));
    l->tensors = cli_allocate(l->argument_count * sizeof(*l->tensors));
    l->results = cli_allocate(l->argument_count * sizeof(*l->results));
    for (size_t i = 0; i < l->argument_count; i++) {
        if (l->arguments[i].kind != ARGUMENT_SCALAR)
            fill_memory(l, i);
        make_argument(&l->args[i], l, i);
    }
    if (!source_read(&l->source, l->path, &why))
        return cli_fail("%s", why.text);
    memcpy(options.grid, l->config.grid, sizeof(options.grid));
    options.print = print_piece;
    options.user = cli_json_wanted() ? stderr : stdout;
    cuc_status st = source_program(&program, &l->source, &l->options, l->options.arch);
    if (st >= 0)
        st = cuc_tile_interpret(program, l->kernel_name, l->args, l->argument_count, &options);
    status = st < 0 ? cli_fail_cuc() : CLI_DONE;
    if (st == CUC_ERROR_NOT_FOUND && !l->kernel_name)
        cli_note("say which to run: --kernel NAME");
    cuc_program_release(program);
    return status;
}

int launcher_compare(const launcher *l)
{
    cli_why why;

    for (size_t i = 0; i < l->argument_count; i++)
        if (l->expected[i] &&
            !expect_equal(&l->arguments[i], l->results[i], l->expected[i], l->tolerance, &why))
            return cli_fail("%s", why.text);
    return CLI_DONE;
}

uint64_t launcher_untouched(const launcher *l, size_t index, uint64_t *elements)
{
    const argument *a = &l->arguments[index];
    size_t size = cuc_dtype_bits(a->dtype) / 8;
    const uint8_t *at = l->results[index];
    uint64_t untouched = 0;

    *elements = a->bytes / size;
    for (uint64_t i = 0; i < *elements; i++, at += size) {
        size_t poisoned = 0;
        while (poisoned < size && at[poisoned] == LAUNCHER_POISON)
            poisoned++;
        untouched += poisoned == size;
    }
    return untouched;
}

static bool write_one(cli_file *file, const launcher *l, size_t i, cli_why *why)
{
    const argument *a = &l->arguments[i];
    size_t bytes;
    char *header = npy_make_header(&bytes, a->dtype, a->shape, a->rank);
    bool ok = cli_file_begin(file, a->out_path, why) && cli_file_write(file, header, bytes, why) &&
              cli_file_write(file, l->results[i], (size_t)a->bytes, why) &&
              cli_file_finish(file, why);

    free(header);
    return ok;
}

int launcher_save(launcher *l)
{
    cli_file *files = cli_allocate(l->argument_count * sizeof(*files));
    cli_why why;
    bool ok = true;

    for (size_t i = 0; i < l->argument_count && ok; i++)
        if (l->arguments[i].out_path)
            ok = write_one(&files[i], l, i, &why);
    ok = ok && cli_files_commit(files, l->argument_count, &why);
    for (size_t i = 0; i < l->argument_count; i++)
        cli_file_discard(&files[i]);
    free(files);
    return ok ? CLI_DONE : cli_fail("%s", why.text);
}

void launcher_release(launcher *l)
{
    if (l->stream) // copies may still be pending after a failure
        (void)cuc_stream_synchronize(l->stream);
    for (size_t i = 0; l->buffers && i < l->argument_count; i++)
        cuc_buffer_release(l->buffers[i]);
    for (size_t i = 0; l->results && i < l->argument_count; i++)
        free(l->results[i]);
    for (size_t i = 0; l->expected && i < l->argument_count; i++)
        free(l->expected[i]);
    for (size_t i = 0; i < l->argument_count; i++)
        argument_release(&l->arguments[i]);
    free(l->args);
    free(l->buffers);
    free(l->tensors);
    free(l->results);
    free(l->expected);
    free(l->arguments);
    cuc_stream_release(l->stream);
    cuc_kernel_release(l->kernel);
    cuc_object_release(l->object);
    source_release(&l->source);
    source_options_end(&l->options);
}
