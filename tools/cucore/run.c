#include "base/array.h"
#include "launcher.h"
#include "values.h"

#include <cucore/system.h>

#include <string.h>

enum {
    RUN_KERNEL = SOURCE_NEXT_ID,
    RUN_GRID,
    RUN_BLOCK,
    RUN_SHARED,
    RUN_CLUSTER,
    RUN_DRIVER,
    RUN_TIME,
    RUN_TOLERANCE,
};

static const cli_option options[] = {
    { "kernel", RUN_KERNEL, "NAME",
      "the kernel; for CUDA C++ also an expression such as "
      "'axpy<float>'" },
    { "grid", RUN_GRID, "X[,Y[,Z]]", "blocks" },
    { "block", RUN_BLOCK, "X[,Y[,Z]]", "threads per block" },
    { "shared", RUN_SHARED, "BYTES", "dynamic shared memory per block" },
    { "cluster", RUN_CLUSTER, "X[,Y[,Z]]", "blocks per cluster" },
    { "driver", RUN_DRIVER, "WHICH",
      "real, sim, or auto: CUCORE_DRIVER's choice, or else the real driver if there is a device, "
      "or else the simulated one; interp: a tile program on the CPU, without a driver" },
    { "time", RUN_TIME, "N", "launch N more times and print the median" },
    { "tolerance", RUN_TOLERANCE, "T", "with ==: outputs may deviate by T * max(1, |expected|)" },
    SOURCE_OPTIONS,
    CLI_JSON_OPTION,
};

static int take_option(launcher *l, int id, const char *value)
{
    int status = source_options_take(&l->options, id, value);

    if (status >= 0)
        return status;
    switch (id) {
    case RUN_KERNEL:
        l->kernel_name = value;
        return CLI_DONE;
    case RUN_GRID:
        return value_extents(l->config.grid, "grid", value);
    case RUN_BLOCK:
        return value_extents(l->config.block, "block", value);
    case RUN_CLUSTER:
        return value_extents(l->config.cluster, "cluster", value);
    case RUN_SHARED:
        return value_number(&l->config.shared_bytes, "shared", value, 0, INT32_MAX);
    case RUN_TIME:
        return value_number(&l->repeats, "time", value, 1, 1000000);
    case RUN_TOLERANCE:
        return value_real(&l->tolerance, "tolerance", value, 0, 1e300);
    case RUN_DRIVER:
        l->interpret = strcmp(value, "interp") == 0;
        return l->interpret ? CLI_DONE : value_driver(&l->driver_given, value);
    default:
        return CLI_DONE;
    }
}

static int check_file(const launcher *l)
{
    const source_language *language = l->source.language;

    if (!language->source && source_options_given(&l->options))
        return cli_usage_error(
            "'%s' is compiled already: --arch, -I, -D, --std, --option, --set, --warps, "
            "--stages and --tile-... do not change it",
            l->path);
    if (l->interpret && language->source != CUC_SOURCE_TILE)
        return cli_usage_error("--driver interp runs tile programs, and '%s' is none", l->path);
    if (l->interpret && (l->repeats || l->config.cluster[0]))
        return cli_usage_error("--driver interp uses no device: no --time, no --cluster");
    if (language->source != CUC_SOURCE_TILE)
        return CLI_DONE;
    if (l->config.block[0] || l->config.shared_bytes || l->config.cluster[0])
        return cli_usage_error("a tile program has its own block, shared memory and cluster: leave "
                               "--block, --shared and --cluster");
    return CLI_DONE;
}

static int take_operands(launcher *l, const cli_parser *parser)
{
    size_t count = (size_t)parser->operand_count;

    if (!count)
        return cli_usage_error("a FILE is missing");
    l->path = parser->operands[0];
    int status = source_identify(&l->source, l->path, &l->options);
    if (!status)
        status = check_file(l);
    if (status)
        return status;
    int32_t kind = l->source.language->source;
    if ((kind == CUC_SOURCE_CUDA && !l->kernel_name) || (l->kernel_name && !*l->kernel_name))
        return cli_usage_error("say which kernel to run: --kernel NAME");
    // Only CUDA C++ source certainly needs these options: a tile kernel computes its own grid, and
    // compiled code shows only after loading whether it is a tile kernel.
    if (kind == CUC_SOURCE_CUDA && !l->config.grid[0])
        return cli_usage_error("say how many blocks to launch: --grid X[,Y[,Z]]");
    if (kind == CUC_SOURCE_CUDA && !l->config.block[0])
        return cli_usage_error("say how many threads a block has: --block X[,Y[,Z]]");
    return launcher_take_arguments(l, count - 1, parser->operands + 1);
}

static json_t *extents_json(const uint32_t extents[3])
{
    json_t *list = cli_array();

    for (int i = 0; i < 3; i++)
        cli_append(list, cli_integer(extents[i]));
    return list;
}

