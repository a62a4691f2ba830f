// cucore cache: shows the state of the cache, lists its entries, and removes them.
#include "base/array.h"
#include "machine.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { CACHE_DIR = CLI_LONG };

static const cli_option options[] = {
    { "dir", CACHE_DIR, "FOLDER", "a cache in this folder in place of the default one" },
    CLI_JSON_OPTION,
};

static int print_info(cuc_cache *cache)
{
    cuc_cache_info info = CUC_CACHE_INFO_INIT;

    if (cuc_cache_get_info(&info, cache) < 0)
        return cli_fail_cuc();
    if (cli_json_wanted()) {
        json_t *document = cli_document(true);
        machine_set_cache(document, &info);
        return cli_print_json(document, CLI_DONE);
    }
    cli_row("folder", "%s", *info.dir ? info.dir : "none");
    if (*info.off)
        cli_row("off", "%s", info.off);
    cli_row("entries", "%" PRIu64, info.entries);
    cli_row("bytes", "%" PRIu64 " of %" PRIu64, info.bytes, info.max_bytes);
    return CLI_DONE;
}

static int32_t list_entry(void *user, const cuc_cache_entry *entry)
{
    json_t *list = user;
    char used[32];
    time_t seconds = entry->used_ns / 1000000000;
    struct tm utc;

    strftime(used, sizeof(used), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    if (list) {
        json_t *row = cli_object();
        cli_set(row, "key", cli_text(entry->key));
        cli_set(row, "label", cli_text(entry->label));
        cli_set(row, "bytes", cli_integer((int64_t)entry->bytes));
        cli_set(row, "used", cli_text(used));
        cli_set(row, "damaged", cli_bool(entry->damaged));
        cli_append(list, row);
    } else {
        printf("%.12s  %s  %9" PRIu64 "  %s\n", entry->key, used, entry->bytes,
               entry->damaged ? "damaged" : entry->label);
    }
    return 0;
}

static int list(cuc_cache *cache)
{
    json_t *entries = cli_json_wanted() ? cli_array() : NULL;

    if (cuc_cache_list(cache, list_entry, entries) < 0) {
        json_decref(entries);
        return cli_fail_cuc();
    }
    if (!entries)
        return CLI_DONE;
    json_t *document = cli_document(true);
    cli_set(document, "entries", entries);
    return cli_print_json(document, CLI_DONE);
}

static int print_count(const char *key, uint64_t count)
{
    if (cli_json_wanted()) {
        json_t *document = cli_document(true);
        cli_set(document, key, cli_integer((int64_t)count));
        return cli_print_json(document, CLI_DONE);
    }
    printf("%" PRIu64 " %s\n", count, key);
    return CLI_DONE;
}

static int clear(cuc_cache *cache)
{
    cuc_cache_info info = CUC_CACHE_INFO_INIT;

    if (cuc_cache_get_info(&info, cache) < 0 || cuc_cache_clear(cache) < 0)
        return cli_fail_cuc();
    return print_count("removed", info.entries);
}

static int verify(cuc_cache *cache)
{
    uint64_t damaged;

    return cuc_cache_verify(&damaged, cache) < 0 ? cli_fail_cuc() : print_count("damaged", damaged);
}

static const struct {
    const char *name;
    int (*run)(cuc_cache *cache);
} actions[] = {
    { "info", print_info }, { "list", list }, { "clear", clear }, { "verify", verify }
};

static int run(int argc, char **argv)
{
    cuc_cache *cache = cuc_cache_default();
    const char *value, *dir = NULL;
    cli_parser parser;
    int id, action = 0;

    cli_parse(&parser, &cli_cache, argc, argv);
    while ((id = cli_next(&parser, &value)) > 0)
        dir = value;
    if (id < 0)
        return parser.status;
    if (parser.operand_count > 1)
        return cli_usage_error("'%s' is not expected", parser.operands[1]);
    while (parser.operand_count && action < CUC_LENGTH(actions) &&
           strcmp(actions[action].name, parser.operands[0]) != 0)
        action++;
    if (action == CUC_LENGTH(actions))
        return cli_usage_error("'%s' is not expected: info, list, clear or verify",
                               parser.operands[0]);
    if (dir && cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = dir)) < 0)
        return cli_fail_cuc();
    int status = actions[action].run(cache);
    cuc_cache_release(cache);
    return status;
}

const cli_command cli_cache = {
    .name = "cache",
    .summary = "Examine or clear the cache of compiled code",
    .usage = "[info | list | clear | verify] [--dir FOLDER] [--json]",
    .examples = "  cucore cache\n"
                "  cucore cache list\n"
                "  cucore cache clear --dir /scratch/me/kernels\n",
    .details = "info prints the folder and its size, list every entry with its last use, clear "
               "removes all entries,\nand verify removes damaged ones, which do no harm.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
