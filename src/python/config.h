// LaunchConfig: shapes of launches in Python.
#ifndef CUCORE_PYTHON_CONFIG_H
#define CUCORE_PYTHON_CONFIG_H

#include "object.h"

// Initializes a config from the arguments of its class, a tuple and a dict or NULL. False for
// arguments that need the Python definition, which may be valid; then the config is unchanged.
bool cuc__python_config_init(void *self, void *arguments, void *named);

#endif
