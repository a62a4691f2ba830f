// The only symbol that the fake driver exports for control: a table of the functions in fake.h.
#ifndef CUCORE_TESTS_SUPPORT_FAKE_CONTROL_H
#define CUCORE_TESTS_SUPPORT_FAKE_CONTROL_H

#include "fake.h"

struct fake_control {
#define CONTROL(result, name, params, args) result(*name) params;
#define CONTROL_VOID(name, params, args) void(*name) params;
#include "fake_control.def"
#undef CONTROL
#undef CONTROL_VOID
};

#endif
