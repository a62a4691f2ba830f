// cucore build: compiles kernels for several architectures into a fat binary with a C header, so
// that a program can ship them without a compiler.
#include "base/array.h"
#include "build.h"
#include "source.h"

#include <cucore/error.h>
#include <cucore/fatbin.h>
#include <cucore/linker.h>

#include <stdlib.h>
#include <string.h>

enum { BUILD_HEADER = SOURCE_NEXT_ID, BUILD_EMBED, BUILD_PTX, BUILD_LOG };

static const cli_option options[] = {
    { "output", 'o', "OUT", "the fat binary to write" },
    { "header", BUILD_HEADER, "OUT.h", "write a C header of the kernels' signatures" },
    { "embed", BUILD_EMBED, "OUT.c", "write the fat binary as a C array, and the header" },
    { "ptx", BUILD_PTX, NULL, "add the PTX, for later architectures and simulated drivers" },
    SOURCE_OPTIONS,
    { "name-expression", SOURCE_EXPRESSION, "EXPR",
      "instantiate a template such as 'axpy<float>'; repeat for more" },
    { "log", BUILD_LOG, NULL, "print the compiler's log, also on success" },
    CLI_JSON_OPTION,
};

enum { FATBIN, HEADER, ARRAY, OUTPUTS };

typedef struct job {
    source_options options;
    char **archs; // owned
    size_t arch_count;
    char **paths; // paths of the sources, borrowed
    source *sources;
    size_t source_count;
    const char *output[OUTPUTS]; // NULL: not written
    char *made[OUTPUTS];         // output names that are derived from other names
    char *prefix, *arch_list;
    bool ptx, log;

    cuc_object **compiled; // [arch_count][source_count], compiled with PTX
    cuc_object **linked;   // [arch_count]
    build_kernel *kernels;
    size_t kernel_count, kernel_capacity;
} job;

static int take_archs(job *j, const char *list)
{
    for (size_t length; list; list = list[length] ? list + length + 1 : NULL) {
        length = strcspn(list, ",");
        char *arch = cli_copy_text(list, length);
        j->archs[j->arch_count++] = arch;
        int status = source_options_take(&j->options, SOURCE_ARCH, arch);
        if (status)
            return status;
        if (strncmp(arch, "sm_", 3) != 0)
            return cli_usage_error("'%s' has no machine code: say sm_%s, and --ptx for its PTX",
                                   arch, arch + strlen("compute_"));
        for (size_t i = 0; i + 1 < j->arch_count; i++)
            if (strcmp(j->archs[i], arch) == 0)
                return cli_usage_error("--arch has %s twice", arch);
    }
    return CLI_DONE;
}

static int take_options(job *j, cli_parser *parser)
{
    const char *value;
    int id, status = CLI_DONE;

    while (!status && (id = cli_next(parser, &value)) > 0) {
        if (id == 'o')
            j->output[FATBIN] = value;
        else if (id == BUILD_HEADER)
            j->output[HEADER] = value;
        else if (id == BUILD_EMBED)
            j->output[ARRAY] = value;
        else if (id == BUILD_PTX)
            j->ptx = true;
        else if (id == BUILD_LOG)
            j->log = true;
        else if (id == SOURCE_ARCH)
            status = take_archs(j, value);
        else
            status = source_options_take(&j->options, id, value);
    }
    return status ? status : id < 0 ? parser->status : CLI_DONE;
}

// Replace the suffix of a name: "kernels.c" becomes "kernels.h".
static char *renamed(const char *name, const char *suffix)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - name) : strlen(name);
    char *out = cli_allocate(length + strlen(suffix) + 1);

    memcpy(out, name, length);
    strcpy(out + length, suffix);
    return out;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void name_outputs(job *j)
{
    const char *first = j->sources[0].name;

    if (!j->output[FATBIN] && !j->output[ARRAY])
        j->output[FATBIN] = j->made[FATBIN] = renamed(first, ".fatbin");
    if (j->output[ARRAY] && !j->output[HEADER])
        j->output[HEADER] = j->made[HEADER] = renamed(j->output[ARRAY], ".h");
    const char *named = j->output[HEADER] ? j->output[HEADER] : j->output[FATBIN];
    char *base = renamed(base_of(named), "");
    j->prefix = build_identifier(base);
    free(base);
}

