#include "source.h"

#include <cucore/device.h>
#include <cucore/error.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPILE_EMIT = SOURCE_NEXT_ID, COMPILE_LOG };

static const cli_option options[] = {
    { "emit", COMPILE_EMIT, "KIND", "ptx, cubin or ltoir; ptx of CUDA C++, cubin of PTX" },
    { "output", 'o', "OUT", "the file to write, - for standard output" },
    SOURCE_OPTIONS,
    { "name-expression", SOURCE_EXPRESSION, "EXPR",
      "instantiate such as 'axpy<float>'; again for "
      "more" },
    { "log", COMPILE_LOG, NULL, "print what the compiler says, also on success" },
    CLI_JSON_OPTION,
};

static const char default_arch[] = "sm_90";

typedef struct job {
    source_options options;
    const char *path;
    const char *output; // as given; NULL: made from the name
    int32_t target;     // a CUC_CODE_ value
    bool log;
    source source;
    char *made_output;
    const char *arch;
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
        else if (id == COMPILE_EMIT) {
            j->target = cuc_code_from_name(value);
            if (j->target < CUC_CODE_PTX || j->target > CUC_CODE_LTOIR)
                return cli_usage_error("--emit is '%s': ptx, cubin and ltoir are known", value);
        }
    }
    return id < 0 ? parser->status : CLI_DONE;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat sa;
    struct stat sb;

    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

// In the current folder, as compilers have it: dir/saxpy.cu becomes saxpy.ptx.
static void name_output(job *j)
{
    const char *extension = cuc_code_name(j->target);
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
    if (!j->output && strcmp(j->path, "-") == 0)
        j->output = "-";
    if (!j->output)
        name_output(j);
    if (!*j->output)
        return cli_usage_error("-o names no file");
    bool standard = strcmp(j->output, "-") == 0;
    if (standard && cli_json_wanted())
        return cli_usage_error("standard output cannot take the code and --json: say -o OUT");
    if (standard && j->target != CUC_CODE_PTX && isatty(STDOUT_FILENO))
        return cli_usage_error("%s is no text for a terminal: say -o OUT",
                               cuc_code_name(j->target));
    if (is_same_file(j->path, j->output))
        return cli_usage_error("'%s' would be written over itself: say -o OUT", j->path);
    return CLI_DONE;
}

static void choose_arch(job *j)
{
    cuc_device *device;

    j->arch = j->options.arch;
    if (j->arch)
        return;
    if (cuc_device_get_current(&device) == CUC_OK) {
        j->arch = cuc_device_arch(device);
        return;
    }
    j->arch = default_arch;
    cli_note("no device tells the architecture: compiling for %s; --arch chooses another",
             default_arch);
    cuc_error_clear();
}

static json_t *kernels_json(cuc_object *object)
{
    json_t *list = cli_array();
    const char *text;
    size_t count;

    // Without PTX the driver would have to load the code to tell.
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

static int report(const job *j, const cuc_program *program, cuc_object *object, size_t bytes)
{
    double milliseconds = (double)cuc_program_compile_ns(program) / 1e6;
    const char *log = cuc_program_log(program);

    if (cli_json_wanted()) {
        json_t *document = cli_document(true);
        cli_set(document, "output", cli_text(j->output));
        cli_set(document, "kind", cli_text(cuc_code_name(j->target)));
        cli_set(document, "arch", cli_text(j->arch));
        cli_set(document, "bytes", cli_integer((int64_t)bytes));
        cli_set(document, "compiler", cli_text(cuc_program_backend(program)));
        cli_set(document, "compile_ms", cli_real(milliseconds));
        cli_set(document, "kernels", kernels_json(object));
        cli_set(document, "names", names_json(object));
        cli_set(document, "log", cli_text(log));
        return cli_print_json(document, CLI_DONE);
    }
    if (j->log && *log)
        fprintf(stderr, "%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
    else if (strstr(log, "warning"))
        cli_note("the compiler has warnings: --log prints them");
    if (strcmp(j->output, "-") != 0)
        printf("%s: %s for %s, %zu bytes, %.1f ms\n", j->output, cuc_code_name(j->target), j->arch,
               bytes, milliseconds);
    return CLI_DONE;
}

static int write_out(const job *j, const cuc_program *program, cuc_object *object)
{
    const void *code;
    size_t bytes;

    if (cuc_object_get_code(&code, &bytes, object) != CUC_OK)
        return cli_fail_cuc();
    if (strcmp(j->output, "-") == 0)
        fwrite(code, 1, bytes, stdout); // main() sees whether it was written
    else if (cuc_object_save(object, j->output) != CUC_OK)
        return cli_fail_cuc();
    return report(j, program, object, bytes);
}

static int compile(job *j)
{
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    cli_why why;

    if (!source_read(&j->source, j->path, &why))
        return cli_fail("%s", why.text);
    choose_arch(j);
    int status = CLI_DONE;
    if (source_program(&program, &j->source, &j->options, j->arch) < 0 ||
        cuc_program_compile(&object, program, j->target) < 0)
        status = cli_fail_cuc();
    else
        status = write_out(j, program, object);
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
    .summary = "Compile CUDA C++ or PTX to PTX, a cubin or LTO-IR; needs no GPU and no driver",
    .usage = "FILE [--arch ARCH] [--emit ptx|cubin|ltoir] [-o OUT] [OPTION...]",
    .examples =
        "  cucore compile saxpy.cu --arch sm_90\n"
        "  cucore compile saxpy.cu --arch sm_90a --emit cubin -o saxpy.cubin -I include -D N=64\n"
        "  cucore compile axpy.cu --name-expression 'axpy<float>' --json\n"
        "  cucore compile kernel.ptx --arch sm_90 --option -Xptxas=-v --log\n"
        "  generate | cucore compile - --lang cu --arch sm_90 -o -\n",
    .details =
        "FILE ends in .cu or .ptx; - is standard input. Without -o, OUT is FILE's name in the "
        "current folder\nwith the end of its kind, or standard output for -. The folder of FILE is "
        "searched for headers first.\nWithout --arch it is the device's, or sm_90 where there is "
        "none. Nothing is written on failure.\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
