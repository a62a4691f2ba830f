// A device's sensors, read through NVML.
#include "base/array.h"
#include "device.h"
#include "driver/nvml.h"
#include "base/options.h"

#include <string.h>

// One function per reading. Each writes an unsigned.
static nvmlReturn_t temperature(nvmlDevice_t device, unsigned argument, unsigned *value)
{
    return cuc__nvml.nvmlDeviceGetTemperature(device, argument, value);
}

static nvmlReturn_t clock_now(nvmlDevice_t device, unsigned argument, unsigned *value)
{
    return cuc__nvml.nvmlDeviceGetClockInfo(device, argument, value);
}

static nvmlReturn_t power(nvmlDevice_t device, unsigned argument, unsigned *value)
{
    (void)argument;
    return cuc__nvml.nvmlDeviceGetPowerUsage(device, value);
}

static const struct reading {
    uint32_t bit;
    unsigned argument;
    nvmlReturn_t (*read)(nvmlDevice_t device, unsigned argument, unsigned *value);
    size_t at;
} readings[] = {
    { CUC_SENSOR_SM_CLOCK, NVML_CLOCK_SM, clock_now, offsetof(cuc_device_sensors, sm_mhz) },
    { CUC_SENSOR_MEMORY_CLOCK, NVML_CLOCK_MEM, clock_now,
      offsetof(cuc_device_sensors, memory_mhz) },
    { CUC_SENSOR_TEMPERATURE, NVML_TEMPERATURE_GPU, temperature,
      offsetof(cuc_device_sensors, celsius) },
    { CUC_SENSOR_POWER, 0, power, offsetof(cuc_device_sensors, milliwatts) },
};

enum {
    ALL = CUC_SENSOR_SM_CLOCK | CUC_SENSOR_MEMORY_CLOCK | CUC_SENSOR_TEMPERATURE |
          CUC_SENSOR_POWER | CUC_SENSOR_THROTTLE,
};

// Finds NVML's handle of a device. It initializes NVML once for each device that is read and never
// shuts it down, so that repeated readings are cheap.
static cuc_status find(nvmlDevice_t *out, cuc_device *device)
{
    nvmlDevice_t found = atomic_load(&device->nvml);

    if (found) {
        *out = found;
        return CUC_OK;
    }
    int code = cuc__nvml.nvmlInit_v2();
    if (code)
        return cuc__fail_nvml(code, __func__, "nvmlInit_v2", NULL, "reading the sensors of %s",
                              device->name);
    code = cuc__nvml.nvmlDeviceGetHandleByUUID(device->uuid, &found);
    if (code)
        code = cuc__nvml.nvmlDeviceGetHandleByPciBusId_v2(device->pci_bus_id, &found);
    if (code) {
        (void)cuc__nvml.nvmlShutdown();
        return cuc__fail_nvml(code, __func__, "nvmlDeviceGetHandleByPciBusId_v2", NULL,
                              "reading the sensors of %s, %s, at %s", device->name, device->uuid,
                              device->pci_bus_id);
    }
    atomic_store(&device->nvml, found);
    *out = found;
    return CUC_OK;
}

cuc_status cuc__device_read_sensors(cuc_device_sensors *out, cuc_device *device, uint32_t wanted)
{
    nvmlDevice_t nvml = NULL;
    unsigned long long reasons;
    cuc_status st = find(&nvml, device);

    if (st < 0)
        return st;
    for (size_t i = 0; i < CUC_LENGTH(readings); i++) {
        const struct reading *r = &readings[i];
        unsigned value;
        if ((wanted & r->bit) && r->read(nvml, r->argument, &value) == NVML_SUCCESS) {
            memcpy((char *)out + r->at, &value, sizeof(value));
            out->known |= r->bit;
        }
    }
    if ((wanted & CUC_SENSOR_THROTTLE) &&
        cuc__nvml.nvmlDeviceGetCurrentClocksEventReasons(nvml, &reasons) == NVML_SUCCESS) {
        out->throttle = reasons;
        out->known |= CUC_SENSOR_THROTTLE;
    }
    return CUC_OK;
}

cuc_status cuc_device_get_sensors(cuc_device_sensors *out, cuc_device *device, uint32_t wanted)
{
    cuc_device_sensors now = { .struct_size = sizeof(now) };
    int version;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    if (wanted & ~(uint32_t)ALL)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "wanted is 0x%x, bits of 0x%x are known",
                        wanted, (unsigned)ALL);
    // This call fails in a forked child, where NVML's handles are invalid too.
    int code = cuc__cu.cuDriverGetVersion(&version);
    if (code)
        return CUC_FAIL_CU(NULL, code, "cuDriverGetVersion", "reading the sensors of %s",
                           device->name);
    if (cuc__driver_simulated())
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "%s has no sensors: it is simulated",
                        device->name);
    cuc_status st = cuc__device_read_sensors(&now, device, wanted);
    return st < 0 ? CUC_PASS(st) : CUC_WRITE_STRUCT(out, &now, cuc_device_sensors);
}
