/**
 * @file
 * Devices: enumeration, properties, and the device a thread works on.
 */
#ifndef CUCORE_DEVICE_H
#define CUCORE_DEVICE_H

#include <cucore/base.h>
#include <cucore/device_attributes.h>

CUC_BEGIN_DECLS

/**
 * A device of the driver.
 *
 * There is one object for each ordinal. It lives as long as the process and is neither retained nor
 * released. The first use retains its primary context, which stays retained.
 *
 * Threads: any thread.
 */
typedef struct cuc_device cuc_device;
typedef struct cuc_context cuc_context;
typedef struct cuc_stream cuc_stream;

/** Every attribute in one struct; each field holds the attribute of the same name. */
typedef struct cuc_device_properties {
    size_t struct_size; /**< sizeof(cuc_device_properties), set by the caller */
#define CUC__ATTRIBUTE_FIELD(value, constant, field, fallback, unit) int32_t field;
    CUC_DEVICE_ATTRIBUTE_LIST(CUC__ATTRIBUTE_FIELD)
#undef CUC__ATTRIBUTE_FIELD
    int32_t reserved; /**< 0 */
} cuc_device_properties;

/** Initial value of a cuc_device_properties variable. */
#define CUC_DEVICE_PROPERTIES_INIT                                                      \
    {                                                                                   \
        sizeof(cuc_device_properties), CUC_DEVICE_ATTRIBUTE_LIST(CUC__ATTRIBUTE_ZERO) 0 \
    }
#define CUC__ATTRIBUTE_ZERO(value, constant, field, fallback, unit) 0,

/**
 * The number of devices that the driver sees.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out the count; the call also succeeds if it is 0
 * @retval CUC_OK                     counted
 * @retval CUC_ERROR_NO_DRIVER        no driver on this machine; the log lists the places tried
 * @retval CUC_ERROR_DRIVER_TOO_OLD   the driver is older than CUDA 12.0
 * @retval CUC_ERROR_FORKED           the driver was initialized before fork()
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @source CUDA Driver API, "Device Management": cuDeviceGetCount
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_count(int32_t *out);

/**
 * The device with a given ordinal.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the device, borrowed for the life of the process
 * @param      ordinal from 0 to cuc_device_get_count() - 1
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or there is no such ordinal
 * @retval CUC_ERROR_NO_DEVICE        the driver sees no device at all
 * @retval CUC_ERROR_NO_DRIVER        no driver; also CUC_ERROR_DRIVER_TOO_OLD, CUC_ERROR_FORKED
 * @retval CUC_ERROR_DRIVER           the driver refused a query
 * @source CUDA Driver API, "Device Management": cuDeviceGet, cuDeviceGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get(cuc_device **out, int32_t ordinal);

/**
 * The device of the calling thread's current context, or device 0 when it has none.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out the device, borrowed for the life of the process
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @retval CUC_ERROR_NO_DEVICE        the driver sees no device; also the failures of
 *                                    cuc_device_get()
 * @source CUDA Driver API, "Context Management": cuCtxGetDevice
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_current(cuc_device **out);

/**
 * The device at a given PCI address.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    the device, borrowed for the life of the process
 * @param      bus_id as cuc_device_pci_bus_id() returns it, "0000:3b:00.0"
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_FOUND        no device of the driver is at that address
 * @source CUDA Driver API, "Device Management": cuDeviceGetByPCIBusId
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_by_pci_bus_id(cuc_device **out, const char *bus_id);

/**
 * The ordinal of a device.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return from 0 up; -1 for NULL
 * @since 0.1
 */
CUC_API int32_t cuc_device_ordinal(const cuc_device *device);

/**
 * The driver's handle of a device.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUdevice; -1 for NULL
 * @since 0.1
 */
CUC_API int32_t cuc_device_handle(const cuc_device *device);

/**
 * The name of a device, such as "NVIDIA H200".
 *
 * @thread any thread
 * @capture makes no driver call
 * @return lives as long as the process; "" for NULL
 * @source CUDA Driver API, "Device Management": cuDeviceGetName
 * @since 0.1
 */
CUC_API const char *cuc_device_name(const cuc_device *device);

/**
 * The UUID of a device in the form that NVML and nvidia-smi use: "GPU-" or "MIG-" and five groups.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return lives as long as the process; "" for NULL
 * @source CUDA Driver API, "Device Management": cuDeviceGetUuid
 * @since 0.1
 */
CUC_API const char *cuc_device_uuid(const cuc_device *device);

/**
 * The sixteen bytes of a device's UUID.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out 16 bytes
 * @param device   the device
 * @retval CUC_OK                     copied
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_uuid_bytes(uint8_t *out, const cuc_device *device);

/**
 * The PCI address of a device, "0000:3b:00.0".
 *
 * @thread any thread
 * @capture makes no driver call
 * @return lives as long as the process; "" for NULL
 * @source CUDA Driver API, "Device Management": cuDeviceGetPCIBusId
 * @since 0.1
 */
