// Divides an object of PTX into parts, one for each entry of its tile kernels, so that the driver
// assembles an entry only if a launch takes it, and several at the same time. Its assembler takes
// about as long as the text is.
#include "object.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct cuc__object_part {
    const char *name, *at, *end; // in the text of the whole: from the entry's line to behind the
                                 // line of its last brace
    size_t name_bytes;
    cuc_object *object; // NULL: no launch has taken the entry so far
};

// Finds the next entry that the tile compiler has written. Reads no tokens: entries are most of a
// text, and a plan from the cache takes less time than their tokens.
static bool find_entry(struct cuc__object_part *part, const char *text, const char *text_end)
{
    static const char start[] = ".visible .entry ", last[] = "\n}\n";
    const size_t head = sizeof(start) - 1;
    const char *line = memmem(text, (size_t)(text_end - text), start, head);

    if (!line)
        return false;
    part->at = line;
    part->name = line + head;
    const char *brace = memmem(part->name, (size_t)(text_end - part->name), last, sizeof(last) - 1);
    const char *list = memchr(part->name, '(', (size_t)(text_end - part->name));
    part->end = brace ? brace + sizeof(last) - 1 : text_end;
    part->name_bytes = list ? (size_t)(list - part->name) : 0;
    return brace && list < brace;
}

static void append(struct cuc__text *t, const char *at, const char *end)
{
    cuc__text_put(t, "%.*s", (int)(end - at), at);
}

cuc_status cuc__object_divide(cuc_object *object, const char *function)
{
    const char *at = object->ptx, *end = object->ptx + object->ptx_bytes;
    struct cuc__object_part part = { .object = NULL };
    struct cuc__text frame = { 0 };
    size_t capacity = 0, count = 0;
    bool memory = true;

    if (object->kind != CUC_CODE_PTX)
        return CUC_OK;
    for (; find_entry(&part, at, end) && memory; at = part.end) {
        memory = CUC_RESERVE(object->parts, capacity, count + 1);
        if (memory)
            object->parts[count++] = part;
        append(&frame, at, part.at);
    }
    append(&frame, at, end);
    object->part_count = count;
    object->frame = frame.at;
    if (!memory || frame.lost)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for the parts of %zu bytes of PTX", object->ptx_bytes);
    object->frame_bytes = frame.length;
    object->ptx_index.rest = (struct cuc__ptx){ frame.at, frame.at + frame.length };
    return CUC_OK;
}

void cuc__object_free_parts(cuc_object *object)
{
    for (size_t i = 0; i < object->part_count; i++)
        cuc_object_release(object->parts[i].object);
    free(object->parts);
    free(object->frame);
}

static struct cuc__object_part *find_part(const cuc_object *object, const char *symbol)
{
    size_t bytes = strlen(symbol);

    for (size_t i = 0; i < object->part_count; i++) {
        struct cuc__object_part *part = &object->parts[i];
        if (part->name_bytes == bytes && memcmp(part->name, symbol, bytes) == 0)
            return part;
    }
    return NULL;
}

// Makes an object of a part and the frame.
static cuc_status make(struct cuc__object_part *part, const cuc_object *object,
                       const char *function)
{
    size_t bytes = (size_t)(part->end - part->at);
    char *text = malloc(object->frame_bytes + bytes);

    if (!text)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a part of %zu bytes of PTX", object->ptx_bytes);
    memcpy(text, object->frame, object->frame_bytes);
    memcpy(text + object->frame_bytes, part->at, bytes);
    cuc_status st = cuc__object_create(&part->object, CUC_CODE_PTX, text,
                                       object->frame_bytes + bytes, NULL, 0, object->name, NULL, 0,
                                       object->log, function);
    free(text);
    return st;
}

cuc_status cuc__object_get_part(cuc_object **out, cuc_object *object, const char *symbol,
                                const char *function)
{
    struct cuc__object_part *part = find_part(object, symbol);
    cuc_status st = CUC_OK;

    *out = object;
    if (!part)
        return CUC_OK;
    pthread_mutex_lock(&object->lock);
    if (!part->object)
        st = make(part, object, function);
    *out = part->object;
    pthread_mutex_unlock(&object->lock);
    return st;
}
