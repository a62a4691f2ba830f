// What the product's own files share: config.c, code.c, image.c.
#ifndef CUCORE_SRC_SIM_DRIVER_PRODUCT_H
#define CUCORE_SRC_SIM_DRIVER_PRODUCT_H

#include <stdbool.h>

// False with CUCORE_SIM_REPORT=0.
bool sim_reports(void);

#endif
