#include "base/array.h"
#include "exchange.h"
#include "functions.h"
#include "slots.h"

#include "memory/buffer.h"
#include "device/event.h"
#include "memory/resource.h"
#include "device/stream.h"

#include <string.h>

void *cuc__python_call_definition(void *definition, void *self, void *const *given, intptr_t count,
                                  void *keywords)
{
    intptr_t named = keywords ? cuc__py.PyTuple_Size(keywords) : 0;
    void *all = cuc__py.PyTuple_New(count + 1), *dict = named ? cuc__py.PyDict_New() : NULL;
    bool good = all && (dict || !named);

    if (all)
        (void)cuc__py.PyTuple_SetItem(all, 0, cuc__py_new(self));
    for (intptr_t i = 0; all && i < count; i++)
        (void)cuc__py.PyTuple_SetItem(all, i + 1, cuc__py_new(given[i]));
    for (intptr_t i = 0; good && i < named; i++)
        good = cuc__py.PyDict_SetItem(dict, cuc__py.PyTuple_GetItem(keywords, i),
                                      given[count + i]) == 0;
    void *result = good ? cuc__py.PyObject_Call(definition, all, dict) : NULL;
    cuc__py_drop(all);
    cuc__py_drop(dict);
    return result;
}

// ---- the rows -----------------------------------------------------------------------------------

static void *slow_get(void *const *definition, void *self)
{
    return cuc__py.PyObject_CallFunctionObjArgs(definition[0], self, NULL);
}

// An inlined cuc_device_ordinal().
static inline int32_t ordinal_of(const cuc_device *device)
{
    return device ? device->ordinal : -1;
}

// Returns the NumPy dtype of a view, borrowed, or NULL before its first request.
static inline void *known_dtype(const struct cuc__tensor_object *o)
{
    const size_t number = (size_t)o->tensor.dtype;

    return number < CUC_LENGTH(cuc__python.dtypes) ? cuc__python.dtypes[number] : NULL;
}

#define me (c.self_value)
#define a0 (c.values[0])
#define NAME(name) offsetof(struct cuc__python, names.name) - offsetof(struct cuc__python, names)
#define NEEDS(name, kind)                            \
    {                                                \
        NAME(name), CUC__PYTHON_##kind, false, false \
    }
#define MAY(name, kind)                             \
    {                                               \
        NAME(name), CUC__PYTHON_##kind, true, false \
    }
#define KEYWORD(name, kind)                         \
    {                                               \
        NAME(name), CUC__PYTHON_##kind, false, true \
    }
#define OPTION(name, kind)                         \
    {                                              \
        NAME(name), CUC__PYTHON_##kind, true, true \
    }
#define UNWRAP(...) __VA_ARGS__
#define SIGNATURE(class, name, ...)                                                            \
    static const struct cuc__python_parameter parameters_##class##_##name[] = { __VA_ARGS__ }; \
    static const struct cuc__python_signature signature_##class##_##name = {                   \
        parameters_##class##_##name,                                                           \
        sizeof(parameters_##class##_##name) / sizeof(struct cuc__python_parameter)             \
    };
#define NO_SIGNATURE(class, name) \
    static const struct cuc__python_signature signature_##class##_##name = { NULL, 0 };

