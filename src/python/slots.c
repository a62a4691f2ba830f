#include "slots.h"

#include "base/array.h"
#include "config.h"
#include "result.h"

#include "memory/buffer.h"
#include "driver/toolkit.h"
#include "device/event.h"
#include "device/stream.h"

#include <string.h>

// Py_EQ and Py_NE.
enum { EQUAL = 2, NOT_EQUAL = 3 };

typedef void *(*compare)(void *self, void *other, int operation);

// The Python definitions, by class and name.
#define SLOTS(X)                          \
    X(Stream, __hash__, PY_TP_HASH)       \
    X(Stream, __eq__, PY_TP_RICHCOMPARE)  \
    X(Event, __hash__, PY_TP_HASH)        \
    X(Event, __eq__, PY_TP_RICHCOMPARE)   \
    X(Event, __sub__, PY_NB_SUBTRACT)     \
    X(Buffer, __hash__, PY_TP_HASH)       \
    X(Buffer, __eq__, PY_TP_RICHCOMPARE)  \
    X(LaunchConfig, __init__, PY_TP_INIT) \
    X(LaunchConfig, __hash__, PY_TP_HASH) \
    X(LaunchConfig, __eq__, PY_TP_RICHCOMPARE)

static struct {
#define ROW(class, name, slot) void *class##name;
    SLOTS(ROW)
#undef ROW
} slow;

static void *handle_of(void *self)
{
    return ((struct cuc__object *)cuc__python_fields(self))->handle;
}

// ---- hashes -------------------------------------------------------------------------------------

// Hashes a number as Python does. -1 would mean an exception.
static inline intptr_t hash_of(uint64_t number)
{
    const uint64_t modulus = sizeof(void *) == 8 ? (UINT64_C(1) << 61) - 1 : (1u << 31) - 1;

    return (intptr_t)(number % modulus);
}

static intptr_t slow_hash(void *definition, void *self)
{
    void *number = cuc__py.PyObject_CallFunctionObjArgs(definition, self, NULL);
    intptr_t hash = number ? (intptr_t)cuc__py.PyLong_AsLongLong(number) : -1;

    cuc__py_drop(number);
    return hash == -1 && !cuc__py.PyErr_Occurred() ? -2 : hash;
}

// Hashes a stream. A stream created in Python, such as a default stream, has no handle here, only a
// number in Python.
static intptr_t Stream__hash__(void *self)
{
    void *handle = handle_of(self);

    return handle ? hash_of((uintptr_t)cuc_stream_handle(handle))
                  : slow_hash(slow.Stream__hash__, self);
}

static intptr_t Event__hash__(void *self)
{
    void *handle = handle_of(self);

    return handle ? hash_of((uintptr_t)cuc_event_handle(handle))
                  : slow_hash(slow.Event__hash__, self);
}

// Hashes a buffer. A closed buffer equals an empty one.
static intptr_t Buffer__hash__(void *self)
{
    const void *handle = handle_of(self);

    return hash_of(cuc_buffer_ptr(handle) * UINT64_C(0x9E3779B97F4A7C15) +
                   cuc_buffer_bytes(handle));
}

// ---- comparisons --------------------------------------------------------------------------------

// Negates ==, which a subclass may define itself.
static void *not_equal(void *self, void *other)
{
    void *slot = cuc__py.PyType_GetSlot(cuc__py_type(self), PY_TP_RICHCOMPARE);
    compare function;

    memcpy(&function, &slot, sizeof(function));
    void *said = function(self, other, EQUAL);
    if (!said || said == cuc__py.not_implemented)
        return said;
    int is_equal = cuc__py.PyObject_IsTrue(said);
    cuc__py.Py_DecRef(said);
    return is_equal < 0 ? NULL : boolean(!is_equal);
}