static json_t *argument_json(const launcher *l, size_t i)
{
    const argument *a = &l->arguments[i];
    json_t *entry = cli_object();
    json_t *shape = cli_array();
    uint64_t elements;

    cli_set(entry, "kind", cli_text(argument_kind_name(a->kind)));
    cli_set(entry, "argument", cli_text(a->text));
    cli_set(entry, "dtype", cli_text(cuc_dtype_name(a->dtype)));
    cli_set(entry, "bytes", cli_integer((int64_t)a->bytes));
    if (a->kind == ARGUMENT_SCALAR) {
        json_decref(shape);
        return entry;
    }
    for (int32_t d = 0; d < a->rank; d++)
        cli_append(shape, cli_integer(a->shape[d]));
    cli_set(entry, "shape", shape);
    cli_set(entry, "input", cli_text(a->in_path));
    cli_set(entry, "output", cli_text(a->out_path));
    cli_set(entry, "expected", cli_text(a->expected_path));
    if (a->kind == ARGUMENT_OUT)
        cli_set(entry, "untouched", cli_integer((int64_t)launcher_untouched(l, i, &elements)));
    return entry;
}

// Return the kernel's name. An interpreted kernel without a name is the only one in its file.
static const char *kernel_name(const launcher *l)
{
    return l->kernel ? cuc_kernel_name(l->kernel) : l->kernel_name;
}

static json_t *device_json(const cuc_device *d)
{
    json_t *device = cli_object();

    cli_set(device, "ordinal", cli_integer(cuc_device_ordinal(d)));
    cli_set(device, "name", cli_text(cuc_device_name(d)));
    cli_set(device, "arch", cli_text(cuc_device_arch(d)));
    cli_set(device, "simulated", cli_bool(cuc_driver_is_simulated()));
    return device;
}

static int print_json(const launcher *l)
{
    json_t *document = cli_document(true);
    json_t *arguments = cli_array();
    bool cluster = l->config.cluster[0] != 0;

    cli_set(document, "interpreted", cli_bool(l->interpret));
    cli_set(document, "device", l->interpret ? json_null() : device_json(l->device));
    cli_set(document, "kernel", cli_text(kernel_name(l)));
    cli_set(document, "symbol",
            cli_text(l->kernel ? cuc_kernel_symbol(l->kernel) : kernel_name(l)));
    cli_set(document, "code",
            cli_text(l->object ? cuc_code_name(cuc_object_kind(l->object)) : NULL));
    cli_set(document, "grid", l->config.grid[0] ? extents_json(l->config.grid) : json_null());
    cli_set(document, "block", l->config.block[0] ? extents_json(l->config.block) : json_null());
    cli_set(document, "cluster", cluster ? extents_json(l->config.cluster) : json_null());
    cli_set(document, "shared_bytes", cli_integer(l->config.shared_bytes));
    cli_set(document, "entry", cli_text(l->entry));
    cli_set(document, "arguments_checked", cli_bool(l->counted));
    for (size_t i = 0; i < l->argument_count; i++)
        cli_append(arguments, argument_json(l, i));
    cli_set(document, "arguments", arguments);
    if (l->repeats) {
        json_t *time = cli_object();
        cli_set(time, "launches", cli_integer(l->repeats));
        cli_set(time, "median_us", cli_real(l->median_us));
        cli_set(time, "min_us", cli_real(l->least_us));
        cli_set(time, "max_us", cli_real(l->most_us));
        cli_set(document, "time", time);
    }
    return cli_print_json(document, CLI_DONE);
}

static void print_extents(const char *label, const uint32_t extents[3])
{
    printf(", %s %u,%u,%u", label, extents[0], extents[1], extents[2]);
}

static void print_argument(const launcher *l, size_t i)
{
    const argument *a = &l->arguments[i];
    char type[1024];
    uint64_t elements;

    argument_type(a, type, sizeof(type));
    if (a->kind == ARGUMENT_SCALAR)
        return;
    printf("  %-6s %s", argument_kind_name(a->kind), type);
    if (a->in_path)
        printf(", from %s", a->in_path);
    if (a->out_path)
        printf(", to %s", a->out_path);
    if (a->expected_path)
        printf(", equal to %s", a->expected_path);
    if (a->kind == ARGUMENT_OUT) {
        uint64_t untouched = launcher_untouched(l, i, &elements);
        if (untouched)
            printf("; %llu of %llu elements are as they were poisoned",
                   (unsigned long long)untouched, (unsigned long long)elements);
    }
    putchar('\n');
}

