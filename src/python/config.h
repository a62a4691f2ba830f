// LaunchConfig: the configuration of a launch in Python.
#ifndef CUCORE_PYTHON_CONFIG_H
#define CUCORE_PYTHON_CONFIG_H

#include "object.h"

// Initializes a config from the arguments of its class: a tuple, and a dict or NULL. Returns false
// for arguments that need the Python definition and may be valid; the config is then unchanged.
bool cuc__python_config_init(void *self, void *arguments, void *named);

#endif
