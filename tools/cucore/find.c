#include "base/array.h"
#include "cli.h"

#include <cucore/error.h>
#include <cucore/find.h>

enum { FIND_ALL = CLI_LONG, FIND_HEADER };

static const cli_option options[] = {
    { "all", FIND_ALL, NULL, "every name that is known" },
    { "header", FIND_HEADER, NULL, "NAME is of headers: find their folder" },
    { "verbose", 'v', NULL, "say also where was looked before" },
    CLI_JSON_OPTION,
};

typedef struct search {
    bool headers;
    bool verbose;
    bool all;
    json_t *list;
} search;

static cuc_status look(cuc_found **out, const search *s, const char *name)
{
    return s->headers ? cuc_find_header_dir(out, name) : cuc_find_library(out, name);
}

static void print_found(const search *s, const char *name, const cuc_found *found)
{
    if (s->all)
        printf("%-16s %s (%s)\n", name, cuc_found_path(found), cuc_found_method(found));
    else
        printf("%s (%s)\n", cuc_found_path(found), cuc_found_method(found));
    for (size_t i = 0; s->verbose && i < cuc_found_tried_count(found); i++)
        printf("    tried %s\n", cuc_found_tried_at(found, i));
}

static json_t *found_json(const char *name, const cuc_found *found)
{
    json_t *entry = cli_object();
    json_t *tried = cli_array();

    cli_set(entry, "name", cli_text(name));
    cli_set(entry, "path", cli_text(found ? cuc_found_path(found) : NULL));
    cli_set(entry, "method", cli_text(found ? cuc_found_method(found) : NULL));
    for (size_t i = 0; i < cuc_found_tried_count(found); i++)
        cli_append(tried, cli_text(cuc_found_tried_at(found, i)));
    cli_set(entry, "tried", tried);
    return entry;
}

// Find a library; if it is missing, print a message to stderr and return false.
static bool find_one(search *s, const char *name)
{
    cuc_found *found;

    if (look(&found, s, name) == CUC_OK) {
        if (s->list)
            cli_append(s->list, found_json(name, found));
        else
            print_found(s, name, found);
        cuc_found_release(found);
        return true;
    }
    if (s->list) {
        json_t *entry = found_json(name, NULL);
        cli_set(entry, "error", cli_error_json());
        cli_append(s->list, entry);
    }
    if (s->all) {
        if (!s->list)
            printf("%-16s -\n", name);
        return false;
    }
    bool json = cli_json_wanted();
    cli_set_json(false); // the document itself reports the failure
    cli_fail_cuc();
    cli_set_json(json);
    return false;
}

static const char *name_at(const search *s, size_t index)
{
    return s->headers ? cuc_find_header_name(index) : cuc_find_library_name(index);
}

static int run(int argc, char **argv)
{
    search s = { 0 };
    cli_parser parser;
    const char *value;
    const char *name;
    bool ok = true;
    int id;

    cli_parse(&parser, &cli_find, argc, argv);
    while ((id = cli_next(&parser, &value)) > 0) {
        s.all |= id == FIND_ALL;
        s.headers |= id == FIND_HEADER;
        s.verbose |= id == 'v';
    }
    if (id < 0)
        return parser.status;
    if (s.all && parser.operand_count)
        return cli_usage_error("--all takes no NAME, and '%s' is given", parser.operands[0]);
    if (!s.all && !parser.operand_count)
        return cli_usage_error("a NAME is missing, such as nvrtc; --all lists them");

    if (cli_json_wanted())
        s.list = cli_array();
    for (size_t i = 0; s.all && (name = name_at(&s, i)) != NULL; i++)
        find_one(&s, name);
    for (int i = 0; i < parser.operand_count; i++)
        ok = find_one(&s, parser.operands[i]) && ok;
    if (!s.list)
        return ok ? CLI_DONE : CLI_FAILED;
    json_t *document = cli_document(ok);
    cli_set(document, s.headers ? "headers" : "libraries", s.list);
    return cli_print_json(document, ok ? CLI_DONE : CLI_FAILED);
}

const cli_command cli_find = {
    .name = "find",
    .summary = "Say where a CUDA library or its headers are, and how they were found",
    .usage = "[--header] [--verbose] [--json] NAME... | --all",
    .examples = "  cucore find nvrtc\n"
                "  cucore find --header cudart\n"
                "  cucore find --all\n"
                "  cucore find --verbose nvjitlink\n",
    .details = "Names are those of --all. Exit status: 0 found, 1 not found; --all is always 0.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
