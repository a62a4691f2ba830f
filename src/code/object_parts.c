// Divides an object of PTX in two, so that entries that few launches take are assembled only when a
// launch takes one of them. The time of the driver's assembler is about that of the text it gets.
#include "object.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// The extent of an entry: from its line to behind the line of its last brace.
struct extent {
    const char *at, *end;
};

static bool find_extent(struct extent *e, const char *text, const char *text_end, const char *name)
{
    static const char last[] = "\n}\n";
    const char *brace = memmem(name, (size_t)(text_end - name), last, sizeof(last) - 1);

    for (e->at = name; e->at > text && e->at[-1] != '\n'; e->at--)
        ;
    e->end = brace ? brace + sizeof(last) - 1 : text_end;
    return brace != NULL;
}

static bool ends_in(const char *name, size_t bytes, const char *suffix)
{
    size_t length = strlen(suffix);

    return bytes >= length && memcmp(name + bytes - length, suffix, length) == 0;
}

static void append(struct cuc__text *t, const char *at, const char *end)
{
    cuc__text_append(t, at, (size_t)(end - at));
}

// Writes the text without the entries whose names end in the suffix to `now`, and without the
// others to `later`. Returns the number of entries in `later`.
static size_t divide(struct cuc__text *now, struct cuc__text *later, const cuc_object *object,
                     const char *suffix)
{
    const char *copied = object->ptx, *end = object->ptx + object->ptx_bytes, *name;
    struct cuc__ptx ptx = { copied, end };
    size_t bytes, count = 0;

    while (cuc__ptx_next_entry(&ptx, &name, &bytes)) {
        struct extent e;
        bool put_off = ends_in(name, bytes, suffix);
        if (!find_extent(&e, copied, end, name))
            return 0;
        append(now, copied, e.at);
        append(later, copied, e.at);
        append(put_off ? later : now, e.at, e.end);
        copied = e.end;
        count += put_off;
    }
    append(now, copied, end);
    append(later, copied, end);
    return count;
}

static cuc_status make(cuc_object **out, const struct cuc__text *t, const cuc_object *from,
                       const char *function)
{
    return cuc__object_create(out, CUC_CODE_PTX, t->at, t->length, NULL, 0, from->name, NULL, 0,
                              from->log, function);
}

cuc_status cuc__object_divide(cuc_object **object, const char *suffix, const char *function)
{
    struct cuc__text now = { 0 }, later = { 0 };
    cuc_object *first = NULL, *second = NULL;
    cuc_status st = CUC_OK;

    if ((*object)->kind != CUC_CODE_PTX)
        return CUC_OK;
    size_t count = divide(&now, &later, *object, suffix);
    if (now.lost || later.lost) {
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                       "no host memory for the parts of %zu "
                       "bytes of PTX",
                       (*object)->ptx_bytes);
    } else if (count && (st = make(&first, &now, *object, function)) >= 0 &&
               (st = make(&second, &later, *object, function)) >= 0) {
        first->later = second;
        cuc_object_release(*object);
        *object = first;
        first = NULL;
    }
    cuc_object_release(first);
    free(now.at);
    free(later.at);
    return st;
}
