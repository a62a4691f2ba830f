#include "cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const cli_option help_option = { "help", 'h', NULL, "print this help" };

// Return an option of a command; --help follows the last one.
static const cli_option *option_at(const cli_command *command, size_t index)
{
    if (index < command->option_count)
        return &command->options[index];
    return index == command->option_count ? &help_option : NULL;
}

static const char *option_name_at(const void *command, size_t index)
{
    const cli_option *o = option_at(command, index);

    return o ? o->name : NULL;
}

static const cli_option *option_of_id(const cli_command *command, int id)
{
    const cli_option *o;

    for (size_t i = 0; (o = option_at(command, i)) != NULL; i++)
        if (o->id == id)
            return o;
    return NULL;
}

void cli_parse(cli_parser *parser, const cli_command *command, int argc, char **argv)
{
    *parser = (cli_parser){ .command = command, .argc = argc, .argv = argv };
    cli_begin(command);
    optind = 0; // makes glibc's getopt start again, even in the middle of another command line
    opterr = 0;
}

// Return the edit distance between two short words, counting substitutions, deletions, insertions
// and transpositions.
static size_t distance(const char *a, const char *b)
{
    enum { MAX_WORD = 32 };
    size_t d[MAX_WORD + 1][MAX_WORD + 1];
    size_t an = strlen(a);
    size_t bn = strlen(b);

    if (an > MAX_WORD || bn > MAX_WORD)
        return MAX_WORD;
    for (size_t i = 0; i <= an; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= bn; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= an; i++)
        for (size_t j = 1; j <= bn; j++) {
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[an][bn];
}

const char *cli_nearest(const char *word, const char *(*at)(const void *list, size_t index),
                        const void *list)
{
    const char *nearest = NULL;
    const char *name;
    size_t least = strlen(word) < 4 ? 2 : 3; // limit on edits for a typo

    for (size_t i = 0; (name = at(list, i)) != NULL; i++) {
        size_t n = distance(word, name);
        if (n < least && n < strlen(name)) {
            least = n;
            nearest = name;
        }
    }
    return nearest;
}

static int unknown_option(const cli_parser *parser)
{
    const char *given = parser->argv[optind - 1];
    char letter[] = { '-', (char)optopt, '\0' };

    if (strncmp(given, "--", 2) != 0)
        return cli_usage_error("unknown option '%s'", optopt ? letter : given);
    const cli_option *known = optopt ? option_of_id(parser->command, optopt) : NULL;
    if (known) // --json=x
        return cli_usage_error("--%s takes no value, and '%s' has one", known->name, given);

    char word[64];
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(given + 2, "="), given + 2);
    const char *nearest = cli_nearest(word, option_name_at, parser->command);
    return nearest ? cli_usage_error("unknown option '--%s': did you mean '--%s'?", word, nearest)
                   : cli_usage_error("unknown option '--%s'", word);
}

int cli_next(cli_parser *parser, const char **value)
{
    struct option longs[CLI_MAX_OPTIONS + 2] = { { 0 } };
    char shorts[2 * CLI_MAX_OPTIONS + 8] = ":";
    size_t at = 1;
    const cli_option *o;

    for (size_t i = 0; i <= CLI_MAX_OPTIONS && (o = option_at(parser->command, i)) != NULL; i++) {
        longs[i] =
            (struct option){ o->name, o->value ? required_argument : no_argument, NULL, o->id };
        if (o->id < CLI_LONG) {
            shorts[at++] = (char)o->id;
            if (o->value)
                shorts[at++] = ':';
        }
    }
    for (;;) {
        int id = getopt_long(parser->argc, parser->argv, shorts, longs, NULL);
        switch (id) {
        case -1:
            parser->operands = parser->argv + optind;
            parser->operand_count = parser->argc - optind;
            return 0;
        case 'h':
            cli_print_help(parser->command);
            parser->status = CLI_DONE;
            return -1;
        case CLI_JSON:
            cli_set_json(true);
            continue;
        case ':':
            o = option_of_id(parser->command, optopt);
            parser->status = cli_usage_error("--%s needs a value: --%s %s", o ? o->name : "?",
                                             o ? o->name : "?", o && o->value ? o->value : "VALUE");
            return -1;
        case '?':
            if (parser->command->missing)
                continue;
            parser->status = unknown_option(parser);
            return -1;
        default:
            *value = optarg;
            return id;
        }
    }
}

void cli_print_help(const cli_command *command)
{
    const cli_option *o;

    printf("Examples:\n%s\nUsage: cucore %s %s\n\n%s.\n\nOptions:\n", command->examples,
           command->name, command->usage, command->summary);
    for (size_t i = 0; (o = option_at(command, i)) != NULL; i++) {
        char left[64];
        char letter[] = { '-', o->id < CLI_LONG ? (char)o->id : ' ', ',', ' ', '\0' };
        snprintf(left, sizeof(left), "%s--%s%s%s", o->id < CLI_LONG ? letter : "    ", o->name,
                 o->value ? " " : "", o->value ? o->value : "");
        printf("  %-27s  %s\n", left, o->help);
    }
    if (command->parts)
        printf("\nCommands within:\n");
    for (size_t i = 0; command->parts && command->parts[i]; i++)
        printf("  %-14s  %s\n", command->parts[i]->name, command->parts[i]->summary);
    if (command->details)
        printf("\n%s", command->details);
}

// Return the last word of a subcommand's name: "show" for "bench show".
static const char *part_word(const cli_command *part)
{
    const char *space = strchr(part->name, ' ');

    return space ? space + 1 : part->name;
}

const cli_command *cli_part(const cli_command *command, const char *word)
{
    for (size_t i = 0; command->parts && command->parts[i]; i++)
        if (strcmp(part_word(command->parts[i]), word) == 0)
            return command->parts[i];
    return NULL;
}

void cli_print_option_names(const cli_command *command)
{
    const cli_option *o;

    for (size_t i = 0; command->parts && command->parts[i]; i++)
        puts(part_word(command->parts[i]));
    for (size_t i = 0; (o = option_at(command, i)) != NULL; i++)
        printf("--%s\n", o->name);
}
