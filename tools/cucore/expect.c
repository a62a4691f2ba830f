#include "expect.h"

#include "npy.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool expect_load(void **out, const argument *a, cli_why *why)
{
    npy_header h;
    void *file;
    size_t bytes;
    char type[1024];

    if (!cli_read_file(&file, &bytes, a->expected_path, why))
        return false;
    bool ok = npy_parse(&h, file, bytes, a->expected_path, why);
    if (ok && (h.item_bytes != cuc_dtype_bits(a->dtype) / 8 || h.bytes != a->bytes))
        ok = cli_because(why, "%s has %llu bytes of type '%s', and the argument is %s",
                         a->expected_path, (unsigned long long)h.bytes, h.descr,
                         argument_type(a, type, sizeof(type)));
    if (ok) {
        npy_order_by_rows(&h, file);
        *out = cli_allocate((size_t)a->bytes);
        memcpy(*out, (char *)file + h.data_offset, (size_t)a->bytes);
    }
    free(file);
    return ok;
}

static bool near(double got, double expected, double tolerance)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected);
    double size = fabs(expected) > 1 ? fabs(expected) : 1;
    return got == expected || fabs(got - expected) <= tolerance * size;
}

bool expect_equal(const argument *a, const void *got, const void *expected, double tolerance,
                  cli_why *why)
{
    size_t size = cuc_dtype_bits(a->dtype) / 8;
    size_t count = (size_t)a->bytes / size;
    size_t wrong = 0, first = 0;
    double x, y;

    for (size_t i = 0; i < count; i++) {
        const char *g = (const char *)got + i * size;
        const char *e = (const char *)expected + i * size;
        if (memcmp(g, e, size) == 0 || (tolerance > 0 && scalar_value(&x, a->dtype, g) &&
                                        scalar_value(&y, a->dtype, e) && near(x, y, tolerance)))
            continue;
        if (!wrong++)
            first = i;
    }
    if (!wrong)
        return true;
    const char *g = (const char *)got + first * size;
    const char *e = (const char *)expected + first * size;
    if (scalar_value(&x, a->dtype, g) && scalar_value(&y, a->dtype, e))
        return cli_because(why, "%s: element %zu is %.9g, expected %.9g; %zu of %zu differ",
                           a->text, first, x, y, wrong, count);
    return cli_because(why, "%s: element %zu is not as expected; %zu of %zu differ", a->text, first,
                       wrong, count);
}
