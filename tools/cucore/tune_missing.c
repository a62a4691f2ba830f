// Implements cucore tune in a build without the measuring library.
#include "base/array.h"
#include "cli.h"

static const cli_option options[] = { CLI_JSON_OPTION };

static int run(int argc, char **argv)
{
    cli_parser parser;
    const char *value;

    cli_parse(&parser, &cli_tune, argc, argv);
    if (cli_next(&parser, &value))
        return parser.status;
    return cli_fail("this program was built without what measures (-Dbench=disabled)");
}

const cli_command cli_tune = {
    .name = "tune",
    .summary = "Tune tile programs; this build measures nothing",
    .usage = "FILE.tile",
    .examples = "  cucore tune gemm --shape 4096\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
    .missing = true,
};