// Compares objects. The common case, two open objects of exactly this class, makes no function
// call.
#define COMPARE(class, KIND, equal)                                                                \
    static __attribute__((noinline)) void *class##_compare(void *self, void *other, int operation) \
    {                                                                                              \
        if (operation == NOT_EQUAL)                                                                \
            return not_equal(self, other);                                                         \
        if (operation != EQUAL || !cuc__python_fields_of(other, CUC__PYTHON_##KIND))               \
            return cuc__py_new(cuc__py.not_implemented);                                           \
        const void *a = handle_of(self), *b = handle_of(other);                                    \
        if (!a || !b)                                                                              \
            return cuc__py.PyObject_CallFunctionObjArgs(slow.class##__eq__, self, other, NULL);    \
        return boolean(equal);                                                                     \
    }                                                                                              \
    static void *class##__eq__(void *self, void *other, int operation)                             \
    {                                                                                              \
        const void *a = handle_of(self), *b;                                                       \
        if (operation == EQUAL &&                                                                  \
            cuc__py_type(other) == cuc__python.classes[CUC__PYTHON_##KIND] && a &&                 \
            (b = handle_of(other)))                                                                \
            return boolean(equal);                                                                 \
        return class##_compare(self, other, operation);                                            \
    }
COMPARE(Stream, STREAM, ((const cuc_stream *)a)->handle == ((const cuc_stream *)b)->handle)
COMPARE(Event, EVENT, ((const cuc_event *)a)->handle == ((const cuc_event *)b)->handle)
COMPARE(Buffer, BUFFER,
        ((const cuc_buffer *)a)->ptr == ((const cuc_buffer *)b)->ptr &&
            ((const cuc_buffer *)a)->bytes == ((const cuc_buffer *)b)->bytes)

// ---- differences --------------------------------------------------------------------------------

// Returns the time between two events in milliseconds. The interpreter also calls this if only the
// right operand is an event.
static void *Event__sub__(void *later, void *earlier)
{
    struct cuc__object *b = cuc__python_fields_of(earlier, CUC__PYTHON_EVENT),
                       *a = cuc__python_fields_of(later, CUC__PYTHON_EVENT);
    cuc_status st = CUC_NOT_READY;
    float milliseconds = 0;

    if (!a)
        return cuc__py_new(cuc__py.not_implemented);
    if (b && a->handle && b->handle) {
        cuc_event *end = a->handle, *start = b->handle;
        cuc__python_use(a);
        cuc__python_use(b);
        void *state = cuc__py.PyEval_SaveThread();
        st = cuc_event_get_elapsed(&milliseconds, start, end);
        cuc__py.PyEval_RestoreThread(state);
        cuc__python_leave(a);
        cuc__python_leave(b);
    }
    return st == CUC_OK // the Python definition reports the reason
               ? cuc__py.PyFloat_FromDouble(milliseconds)
               : cuc__py.PyObject_CallFunctionObjArgs(slow.Event__sub__, later, earlier, NULL);
}

// ---- configs ------------------------------------------------------------------------------------

_Static_assert(sizeof(cuc_launch_config) == sizeof(size_t) + 12 * sizeof(uint32_t) + sizeof(void *),
               "no byte of a config is padding");

// Compares configs. They are equal if the library reads the same values from both.
static void *LaunchConfig__eq__(void *self, void *other, int operation)
{
    if (operation == NOT_EQUAL)
        return not_equal(self, other);
    if (operation != EQUAL || !cuc__python_fields_of(other, CUC__PYTHON_LAUNCH_CONFIG))
        return cuc__py_new(cuc__py.not_implemented);
    const struct cuc__config_object *a = cuc__python_fields(self), *b = cuc__python_fields(other);
    return boolean(memcmp(&a->config, &b->config, sizeof(a->config)) == 0);
}

static intptr_t LaunchConfig__hash__(void *self)
{
    const cuc_launch_config *config =
        &((struct cuc__config_object *)cuc__python_fields(self))->config;
    const uint32_t *const parts[] = { config->grid, config->block, config->cluster };
    uint64_t hash = (uint64_t)config->shared_bytes << 8 | config->flags;

    for (size_t i = 0; i < CUC_LENGTH(parts); i++)
        for (size_t j = 0; j < 3; j++)
            hash = (hash ^ parts[i][j]) * UINT64_C(0x100000001B3);
    return hash_of(hash);
}

static int LaunchConfig__init__(void *self, void *arguments, void *named)
{
    if (cuc__python_config_init(self, arguments, named))
        return 0;
    intptr_t count = cuc__py.PyTuple_Size(arguments);
    void *all = cuc__py.PyTuple_New(count + 1), *done = NULL;
    if (all) {
        (void)cuc__py.PyTuple_SetItem(all, 0, cuc__py_new(self));
        for (intptr_t i = 0; i < count; i++)
            (void)cuc__py.PyTuple_SetItem(all, i + 1,
                                          cuc__py_new(cuc__py.PyTuple_GetItem(arguments, i)));
        done = cuc__py.PyObject_Call(slow.LaunchConfig__init__, all, named);
    }
    cuc__py_drop(all);
    cuc__py_drop(done);
    return done ? 0 : -1;
}

// ---- the rows -----------------------------------------------------------------------------------

static const struct row {
    const char *class_name, *name;
    int slot;
    void (*function)(void);
    void **definition;
} rows[] = {
#define ROW(class, name, slot) \
    { #class, #name, slot, (void (*)(void)) class##name, &slow.class##name },
    SLOTS(ROW)
#undef ROW
};

size_t cuc__python_slots_of(cuc__py_slot slots[CUC__PYTHON_MAX_SLOTS], const char *base)
{
    size_t count = 0;

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        if (strcmp(rows[i].class_name, base) != 0)
            continue;
        slots[count].slot = rows[i].slot;
        memcpy(&slots[count].function, &rows[i].function, sizeof(rows[i].function));
        count++;
    }
    return count;
}

bool cuc__python_inherit_slots(void *type, const char *name)
{
    bool good = true;

    for (size_t i = 0; good && i < CUC_LENGTH(rows); i++) {
        if (strcmp(rows[i].class_name, name) != 0)
            continue;
        void *text = cuc__py.PyUnicode_InternFromString(rows[i].name);
        void *definition = text ? cuc__py.PyObject_GetAttr(type, text) : NULL;
        good = definition && cuc__py.PyObject_SetAttr(type, text, NULL) == 0;
        if (good)
            cuc__python_keep(rows[i].definition, definition);
        else
            cuc__py_drop(definition);
        cuc__py_drop(text);
    }
    return good;
}
