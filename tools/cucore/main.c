#include "base/array.h"
#include "cli.h"

#include <cucore/base.h>

#include <errno.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_info, &cli_doctor, &cli_find, &cli_explain,   &cli_compile, &cli_build, &cli_run,
    &cli_sort, &cli_reduce, &cli_scan, &cli_histogram, &cli_bench,   &cli_tune,  &cli_cache,
};

enum { COMMANDS = CUC_LENGTH(commands) };

static const char *name_at(const void *list, size_t index)
{
    (void)list;
    return index < COMMANDS ? commands[index]->name : index == COMMANDS ? "help" : NULL;
}

static const cli_command *command_named(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *nearest = cli_nearest(name, name_at, NULL);

    if (*name == '-')
        return cli_usage_error("unknown option '%s'", name);
    return nearest ? cli_usage_error("unknown command '%s': did you mean '%s'?", name, nearest)
                   : cli_usage_error("unknown command '%s'", name);
}

static void print_overview(FILE *to)
{
    fprintf(to, "Examples:\n"
                "  cucore doctor\n"
                "  cucore compile saxpy.cu --arch sm_90 --emit cubin\n"
                "  cucore run saxpy.cu --kernel saxpy --grid 4 --block 256 \\\n"
                "      f32:2.0 in:x.npy inout:y.npy=out.npy i32:1024\n"
                "\n"
                "Usage: cucore COMMAND [OPTION...] [ARGUMENT...]\n"
                "\n"
                "Compile, run and examine CUDA kernels, and the machine that runs them.\n"
                "\n"
                "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to,
            "  %-10s %s\n"
            "\n"
            "  -h, --help     print this help; after a command, its own\n"
            "  -V, --version  print the version\n"
            "\n"
            "Exit status: 0 done, 1 failed, 2 wrong usage.\n",
            "help", "Explain a command: cucore help COMMAND");
}

// Run help [COMMAND [PART]]. Shell completion reads help --list [COMMAND [PART]].
static int help(int argc, char **argv)
{
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    char **words = argv + (list ? 2 : 1); // NULL-terminated
    const cli_command *command = words[0] ? command_named(words[0]) : NULL;
    const cli_command *part = command && words[1] ? cli_part(command, words[1]) : NULL;
    char *extra = words[0] ? words[part ? 2 : 1] : NULL;

    if (extra)
        return cli_usage_error("help takes one COMMAND, and '%s' is given too", extra);
    if (words[0] && !command && strcmp(words[0], "help") != 0 && strcmp(words[0], "--help") != 0)
        return unknown_command(words[0]);
    if (!list && command)
        cli_print_help(part ? part : command);
    else if (!list)
        print_overview(stdout);
    else if (command)
        cli_print_option_names(part ? part : command);
    else
        for (size_t i = 0; name_at(NULL, i); i++)
            puts(name_at(NULL, i));
    return CLI_DONE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    const cli_command *command = command_named(name);
    if (command) {
        const cli_command *part = argc > 2 ? cli_part(command, argv[2]) : NULL;
        cli_watch_failures();
        return part ? part->run(argc - 2, argv + 2) : command->run(argc - 1, argv + 1);
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("cucore %s\n", cuc_version_string());
        return CLI_DONE;
    }
    return unknown_command(name);
}

int main(int argc, char **argv)
{
    int status = dispatch(argc, argv);

    // Report a failure to write the output, such as on a full disk.
    if ((fflush(stdout) || ferror(stdout)) && status == CLI_DONE)
        status = cli_fail("the output cannot be written: %s", strerror(errno));
    return status;
}
