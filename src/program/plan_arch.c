// See plan_arch.h.
#include "plan_arch.h"

#include "device/device.h"
#include "tile/ir/target.h"

#include <stdio.h>
#include <string.h>

cuc_status cuc__plan_arch(char arch[CUC__PLAN_ARCH], int *sm, const char *asked,
                          const cuc_device *device, const char *function)
{
    struct tile_target target;
    char why[160] = "";

    *sm = 10 * device->major + device->minor;
    if (!asked)
        snprintf(arch, CUC__PLAN_ARCH, "sm_%d%s", *sm, *sm >= 90 ? "a" : "");
    else if (sscanf(asked, "sm_%d", sm) < 1 || strlen(asked) >= CUC__PLAN_ARCH)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "arch is \"%s\", expected such as \"sm_90a\"", asked);
    else
        snprintf(arch, CUC__PLAN_ARCH, "%s", asked);
    if (!tile_target_of(&target, *sm, false, why, sizeof(why)))
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function, "%s is %s: %s",
                         asked ? "arch" : device->name, arch, why);
    return CUC_OK;
}
