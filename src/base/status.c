#include <cucore/base.h>

#include <string.h>

#include "array.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

uint32_t cuc_version(void)
{
    return CUC_VERSION;
}

const char *cuc_version_string(void)
{
    return STRING(CUC_VERSION_MAJOR) "." STRING(CUC_VERSION_MINOR) "." STRING(CUC_VERSION_PATCH);
}

static const struct {
    cuc_status status;
    const char *name;
    const char *text;
} statuses[] = {
#define ROW(name, value, text) { value, #name, text },
    CUC_STATUS_LIST(ROW)
#undef ROW
};

const char *cuc_status_name(cuc_status status)
{
    for (size_t i = 0; i < CUC_LENGTH(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "CUC_ERROR_UNKNOWN";
}

const char *cuc_status_text(cuc_status status)
{
    for (size_t i = 0; i < CUC_LENGTH(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "not a status of this version of cucore";
}

// Indexed by value; the values are contiguous.
static const struct {
    const char *name;
    uint32_t bits;
} dtypes[] = {
#define ROW(constant, value, name, bits) [value] = { name, bits },
    CUC_DTYPE_LIST(ROW)
#undef ROW
};

static const size_t dtype_count = CUC_LENGTH(dtypes);

const char *cuc_dtype_name(cuc_dtype dtype)
{
    return dtype > 0 && (size_t)dtype < dtype_count ? dtypes[dtype].name : dtypes[0].name;
}

uint32_t cuc_dtype_bits(cuc_dtype dtype)
{
    return dtype > 0 && (size_t)dtype < dtype_count ? dtypes[dtype].bits : 0;
}

cuc_dtype cuc_dtype_from_name(const char *name)
{
    for (size_t i = 1; name && i < dtype_count; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return (cuc_dtype)i;
    return CUC_DTYPE_UNKNOWN;
}