CUC_API const char *cuc_device_pci_bus_id(const cuc_device *device);

/**
 * The compute capability of a device.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] major  9 for 9.0
 * @param[out] minor  0 for 9.0
 * @param      device the device
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_compute_capability(int32_t *major, int32_t *minor,
                                                     const cuc_device *device);

/**
 * The architecture to compile for on a device, such as "sm_90".
 *
 * @thread any thread
 * @capture makes no driver call
 * @return lives as long as the process; "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_device_arch(const cuc_device *device);

/**
 * Read one attribute.
 *
 * An attribute that the driver is too old to know reads as its default (device_attributes.h).
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out       the value
 * @param      device    the device
 * @param      attribute a CUC_DEVICE_ constant, or any value of the driver's CUdevice_attribute
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or no driver knows such an attribute
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Device Management": cuDeviceGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_attribute(int32_t *out, cuc_device *device, int32_t attribute);

/**
 * Read every attribute at once.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    filled up to its struct_size; fields unknown to this library are 0
 * @param      device the device
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL or its struct_size is too small or too large
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Device Management": cuDeviceGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_properties(cuc_device_properties *out, cuc_device *device);

/**
 * The number of attributes that cuc_device_attribute_at() can enumerate.
 *
 * @thread any thread
 * @capture makes no driver call
 * @since 0.1
 */
CUC_API size_t cuc_device_attribute_count(void);

/**
 * The value, name and unit of the listed attribute at an index.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] attribute the CUC_DEVICE_ constant; may be NULL
 * @param[out] name      "max_threads_per_block"; static; may be NULL
 * @param[out] unit      "threads", "flag", ...; static; may be NULL
 * @param      index     below cuc_device_attribute_count()
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT index is past the end
 * @since 0.1
 */
CUC_API cuc_status cuc_device_attribute_at(int32_t *attribute, const char **name, const char **unit,
                                           size_t index);

/**
 * The attribute with a given name, such as "max_threads_per_block".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out the CUC_DEVICE_ constant
 * @param      name as cuc_device_attribute_at() returns it
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        there is no such name
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_device_attribute_from_name(int32_t *out, const char *name);

/**
 * The total and the currently free memory of a device.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] free_bytes  may be NULL
 * @param[out] total_bytes may be NULL
 * @param      device      the device
 * @retval CUC_OK                 read
 * @retval CUC_ERROR_DRIVER       the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemGetInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_memory_info(uint64_t *free_bytes, uint64_t *total_bytes,
                                              cuc_device *device);

/** Sensors that cuc_device_get_sensors() can read. */
enum {
    CUC_SENSOR_SM_CLOCK = 1 << 0,
    CUC_SENSOR_MEMORY_CLOCK = 1 << 1,
    CUC_SENSOR_TEMPERATURE = 1 << 2,
    CUC_SENSOR_POWER = 1 << 3,
    CUC_SENSOR_THROTTLE = 1 << 4, /**< needs a driver of CUDA 12.2 or later */
};

/** Reasons for clocks below their maximum, with NVML's bits: X(constant, bit, name). */
// clang-format off
#define CUC_THROTTLE_LIST(X) \
    X(CUC_THROTTLE_IDLE,           0x1,   "idle") \
    X(CUC_THROTTLE_SETTING,        0x2,   "setting")        /* application clocks are set */ \
    X(CUC_THROTTLE_POWER_CAP,      0x4,   "power_cap")      /* power limit reached */ \
    X(CUC_THROTTLE_HARDWARE,       0x8,   "hardware")       /* any hardware cause */ \
    X(CUC_THROTTLE_SYNC_BOOST,     0x10,  "sync_boost")     /* synchronized with other devices */ \
    X(CUC_THROTTLE_THERMAL,        0x20,  "thermal")        /* software thermal slowdown */ \
    X(CUC_THROTTLE_HOT,            0x40,  "hardware_thermal") /* hardware thermal slowdown */ \
    X(CUC_THROTTLE_POWER_BRAKE,    0x80,  "power_brake")    /* requested by the power supply */ \
    X(CUC_THROTTLE_DISPLAY,        0x100, "display")
// clang-format on

enum {
#define CUC__THROTTLE_ENUM(name, value, text) name = value,
    CUC_THROTTLE_LIST(CUC__THROTTLE_ENUM)
#undef CUC__THROTTLE_ENUM
};

