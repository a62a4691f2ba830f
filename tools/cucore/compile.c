#include "base/array.h"
#include "source.h"

#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/tile.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPILE_EMIT = SOURCE_NEXT_ID, COMPILE_LOG, COMPILE_REMARKS, COMPILE_RESOURCES };

static const cli_option options[] = {
    { "emit", COMPILE_EMIT, "KIND",
      "ptx, cubin or ltoir; default: ptx for CUDA C++ and tile programs, cubin for PTX; ir: the "
      "tile compiler's IR; machine: its final form with layouts, before PTX" },
    { "output", 'o', "OUT", "the file to write, - for standard output" },
    SOURCE_OPTIONS,
    { "name-expression", SOURCE_EXPRESSION, "EXPR",
      "instantiate a template such as 'axpy<float>'; repeat for more" },
    { "log", COMPILE_LOG, NULL, "print the compiler's log, also on success" },
    { "remarks", COMPILE_REMARKS, NULL, "print the tile compiler's decisions and reasons" },
    { "resources", COMPILE_RESOURCES, NULL,
      "print the resource use of each entry of a tile program's kernels; registers only for a "
      "cubin" },
    CLI_JSON_OPTION,
};

typedef struct job {
    source_options options;
    const char *path;
    const char *output; // the path given; NULL: derived from the source's name
    int32_t target;     // a CUC_CODE_ value
    bool ir, machine;   // print the tile compiler's IR or machine form instead of code; `machine`
                        // implies `ir`
    bool log, resources;
    source source;
    char *made_output;
    const char *arch;
    bool of_device; // the architecture is the device's, because none was given
} job;

static int take_options(job *j, cli_parser *parser)
{
    const char *value;
    int id;

    while ((id = cli_next(parser, &value)) > 0) {
        int status = source_options_take(&j->options, id, value);
        if (status > 0)
            return status;
        if (status == 0)
            continue;
        if (id == 'o')
            j->output = value;
        else if (id == COMPILE_LOG)
            j->log = true;
        else if (id == COMPILE_REMARKS)
            j->log = j->options.remarks = true;
        else if (id == COMPILE_RESOURCES)
            j->resources = true;
        else if (id == COMPILE_EMIT) {
            j->machine = strcmp(value, "machine") == 0;
            j->ir = j->machine || strcmp(value, "ir") == 0;
            j->target = j->ir ? CUC_CODE_PTX : cuc_code_from_name(value);
            if (j->target < CUC_CODE_PTX || j->target > CUC_CODE_LTOIR)
                return cli_usage_error(
                    "--emit is '%s': ptx, cubin, ltoir, ir and machine are known", value);
        }
    }
    return id < 0 ? parser->status : CLI_DONE;
}

static const char *kind_of(const job *j)
{
    return j->machine ? "machine" : j->ir ? "ir" : cuc_code_name(j->target);
}

// Name an output in the current folder, like other compilers: dir/saxpy.cu becomes saxpy.ptx.
static void name_output(job *j)
{
    const char *extension = kind_of(j);
    const char *name = j->source.name;
    const char *dot = strrchr(name, '.');
    size_t base = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    size_t size = base + strlen(extension) + 2;

    j->made_output = cli_allocate(size);
    snprintf(j->made_output, size, "%.*s.%s", (int)base, name, extension);
    j->output = j->made_output;
}

static int check(job *j, const cli_parser *parser)
{
    if (parser->operand_count != 1)
        return parser->operand_count
                   ? cli_usage_error("one FILE is expected, and '%s' is given too",
                                     parser->operands[1])
                   : cli_usage_error("a FILE is missing");
    j->path = parser->operands[0];
    int status = source_identify(&j->source, j->path, &j->options);
    if (status)
        return status;
    int32_t kind = j->source.language->source;
    if (!kind)
        return cli_usage_error("'%s' is compiled already", j->path);
    if (!j->target)
        j->target = kind == CUC_SOURCE_PTX ? CUC_CODE_CUBIN : CUC_CODE_PTX;
    if (kind == CUC_SOURCE_PTX && j->target == CUC_CODE_LTOIR)
        return cli_usage_error("PTX compiles to a cubin, not to %s", cuc_code_name(j->target));
    if (kind == CUC_SOURCE_TILE && j->target == CUC_CODE_LTOIR)
        return cli_usage_error("a tile program compiles to ptx and cubin, not to ltoir");
    if (kind != CUC_SOURCE_TILE && (j->ir || j->resources))
        return cli_usage_error("%s%s is for tile programs, and '%s' is none",
                               j->ir ? "--emit " : "--resources", j->ir ? kind_of(j) : "", j->path);
    if (j->ir && j->resources)
        return cli_usage_error("--emit %s makes no code for --resources to report", kind_of(j));
    if (!j->output && strcmp(j->path, "-") == 0)
        j->output = "-";
    if (!j->output)
        name_output(j);
    if (!*j->output)
        return cli_usage_error("-o names no file");
    bool standard = strcmp(j->output, "-") == 0;
    if (standard && cli_json_wanted())
        return cli_usage_error("standard output cannot take the code and --json: say -o OUT");
    if (standard && j->resources)
        return cli_usage_error("standard output cannot take the code and --resources: say -o OUT");
    if (standard && j->target != CUC_CODE_PTX && isatty(STDOUT_FILENO))
        return cli_usage_error("%s is not text for a terminal: use -o OUT",
                               cuc_code_name(j->target));
    if (cli_is_same_file(j->path, j->output))
        return cli_usage_error("'%s' would be written over itself: say -o OUT", j->path);
    return CLI_DONE;
}

