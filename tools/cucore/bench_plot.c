#include "base/array.h"
#include "base/file.h"
#include "bench.h"
#include "results.h"

#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PLOT_OUT = CLI_LONG, PLOT_FORMAT };

// Exit status of bench_plot.py if it cannot import matplotlib.
enum { PLOT_NO_MATPLOTLIB = 3 };

static const cli_option options[] = {
    { "out", PLOT_OUT, "DIR", "output folder, created if missing; default ." },
    { "format", PLOT_FORMAT, "LIST", "svg, png or svg,png, which is the default" },
    CLI_JSON_OPTION,
};

// ---- The script

// Search beside the program in a build folder, then in the install location, even if it was moved.
static bool find_script(char out[PATH_MAX])
{
    static const char *const places[] = { "bench_plot.py", "../share/cucore/bench_plot.py" };
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < CUC_LENGTH(places); i++) {
        int n = snprintf(out, PATH_MAX, "%.*s/%s", (int)(slash - program), program, places[i]);
        if (n < PATH_MAX && access(out, R_OK) == 0)
            return true;
    }
    snprintf(out, PATH_MAX, "%s/bench_plot.py", CLI_DATA_FOLDER);
    return access(out, R_OK) == 0;
}

// The output and exit status of a process.
typedef struct output {
    char *text;
    size_t bytes;
    int status; // 127: the program could not be started
} output;

static void read_output(output *out, int fd)
{
    char part[4096];
    ssize_t n;

    for (;;) {
        CUC_RETRY(n, read(fd, part, sizeof(part)));
        if (n <= 0)
            break;
        char *longer = cli_allocate(out->bytes + (size_t)n + 1);
        if (out->bytes)
            memcpy(longer, out->text, out->bytes);
        memcpy(longer + out->bytes, part, (size_t)n);
        free(out->text);
        out->text = longer;
        out->bytes += (size_t)n;
    }
}

static void run_program(output *out, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t pid;
    int status;

    *out = (output){ .status = 127 };
    if (pipe(ends))
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!error) {
        read_output(out, ends[0]);
        CUC_RETRY(pid, waitpid(pid, &status, 0));
        out->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    close(ends[0]);
}

// ---- The command

typedef struct request {
    char *folder;
    char *formats;
    char **paths;
    size_t count;
} request;

static int skipped(const char *reason)
{
    cli_fail("no plots: %s; Debian and Ubuntu: apt install python3-matplotlib, elsewhere: pip "
             "install matplotlib; CUCORE_PYTHON may name the interpreter",
             reason);
    return CLI_SKIPPED;
}

// Run the script with the given interpreter. If none is given, use the first one that has
// matplotlib: the interpreter on PATH, or the system's, for which distributions package it.
static int draw(const request *q, char *script, output *out)
{
    const char *asked = getenv("CUCORE_PYTHON");
    const char *const pythons[] = { "python3", "/usr/bin/python3" };
    char **argv = cli_allocate((q->count + 7) * sizeof(*argv));
    bool any = false;
    size_t n = 1;

    argv[n++] = script;
    argv[n++] = (char[]){ "--out" };
    argv[n++] = q->folder;
    argv[n++] = (char[]){ "--format" };
    argv[n++] = q->formats;
    memcpy(argv + n, q->paths, q->count * sizeof(*argv));
    for (size_t i = 0; i < (asked && *asked ? 1 : CUC_LENGTH(pythons)); i++) {
        const char *python = asked && *asked ? asked : pythons[i];
        argv[0] = cli_copy_text(python, strlen(python));
        run_program(out, argv);
        free(argv[0]);
        any |= out->status != 127;
        if (out->status != 127 && out->status != PLOT_NO_MATPLOTLIB)
            break;
        free(out->text);
        out->text = NULL;
    }
    free(argv);
    if (out->status == 127 || out->status == PLOT_NO_MATPLOTLIB)
        return skipped(any ? "Python has no matplotlib" : "there is no python3");
    return out->status ? cli_fail("%s failed: exit status %d", script, out->status) : CLI_DONE;
}

static int report(output *out)
{
    if (!cli_json_wanted()) {
        fputs(out->text ? out->text : "nothing to plot\n", stdout);
        return CLI_DONE;
    }
    json_t *document = cli_document(true);
    json_t *plots = cli_array();
    for (char *line = out->text ? strtok(out->text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        cli_append(plots, cli_text(line));
    cli_set(document, "plots", plots);
    return cli_print_json(document, CLI_DONE);
}

// Check the input files, because the script does not.
static int check_files(const request *q)
{
    cli_why why;

    for (size_t i = 0; i < q->count; i++) {
        results r;
        if (!results_read(&r, q->paths[i], &why))
            return cli_fail("%s", why.text);
        results_release(&r);
    }
    return CLI_DONE;
}

static int plot(const request *q)
{
    char script[PATH_MAX];
    output out = { 0 };
    int status = check_files(q);

    if (status)
        return status;
    if (!find_script(script))
        return cli_fail("%s is not there: cucore is not installed as a whole", script);
    status = draw(q, script, &out);
    if (!status)
        status = report(&out);
    free(out.text);
    return status;
}

static int take_options(request *q, cli_parser *parser)
{
    static const char *const formats[] = { "svg", "png", "svg,png", "png,svg" };
    const char *folder = ".";
    const char *format = formats[2];
    const char *value;
    size_t known = 0;
    int id;

    while ((id = cli_next(parser, &value)) > 0) {
        if (id == PLOT_OUT)
            folder = value;
        else if (id == PLOT_FORMAT)
            format = value;
    }
    if (id < 0)
        return parser->status;
    while (known < CUC_LENGTH(formats) && strcmp(format, formats[known]) != 0)
        known++;
    if (known == CUC_LENGTH(formats))
        return cli_usage_error("--format is '%s': svg, png or svg,png is expected", format);
    if (!*folder)
        return cli_usage_error("--out names no folder");
    if (!parser->operand_count)
        return cli_usage_error("a FILE is missing");
    for (int i = 0; i < parser->operand_count; i++)
        if (strcmp(parser->operands[i], "-") == 0)
            return cli_usage_error("plots are named for their FILE, and '-' has no name");
    q->folder = cli_copy_text(folder, strlen(folder));
    q->formats = cli_copy_text(format, strlen(format));
    q->paths = parser->operands;
    q->count = (size_t)parser->operand_count;
    return CLI_DONE;
}

static int run(int argc, char **argv)
{
    request q = { 0 };
    cli_parser parser;

    cli_parse(&parser, &cli_bench_plot, argc, argv);
    int status = take_options(&q, &parser);
    if (q.count)
        status = plot(&q);
    free(q.folder);
    free(q.formats);
    return status;
}

const cli_command cli_bench_plot = {
    .name = "bench plot",
    .summary = "Draw results that were kept as JSON: bandwidth, roofline, ratios, compile times",
    .usage = "FILE... [--out DIR] [--format svg,png] [--json]",
    .examples = "  cucore bench plot memory.json --out plots\n"
                "  cucore bench plot memory.json runtime.json --format svg\n",
    .details =
        "FILE is what cucore bench --json wrote; no GPU is needed. Of each file and suite are "
        "drawn what it\nhas figures for: bandwidth over size, a roofline, times against those of "
        "peers, compile times.\nEqual results give equal SVG files. Python 3 with matplotlib "
        "draws: "
        "CUCORE_PYTHON, or python3 of\nPATH, or /usr/bin/python3.\n"
        "Exit status: 0 drawn, 1 failed, 2 wrong usage, 77 Python or matplotlib is missing.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
