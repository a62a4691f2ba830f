// The linker in the driver: PTX texts, put one behind the other and checked as one.
#include "fake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
    struct object head;
    struct jit_logs logs; // of the creation, as the driver has it; they must outlive the state
    char *text;
    size_t bytes;
    bool complete;
};

void fake_link_end(void *link)
{
    struct link *l = link;

    fake_delist(l);
    free(l->text);
    free(l);
}

CUresult fake_cuLinkCreate(unsigned option_count, CUjit_option *options, void **values,
                           CUlinkState *state)
{
    struct jit_logs logs;

    if (!state || (option_count && (!options || !values)) ||
        !fake_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    struct link *l = fake_alloc(sizeof(*l));
    l->logs = logs;
    l->text = fake_alloc(1);
    fake_enlist(l, KIND_LINK, fake_current());
    fake_jit_write(&l->logs, "", "");
    *state = FAKE_HANDLE(CUlinkState, l);
    return CUDA_SUCCESS;
}

static CUresult link_of(CUlinkState state, struct link **out)
{
    *out = fake_object(state, KIND_LINK);
    return *out ? (*out)->head.context->lost : CUDA_ERROR_INVALID_HANDLE;
}

// Read a text on its own: whether it is PTX.
static CUresult try_text(const struct link *l, const char *text, const char *name)
{
    struct library *library = fake_alloc(sizeof(*library));
    char log[512], message[768];

    library->last_kernel = &library->kernels;
    fake_enlist(library, KIND_LIBRARY, NULL);
    CUresult code = fake_ptx_scan(library, text, log, sizeof(log));
    fake_library_end(library);
    snprintf(message, sizeof(message), "%s: %s", name, log);
    fake_jit_write(&l->logs, code ? "" : "linked by nobody", code ? message : "");
    return code;
}

static CUresult add(struct link *l, CUjitInputType type, const char *data, size_t size,
                    const char *name)
{
    static const char elf[] = "\x7f"
                              "ELF";

    if (type > CU_JIT_INPUT_NVVM || l->complete)
        return CUDA_ERROR_INVALID_VALUE;
    if ((size >= 4 && memcmp(data, elf, 4) == 0) ||
        (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN)) {
        fake_jit_write(&l->logs, "", "the fake driver links PTX and nothing else");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    size = strnlen(data, size);
    char *text = fake_alloc(size + 1);
    memcpy(text, data, size);
    CUresult code = try_text(l, text, name ? name : "input");
    if (!code) {
        char *grown = realloc(l->text, l->bytes + size + 2);
        if (!grown)
            fake_bug("no memory", "realloc");
        memcpy(grown + l->bytes, text, size);
        l->bytes += size;
        grown[l->bytes++] = '\n';
        grown[l->bytes] = '\0';
        l->text = grown;
    }
    free(text);
    return code;
}

CUresult fake_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                            const char *name, unsigned option_count, CUjit_option *options,
                            void **values)
{
    struct jit_logs logs;
    struct link *l;
    CUresult code = link_of(state, &l);

    if (code)
        return code;
    if (!data || !size || (option_count && (!options || !values)) ||
        !fake_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    return add(l, type, data, size, name);
}

CUresult fake_cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                            unsigned option_count, CUjit_option *options, void **values)
{
    enum { MOST = 16 << 20 };
    struct jit_logs logs;
    struct link *l;
    CUresult code = link_of(state, &l);

    if (code)
        return code;
    if (!path || (option_count && (!options || !values)) ||
        !fake_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "rb");
    if (!file)
        return CUDA_ERROR_FILE_NOT_FOUND;
    char *text = fake_alloc(MOST);
    size_t n = fread(text, 1, MOST - 1, file);
    fclose(file);
    code = n ? add(l, type, text, n, path) : CUDA_ERROR_INVALID_VALUE;
    free(text);
    return code;
}

// Names may be defined once among all the inputs.
static const char *twice(const struct library *library)
{
    for (const struct kernel *a = library->kernels; a; a = a->next)
        for (const struct kernel *b = a->next; b; b = b->next)
            if (strcmp(a->name, b->name) == 0)
                return a->name;
    return NULL;
}

CUresult fake_cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
    struct link *l;
    CUresult code = link_of(state, &l);
    char log[512], message[768];

    if (code)
        return code;
    if (!cubin || !l->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *library = fake_alloc(sizeof(*library));
    library->last_kernel = &library->kernels;
    fake_enlist(library, KIND_LIBRARY, NULL);
    code = fake_ptx_scan(library, l->text, log, sizeof(log));
    const char *name = twice(library);
    if (!code && name) {
        snprintf(message, sizeof(message), "error: %s is defined more than once", name);
        fake_jit_write(&l->logs, "", message);
        code = CUDA_ERROR_INVALID_IMAGE;
    } else {
        fake_jit_write(&l->logs, "linked by nobody", code ? log : "");
    }
    fake_library_end(library);
    if (code)
        return code;
    l->complete = true;
    *cubin = l->text;
    if (size)
        *size = l->bytes + 1; // with the zero that makes it a text again
    return CUDA_SUCCESS;
}

CUresult fake_cuLinkDestroy(CUlinkState state)
{
    struct link *l;
    CUresult code = link_of(state, &l);

    if (code)
        return code;
    fake_link_end(l);
    return CUDA_SUCCESS;
}