// Return whether two names refer to one file, which need not exist yet.
static bool is_same_output(const char *a, const char *b)
{
    char *folder_a = cli_copy_text(a, (size_t)(base_of(a) - a));
    char *folder_b = cli_copy_text(b, (size_t)(base_of(b) - b));
    bool same = strcmp(base_of(a), base_of(b)) == 0 &&
                cli_is_same_file(*folder_a ? folder_a : ".", *folder_b ? folder_b : ".");

    free(folder_a);
    free(folder_b);
    return same || cli_is_same_file(a, b);
}

static int check_outputs(const job *j)
{
    static const char *const option[] = { "-o", "--header", "--embed" };

    if (j->output[HEADER] && (strcmp(j->prefix, "cuc") == 0 || strncmp(j->prefix, "cuc_", 4) == 0))
        return cli_usage_error("the header is '%s', but names that begin with cuc_ are the "
                               "library's: say --header with another name",
                               j->output[HEADER]);
    if (j->output[HEADER] && strpbrk(base_of(j->output[HEADER]), "\"\\\n"))
        return cli_usage_error(
            "the header is '%s', which an #include cannot name: leave out quotes, "
            "backslashes and line breaks",
            j->output[HEADER]);

    for (int i = 0; i < OUTPUTS; i++) {
        if (!j->output[i])
            continue;
        if (!*j->output[i] || strcmp(j->output[i], "-") == 0)
            return cli_usage_error("%s is '%s': name a file", option[i], j->output[i]);
        for (size_t k = 0; k < j->source_count; k++)
            if (cli_is_same_file(j->output[i], j->paths[k]))
                return cli_usage_error("'%s' would be written over itself: say %s OUT", j->paths[k],
                                       option[i]);
        for (int k = 0; k < i; k++)
            if (j->output[k] && is_same_output(j->output[i], j->output[k]))
                return cli_usage_error("%s and %s are both '%s'", option[k], option[i],
                                       j->output[i]);
    }
    return CLI_DONE;
}

static int check(job *j, const cli_parser *parser)
{
    if (!parser->operand_count)
        return cli_usage_error("a FILE is missing");
    if (!j->arch_count)
        return cli_usage_error("--arch is missing: the architectures to build for, such as "
                               "sm_80,sm_90a");
    j->paths = parser->operands;
    j->source_count = (size_t)parser->operand_count;
    j->sources = cli_allocate(j->source_count * sizeof(*j->sources));
    for (size_t i = 0; i < j->source_count; i++) {
        int status = source_identify(&j->sources[i], j->paths[i], &j->options);
        if (status)
            return status;
        if (!j->sources[i].language->source)
            return cli_usage_error("'%s' is compiled already", j->paths[i]);
    }
    if (j->source_count > 1 && j->ptx)
        return cli_usage_error("--ptx is for one FILE: several are linked, which PTX cannot be");
    if (j->source_count > 1 && j->options.extra_count)
        return cli_usage_error("--option is for one FILE");
    name_outputs(j);
    return check_outputs(j);
}

