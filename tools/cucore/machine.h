// Facts about this machine, which info prints and doctor judges.
#ifndef CUCORE_TOOLS_MACHINE_H
#define CUCORE_TOOLS_MACHINE_H

#include "cli.h"

#include <cucore/base.h>
#include <cucore/cache.h>

// Toolkit components that cucore uses: X(constant, name, is a header folder).
#define MACHINE_PIECE_LIST(X)              \
    X(MACHINE_NVRTC, "nvrtc", 0)           \
    X(MACHINE_NVJITLINK, "nvjitlink", 0)   \
    X(MACHINE_NVFATBIN, "nvfatbin", 0)     \
    X(MACHINE_CUDART, "cudart", 0)         \
    X(MACHINE_NVML, "nvml", 0)             \
    X(MACHINE_CUDART_HEADERS, "cudart", 1) \
    X(MACHINE_CCCL_HEADERS, "cccl", 1)

enum {
#define MACHINE_ENUM(constant, name, headers) constant,
    MACHINE_PIECE_LIST(MACHINE_ENUM)
#undef MACHINE_ENUM
        MACHINE_PIECES
};

typedef struct machine_piece {
    const char *name;
    bool headers;
    char *path;   // NULL: not found
    char *method; // the search method
    int major;    // 0: unknown
    int minor;
} machine_piece;

// The state of the default cache. If its folder does not exist, this describes the nearest existing
// folder above it.
typedef struct machine_cache {
    cuc_cache_info info; // its texts belong to the library
    bool exists;
    bool foreign; // whether another user owns it
    bool open;    // whether others can write to it
    bool no_locks;
    bool free_known;
    uint64_t free_bytes; // free space of its file system
    int error;           // errno of the failure to open or write it; 0: none
} machine_cache;

typedef struct machine {
    cuc_status driver_status;
    char *driver_message;   // why the driver is unusable; NULL: it is usable
    char *driver_log;       // locations tried, or NULL
    int32_t driver_version; // 13000; 0: none
    char *driver_path;
    bool simulated;
    char *kernel_driver; // "580.65.06"; NULL: unknown
    cuc_status devices_status;
    char *devices_message;
    int32_t device_count;

    machine_piece pieces[MACHINE_PIECES];

    machine_cache cache;

    bool container;
    bool wsl;
    bool gpu_on_bus;
    bool control_node; // /dev/nvidiactl
    int device_nodes;  // /dev/nvidia0 ...
    int denied_nodes;  // device nodes, including /dev/nvidiactl, that this user cannot open
    bool mps_pipe;     // the CUDA_MPS_PIPE_DIRECTORY folder exists
    bool one_home;     // CUDA_PATH and CUDA_HOME agree, or are not both set

    // Values of environment variables; NULL if not set.
    const char *driver_choice; // CUCORE_DRIVER
    const char *cuda_path;
    const char *cuda_home;
    const char *visible_devices;
    const char *library_path;
    const char *mps_pipe_directory;
    const char *blocking; // CUCORE_LAUNCH_BLOCKING or CUDA_LAUNCH_BLOCKING
} machine;

// Query the library and the system; loads the driver and the toolkit's libraries.
void machine_look(machine *m);
void machine_release(machine *m);

// machine_cache.c: the cache's part of machine_look(), and a cache's state as JSON.
void machine_look_at_cache(machine *m);
void machine_set_cache(json_t *to, const cuc_cache_info *info);

enum { FINDING_OK, FINDING_WARN, FINDING_FAIL };

typedef struct finding {
    int severity;
    char text[640];
    char fix[384]; // one line; "" if there is nothing to do
} finding;

// All checks of doctor, by index.
size_t doctor_check_count(void);
const char *doctor_check_name(size_t index);
void doctor_check(finding *out, size_t index, const machine *m);

#endif
