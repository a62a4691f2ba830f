#include "base/array.h"
#include "cli.h"

#include <cucore/error.h>

#include <stdlib.h>
#include <string.h>

enum { EXPLAIN_ALL = CLI_LONG };

static const cli_option options[] = {
    { "all", EXPLAIN_ALL, NULL, "every code of every library, one a line" },
    CLI_JSON_OPTION,
};

static const char *library_name(int32_t library)
{
    static const char *const names[] = {
#define NAME(constant, value, name) [value] = name,
        CUC_LIBRARY_LIST(NAME)
#undef NAME
    };

    return library >= 0 && (size_t)library < CUC_LENGTH(names) ? names[library] : "?";
}

static json_t *explanation_json(const cuc_explanation *e)
{
    json_t *entry = cli_object();

    cli_set(entry, "symbol", cli_text(e->symbol));
    cli_set(entry, "library", cli_text(library_name(e->library)));
    cli_set(entry, "code", cli_integer(e->code));
    cli_set(entry, "meaning", cli_text(e->meaning));
    cli_set(entry, "remedy", cli_text(e->remedy));
    cli_set(entry, "sticky", cli_bool(e->sticky));
    return entry;
}

// Print words in lines of at most 78 characters.
static void print_wrapped(const char *text)
{
    enum { WIDTH = 78 };
    size_t column = 0;

    while (*text) {
        size_t word = strcspn(text, " ");
        if (column && column + 1 + word > WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "", (int)word, text);
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

static void print_explanation(const cuc_explanation *e)
{
    printf("%s (%d, %s)\n\n", e->symbol, e->code, library_name(e->library));
    print_wrapped(e->meaning);
    putchar('\n');
    print_wrapped(e->remedy);
    if (e->sticky)
        printf("\nThe context is lost: every later call fails until the process is restarted.\n");
}

// Explain all codes: small numbers with gaps, and one large code of the runtime.
static int explain_all(void)
{
    static const struct {
        int32_t first, last;
    } ranges[] = { { -64, 1100 }, { 10000, 10000 } };
    json_t *list = cli_json_wanted() ? cli_array() : NULL;

    for (int32_t library = CUC_LIBRARY_NONE; library <= CUC_LIBRARY_NVFATBIN; library++)
        for (size_t r = 0; r < CUC_LENGTH(ranges); r++)
            for (int32_t code = ranges[r].first; code <= ranges[r].last; code++) {
                cuc_explanation e = CUC_EXPLANATION_INIT;
                if (cuc_explain(&e, library, code) != CUC_OK)
                    continue;
                if (list)
                    cli_append(list, explanation_json(&e));
                else
                    printf("%-12s %5d  %-48s %s\n", library_name(library), e.code, e.symbol,
                           e.meaning);
            }
    if (!list)
        return CLI_DONE;
    json_t *document = cli_document(true);
    cli_set(document, "explanations", list);
    return cli_print_json(document, CLI_DONE);
}

static bool is_negative_number(const char *text)
{
    return text[0] == '-' && text[1] && strspn(text + 1, "0123456789") == strlen(text + 1);
}

// Explain a code or name. Only cucore's own status codes can be negative.
static cuc_status explain_text(cuc_explanation *out, const char *text)
{
    if (is_negative_number(text))
        return cuc_explain(out, CUC_LIBRARY_NONE, (int32_t)strtol(text, NULL, 10));
    return cuc_explain_text(out, text);
}

static int explain_one(const char *code)
{
    cuc_explanation e = CUC_EXPLANATION_INIT;

    if (explain_text(&e, code) < 0)
        return cli_fail_cuc();
    if (!cli_json_wanted()) {
        print_explanation(&e);
        return CLI_DONE;
    }
    json_t *document = cli_document(true);
    json_t *entry = explanation_json(&e);
    json_object_update(document, entry);
    json_decref(entry);
    return cli_print_json(document, CLI_DONE);
}

static int run(int argc, char **argv)
{
    cli_parser parser;
    const char *value;
    const char *negative = NULL;
    bool all = false;
    int kept = 0;
    int id;

    // Accept a code such as -5, which getopt would take for an option.
    for (int i = 0; i < argc; i++) {
        if (!negative && is_negative_number(argv[i]))
            negative = argv[i];
        else
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    cli_parse(&parser, &cli_explain, kept, argv);
    while ((id = cli_next(&parser, &value)) > 0)
        all = true;
    if (id < 0)
        return parser.status;
    int codes = parser.operand_count + (negative != NULL);
    if (all && codes)
        return cli_usage_error("--all takes no CODE");
    if (!all && codes != 1)
        return cli_usage_error("one CODE is expected, a number or a name such as 700");
    return all ? explain_all() : explain_one(negative ? negative : parser.operands[0]);
}

const cli_command cli_explain = {
    .name = "explain",
    .summary = "Say what an error code means, and what to do about it",
    .usage = "[--json] CODE | --all",
    .examples = "  cucore explain 700\n"
                "  cucore explain CUDA_ERROR_ILLEGAL_ADDRESS\n"
                "  cucore explain NVRTC_ERROR_COMPILATION\n"
                "  cucore explain CUC_ERROR_CONTEXT_LOST\n"
                "  cucore explain --all | grep -i memory\n",
    .details =
        "CODE is a number of the CUDA driver, or a name of the driver, the runtime, NVRTC, "
        "nvJitLink, nvFatbin,\nNVML or cucore, or a code of the tile compiler such as T501, in any "
        "case of letters.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