// Compile a source for an architecture. The object has PTX; if the job has only this source, it is
// a cubin.
static int compile(job *j, size_t arch, size_t number)
{
    const source *s = &j->sources[number];
    cuc_program *program = NULL;
    int status = CLI_DONE;

    if (source_program(&program, s, &j->options, j->archs[arch]) < 0 ||
        cuc_program_compile(&j->compiled[arch * j->source_count + number], program,
                            j->source_count == 1 ? CUC_CODE_CUBIN : CUC_CODE_PTX) < 0) {
        status = cli_fail_cuc();
    } else {
        const char *log = cuc_program_log(program);
        if (j->log && *log)
            fprintf(stderr, "%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
        else if (strstr(log, "warning"))
            cli_note("the compiler has warnings for %s: --log prints them", s->name);
    }
    cuc_program_release(program);
    return status;
}

static int link_sources(job *j, size_t arch)
{
    cuc_object **inputs = &j->compiled[arch * j->source_count];
    cuc_linker_options o = CUC_LINKER_OPTIONS_INIT;
    cuc_linker *linker = NULL;

    if (j->source_count == 1) {
        j->linked[arch] = cuc_object_retain(inputs[0]);
        return CLI_DONE;
    }
    o.arch = j->archs[arch];
    o.name = j->prefix;
    cuc_status st = cuc_linker_create(&linker, &o);
    for (size_t i = 0; st >= 0 && i < j->source_count; i++)
        st = cuc_linker_add(linker, inputs[i]);
    if (st >= 0)
        st = cuc_linker_link(&j->linked[arch], linker, CUC_CODE_CUBIN);
    cuc_linker_release(linker);
    return st < 0 ? cli_fail_cuc() : CLI_DONE;
}

static int link_all(job *j)
{
    int status = CLI_DONE;

    j->linked = cli_allocate(j->arch_count * sizeof(*j->linked));
    for (size_t a = 0; !status && a < j->arch_count; a++)
        status = link_sources(j, a);
    return status;
}

static int compile_all(job *j)
{
    cli_why why;
    int status = CLI_DONE;

    j->compiled = cli_allocate(j->arch_count * j->source_count * sizeof(*j->compiled));
    for (size_t i = 0; i < j->source_count; i++)
        if (!source_read(&j->sources[i], j->paths[i], &why))
            return cli_fail("%s", why.text);
    for (size_t a = 0; !status && a < j->arch_count; a++)
        for (size_t i = 0; !status && i < j->source_count; i++)
            status = compile(j, a, i);
    return status;
}

static build_kernel *kernel_named(const job *j, const char *symbol)
{
    for (size_t i = 0; i < j->kernel_count; i++)
        if (strcmp(j->kernels[i].symbol, symbol) == 0)
            return &j->kernels[i];
    return NULL;
}

// Add a kernel compiled for the first architecture, under a unique name.
static int add_kernel(job *j, build_kernel k)
{
    const build_kernel *same = kernel_named(j, k.symbol);

    if (same) {
        int status = cli_fail("the kernel %s is in both %s and %s: rename one", k.symbol,
                              same->source, k.source);
        build_kernel_free(&k);
        return status;
    }
    for (size_t i = 0; i < j->kernel_count; i++)
        if (strcmp(j->kernels[i].name, k.name) == 0) { // f<int> and f(int) give the same name
            char *longer = cli_allocate(strlen(k.name) + 2);
            strcat(strcpy(longer, k.name), "_");
            free(k.name);
            k.name = longer;
            i = (size_t)-1;
        }
    if (!CUC_RESERVE(j->kernels, j->kernel_capacity, j->kernel_count + 1)) {
        build_kernel_free(&k);
        return cli_fail("no host memory");
    }
    j->kernels[j->kernel_count++] = k;
    return CLI_DONE;
}

// Compare the first architecture's kernel with the same kernel for another one, where auto() may
// choose other constants.
static int compare_kernel(const job *j, size_t arch, build_kernel *other)
{
    build_kernel *k = kernel_named(j, other->symbol);

    if (!k)
        return cli_fail("the kernel %s of %s is for %s only, and not for %s", other->symbol,
                        other->source, j->archs[arch], j->archs[0]);
    if (!build_same_parameters(k, other))
        return cli_fail("the kernel %s has other parameters for %s (%s) than for %s (%s)",
                        k->symbol, j->archs[arch], other->declaration, j->archs[0], k->declaration);
    if (!strstr(k->declaration, other->declaration)) {
        char *both = cli_allocate(strlen(k->declaration) + strlen(other->declaration) + 64);
        sprintf(both, "%s; for %s: %s", k->declaration, j->archs[arch], other->declaration);
        free(k->declaration);
        k->declaration = both;
    }
    return CLI_DONE;
}

// List the kernels of a source for one architecture.
static int list_kernels(job *j, size_t arch, size_t number, size_t *listed)
{
    cuc_object *object = j->compiled[arch * j->source_count + number];
    size_t count = 0;
    int status = CLI_DONE;

    if (cuc_object_get_kernel_count(&count, object) < 0)
        return cli_fail_cuc();
    if (!count)
        return cli_fail("%s has no kernel: a __global__ function that is a template or inline "
                        "needs --name-expression",
                        j->sources[number].name);
    for (size_t i = 0; !status && i < count; i++) {
        const char *symbol = NULL;
        build_kernel k;
        cli_why why;

        if (cuc_object_get_kernel_name(&symbol, object, i) < 0)
            return cli_fail_cuc();
        bool good = build_describe(&k, object, symbol, &why);
        k.source = j->sources[number].name;
        if (good && arch == 0) {
            status = add_kernel(j, k);
            continue;
        }
        status = good ? compare_kernel(j, arch, &k) : cli_fail("%s", why.text);
        build_kernel_free(&k);
    }
    *listed += count;
    return status;
}

static int list_all(job *j)
{
    int status = CLI_DONE;

    for (size_t a = 0; !status && a < j->arch_count; a++) {
        size_t listed = 0;
        for (size_t i = 0; !status && i < j->source_count; i++)
            status = list_kernels(j, a, i, &listed);
        if (!status && listed < j->kernel_count)
            status = cli_fail("%s has %zu kernels, and %s has %zu", j->archs[a], listed,
                              j->archs[0], j->kernel_count);
    }
    return status;
}

// Write all outputs, or none.
static bool write_outputs(const job *j, const void *const data[], const size_t bytes[],
                          cli_why *why)
{
    cli_file files[OUTPUTS] = { { .path = NULL } };
    bool good = true;

    for (int i = 0; good && i < OUTPUTS; i++)
        good = !j->output[i] || (cli_file_begin(&files[i], j->output[i], why) &&
                                 cli_file_write(&files[i], data[i], bytes[i], why) &&
                                 cli_file_finish(&files[i], why));
    good = good && cli_files_commit(files, OUTPUTS, why);
    for (int i = 0; i < OUTPUTS; i++)
        cli_file_discard(&files[i]);
    return good;
}

static json_t *kernels_json(const job *j)
{
    json_t *list = cli_array();

    for (size_t i = 0; i < j->kernel_count; i++) {
        json_t *row = cli_object();
        cli_set(row, "symbol", cli_text(j->kernels[i].symbol));
        cli_set(row, "name", cli_text(j->kernels[i].name));
        cli_set(row, "declaration", cli_text(j->kernels[i].declaration));
        cli_set(row, "parameters", cli_integer((int64_t)j->kernels[i].parameter_count));
        cli_append(list, row);
    }
    return list;
}

static int report(const job *j, size_t bytes)
{
    if (cli_json_wanted()) {
        json_t *document = cli_document(true), *archs = cli_array();
        for (size_t i = 0; i < j->arch_count; i++)
            cli_append(archs, cli_text(j->archs[i]));
        cli_set(document, "output", cli_text(j->output[FATBIN]));
        cli_set(document, "header", cli_text(j->output[HEADER]));
        cli_set(document, "embed", cli_text(j->output[ARRAY]));
        cli_set(document, "archs", archs);
        cli_set(document, "ptx", cli_bool(j->ptx));
        cli_set(document, "bytes", cli_integer((int64_t)bytes));
        cli_set(document, "kernels", kernels_json(j));
        return cli_print_json(document, CLI_DONE);
    }
    for (int i = 0; i < OUTPUTS; i++)
        if (j->output[i] && i != HEADER)
            printf("%s: %zu kernel%s for %s%s, %zu bytes\n", j->output[i], j->kernel_count,
                   j->kernel_count == 1 ? "" : "s", j->arch_list, j->ptx ? " with PTX" : "", bytes);
        else if (j->output[i])
            printf("%s: the header\n", j->output[i]);
    return CLI_DONE;
}

static int write_out(const job *j, cuc_object *fat)
{
    const char *header = j->output[HEADER], *c = j->output[ARRAY];
    bool beside = header && c && base_of(header) - header == base_of(c) - c &&
                  strncmp(header, c, (size_t)(base_of(c) - c)) == 0;
    const build_text t = { .prefix = j->prefix,
                           .header_name = beside ? base_of(header) : header,
                           .archs = j->arch_list,
                           .embed = c != NULL,
                           .kernels = j->kernels,
                           .kernel_count = j->kernel_count };
    struct cuc__text text[OUTPUTS] = { { .at = NULL } };
    const void *code;
    size_t bytes;
    cli_why why;

    if (cuc_object_get_code(&code, &bytes, fat) < 0)
        return cli_fail_cuc();
    if (header)
        build_write_header(&text[HEADER], &t);
    if (c)
        build_write_array(&text[ARRAY], &t, code, bytes);
    bool good = !text[HEADER].lost && !text[ARRAY].lost;
    if (!good)
        cli_because(&why, "no host memory for the header");
    else
        good = write_outputs(j, (const void *[]){ code, text[HEADER].at, text[ARRAY].at },
                             (size_t[]){ bytes, text[HEADER].length, text[ARRAY].length }, &why);
    free(text[HEADER].at);
    free(text[ARRAY].at);
    return good ? report(j, bytes) : cli_fail("%s", why.text);
}

static int pack(job *j)
{
    cuc_fatbin_part *parts = cli_allocate(j->arch_count * sizeof(*parts));
    cuc_object *fat = NULL;
    int status;

    for (size_t i = 0; i < j->arch_count; i++)
        parts[i] = (cuc_fatbin_part){ j->linked[i], j->archs[i] };
    if (cuc_fatbin_create(&fat, parts, j->arch_count,
                          CUC_FATBIN_OPTIONS(.name = j->prefix, .ptx = j->ptx ? CUC_ON : CUC_OFF)) <
        0)
        status = cli_fail_cuc();
    else
        status = write_out(j, fat);
    cuc_object_release(fat);
    free(parts);
    return status;
}

static void list_archs(job *j)
{
    size_t bytes = 1;

    for (size_t i = 0; i < j->arch_count; i++)
        bytes += strlen(j->archs[i]) + 2;
    char *at = j->arch_list = cli_allocate(bytes);
    for (size_t i = 0; i < j->arch_count; i++)
        at += sprintf(at, "%s%s", i ? ", " : "", j->archs[i]);
}

static void release(job *j)
{
    for (size_t i = 0; j->compiled && i < j->arch_count * j->source_count; i++)
        cuc_object_release(j->compiled[i]);
    for (size_t i = 0; j->linked && i < j->arch_count; i++)
        cuc_object_release(j->linked[i]);
    for (size_t i = 0; i < j->kernel_count; i++)
        build_kernel_free(&j->kernels[i]);
    for (size_t i = 0; j->sources && i < j->source_count; i++)
        source_release(&j->sources[i]);
    for (size_t i = 0; i < j->arch_count; i++)
        free(j->archs[i]);
    for (int i = 0; i < OUTPUTS; i++)
        free(j->made[i]);
    free(j->compiled);
    free(j->linked);
    free(j->kernels);
    free(j->sources);
    free(j->archs);
    free(j->arch_list);
    free(j->prefix);
    source_options_end(&j->options);
}

// Return an upper bound for the number of architectures in all lists among the arguments.
static size_t count_archs(int argc, char **argv)
{
    size_t count = 0;

    for (int i = 0; i < argc; i++)
        for (const char *at = argv[i]; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            count++;
    return count;
}

static int run(int argc, char **argv)
{
    job j = { .ptx = false };
    cli_parser parser;

    source_options_begin(&j.options, argc);
    j.archs = cli_allocate(count_archs(argc, argv) * sizeof(*j.archs));
    cli_parse(&parser, &cli_build, argc, argv);
    int status = take_options(&j, &parser);
    if (!status && parser.operands) {
        status = check(&j, &parser);
        list_archs(&j);
        if (!status && !(status = compile_all(&j)) && !(status = list_all(&j)) &&
            !(status = link_all(&j)))
            status = pack(&j);
    }
    release(&j);
    return status;
}

const cli_command cli_build = {
    .name = "build",
    .summary = "Compile kernels for several architectures into a fat binary, to ship without a "
               "compiler",
    .usage = "FILE... --arch ARCH[,ARCH...] [-o OUT] [--header OUT.h] [--embed OUT.c] [--ptx] "
             "[OPTION...]",
    .examples = "  cucore build vadd.tile --arch sm_80,sm_90a -o kernels.fatbin\n"
                "  cucore build saxpy.cu --arch sm_90 --ptx --header saxpy.h\n"
                "  cucore build softmax.tile --set BN=4096 --arch sm_80,sm_90a --embed kernels.c\n"
                "  cucore build vadd.tile saxpy.cu --arch sm_80,sm_90a -o all.fatbin --json\n",
    .details =
        "FILE ends in .cu, .ptx or .tile; several are linked into one. Without -o, OUT is "
        "the first FILE's\n"
        "name in the current folder with the suffix .fatbin; with --embed and without -o "
        "there is none.\n"
        "--embed also writes the header, by default beside the array. Names in both begin "
        "with the\n"
        "header's name. Each file is replaced as a whole, and none before all are complete.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