static int print_text(const launcher *l)
{
    if (l->interpret)
        printf("%s interpreted", kernel_name(l) ? kernel_name(l) : l->source.name);
    else
        printf("%s on %s (%s%s)", kernel_name(l), cuc_device_name(l->device),
               cuc_device_arch(l->device), cuc_driver_is_simulated() ? ", simulated" : "");
    if (l->config.grid[0])
        print_extents("grid", l->config.grid);
    if (l->config.block[0])
        print_extents("block", l->config.block);
    if (l->config.cluster[0])
        print_extents("cluster", l->config.cluster);
    if (l->config.shared_bytes)
        printf(", %u bytes of shared memory", l->config.shared_bytes);
    if (l->entry)
        printf(", entry %s", l->entry);
    printf(", %zu argument%s%s\n", l->argument_count, l->argument_count == 1 ? "" : "s",
           l->counted ? " checked" : ", unchecked: this driver does not report parameters");
    for (size_t i = 0; i < l->argument_count; i++)
        print_argument(l, i);
    if (l->repeats)
        printf("  median of %u launches: %.3f us (%.3f to %.3f)\n", l->repeats, l->median_us,
               l->least_us, l->most_us);
    return CLI_DONE;
}

static int run(int argc, char **argv)
{
    launcher l = { .config = CUC_LAUNCH_CONFIG_INIT };
    cli_parser parser;
    const char *value;
    int status = CLI_DONE;
    int id;

    source_options_begin(&l.options, argc);
    cli_parse(&parser, &cli_run, argc, argv);
    while (!status && (id = cli_next(&parser, &value)) != 0) {
        if (id < 0) {
            status = parser.status;
            goto done; // --help also ends here, successfully
        }
        status = take_option(&l, id, value);
    }
    if (!status)
        status = take_operands(&l, &parser);
    if (!status && !l.interpret)
        driver_settle(l.driver_given, "the kernel");
    if (!status)
        status = l.interpret ? launcher_interpret(&l) : launcher_run(&l);
    if (!status)
        status = launcher_save(&l);
    if (!status)
        status = launcher_compare(&l);
    if (!status)
        status = cli_json_wanted() ? print_json(&l) : print_text(&l);
done:
    launcher_release(&l);
    return status;
}

const cli_command cli_run = {
    .name = "run",
    .summary = "Run a kernel once on NumPy files and numbers, and optionally time it",
    .usage = "FILE [--kernel NAME] [--grid X[,Y[,Z]] --block X[,Y[,Z]]] [OPTION...] ARG...",
    .examples = "  cucore run saxpy.cu --kernel saxpy --grid 4 --block 256 \\\n"
                "      f32:2.0 in:x.npy inout:y.npy=out.npy i32:1024\n"
                "  cucore run fill.ptx --kernel fill --grid 4 --block 256 'out:f32[1024]=z.npy'\n"
                "  cucore run axpy.cu --kernel 'axpy<float>' --grid 4 --block 256 --time 100 \\\n"
                "      f32:2 in:x.npy 'out:f32[32,32]=z.npy' u64:1024\n"
                "  cucore run gemm.cubin --kernel gemm --grid 8,8 --block 128 --shared 98304 \\\n"
                "      in:bf16:a.npy in:bf16:b.npy 'out:f32[512,512]=c.npy'\n"
                "  cucore run vadd.tile in:x.npy in:y.npy 'out:f32[1024]=z.npy' --driver interp\n",
    .details =
        "FILE is .cu, .ptx, .tile, .cubin or .fatbin; - is standard input, with --lang. A tile "
        "program's\n"
        "kernel determines its own grid and block, even as compiled code. The only kernel of a "
        "file needs\n"
        "no name, except in .cu.\n"
        "\n"
        "ARG, one for each parameter of the kernel, in order:\n"
        "  TYPE:VALUE              a number: f32:2.0, i32:-1, u64:0x10, bool:true, c64:1+2j\n"
        "  in:[TYPE:]PATH          an input array, from a .npy file\n"
        "  inout:[TYPE:]PATH=OUT   an input array that is written to OUT afterwards\n"
        "  out:TYPE[SHAPE]=OUT     an output array: out:f32[64,32]=z.npy\n"
        "With ==FILE in place of =OUT nothing is written: the result must equal FILE, within "
        "--tolerance.\n"
        "=- does neither.\n"
        "TYPE is bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, tf32, f64, e4m3, "
        "e5m2, e8m0,\n"
        "c64 or c128. Numbers are rounded to nearest, ties to even. For a type that NumPy lacks, "
        "name it:\n"
        "in:bf16:x.npy reads the bits of a type of the same size; outputs are written as unsigned "
        "integers.\n"
        "\n"
        "Every byte of an output is 0xFF before the kernel runs: NaN for types with NaNs, else -1 "
        "or the\n"
        "largest number. Results are those of the first launch; --time launches after it. Output "
        "files are\n"
        "written only after success, each atomically.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
