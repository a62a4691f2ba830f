// Interface that the commands of the cucore program share. They use the library through its public
// headers, and also its internal code for writing files and reading kernel signatures.
#ifndef CUCORE_TOOLS_CLI_H
#define CUCORE_TOOLS_CLI_H

#include "../../src/base/new_file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))

// Exit statuses; part of the program's interface.
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_SKIPPED = 77 };

// Version of all JSON documents; it rises when a key is removed or changes its meaning.
enum { CLI_SCHEMA = 1 };

// ---- options.c: command-line options

typedef struct cli_option {
    const char *name;  // "include-path": long name
    int id;            // its letter, or CLI_LONG and up if it has no letter
    const char *value; // placeholder in the help, such as "DIR"; NULL for a switch
    const char *help;
} cli_option;

enum { CLI_LONG = 256, CLI_JSON = 1000, CLI_MAX_OPTIONS = 48 };

#define CLI_JSON_OPTION                                          \
    {                                                            \
        "json", CLI_JSON, NULL, "print JSON, with \"schema\": 1" \
    }

typedef struct cli_command {
    const char *name;     // a subcommand's name includes its parent's: "bench show"
    const char *summary;  // one line, for the command list
    const char *usage;    // text after "cucore NAME"
    const char *examples; // lines, each with a newline
    const char *details;  // text after the options; NULL for none
    const cli_option *options;
    size_t option_count;
    int (*run)(int argc, char **argv);      // argv[0] is the command's name
    const struct cli_command *const *parts; // subcommands, NULL-terminated; NULL for none
    bool missing; // this build lacks the command, so unknown options are not errors
} cli_command;

extern const cli_command cli_info, cli_doctor, cli_explain, cli_find, cli_compile, cli_build,
    cli_run, cli_sort, cli_reduce, cli_scan, cli_histogram, cli_bench, cli_tune, cli_cache;

// Return the subcommand with that name; NULL if there is none.
const cli_command *cli_part(const cli_command *command, const char *word);

typedef struct cli_parser {
    const cli_command *command;
    int argc;
    char **argv;
    char **operands; // valid once cli_next() returns 0
    int operand_count;
    int status; // exit status, once cli_next() returns -1
} cli_parser;

void cli_parse(cli_parser *parser, const cli_command *command, int argc, char **argv);
// Return the id of the next option, with its value in *value; 0 at the end; -1 if the command is
// done, because --help was printed or the usage is wrong. Handles --json and --help itself.
int cli_next(cli_parser *parser, const char **value);
void cli_print_help(const cli_command *command);
// Print the words for shell completion, one per line: subcommands and options.
void cli_print_option_names(const cli_command *command);
// Return the entry most similar to a misspelled word, or NULL if none is close. at(list, index)
// returns NULL at the end of the list.
const char *cli_nearest(const char *word, const char *(*at)(const void *list, size_t index),
                        const void *list);

// ---- output.c: messages and documents

// Set the command that messages name; `json` records that the user asked for JSON.
void cli_begin(const cli_command *command);
void cli_set_json(bool json);
bool cli_json_wanted(void);

bool cli_colour(FILE *stream);

// Each prints a message to stderr and returns the exit status.
int cli_usage_error(const char *fmt, ...) CLI_PRINTF(1, 2);
int cli_fail(const char *fmt, ...) CLI_PRINTF(1, 2);
// Report the thread's last library failure, with its log.
int cli_fail_cuc(void);
void cli_note(const char *fmt, ...) CLI_PRINTF(1, 2);
// Report failures that the library could not return to a caller.
void cli_watch_failures(void);

// Print a line of a two-column table to stdout.
void cli_row(const char *label, const char *fmt, ...) CLI_PRINTF(2, 3);

// Make JSON values for documents; the program ends if it runs out of memory.
json_t *cli_document(bool ok);      // {"schema": 1, "command": "find", "ok": true}
json_t *cli_text(const char *text); // accepts invalid UTF-8; null for NULL
json_t *cli_integer(int64_t value);
json_t *cli_real(double value);
json_t *cli_bool(bool value);
json_t *cli_array(void);
json_t *cli_object(void);
void cli_set(json_t *object, const char *key, json_t *value);
void cli_append(json_t *array, json_t *value);
json_t *cli_error_json(void); // the library's last failure
int cli_print_json(json_t *document, int status);

void *cli_allocate(size_t bytes); // zeroed; the program ends if it runs out of memory
_Noreturn void cli_no_memory(void);
char *cli_copy_text(const char *text, size_t bytes);

// ---- files.c: reading whole files, and writing them atomically

// Why user input was rejected. The text gives the value and what was expected.
typedef struct cli_why {
    char text[512];
} cli_why;

// Set the reason. Always returns false, so that a check can return the call.
bool cli_because(cli_why *why, const char *fmt, ...) CLI_PRINTF(2, 3);

// Read a whole file; "-" is stdin. A zero byte, which is not counted, follows the contents.
bool cli_read_file(void **data, size_t *bytes, const char *path, cli_why *why);

// Return whether two paths lead to the same existing file.
bool cli_is_same_file(const char *a, const char *b);

// A file being written with cuc__new_file_begin() and related functions, and its path for messages.
// A zeroed struct is no file.
typedef struct cli_file {
    const char *path;
    cuc__new_file file;
} cli_file;

bool cli_file_begin(cli_file *file, const char *path, cli_why *why);
bool cli_file_write(cli_file *file, const void *data, size_t bytes, cli_why *why);
bool cli_file_finish(cli_file *file, cli_why *why);
bool cli_file_commit(cli_file *file, cli_why *why);
// Commit all files, or none if one fails. Skips entries that are not files.
bool cli_files_commit(cli_file files[], size_t count, cli_why *why);
void cli_file_discard(cli_file *file);

#endif