static void choose_arch(job *j)
{
    cuc_device *device;

    j->arch = j->options.arch;
    if (j->arch || (j->ir && !j->machine)) // the IR does not depend on the architecture
        return;
    if (cuc_device_get_current(&device) == CUC_OK) {
        j->arch = source_device_arch(&j->source, device);
        j->of_device = true;
        return;
    }
    j->arch = j->source.language->source == CUC_SOURCE_TILE ? "sm_90a" : "sm_90";
    cli_note("no device to ask for the architecture: compiling for %s; --arch chooses another",
             j->arch);
    cuc_error_clear();
}

static json_t *kernels_json(cuc_object *object)
{
    json_t *list = cli_array();
    const char *text;
    size_t count;

    // List no kernels of an object without PTX: the driver would have to load the object to name
    // them.
    if (cuc_object_get_ptx(&text, NULL, object) != CUC_OK ||
        cuc_object_get_kernel_count(&count, object) != CUC_OK)
        return list;
    for (size_t i = 0; i < count; i++) {
        const char *name;
        if (cuc_object_get_kernel_name(&name, object, i) == CUC_OK)
            cli_append(list, cli_text(name));
    }
    return list;
}

static json_t *names_json(cuc_object *object)
{
    json_t *names = cli_object();

    for (size_t i = 0; i < cuc_object_mapping_count(object); i++) {
        cuc_object_mapping mapping;
        if (cuc_object_get_mapping(&mapping, object, i) == CUC_OK)
            cli_set(names, mapping.expression, cli_text(mapping.symbol));
    }
    return names;
}

// Call `each` with the resource use of every entry of the object's kernels.
static void each_entry(cuc_object *object, void *user,
                       void (*each)(void *user, const char *kernel, const cuc_tile_entry *entry))
{
    size_t count = 0;

    if (cuc_object_get_kernel_count(&count, object) != CUC_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;
        const char *kernel;
        if (cuc_object_get_kernel_name(&kernel, object, i) != CUC_OK)
            continue;
        for (size_t n = 0; cuc_tile_get_entry(&entry, object, kernel, n) == CUC_OK; n++)
            each(user, kernel, &entry);
    }
    cuc_error_clear();
}

static void entry_json(void *list, const char *kernel, const cuc_tile_entry *e)
{
    json_t *row = cli_object();

    cli_set(row, "kernel", cli_text(kernel));
    cli_set(row, "variant", cli_text(e->variant));
    cli_set(row, "threads", cli_integer(e->threads));
    cli_set(row, "static_shared_bytes", cli_integer(e->static_shared_bytes));
    cli_set(row, "dynamic_shared_bytes", cli_integer(e->dynamic_shared_bytes));
    cli_set(row, "registers", e->registers ? cli_integer(e->registers) : json_null());
    cli_set(row, "stack_bytes", e->registers ? cli_integer(e->stack_bytes) : json_null());
    cli_append(list, row);
}

static void print_entry(void *table, const char *kernel, const cuc_tile_entry *e)
{
    char text[4][16];

    snprintf(text[0], sizeof(text[0]), "%u", e->threads);
    snprintf(text[1], sizeof(text[1]), "%u", e->static_shared_bytes + e->dynamic_shared_bytes);
    snprintf(text[2], sizeof(text[2]), e->registers ? "%u" : "-", e->registers);
    snprintf(text[3], sizeof(text[3]), e->registers ? "%u" : "-", e->stack_bytes);
    (void)table;
    printf("  %-24s %-14s %8s %12s %10s %8s\n", kernel, e->variant, text[0], text[1], text[2],
           text[3]);
}