// Defines a property. The property's Python definition becomes the slow getter.
#define GETTER(class, name, result, value)                                              \
    static void *slow_##class##_##name[2];                                              \
    static void *get_##class##_##name(void *self, void *closure)                        \
    {                                                                                   \
        struct cuc__python_call c;                                                      \
        (void)closure;                                                                  \
        c.self_value.handle = ((struct cuc__object *)cuc__python_fields(self))->handle; \
        if (__builtin_expect(!me.handle, 0))                                            \
            return slow_get(slow_##class##_##name, self);                               \
        return result(value);                                                           \
    }
#define DESCRIBED(class, name, result, value)                                                  \
    static void *slow_##class##_##name[2];                                                     \
    static void *get_##class##_##name(void *self, void *closure)                               \
    {                                                                                          \
        struct cuc__python_call c;                                                             \
        c.self_value.handle = ((struct cuc__object *)cuc__python_fields(self))->handle;        \
        if (__builtin_expect(!me.handle, 0))                                                   \
            return slow_get(slow_##class##_##name, self);                                      \
        if (cuc__buffer_is_described(me.buffer))                                               \
            return result(value);                                                              \
        /* Starts over, because another thread may close the object during the query. */       \
        return cuc__python_describe(self, #name) ? get_##class##_##name(self, closure) : NULL; \
    }
#define ASK(class, name, result, ask)                                     \
    NO_SIGNATURE(class, name)                                             \
    static void *slow_##class##_##name[2];                                \
    static void *get_##class##_##name(void *self, void *closure)          \
    {                                                                     \
        struct cuc__python_call c;                                        \
        (void)closure;                                                    \
        c.method = #name;                                                 \
        if (!cuc__python_bind_self(&c, self))                             \
            return slow_get(slow_##class##_##name, self);                 \
        void *state = cuc__python_begin(&c, &signature_##class##_##name); \
        cuc_status st = ask;                                              \
        cuc__python_end(&c, &signature_##class##_##name, state);          \
        return result(&c, st);                                            \
    }
#define OWN(class, name)                                                           \
    static void *slow_##class##_##name[2];                                         \
    static void *get_##class##_##name(void *self, void *closure)                   \
    {                                                                              \
        (void)closure;                                                             \
        const struct cuc__object *object = cuc__python_fields(self);               \
        void *made = object->handle ? cuc__python_##class##_##name(self) : slowly; \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made;      \
    }
// The common case makes no function call, and so needs no stack frame.
#define KEPT_WHERE(class, name, type, is_open, is_known, value)                                    \
    static void *slow_##class##_##name[2];                                                         \
    static __attribute__((noinline)) void *find_##class##_##name(void *self)                       \
    {                                                                                              \
        const struct cuc__##type##_object *o = cuc__python_fields(self);                           \
        void *made = is_open ? cuc__python_##class##_##name(self) : slowly;                        \
        (void)o;                                                                                   \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made;                      \
    }                                                                                              \
    static void *get_##class##_##name(void *self, void *closure)                                   \
    {                                                                                              \
        (void)closure;                                                                             \
        const struct cuc__##type##_object *o = cuc__python_fields(self);                           \
        return __builtin_expect((is_open) && (is_known), 1) ? value : find_##class##_##name(self); \
    }
#define KEPT(class, name, type, is_known, value) \
    KEPT_WHERE(class, name, type, o->base.handle, is_known, value)
#define KEPT_TENSOR(class, name, is_known, value) \
    KEPT_WHERE(class, name, tensor, true, is_known, value)
#define CALL(class, name, body)                                                                    \
    static void *slow_##class##_##name[2];                                                         \
    static void *call_##class##_##name(void *self, void *const *given, intptr_t count,             \
                                       void *keywords)                                             \
    {                                                                                              \
        static const struct cuc__python_signature *const s = &signature_##class##_##name;          \
        struct cuc__python_call c;                                                                 \
        c.method = #name;                                                                          \
        void *made = slowly;                                                                       \
        if (cuc__python_bind_method_arguments(&c, self, s, given, count, keywords)) {              \
            body                                                                                   \
        }                                                                                          \
        return made == slowly ? cuc__python_call_definition(slow_##class##_##name[0], self, given, \
                                                            count, keywords)                       \
                              : made;                                                              \
    }
#define CALL0(class, name, body)                                                          \
    static void *slow_##class##_##name[2];                                                \
    static void *call0_##class##_##name(void *self, void *unused)                         \
    {                                                                                     \
        static const struct cuc__python_signature *const s = &signature_##class##_##name; \
        struct cuc__python_call c;                                                        \
        (void)unused;                                                                     \
        c.method = #name;                                                                 \
        void *made = slowly;                                                              \
        if (cuc__python_bind_self(&c, self)) {                                            \
            body                                                                          \
        }                                                                                 \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made;             \
    }
#define SIMPLE(result, ask)                 \
    void *state = cuc__python_begin(&c, s); \
    cuc_status st = ask;                    \
    cuc__python_end(&c, s, state);          \
    made = result(&c, st);
#define METHOD0(class, name, result, ask) \
    NO_SIGNATURE(class, name) CALL0(class, name, SIMPLE(result, ask))
#define METHOD(class, name, parameters, result, ask) \
    SIGNATURE(class, name, UNWRAP parameters) CALL(class, name, SIMPLE(result, ask))
#define CUSTOM0(class, name) \
    NO_SIGNATURE(class, name) CALL0(class, name, made = cuc__python_##class##_##name(&c, s);)
#define CUSTOM(class, name, parameters)       \
    SIGNATURE(class, name, UNWRAP parameters) \
    CALL(class, name, made = cuc__python_##class##_##name(&c, s);)

#define TENSOR(class, name, result, ...)                                                        \
    static void *slow_##class##_##name[2];                                                      \
    static void *get_##class##_##name(void *self, void *closure)                                \
    {                                                                                           \
        const cuc_tensor *t = &((struct cuc__tensor_object *)cuc__python_fields(self))->tensor; \
        (void)closure;                                                                          \
        return result(__VA_ARGS__);                                                             \
    }
#define CLASS(class, name, parameters)                                                             \
    SIGNATURE(class, name, UNWRAP parameters)                                                      \
    static void *slow_##class##_##name[2];                                                         \
    static void *class_##class##_##name(void *type, void *const *given, intptr_t count,            \
                                        void *keywords)                                            \
    {                                                                                              \
        static const struct cuc__python_signature *const s = &signature_##class##_##name;          \
        struct cuc__python_call c;                                                                 \
        void *made = slowly;                                                                       \
        c.self = type;                                                                             \
        c.method = #name;                                                                          \
        if (cuc__python_bind_arguments(&c, s, given, count, keywords))                             \
            made = cuc__python_##class##_##name(&c, s);                                            \
        return made == slowly ? cuc__python_call_definition(slow_##class##_##name[0], type, given, \
                                                            count, keywords)                       \
                              : made;                                                              \
    }

#define ONCE(class, name)                                        \
    static void *slow_##class##_##name[2];                       \
    static void *get_##class##_##name(void *self, void *closure) \
    {                                                            \
        static struct once once;                                 \
        (void)closure;                                           \
        return get_once(&once, slow_##class##_##name, self);     \
    }
#define ARRAY(class, name, parameters) SIGNATURE(class, name, UNWRAP parameters) SEEN(class, name)
#define ARRAY0(class, name)                                                   \
    static void *slow_##class##_##name[2];                                    \
    static void *call0_##class##_##name(void *self, void *unused)             \
    {                                                                         \
        struct cuc__python_call c = { .self = self };                         \
        (void)unused;                                                         \
        void *made = cuc__python_##class##_##name(&c);                        \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made; \
    }
#define SEEN(class, name)                                                                          \
    static void *slow_##class##_##name[2];                                                         \
    static void *call_##class##_##name(void *self, void *const *given, intptr_t count,             \
                                       void *keywords)                                             \
    {                                                                                              \
        static const struct cuc__python_signature *const s = &signature_##class##_##name;          \
        struct cuc__python_call c;                                                                 \
        void *made = slowly;                                                                       \
        c.self = self;                                                                             \
        c.method = #name;                                                                          \
        if (cuc__python_bind_arguments(&c, s, given, count, keywords))                             \
            made = cuc__python_##class##_##name(&c);                                               \
        return made == slowly ? cuc__python_call_definition(slow_##class##_##name[0], self, given, \
                                                            count, keywords)                       \
                              : made;                                                              \
    }

// A constant property of devices. Caches, for each ordinal, the value that the Python definition
// returned first.
struct once {
    void *made[64], *definition;
};

static void *get_once(struct once *once, void *const *slow, void *self)
{
    int32_t ordinal = cuc_device_ordinal(((struct cuc__object *)cuc__python_fields(self))->handle);

    if (ordinal < 0 || (size_t)ordinal >= CUC_LENGTH(once->made))
        return slow_get(slow, self);
    if (once->definition != slow[0]) { // the values belong to a class that was defined earlier
        for (size_t i = 0; i < CUC_LENGTH(once->made); i++)
            cuc__python_keep(&once->made[i], NULL);
        cuc__python_keep(&once->definition, cuc__py_new(slow[0]));
    }
    if (once->made[ordinal])
        return cuc__py_new(once->made[ordinal]);
    void *made = slow_get(slow, self);
    if (made && !once->made[ordinal])
        once->made[ordinal] = cuc__py_new(made);
    return made;
}

// Assigns to a property through its Python definition.
static int slow_set(void *self, void *value, void *closure)
{
    void *const *definition = closure;
    void *done = cuc__py.PyObject_CallFunctionObjArgs(definition[1], self, value, NULL);

    cuc__py_drop(done);
    return done ? 0 : -1;
}

#include "methods.def"
#undef GETTER
#undef DESCRIBED
#undef ASK
#undef KEPT
#undef OWN
#undef KEPT_TENSOR
#undef ONCE
#undef ARRAY
#undef ARRAY0
#undef METHOD0
#undef METHOD
#undef CUSTOM0
#undef CUSTOM
#undef TENSOR
#undef CLASS

#define GETTER(class, name, ...) PROPERTY(class, name)
#define DESCRIBED(class, name, ...) PROPERTY(class, name)
#define ASK(class, name, ...) PROPERTY(class, name)
#define KEPT(class, name, ...) PROPERTY(class, name)
#define OWN(class, name) PROPERTY(class, name)
#define KEPT_TENSOR(class, name, ...) PROPERTY(class, name)
#define ONCE(class, name) PROPERTY(class, name)
#define ARRAY(class, name, ...) FUNCTION(class, name)
#define ARRAY0(class, name) FUNCTION0(class, name)
#define TENSOR(class, name, ...) PROPERTY(class, name)
#define METHOD0(class, name, ...) FUNCTION0(class, name)
#define METHOD(class, name, ...) FUNCTION(class, name)
#define CUSTOM0(class, name) FUNCTION0(class, name)
#define CUSTOM(class, name, ...) FUNCTION(class, name)
#define ROW(class, name, ...) { #class, #name, slow_##class##_##name, __VA_ARGS__ },
#define PROPERTY(class, name) ROW(class, name, .get = get_##class##_##name)
#define FUNCTION(class, name) ROW(class, name, .call = call_##class##_##name)
#define FUNCTION0(class, name) ROW(class, name, .call0 = call0_##class##_##name)
#define CLASS(class, name, ...) ROW(class, name, .call_class = class_##class##_##name)

static struct row {
    const char *class_name, *name;
    void **slow; // the Python definitions: a function, or a property's getter and setter
    void *(*call)(void *self, void *const *given, intptr_t count, void *keywords);
    void *(*call0)(void *self, void *unused);
    void *(*call_class)(void *type, void *const *given, intptr_t count, void *keywords);
    void *(*get)(void *self, void *closure);
    cuc__py_method method;
    cuc__py_getset getset;
    void *made; // a dict whose keys are the row's descriptors in all classes; unused for a class
                // method
} rows[] = {
#include "methods.def"
};
#undef ROW

// ---- Adding methods to classes
// --------------------------------------------------------------------------------

// Adds a descriptor to a class.
static bool put(struct row *row, void *type, void *name, void *made)
{
    return (!row->made || cuc__py.PyDict_SetItem(row->made, made, cuc__py.none) == 0) &&
           cuc__py.PyObject_SetAttr(type, name, made) == 0;
}

// Takes a row's Python definition out of a class and puts the native method there instead.
static bool replace(struct row *row, void *type)
{
    if (!row->call_class)
        cuc__python_keep(&row->made, cuc__py.PyDict_New());
    void *name = cuc__py.PyUnicode_InternFromString(row->name);
    void *definition = name ? cuc__py.PyObject_GetAttr(type, name) : NULL;
    void *made = NULL;

    if (definition && (row->call || row->call0)) {
        cuc__python_keep(&row->slow[0], cuc__py_new(definition));
        row->method = row->call0 ? (cuc__py_method){ row->name, (void (*)(void))row->call0,
                                                     PY_METH_NOARGS, NULL }
                                 : (cuc__py_method){ row->name, (void (*)(void))row->call,
                                                     PY_METH_FASTCALL | PY_METH_KEYWORDS, NULL };
        made = cuc__py.PyDescr_NewMethod(type, &row->method);
    } else if (definition && row->call_class) {
        void *function = cuc__py.PyObject_GetAttr(definition, cuc__python.function_name);
        if (function) {
            cuc__python_keep(&row->slow[0], function);
            row->method = (cuc__py_method){ row->name, (void (*)(void))row->call_class,
                                            PY_METH_FASTCALL | PY_METH_KEYWORDS, NULL };
            made = cuc__py.PyDescr_NewClassMethod(type, &row->method);
        }
    } else if (definition) {
        void *get = cuc__py.PyObject_GetAttr(definition, cuc__python.names.fget);
        void *set = get ? cuc__py.PyObject_GetAttr(definition, cuc__python.names.fset) : NULL;
        if (set) {
            row->getset = (cuc__py_getset){ row->name, row->get,
                                            set == cuc__py.none ? NULL : slow_set, NULL,
                                            row->slow };
            cuc__python_keep(&row->slow[0], get);
            cuc__python_keep(&row->slow[1], set);
            made = cuc__py.PyDescr_NewGetSet(type, &row->getset);
        } else {
            cuc__py_drop(get);
        }
    }
    bool good = made && put(row, type, name, made);
    cuc__py_drop(name);
    cuc__py_drop(definition);
    cuc__py_drop(made);
    return good;
}

// Gives a class its own descriptor in place of an inherited one. An inherited descriptor belongs to
// another class, so the interpreter would walk the base classes for each call on an object of this
// class.
static bool repeat(struct row *row, void *type)
{
    void *name = cuc__py.PyUnicode_InternFromString(row->name);
    void *found = name ? cuc__py.PyObject_GetAttr(type, name) : NULL;
    bool good = name != NULL;

    if (name && !found)
        cuc__py.PyErr_Clear(); // the class has no such attribute
    if (found && cuc__py.PyDict_GetItem(row->made, found)) {
        void *made = row->get ? cuc__py.PyDescr_NewGetSet(type, &row->getset)
                              : cuc__py.PyDescr_NewMethod(type, &row->method);
        good = made && put(row, type, name, made);
        cuc__py_drop(made);
    }
    cuc__py_drop(found);
    cuc__py_drop(name);
    return good;
}

// Finds the attributes of the common base class through which C calls Python.
static bool find_functions(void *type)
{
    static const struct {
        size_t name, where;
    } wanted[] = {
#define WANTED(attribute, field) \
    { offsetof(struct cuc__python, names.attribute), offsetof(struct cuc__python, field) }
        WANTED(_failed, failed), WANTED(_may_call, may_call), WANTED(_held, held),
        WANTED(_prune, prune),   WANTED(_left, left),         WANTED(_release_left, release_left),
    };
    for (size_t i = 0; i < CUC_LENGTH(wanted); i++) {
        void *found =
            cuc__py.PyObject_GetAttr(type, *(void **)((char *)&cuc__python + wanted[i].name));
        if (!found)
            return false;
        cuc__python_keep((void **)((char *)&cuc__python + wanted[i].where), found);
    }
    return true;
}

cuc_status cuc_python_add_methods(void *type, const char *name)
{
    static const char *const names[] = {
#define ROW(kind, text) text,
        CUC__PYTHON_CLASSES(ROW)
#undef ROW
    };

    CUC_CHECK_NOT_NULL(type);
    CUC_CHECK_NOT_NULL(name);
    cuc_status st = cuc__python_own(__func__);
    if (st < 0)
        return st;
    bool good = strcmp(name, "Handle") != 0 || find_functions(type);
    for (size_t i = 0; i < CUC_LENGTH(rows); i++)
        good = good && (strcmp(rows[i].class_name, name) == 0 ? replace(&rows[i], type)
                        : rows[i].made                        ? repeat(&rows[i], type)
                                                              : true);
    if (strcmp(name, "Device") == 0)
        good = good && cuc__python_replace_new(type);
    if (strcmp(name, "StridedMemoryView") == 0)
        good = good && cuc__python_add_exchange(type);
    good = good && cuc__python_inherit_slots(type, name);
    for (size_t i = 0; good && i < CUC_LENGTH(names); i++)
        if (strcmp(names[i], name) == 0)
            cuc__python_keep(&cuc__python.classes[i], cuc__py_new(type));
    return good ? CUC_OK
                : CUC_FAIL(CUC_ERROR_INTERNAL, "CPython could not add the methods of %s", name);
}
