#include "cli.h"

#include <cucore/error.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A process runs one command, so its name and output mode are global.
static struct {
    const cli_command *command;
    bool json;
} current;

void cli_begin(const cli_command *command)
{
    current.command = command;
    current.json = false;
}

void cli_set_json(bool json)
{
    current.json = json;
}

bool cli_json_wanted(void)
{
    return current.json;
}

bool cli_colour(FILE *stream)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

static void begin_message(const char *kind, const char *colour)
{
    bool coloured = cli_colour(stderr);

    fflush(stdout);
    fprintf(stderr, "cucore%s%s: %s%s:%s ", current.command ? " " : "",
            current.command ? current.command->name : "", coloured ? colour : "", kind,
            coloured ? "\033[0m" : "");
}

static void begin_error(void)
{
    begin_message("error", "\033[1;31m");
}

int cli_usage_error(const char *fmt, ...)
{
    va_list args;

    begin_error();
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    if (current.command)
        fprintf(stderr, "\nusage: cucore %s %s\n", current.command->name, current.command->usage);
    else
        fprintf(stderr, "\nusage: cucore COMMAND [OPTION...]; cucore help lists the commands\n");
    return CLI_USAGE;
}

static void print_error_document(json_t *error)
{
    json_t *document = cli_document(false);

    cli_set(document, "error", error);
    cli_print_json(document, CLI_FAILED);
}

int cli_fail(const char *fmt, ...)
{
    char text[2048];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (current.json) {
        json_t *error = cli_object();
        cli_set(error, "message", cli_text(text));
        print_error_document(error);
    }
    begin_error();
    fprintf(stderr, "%s\n", text);
    return CLI_FAILED;
}

int cli_fail_cuc(void)
{
    const char *message = cuc_error_message();
    const char *log = cuc_error_log();
    size_t bytes = strlen(log);

    if (current.json)
        print_error_document(cli_error_json());
    // A compiler's log also contains the first error, in the form that editors parse.
    bool compiled = cuc_error_status() == CUC_ERROR_COMPILE && bytes;
    begin_error();
    fprintf(stderr, "%s\n", compiled ? cuc_status_text(CUC_ERROR_COMPILE) : message);
    if (bytes && !strstr(message, log)) // some messages already contain a short log
        fprintf(stderr, "%s%s", log, log[bytes - 1] == '\n' ? "" : "\n");
    if (compiled && strstr(log, "cannot open source file"))
        cli_note("%s", cuc_error_explanation());
    return CLI_FAILED;
}

void cli_note(const char *fmt, ...)
{
    va_list args;

    begin_message("note", "\033[1;36m");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

static void tell_failure(const char *message, void *user)
{
    (void)user;
    cli_note("%s", message);
}

void cli_watch_failures(void)
{
    cuc_set_failure_handler(tell_failure, NULL);
}

void cli_row(const char *label, const char *fmt, ...)
{
    va_list args;

    printf("%-14s ", label);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

_Noreturn void cli_no_memory(void)
{
    begin_error();
    fprintf(stderr, "no host memory\n");
    exit(CLI_FAILED);
}

void *cli_allocate(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p)
        cli_no_memory();
    return p;
}

char *cli_copy_text(const char *text, size_t bytes)
{
    char *copy = cli_allocate(bytes + 1);

    memcpy(copy, text, bytes);
    return copy;
}

static json_t *checked(json_t *value)
{
    if (!value)
        cli_no_memory();
    return value;
}

json_t *cli_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    // Paths and variables are arbitrary bytes; JSON is UTF-8.
    char *copy = cli_copy_text(text, strlen(text));
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = checked(json_string(copy));
    free(copy);
    return value;
}

json_t *cli_integer(int64_t value)
{
    return checked(json_integer(value));
}

json_t *cli_real(double value)
{
    return checked(json_real(value));
}

json_t *cli_bool(bool value)
{
    return json_boolean(value);
}

json_t *cli_array(void)
{
    return checked(json_array());
}

json_t *cli_object(void)
{
    return checked(json_object());
}

void cli_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value))
        cli_no_memory();
}

void cli_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value))
        cli_no_memory();
}

json_t *cli_document(bool ok)
{
    json_t *document = cli_object();

    cli_set(document, "schema", cli_integer(CLI_SCHEMA));
    cli_set(document, "command", cli_text(current.command ? current.command->name : ""));
    cli_set(document, "ok", cli_bool(ok));
    return document;
}

json_t *cli_error_json(void)
{
    json_t *error = cli_object();

    cli_set(error, "status", cli_text(cuc_status_name(cuc_error_status())));
    cli_set(error, "message", cli_text(cuc_error_message()));
    cli_set(error, "explanation", cli_text(cuc_error_explanation()));
    cli_set(error, "library_code", cli_integer(cuc_error_library_code()));
    cli_set(error, "library_symbol", cli_text(cuc_error_library_symbol()));
    cli_set(error, "log", cli_text(cuc_error_log()));
    return error;
}

int cli_print_json(json_t *document, int status)
{
    int failed = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

    json_decref(document);
    putchar('\n');
    return failed && status == CLI_DONE ? CLI_FAILED : status;
}
