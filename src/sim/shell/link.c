// The driver's linker, which concatenates PTX texts and checks the result.
#include "base/array.h"
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
    struct object head;
    struct jit_logs logs; // set at creation, as in the driver; the buffers must outlive the state
    char *text;
    size_t bytes;
    bool complete;
};

void sim_link_end(void *link)
{
    struct link *l = link;

    sim_delist(l);
    free(l->text);
    free(l);
}

CUresult sim_cuLinkCreate(unsigned option_count, CUjit_option *options, void **values,
                          CUlinkState *state)
{
    struct jit_logs logs;

    if (!state || (option_count && (!options || !values)) ||
        !sim_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    struct link *l = sim_alloc(sizeof(*l));
    l->logs = logs;
    l->text = sim_alloc(1);
    sim_enlist(l, KIND_LINK, sim_current());
    sim_jit_write(&l->logs, "", "");
    *state = SIM_HANDLE(CUlinkState, l);
    return CUDA_SUCCESS;
}

static CUresult link_of(CUlinkState state, struct link **out)
{
    *out = sim_object(state, KIND_LINK);
    return *out ? (*out)->head.context->lost : CUDA_ERROR_INVALID_HANDLE;
}

// Parses one of the texts to check that it is PTX.
static CUresult try_text(const struct link *l, const char *text, const char *name)
{
    char log[512], message[768];
    CUresult code = sim_code_check(text, log, sizeof(log));

    snprintf(message, sizeof(message), "%s: %s", name, log);
    sim_jit_write(&l->logs, code ? "" : sim_linked, code ? message : "");
    return code;
}

// Blanks the head directives of a text, since the output contains them only once, at its start.
static void blank_head(char *text)
{
    static const char *const directives[] = { ".version", ".target", ".address_size" };

    for (size_t i = 0; i < CUC_LENGTH(directives); i++) {
        size_t n = strlen(directives[i]);
        for (char *line = text; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            line += strspn(line, " \t");
            if (strncmp(line, directives[i], n) == 0) {
                memset(line, ' ', strcspn(line, "\n"));
                break;
            }
            if (*line == '{')
                break;
        }
    }
}

static CUresult add(struct link *l, CUjitInputType type, const char *data, size_t size,
                    const char *name)
{
    char log[256] = "a simulated device runs PTX, and nothing else is linked", *text = NULL;

    if (type > CU_JIT_INPUT_NVVM || l->complete)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_CUBIN ||
                            type == CU_JIT_INPUT_FATBINARY
                        ? sim_image_text(data, size, &text, log, sizeof(log))
                        : CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (code) {
        sim_jit_write(&l->logs, "", log);
        return code;
    }
    size = strnlen(text ? text : data, text ? SIZE_MAX : size);
    if (!text) {
        text = calloc(1, size + 1);
        if (!text)
            return CUDA_ERROR_OUT_OF_MEMORY;
        memcpy(text, data, size);
    }
    code = try_text(l, text, name ? name : "input");
    if (!code && l->bytes)
        blank_head(text);
    if (!code) {
        char *grown = realloc(l->text, l->bytes + size + 2);
        if (!grown) {
            free(text);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(grown + l->bytes, text, size);
        l->bytes += size;
        grown[l->bytes++] = '\n';
        grown[l->bytes] = '\0';
        l->text = grown;
    }
    free(text);
    return code;
}

CUresult sim_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                           const char *name, unsigned option_count, CUjit_option *options,
                           void **values)
{
    struct jit_logs logs;
    struct link *l;
    CUresult code = link_of(state, &l);

    if (code)
        return code;
    if (!data || !size || (option_count && (!options || !values)) ||
        !sim_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    return add(l, type, data, size, name);
}

CUresult sim_cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                           unsigned option_count, CUjit_option *options, void **values)
{
    struct jit_logs logs;
    struct link *l;
    CUresult code = link_of(state, &l);

    if (code)
        return code;
    if (!path || (option_count && (!options || !values)) ||
        !sim_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    char *text;
    size_t n;
    code = sim_read_file(path, &text, &n);
    if (code)
        return code;
    code = n ? add(l, type, text, n, path) : CUDA_ERROR_INVALID_VALUE;
    free(text);
    return code;
}

CUresult sim_cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
    struct link *l;
    CUresult code = link_of(state, &l);
    char log[512];

    if (code)
        return code;
    if (!cubin || !l->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *library = sim_library_new();
    code = sim_code_load(library, l->text, log, sizeof(log));
    l = sim_object(state, KIND_LINK); // the lock may have been released
    if (!l) {
        sim_library_end(library);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    sim_jit_write(&l->logs, sim_linked, code ? log : "");
    sim_library_end(library);
    if (code)
        return code;
    l->complete = true;
    *cubin = l->text;
    if (size)
        *size = l->bytes + 1; // includes the terminating zero
    return CUDA_SUCCESS;
}

CUresult sim_cuLinkDestroy(CUlinkState state)
{
    struct link *l;
    CUresult code = link_of(state, &l);

    if (code)
        return code;
    sim_link_end(l);
    return CUDA_SUCCESS;
}
