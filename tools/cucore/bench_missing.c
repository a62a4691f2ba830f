// Implements cucore bench in a build without the measuring library: only the commands that read
// results.
#include "base/array.h"
#include "bench.h"

static const cli_option options[] = { CLI_JSON_OPTION };

static const cli_command *const parts[] = { &cli_bench_show, &cli_bench_compare, &cli_bench_plot,
                                            NULL };

static int run(int argc, char **argv)
{
    cli_parser parser;
    const char *value;

    cli_parse(&parser, &cli_bench, argc, argv);
    if (cli_next(&parser, &value))
        return parser.status;
    return cli_fail("this program was built without what measures (-Dbench=disabled)");
}

const cli_command cli_bench = {
    .name = "bench",
    .summary = "Compare, show and plot results; this build measures nothing",
    .usage = "show|compare|plot ...",
    .examples = "  cucore bench compare old.json new.json\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
    .missing = true,
    .parts = parts,
};