static int report(const job *j, const cuc_program *program, cuc_object *object, size_t bytes)
{
    double milliseconds = (double)cuc_program_compile_ns(program) / 1e6;
    const char *log = cuc_program_log(program), *kind = kind_of(j);

    if (cli_json_wanted()) {
        json_t *document = cli_document(true);
        cli_set(document, "output", cli_text(j->output));
        cli_set(document, "kind", cli_text(kind));
        cli_set(document, "arch", cli_text(j->arch));
        cli_set(document, "bytes", cli_integer((int64_t)bytes));
        cli_set(document, "compiler", cli_text(cuc_program_backend(program)));
        cli_set(document, "compile_ms", cli_real(milliseconds));
        cli_set(document, "kernels", object ? kernels_json(object) : cli_array());
        cli_set(document, "names", object ? names_json(object) : cli_object());
        cli_set(document, "log", cli_text(log));
        if (j->resources) {
            json_t *rows = cli_array();
            each_entry(object, rows, entry_json);
            cli_set(document, "resources", rows);
        }
        return cli_print_json(document, CLI_DONE);
    }
    if (j->log && *log)
        fprintf(stderr, "%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
    else if (strstr(log, "warning"))
        cli_note("the compiler has warnings: --log prints them");
    if (strcmp(j->output, "-") != 0 && j->ir)
        printf("%s: %zu bytes\n", j->output, bytes);
    else if (strcmp(j->output, "-") != 0)
        printf("%s: %s for %s, %zu bytes, %.1f ms\n", j->output, kind, j->arch, bytes,
               milliseconds);
    if (j->resources) {
        printf("  %-24s %-14s %8s %12s %10s %8s\n", "kernel", "variant", "threads", "shared bytes",
               "registers", "stack");
        each_entry(object, NULL, print_entry);
    }
    return CLI_DONE;
}

// Write the file completely or not at all; the text need not be object code.
static bool save_text(const char *path, const char *text, size_t bytes, cli_why *why)
{
    cli_file file = { 0 };
    bool ok = cli_file_begin(&file, path, why) && cli_file_write(&file, text, bytes, why) &&
              cli_file_finish(&file, why) && cli_file_commit(&file, why);

    cli_file_discard(&file);
    return ok;
}

// Write the output. For the IR, `object` is NULL and `code` is the IR.
static int write_out(const job *j, const cuc_program *program, cuc_object *object, const void *code,
                     size_t bytes)
{
    cli_why why;

    if (object && cuc_object_get_code(&code, &bytes, object) != CUC_OK)
        return cli_fail_cuc();
    if (strcmp(j->output, "-") == 0)
        fwrite(code, 1, bytes, stdout); // main() checks that stdout was written
    else if (object && cuc_object_save(object, j->output) != CUC_OK)
        return cli_fail_cuc();
    else if (!object && !save_text(j->output, code, bytes, &why))
        return cli_fail("%s", why.text);
    return report(j, program, object, bytes);
}

static int compile(job *j)
{
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    const char *ir = NULL;
    size_t bytes = 0;
    cli_why why;

    if (!source_read(&j->source, j->path, &why))
        return cli_fail("%s", why.text);
    choose_arch(j);
    int status = CLI_DONE;
    // Do not name the architecture if it is the device's own, so that tuning records measured on
    // the device apply.
    bool asks = j->of_device && j->source.language->source == CUC_SOURCE_TILE;
    if (source_program(&program, &j->source, &j->options, asks ? NULL : j->arch) < 0 ||
        (j->machine ? cuc_tile_get_machine(&ir, &bytes, program)
         : j->ir    ? cuc_tile_get_ir(&ir, &bytes, program)
                    : cuc_program_compile(&object, program, j->target)) < 0)
        status = cli_fail_cuc();
    else
        status = write_out(j, program, object, ir, bytes);
    cuc_object_release(object);
    cuc_program_release(program);
    return status;
}

static int run(int argc, char **argv)
{
    job j = { 0 };
    cli_parser parser;

    source_options_begin(&j.options, argc);
    cli_parse(&parser, &cli_compile, argc, argv);
    int status = take_options(&j, &parser);
    if (!status && parser.operands)
        status = check(&j, &parser);
    if (!status && parser.operands)
        status = compile(&j);
    source_release(&j.source);
    source_options_end(&j.options);
    free(j.made_output);
    return status;
}

const cli_command cli_compile = {
    .name = "compile",
    .summary = "Compile CUDA C++, PTX or a tile program to PTX, a cubin or LTO-IR; needs no GPU",
    .usage = "FILE [--arch ARCH] [--emit ptx|cubin|ltoir|ir|machine] [-o OUT] [OPTION...]",
    .examples =
        "  cucore compile saxpy.cu --arch sm_90\n"
        "  cucore compile saxpy.cu --arch sm_90a --emit cubin -o saxpy.cubin -I include -D N=64\n"
        "  cucore compile axpy.cu --name-expression 'axpy<float>' --json\n"
        "  cucore compile kernel.ptx --arch sm_90 --option -Xptxas=-v --log\n"
        "  cucore compile softmax.tile --set BN=4096 --emit cubin --remarks --resources\n"
        "  generate | cucore compile - --lang cu --arch sm_90 -o -\n",
    .details =
        "FILE ends in .cu, .ptx or .tile; - is standard input. Without -o, OUT is FILE's name in "
        "the current\n"
        "folder with the suffix of its kind, or standard output for -. The folder of FILE is "
        "searched for\n"
        "headers first. The default ARCH is the device's, or without a device sm_90 (sm_90a for a "
        "tile\n"
        "program). Nothing is written on failure.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