/** Readings of a device's sensors. */
typedef struct cuc_device_sensors {
    size_t struct_size;  /**< sizeof(cuc_device_sensors), set by the caller */
    uint64_t throttle;   /**< CUC_THROTTLE_ bits, and others that newer NVML versions may add */
    uint32_t sm_mhz;     /**< clock of the multiprocessors */
    uint32_t memory_mhz; /**< clock of the memory */
    uint32_t milliwatts; /**< power draw of the whole board */
    int32_t celsius;     /**< temperature of the GPU */
    uint32_t known;      /**< CUC_SENSOR_ bits of the values that were read; all other values are
                              0 */
    uint32_t reserved;   /**< 0 */
} cuc_device_sensors;

/** Initial value of a cuc_device_sensors variable. */
#define CUC_DEVICE_SENSORS_INIT                         \
    {                                                   \
        sizeof(cuc_device_sensors), 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Read clocks, temperature, power and the reasons for low clocks from NVML.
 *
 * Each reading takes a few microseconds. The first call initializes NVML, which stays initialized.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    filled up to its struct_size
 * @param      device the device
 * @param      wanted CUC_SENSOR_ bits; sensors that the device lacks are missing from out->known
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_NOT_SUPPORTED    the device is simulated
 * @retval CUC_ERROR_NOT_FOUND        there is no NVML: cuc_error_log() has the places tried
 * @retval CUC_ERROR_NO_DRIVER        the kernel driver is not loaded, or has another version
 * @retval CUC_ERROR_FORKED           the driver was initialized before fork()
 * @retval CUC_ERROR_TOOLKIT          NVML failed
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size or a bit is unknown
 * @source NVML API, "Device Queries": nvmlDeviceGetClockInfo, nvmlDeviceGetTemperature,
 *         nvmlDeviceGetPowerUsage, nvmlDeviceGetCurrentClocksEventReasons
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_sensors(cuc_device_sensors *out, cuc_device *device,
                                          uint32_t wanted);

/**
 * Check whether kernels on a device can access another device's memory.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    1 or 0; 1 when both are the same device
 * @param      device the device that accesses the memory
 * @param      peer   the device that holds the memory
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @source CUDA Driver API, "Peer Context Memory Access": cuDeviceCanAccessPeer
 * @since 0.1
 */
CUC_API cuc_status cuc_device_can_access_peer(int32_t *out, cuc_device *device, cuc_device *peer);

/** Properties of a device pair that cuc_device_get_peer_attribute() reads. */
enum {
    CUC_PEER_PERFORMANCE_RANK = 1,
    CUC_PEER_ACCESS_SUPPORTED = 2,
    CUC_PEER_NATIVE_ATOMIC_SUPPORTED = 3,
    CUC_PEER_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
    CUC_PEER_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5,
};

/**
 * Read one property of the connection between two devices.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out       the value
 * @param      device the source device
 * @param      peer   the destination device; not the source device
 * @param      attribute a CUC_PEER_ constant
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or both are the same device
 * @retval CUC_ERROR_DRIVER           the driver knows no such attribute
 * @source CUDA Driver API, "Peer Context Memory Access": cuDeviceGetP2PAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_peer_attribute(int32_t *out, cuc_device *device, cuc_device *peer,
                                                 int32_t attribute);

/**
 * The primary context of a device, which the CUDA runtime uses too.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    the context, borrowed for the life of the process
 * @param      device the device
 * @retval CUC_OK                        retained
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY not enough memory for a context
 * @retval CUC_ERROR_DRIVER              the driver refused, such as in exclusive compute mode
 * @source CUDA Driver API, "Primary Context Management": cuDevicePrimaryCtxRetain
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_context(cuc_context **out, cuc_device *device);

/**
 * Make a device's primary context current on the calling thread.
 *
 * Only this call and cuc_context_set_current() change the current context. cucore calls that take a
 * stream need no current context, but driver and runtime calls in the same program may.
 *
 * @thread changes the calling thread
 * @capture safe: asks the driver in relaxed mode
 * @param      device   the device
 * @param[out] previous the context that was current, retained, or NULL when none was; may be NULL
 * @retval CUC_OK                     current
 * @retval CUC_ERROR_DRIVER           the driver refused; the current context is unchanged
 * @source CUDA Driver API, "Context Management": cuCtxSetCurrent
 * @since 0.1
 */
CUC_API cuc_status cuc_device_set_current(cuc_device *device, cuc_context **previous);

/**
 * Wait until all work in a device's primary context is complete.
 *
 * @order  blocks the calling thread
 * @thread any thread
 * @capture spoils every capture of the context, in any mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message lists likely causes
 * @retval CUC_ERROR_BUSY         a stream of the context is being captured
 * @source CUDA Driver API, "Context Management": cuCtxSynchronize
 * @since 0.1
 */
CUC_API cuc_status cuc_device_synchronize(cuc_device *device);

CUC_END_DECLS

#endif
