// The parts of NVML's binary interface that cucore uses. cuda_abi.h explains where such
// declarations come from and which test checks them. Some toolkit installations lack nvml.h.
#ifndef CUCORE_DRIVER_NVML_ABI_H
#define CUCORE_DRIVER_NVML_ABI_H

#ifdef NVML_API_VERSION
#error "nvml.h and nvml_abi.h declare the same names: include one of them"
#endif

typedef struct nvmlDevice_st *nvmlDevice_t;

typedef int nvmlReturn_t;
enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NO_PERMISSION = 4,
    NVML_ERROR_ALREADY_INITIALIZED = 5,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_INSUFFICIENT_POWER = 8,
    NVML_ERROR_DRIVER_NOT_LOADED = 9,
    NVML_ERROR_TIMEOUT = 10,
    NVML_ERROR_IRQ_ISSUE = 11,
    NVML_ERROR_LIBRARY_NOT_FOUND = 12,
    NVML_ERROR_FUNCTION_NOT_FOUND = 13,
    NVML_ERROR_CORRUPTED_INFOROM = 14,
    NVML_ERROR_GPU_IS_LOST = 15,
    NVML_ERROR_RESET_REQUIRED = 16,
    NVML_ERROR_OPERATING_SYSTEM = 17,
    NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
    NVML_ERROR_IN_USE = 19,
    NVML_ERROR_MEMORY = 20,
    NVML_ERROR_NO_DATA = 21,
    NVML_ERROR_VGPU_ECC_NOT_SUPPORTED = 22,
    NVML_ERROR_INSUFFICIENT_RESOURCES = 23,
    NVML_ERROR_FREQ_NOT_SUPPORTED = 24,
    NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
    NVML_ERROR_DEPRECATED = 26,
    NVML_ERROR_NOT_READY = 27,
    NVML_ERROR_GPU_NOT_FOUND = 28,
    NVML_ERROR_INVALID_STATE = 29,
    NVML_ERROR_RESET_TYPE_NOT_SUPPORTED = 30,
    NVML_ERROR_UNKNOWN = 999,
};

// Not in nvml.def, because it does not return an nvmlReturn_t.
typedef const char *(*nvmlErrorString_fn)(nvmlReturn_t result);

enum { NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE = 80 };

typedef unsigned int nvmlClockType_t;
enum {
    NVML_CLOCK_GRAPHICS = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2,
    NVML_CLOCK_VIDEO = 3,
};

typedef unsigned int nvmlTemperatureSensors_t;
enum { NVML_TEMPERATURE_GPU = 0 };

// Bits for the reasons why clocks are below their maximum. CUDA 12.2 renamed "Throttle" to "Event",
// except in the three reasons that the hardware reports.
enum {
    nvmlClocksEventReasonGpuIdle = 0x1,
    nvmlClocksEventReasonApplicationsClocksSetting = 0x2,
    nvmlClocksEventReasonSwPowerCap = 0x4,
    nvmlClocksThrottleReasonHwSlowdown = 0x8,
    nvmlClocksEventReasonSyncBoost = 0x10,
    nvmlClocksEventReasonSwThermalSlowdown = 0x20,
    nvmlClocksThrottleReasonHwThermalSlowdown = 0x40,
    nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80,
    nvmlClocksEventReasonDisplayClockSetting = 0x100,
};

#endif
