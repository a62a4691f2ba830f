#include "values.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Parse a decimal number up to `most`; return the text after it, or NULL.
static const char *take_count(uint32_t *out, const char *text, uint32_t most)
{
    uint64_t value = 0;

    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        if ((value = value * 10 + (uint64_t)(*text - '0')) > most)
            return NULL;
    *out = (uint32_t)value;
    return text;
}

int value_extents(uint32_t out[3], const char *option, const char *text)
{
    uint32_t extents[3] = { 1, 1, 1 };
    const char *at = text;

    for (int i = 0; i < 3; i++) {
        at = take_count(&extents[i], at, UINT32_MAX);
        if (!at || !extents[i] || (*at && *at != ','))
            break;
        if (!*at) {
            memcpy(out, extents, sizeof(extents));
            return CLI_DONE;
        }
        at++;
    }
    return cli_usage_error("--%s is '%s': X, X,Y or X,Y,Z is expected, of numbers from 1 on",
                           option, text);
}

int value_number(uint32_t *out, const char *option, const char *text, uint32_t least, uint32_t most)
{
    uint32_t value;
    const char *end = take_count(&value, text, most);

    if (!end || *end || value < least)
        return cli_usage_error("--%s is '%s': a number from %u to %u is expected", option, text,
                               least, most);
    *out = value;
    return CLI_DONE;
}

int value_real(double *out, const char *option, const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= least && value <= most))
        return cli_usage_error("--%s is '%s': a number from %g to %g is expected", option, text,
                               least, most);
    *out = value;
    return CLI_DONE;
}

int value_driver(bool *given, const char *text)
{
    *given = strcmp(text, "auto") != 0;
    if (strcmp(text, "real") == 0)
        unsetenv("CUCORE_DRIVER");
    else if (strcmp(text, "sim") == 0)
        setenv("CUCORE_DRIVER", "sim", 1);
    else if (*given)
        return cli_usage_error("--driver is '%s': auto, real and sim are known, and interp to "
                               "run a tile program",
                               text);
    return CLI_DONE;
}

// Return whether the real driver is present and has a device. Does not ask the library, because the
// library keeps the first driver that it tries.
static bool real_device(void)
{
    int (*init)(unsigned flags);
    int (*count)(int *devices);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *init_symbol = driver ? dlsym(driver, "cuInit") : NULL;
    void *count_symbol = driver ? dlsym(driver, "cuDeviceGetCount") : NULL;
    int devices = 0;

    memcpy(&init, &init_symbol, sizeof(init));
    memcpy(&count, &count_symbol, sizeof(count));
    return init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

void driver_settle(bool given, const char *what)
{
    const char *choice = getenv("CUCORE_DRIVER");

    if (given || (choice && *choice) || real_device() ||
        !dlopen("libcucore-sim.so", RTLD_NOW | RTLD_LOCAL))
        return;
    setenv("CUCORE_DRIVER", "sim", 1);
    fprintf(stderr,
            "cucore: no GPU can be used here, so %s runs on the simulated driver "
            "(--driver real forbids it)\n",
            what);
}
