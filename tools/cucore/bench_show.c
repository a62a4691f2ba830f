#include "base/array.h"
#include "bench.h"
#include "results.h"

#include <stdlib.h>

enum { SHOW_CSV = CLI_LONG, SHOW_MD, SHOW_TABLE };

static const cli_option options[] = {
    { "table", SHOW_TABLE, NULL, "tables for people; the default" },
    { "csv", SHOW_CSV, NULL, "every figure as it is in the JSON, under one head for all files" },
    { "md", SHOW_MD, NULL, "tables in Markdown" },
};

static int run(int argc, char **argv)
{
    table_style style = TABLE_PLAIN;
    cli_parser parser;
    const char *value;
    cli_why why;
    int id;

    cli_parse(&parser, &cli_bench_show, argc, argv);
    while ((id = cli_next(&parser, &value)) > 0)
        style = id == SHOW_CSV ? TABLE_CSV : id == SHOW_MD ? TABLE_MARKDOWN : TABLE_PLAIN;
    if (id < 0)
        return parser.status;
    if (!parser.operand_count)
        return cli_usage_error("a FILE is missing");

    // Read all files first: print nothing if any file cannot be read.
    size_t count = 0;
    results *all = cli_allocate((size_t)parser.operand_count * sizeof(*all));
    while (count < (size_t)parser.operand_count &&
           results_read(&all[count], parser.operands[count], &why))
        count++;
    int status = CLI_DONE;
    if (count < (size_t)parser.operand_count)
        status = cli_fail("%s", why.text);
    else
        results_print(stdout, all, count, style);
    for (size_t i = 0; i < count; i++)
        results_release(&all[i]);
    free(all);
    return status;
}

const cli_command cli_bench_show = {
    .name = "bench show",
    .summary = "Print results that were kept as JSON, as tables, CSV or Markdown",
    .usage = "FILE... [--table|--csv|--md]",
    .examples = "  cucore bench show memory.json\n"
                "  cucore bench show --csv memory.json runtime.json >figures.csv\n"
                "  cucore bench show --md memory.json >>report.md\n",
    .details = "FILE is what cucore bench --json wrote; - is standard input. In tables, units are "
               "chosen for each\nfigure, and columns without a figure are left out. CSV always has "
               "the same columns, in seconds,\nbytes, FLOP and their rates a second; a cell is "
               "empty where nothing was measured.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
