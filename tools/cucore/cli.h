// Shared by the commands of the cucore program. They see the library through its public headers,
// and share the writing of files with it.
#ifndef CUCORE_TOOLS_CLI_H
#define CUCORE_TOOLS_CLI_H

#include "../../src/base/new_file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))

// Exit statuses: part of the program's interface.
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_SKIPPED = 77 };

// The version of every JSON document; a key that goes or changes its meaning raises it.
enum { CLI_SCHEMA = 1 };

// ---- options.c: what a command takes

typedef struct cli_option {
    const char *name;  // "include-path": long name
    int id;            // its letter, or CLI_LONG and up where it has none
    const char *value; // "DIR" as the help calls its value; NULL for a switch
    const char *help;
} cli_option;

enum { CLI_LONG = 256, CLI_JSON = 1000, CLI_MAX_OPTIONS = 48 };

#define CLI_JSON_OPTION                                          \
    {                                                            \
        "json", CLI_JSON, NULL, "print JSON, with \"schema\": 1" \
    }

typedef struct cli_command {
    const char *name;     // of a part with its command's: "bench show"
    const char *summary;  // one line, for the list of commands
    const char *usage;    // what follows "cucore NAME"
    const char *examples; // lines, each with its newline
    const char *details;  // text behind the options; NULL for none
    const cli_option *options;
    size_t option_count;
    int (*run)(int argc, char **argv);      // argv[0] is the command's name
    const struct cli_command *const *parts; // commands behind the command, NULL at their end; NULL
} cli_command;

extern const cli_command cli_info, cli_doctor, cli_explain, cli_find, cli_compile, cli_run,
    cli_bench, cli_tune;

// The part that a word names; NULL for none.
const cli_command *cli_part(const cli_command *command, const char *word);

typedef struct cli_parser {
    const cli_command *command;
    int argc;
    char **argv;
    char **operands; // once cli_next() has returned 0
    int operand_count;
    int status; // once it has returned -1: what to exit with
} cli_parser;

void cli_parse(cli_parser *parser, const cli_command *command, int argc, char **argv);
// The id of the next option, its value in *value; 0 at the end; -1 when there is nothing left to
// do: --help was printed, or a mistake. --json and --help are seen to here.
int cli_next(cli_parser *parser, const char **value);
void cli_print_help(const cli_command *command);
// The names that shell completion offers, one a line: parts and options.
void cli_print_option_names(const cli_command *command);
// The entry of a list, NULL at its end, that a misspelt word is most like; NULL when none is near.
const char *cli_nearest(const char *word, const char *(*at)(const void *list, size_t index),
                        const void *list);

// ---- output.c: what a command says

// Whose name stands before messages; `json` is whether the user asked for JSON.
void cli_begin(const cli_command *command);
void cli_set_json(bool json);
bool cli_json_wanted(void);

bool cli_colour(FILE *stream);

// Each prints to stderr and returns the exit status.
int cli_usage_error(const char *fmt, ...) CLI_PRINTF(1, 2);
int cli_fail(const char *fmt, ...) CLI_PRINTF(1, 2);
// The thread's last failure of the library, its log included.
int cli_fail_cuc(void);
void cli_note(const char *fmt, ...) CLI_PRINTF(1, 2);
// Tell of failures that the library could not return.
void cli_watch_failures(void);

// A line of a two-column table on stdout.
void cli_row(const char *label, const char *fmt, ...) CLI_PRINTF(2, 3);

// JSON: values that end up in a document; no host memory ends the program.
json_t *cli_document(bool ok);      // {"schema": 1, "command": "find", "ok": true}
json_t *cli_text(const char *text); // also of text that is no UTF-8; null for NULL
json_t *cli_integer(int64_t value);
json_t *cli_real(double value);
json_t *cli_bool(bool value);
json_t *cli_array(void);
json_t *cli_object(void);
void cli_set(json_t *object, const char *key, json_t *value);
void cli_append(json_t *array, json_t *value);
json_t *cli_error_json(void); // of the library's last failure
int cli_print_json(json_t *document, int status);

void *cli_allocate(size_t bytes); // zeroed; no host memory ends the program
char *cli_copy_text(const char *text, size_t bytes);

// ---- files.c: reading whole files, and writing them whole or not at all

// Why something of the user's was not taken. Messages name the value and what was expected.
typedef struct cli_why {
    char text[512];
} cli_why;

// Always false, so that a check can return it.
bool cli_because(cli_why *why, const char *fmt, ...) CLI_PRINTF(2, 3);

// "-" is stdin. A zero byte follows the contents and is not counted.
bool cli_read_file(void **data, size_t *bytes, const char *path, cli_why *why);

// A file being written, as by cuc__new_file_begin() and the rest, with its path for messages.
// Zeroed: none.
typedef struct cli_file {
    const char *path;
    cuc__new_file file;
} cli_file;

bool cli_file_begin(cli_file *file, const char *path, cli_why *why);
bool cli_file_write(cli_file *file, const void *data, size_t bytes, cli_why *why);
bool cli_file_finish(cli_file *file, cli_why *why);
bool cli_file_commit(cli_file *file, cli_why *why);
void cli_file_discard(cli_file *file);

#endif
