// Injected faults: driver calls that fail on request.
#include "shell.h"

#include <stdlib.h>

struct fault {
    int left; // calls until it occurs; 0: the slot is unused
    int nth;  // initial value of `left`
    int fn;   // FN_COUNT: any function
    int code;
};

static struct fault *faults;
static size_t fault_capacity;

// Returns true if a fault applies to a function. A fault that was armed for a name applies to all
// variants of that function.
static bool meets(const struct fault *f, int fn)
{
    return f->fn == fn || f->fn == FN_COUNT || sim_same_function(f->fn, fn);
}

// Counts a call for every armed fault that applies to it. Returns the fault that is due, or 0.
CUresult sim_fault_due(int fn)
{
    CUresult code = CUDA_SUCCESS;
    bool fired = false;

    for (size_t i = 0; i < fault_capacity; i++) {
        struct fault *f = &faults[i];
        if (!f->left || !meets(f, fn))
            continue;
        if (--f->left == 0 && !code) {
            code = f->code;
            fired = true;
        }
    }
    if (fired)
        sim_fault_fired();
    return code;
}

void sim_arm(int fn, int nth, CUresult code)
{
    size_t i = 0;

    while (i < fault_capacity && faults[i].left)
        i++;
    SIM_RESERVE(faults, fault_capacity, i + 1, 16);
    faults[i] = (struct fault){ .left = nth, .nth = nth, .fn = fn, .code = code };
}

bool sim_fault_left(size_t index, int *fn, int *nth, int *left)
{
    if (index >= fault_capacity)
        return false;
    *fn = faults[index].fn;
    *nth = faults[index].nth;
    *left = faults[index].left;
    return true;
}

void sim_disarm(void)
{
    free(faults);
    faults = NULL;
    fault_capacity = 0;
}

int sim_armed(int fn)
{
    int armed = 0;

    for (size_t i = 0; i < fault_capacity; i++)
        armed += faults[i].left && (fn == FN_COUNT || meets(&faults[i], fn));
    return armed;
}
