// Shapes of launches, LaunchConfig in Python.
#ifndef CUCORE_PYTHON_CONFIG_H
#define CUCORE_PYTHON_CONFIG_H

#include "object.h"

// Set a config by the arguments of its class, a tuple and a dict or NULL. False for those that the
// Python definition has to look at, also with nothing wrong; then the config is as before.
bool cuc__python_config_init(void *self, void *arguments, void *named);

#endif
