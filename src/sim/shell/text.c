#include "text.h"

#include "ptx/lexer.h"

#include <stdio.h>
#include <string.h>

// Returns the word that follows a directive in the head; NULL if there is none.
static const char *word_after(const char *text, const char *directive)
{
    struct cuc__ptx_lexer lexer = { .at = text, .end = text + strlen(text) };
    const size_t bytes = strlen(directive);

    for (;;) {
        struct cuc__ptx_token t = cuc__ptx_lexer_next(&lexer);

        if (t.kind == CUC__PTX_END || t.kind == CUC__PTX_BAD ||
            (t.kind == CUC__PTX_SIGN && t.sign == '{'))
            return NULL;
        if (t.kind == CUC__PTX_DIRECTIVE && t.bytes == bytes && !memcmp(t.at, directive, bytes)) {
            cuc__ptx_lexer_peek(&lexer, NULL);
            return lexer.at;
        }
    }
}

CUresult sim_text_check_head(const char *text, int newest, int arch, char *log, size_t log_bytes)
{
    const char *version = word_after(text, "version"), *target = word_after(text, "target");
    int major = 0, minor = 0, wanted = 0;
    char suffix = '\0';

    if (version && sscanf(version, "%4d.%4d", &major, &minor) == 2 && major * 10 + minor > newest) {
        snprintf(log, log_bytes, "PTX %d.%d is newer than the %d.%d that this driver reads", major,
                 minor, newest / 10, newest % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (target && sscanf(target, "sm_%4d%c", &wanted, &suffix) >= 1 &&
        (wanted > arch || (suffix == 'a' && wanted != arch) ||
         (suffix == 'f' && wanted / 10 != arch / 10))) {
        if (suffix != 'a' && suffix != 'f')
            suffix = '\0';
        snprintf(log, log_bytes, "code for sm_%d%.1s does not run on sm_%d", wanted, &suffix, arch);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
}

static void product_of(const uint32_t in[3], int out[3], int *product)
{
    *product = in[0] ? 1 : 0;
    for (int i = 0; i < 3; i++) {
        out[i] = in[0] ? in[i] ? (int)in[i] : 1 : 0;
        *product *= out[i];
    }
}

void sim_text_launch_bounds(struct kernel_facts *facts, const struct sim_function *f)
{
    int unused[3], clusters;

    product_of(f->max_threads, unused, &facts->threads);
    product_of(f->required_threads, facts->exact_threads, &facts->exact);
    product_of(f->required_cluster, facts->cluster, &clusters);
    facts->explicit_cluster = f->explicit_cluster;
}
