// Runs the toolkit's assembler. See assembler.h.
#include "assembler.h"

#include "base/array.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find(void)
{
    static const char *const homes[] = { "CUDA_PATH", "CUDA_HOME", NULL };
    static char path[512];

    for (size_t i = 0; i < CUC_LENGTH(homes); i++) {
        const char *home = homes[i] ? getenv(homes[i]) : "/usr/local/cuda";
        if (!home)
            continue;
        snprintf(path, sizeof(path), "%s/bin/ptxas", home);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

bool assembler_exists(void)
{
    return find() != NULL;
}

const char *assembler_run(cuc_object *object, const char *arch, const char *entry, const char **why)
{
    char name[] = "/tmp/cucore-assembler-XXXXXX", command[1200];
    static char log[1 << 16], refusal[400];

    int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    close(file);
    ck_assert_int_eq(cuc_object_save(object, name), CUC_OK);
    // With exec, the status is that of the assembler and not of a shell.
    snprintf(command, sizeof(command), "exec '%s' -v -arch=%s%s%s%s -o /dev/null %s 2>&1", find(),
             arch, entry ? " -e '" : "", entry ? entry : "", entry ? "'" : "", name);
    FILE *told = popen(command, "r");
    ck_assert_ptr_nonnull(told);
    log[fread(log, 1, sizeof(log) - 1, told)] = '\0';
    int status = pclose(told);
    unlink(name);
    if (status == 0)
        return log;
    if (WIFSIGNALED(status))
        snprintf(refusal, sizeof(refusal), "ptxas crashed with signal %d", WTERMSIG(status));
    else
        snprintf(refusal, sizeof(refusal), "ptxas: %.300s", log);
    *why = refusal;
    return NULL;
}

char *assembler_select(const char *ptx, bool (*wanted)(const char *name))
{
    static const char begins[] = ".visible .entry ", ends[] = "\n}\n";
    char *copy = calloc(strlen(ptx) + 1, 1), *to = copy;

    ck_assert(copy != NULL);
    for (const char *entry; (entry = strstr(ptx, begins)) != NULL;) {
        const char *end = strstr(entry, ends) + strlen(ends);
        size_t kept = (size_t)((wanted(entry + strlen(begins)) ? end : entry) - ptx);
        memcpy(to, ptx, kept);
        to += kept;
        ptx = end;
    }
    strcpy(to, ptx);
    return copy;
}
