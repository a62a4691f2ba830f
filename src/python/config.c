#include "config.h"

// The parameters of LaunchConfig, in order.
enum { GRID, CLUSTER, BLOCK, SHARED, COOPERATIVE, PROGRAMMATIC, PARAMETERS };

_Static_assert(offsetof(struct cuc__config_object, fields) + PARAMETERS * sizeof(void *) <=
                   offsetof(struct cuc__config_object, kept),
               "a field for each parameter");

// Sorts arguments by parameter. The results are borrowed; a missing argument becomes NULL. Returns
// false if there are other arguments.
static bool sort(void *out[PARAMETERS], void *arguments, void *named)
{
    void *const names[] = {
        [GRID] = cuc__python.names.grid,
        [CLUSTER] = cuc__python.names.cluster,
        [BLOCK] = cuc__python.names.block,
        [SHARED] = cuc__python.names.shmem_size,
        [COOPERATIVE] = cuc__python.names.is_cooperative,
        [PROGRAMMATIC] = cuc__python.names.programmatic_stream_serialization,
    };
    const intptr_t count = cuc__py.PyTuple_Size(arguments);
    intptr_t left = named ? cuc__py.PyDict_Size(named) : 0;

    if (count > PARAMETERS)
        return false;
    for (intptr_t i = 0; i < PARAMETERS; i++) {
        out[i] = i < count ? cuc__py.PyTuple_GetItem(arguments, i) : NULL;
        void *given = left ? cuc__py.PyDict_GetItem(named, names[i]) : NULL;
        if (given && out[i])
            return false;
        if (given)
            out[i] = given;
        left -= given != NULL;
    }
    return left == 0;
}

static bool read_number(uint32_t *out, void *object, long long least)
{
    if (cuc__py_type(object) != cuc__py.int_type)
        return false;
    long long value = cuc__py.PyLong_AsLongLong(object);
    if (value < least || value > UINT32_MAX) { // -1 may also mean an exception
        cuc__py.PyErr_Clear();
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

// Reads a number or a tuple of up to three numbers.
static bool read_dim(uint32_t out[3], void *object)
{
    out[0] = out[1] = out[2] = 1;
    if (cuc__py_type(object) != cuc__py.tuple_type)
        return read_number(&out[0], object, 1);
    intptr_t count = cuc__py.PyTuple_Size(object);
    bool good = count >= 1 && count <= 3;
    for (intptr_t i = 0; good && i < count; i++)
        good = read_number(&out[i], cuc__py.PyTuple_GetItem(object, i), 1);
    return good;
}

// Returns the three numbers as a tuple: the caller's own if it has three, or else a new one.
static void *dim(const uint32_t values[3], void *given)
{
    static void *ones;
    const bool is_one = values[0] == 1 && values[1] == 1 && values[2] == 1;

    if (given && cuc__py_type(given) == cuc__py.tuple_type && cuc__py.PyTuple_Size(given) == 3)
        return cuc__py_new(given);
    if (is_one && ones)
        return cuc__py_new(ones);
    void *made = cuc__py.PyTuple_New(3);
    for (intptr_t i = 0; made && i < 3; i++) {
        void *number = cuc__py.PyLong_FromLongLong(values[i]);
        if (!number || cuc__py.PyTuple_SetItem(made, i, number) != 0) {
            cuc__py.Py_DecRef(made);
            return NULL;
        }
    }
    if (is_one && made)
        ones = cuc__py_new(made);
    return made;
}

// Reads a bool. A missing one counts as False.
static bool read_flag(uint32_t *flags, void *object, uint32_t bit)
{
    if (object == cuc__py.yes)
        *flags |= bit;
    return !object || object == cuc__py.yes || object == cuc__py.no;
}

bool cuc__python_config_init(void *self, void *arguments, void *named)
{
    struct cuc__config_object *object = cuc__python_fields(self);
    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;
    void *given[PARAMETERS], *made[PARAMETERS];
    uint32_t grid[3] = { 1, 1, 1 };

    if (!sort(given, arguments, named))
        return false;
    const bool clusters = given[CLUSTER] && given[CLUSTER] != cuc__py.none,
               threads = given[BLOCK] != cuc__py.none;
    if ((given[GRID] && !read_dim(grid, given[GRID])) ||
        (clusters && !read_dim(config.cluster, given[CLUSTER])) ||
        (threads && given[BLOCK] && !read_dim(config.block, given[BLOCK])) ||
        (given[SHARED] && !read_number(&config.shared_bytes, given[SHARED], 0)) ||
        !read_flag(&config.flags, given[COOPERATIVE], CUC_LAUNCH_COOPERATIVE) ||
        !read_flag(&config.flags, given[PROGRAMMATIC], CUC_LAUNCH_PROGRAMMATIC))
        return false;
    for (size_t i = 0; i < 3; i++) {
        const uint64_t blocks = (uint64_t)grid[i] * (clusters ? config.cluster[i] : 1);
        if (blocks > UINT32_MAX)
            return false;
        config.grid[i] = (uint32_t)blocks;
        if (threads && !given[BLOCK])
            config.block[i] = 1;
    }
    made[GRID] = dim(grid, given[GRID]);
    made[CLUSTER] = clusters ? dim(config.cluster, given[CLUSTER]) : cuc__py_new(cuc__py.none);
    made[BLOCK] = threads ? dim(config.block, given[BLOCK]) : cuc__py_new(cuc__py.none);
    made[SHARED] = given[SHARED] ? cuc__py_new(given[SHARED]) : cuc__py.PyLong_FromLongLong(0);
    for (size_t i = COOPERATIVE; i < PARAMETERS; i++)
        made[i] = cuc__py_new(given[i] ? given[i] : cuc__py.no);
    bool good = true;
    for (size_t i = 0; i < PARAMETERS; i++)
        good = good && made[i];
    for (size_t i = 0; i < PARAMETERS; i++) {
        if (good)
            cuc__python_keep(&object->fields[i], made[i]);
        else
            cuc__py_drop(made[i]);
    }
    if (good)
        object->config = config;
    else
        cuc__py.PyErr_Clear(); // out of memory, which the Python definition will report
    return good;
}
