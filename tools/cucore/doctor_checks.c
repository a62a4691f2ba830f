#include "base/array.h"
#include "machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

// The checks judge facts that were gathered before, so that tests can simulate any machine.

static void found(finding *f, int severity, const char *fmt, ...) CLI_PRINTF(3, 4);
static void fix(finding *f, const char *fmt, ...) CLI_PRINTF(2, 3);

static void found(finding *f, int severity, const char *fmt, ...)
{
    va_list args;

    f->severity = severity;
    va_start(args, fmt);
    vsnprintf(f->text, sizeof(f->text), fmt, args);
    va_end(args);
}

static void fix(finding *f, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(f->fix, sizeof(f->fix), fmt, args);
    va_end(args);
}

static const char works_without[] = "compile, find, explain and info work without one";

static void check_driver(finding *f, const machine *m)
{
    if (m->driver_status >= 0) {
        found(f, FINDING_OK, "CUDA %d.%d, %s%s%s%s", m->driver_version / 1000,
              m->driver_version % 1000 / 10, m->driver_path ? m->driver_path : "",
              m->kernel_driver ? ", driver " : "", m->kernel_driver ? m->kernel_driver : "",
              m->simulated ? ", simulated" : "");
        return;
    }
    if (m->driver_status == CUC_ERROR_DRIVER_TOO_OLD) {
        found(f, FINDING_FAIL, "%s", m->driver_message);
        fix(f, "install an NVIDIA driver of CUDA 12.0 or later (525 or later)");
    } else if (m->driver_choice && *m->driver_choice) {
        found(f, FINDING_FAIL, "CUCORE_DRIVER is '%s', and no driver can be loaded from there",
              m->driver_choice);
        fix(f, "unset CUCORE_DRIVER, or set it to the path of a driver library");
    } else if (m->control_node || m->device_nodes) {
        found(f, FINDING_FAIL,
              "the kernel has an NVIDIA driver, but libcuda.so.1 cannot be loaded");
        fix(f, m->container ? "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility"
                            : "install libcuda1, or the driver package of your system, and run "
                              "ldconfig");
    } else if (m->gpu_on_bus && !m->container) {
        found(f, FINDING_FAIL, "there is an NVIDIA GPU, and no driver for it");
        fix(f, "install the NVIDIA driver of your system and restart");
    } else {
        found(f, FINDING_WARN, "no CUDA driver on this machine: %s", works_without);
        fix(f, "to run kernels, use a machine with an NVIDIA GPU and its driver");
    }
}

static void check_devices(finding *f, const machine *m)
{
    if (m->driver_status < 0) {
        found(f, FINDING_OK, "not asked, as there is no driver");
    } else if (m->devices_status < 0) {
        found(f, FINDING_FAIL, "%s", m->devices_message ? m->devices_message : "not counted");
        fix(f, m->simulated ? "correct or unset the variable that the message names"
                            : "run nvidia-smi; when it fails too, restart the machine or reinstall "
                              "the driver");
    } else if (m->device_count == 0 && m->visible_devices) {
        found(f, FINDING_WARN, "the driver sees no device, and CUDA_VISIBLE_DEVICES is '%s'",
              m->visible_devices);
        fix(f, "unset CUDA_VISIBLE_DEVICES, or name devices in it");
    } else if (m->device_count == 0) {
        found(f, FINDING_WARN, "the driver sees no device: %s", works_without);
        fix(f, m->simulated
                   ? "unset CUCORE_SIM_DEVICES, which sets how many the simulated driver has"
                   : "run nvidia-smi; in a container, start it with --gpus all");
    } else {
        found(f, FINDING_OK, "%d", m->device_count);
    }
}

static void check_visible(finding *f, const machine *m)
{
    const char *v = m->visible_devices;

    if (v && (!*v || strcmp(v, "-1") == 0 || strcmp(v, "NoDevFiles") == 0)) {
        found(f, FINDING_WARN, "CUDA_VISIBLE_DEVICES is '%s', which hides every device", v);
        fix(f, "unset CUDA_VISIBLE_DEVICES");
    } else {
        found(f, FINDING_OK, v ? "CUDA_VISIBLE_DEVICES is '%s'" : "CUDA_VISIBLE_DEVICES is not set",
              v);
    }
}

static void check_nodes(finding *f, const machine *m)
{
    if (m->simulated) {
        found(f, FINDING_OK, "not needed: the driver is simulated");
    } else if (m->device_count > 0 && !m->denied_nodes) {
        found(f, FINDING_OK, "%d of /dev/nvidia*, all of use", m->device_nodes);
    } else if (m->denied_nodes) {
        found(f, m->device_count > 0 ? FINDING_WARN : FINDING_FAIL,
              "%d of the /dev/nvidia* nodes cannot be opened by this user", m->denied_nodes);
        fix(f, "join the group that owns them (ls -l /dev/nvidia*), often video, and log in again");
    } else if (m->control_node && !m->device_nodes) {
        found(f, FINDING_FAIL, "/dev/nvidiactl is there, and no /dev/nvidia0");
        fix(f, "run nvidia-modprobe -c 0 as root; in a container, start it with --gpus all");
    } else if (m->device_nodes && !m->control_node) {
        found(f, FINDING_FAIL, "/dev/nvidia0 is there, and no /dev/nvidiactl");
        fix(f, "run nvidia-modprobe as root; in a container, start it with --gpus all");
    } else {
        found(f, FINDING_OK, "%d of /dev/nvidia*", m->device_nodes);
    }
}

static void check_container(finding *f, const machine *m)
{
    if (!m->container) {
        found(f, FINDING_OK, "no container");
    } else if (m->simulated) {
        found(f, FINDING_OK, "a container; the driver is simulated and needs no GPU");
    } else if (!m->control_node && !m->device_count && !m->wsl) {
        found(f, FINDING_WARN, "a container that was given no GPU: no /dev/nvidiactl");
        fix(f, "start it with --gpus all (Docker) or --device nvidia.com/gpu=all (Podman)");
    } else {
        found(f, FINDING_OK, "a container with a GPU");
    }
}

static void check_wsl(finding *f, const machine *m)
{
    if (!m->wsl) {
        found(f, FINDING_OK, "not under WSL");
    } else if (m->driver_path && !m->simulated && !strstr(m->driver_path, "/wsl/")) {
        found(f, FINDING_FAIL, "under WSL the driver is Windows's, and %s is another",
              m->driver_path);
        fix(f, "remove the Linux driver packages, and put /usr/lib/wsl/lib first");
    } else {
        found(f, FINDING_OK, "under WSL, with Windows's driver");
    }
}

static const char *version_text(const machine_piece *p, char *out, size_t size)
{
    if (p->major)
        snprintf(out, size, "%s %d.%d", p->name, p->major, p->minor);
    else
        snprintf(out, size, "%s of unknown version", p->name);
    return out;
}

static void check_nvrtc(finding *f, const machine *m)
{
    const machine_piece *p = &m->pieces[MACHINE_NVRTC];
    char version[64];

    if (!p->path) {
        found(f, FINDING_WARN,
              "NVRTC is not found: CUDA C++ cannot be compiled; PTX and cubins "
              "run all the same");
        fix(f, "pip install nvidia-cuda-nvrtc, or set CUDA_PATH; see cucore find nvrtc");
        return;
    }
    if (!p->major) {
        found(f, FINDING_FAIL, "%s is found and cannot be used", p->path);
        fix(f, "install it again; CUCORE_NVRTC=/path/of/libnvrtc.so.13 names another");
        return;
    }
    found(f, FINDING_OK, "%s, %s (%s)", version_text(p, version, sizeof(version)), p->path,
          p->method);
}

static void check_nvjitlink(finding *f, const machine *m)
{
    const machine_piece *p = &m->pieces[MACHINE_NVJITLINK];
    char version[64];

    if (!p->path) {
        found(f, FINDING_WARN,
              "nvJitLink is not found: LTO-IR cannot be linked, and PTX only by "
              "a driver");
        fix(f, "pip install nvidia-nvjitlink, or set CUDA_PATH; see cucore find nvjitlink");
        return;
    }
    found(f, FINDING_OK, "%s, %s (%s)", version_text(p, version, sizeof(version)), p->path,
          p->method);
}

// Checks nvFatbin, which only cucore build needs.
static void check_nvfatbin(finding *f, const machine *m)
{
    const machine_piece *p = &m->pieces[MACHINE_NVFATBIN];
    char version[64];

    if (!p->path)
        found(f, FINDING_OK,
              "nvFatbin is not found; only cucore build needs it: pip install nvidia-nvfatbin");
    else if (p->major)
        found(f, FINDING_OK, "%s, %s (%s)", version_text(p, version, sizeof(version)), p->path,
              p->method);
    else {
        found(f, FINDING_WARN, "%s is found and cannot be used", p->path);
        fix(f, "install it anew; CUCORE_NVFATBIN=/path/of/libnvfatbin.so.13 names another");
    }
}

static void check_headers(finding *f, const machine *m)
{
    const machine_piece *p = &m->pieces[MACHINE_CUDART_HEADERS];
    const machine_piece *cccl = &m->pieces[MACHINE_CCCL_HEADERS];

    if (!p->path) {
        found(f, FINDING_WARN,
              "the CUDA headers are not found: sources that include <cuda_fp16.h> "
              "and the like do not compile");
        fix(f, "pip install nvidia-cuda-runtime nvidia-cuda-cccl, or set CUDA_PATH");
    } else if (!cccl->path) {
        found(f, FINDING_WARN, "%s has no CCCL: sources that include <cuda/std/...> do not compile",
              p->path);
        fix(f, "pip install nvidia-cuda-cccl, or set CUDA_PATH");
    } else {
        found(f, FINDING_OK, "%s (%s)", p->path, p->method);
    }
}

static void check_toolkits(finding *f, const machine *m)
{
    static const int mixed[] = { MACHINE_NVRTC, MACHINE_NVJITLINK, MACHINE_CUDART_HEADERS };
    const machine_piece *first = NULL;
    char one[64];
    char other[64];

    for (size_t i = 0; i < CUC_LENGTH(mixed); i++) {
        const machine_piece *p = &m->pieces[mixed[i]];
        if (!p->path || !p->major)
            continue;
        if (!first) {
            first = p;
        } else if (p->major != first->major || p->minor != first->minor) {
            // A linker accepts the output of an NVRTC with the same or an earlier minor version.
            bool harmless = p->major == first->major && !p->headers && p->minor > first->minor;
            found(f,
                  p->major != first->major ? FINDING_FAIL
                  : harmless               ? FINDING_OK
                                           : FINDING_WARN,
                  "%s of %s and %s%s of %s are of two toolkits",
                  version_text(first, one, sizeof(one)), first->path,
                  version_text(p, other, sizeof(other)), p->headers ? " headers" : "", p->path);
            fix(f, "set CUDA_PATH to one toolkit, or CUCORE_NVRTC, CUCORE_NVJITLINK and "
                   "CUCORE_CUDART_INCLUDE to pieces of one version");
            if (f->severity != FINDING_OK)
                return;
        }
    }
    if (!first)
        found(f, FINDING_OK, "nothing to compare");
    else if (!*f->text)
        found(f, FINDING_OK, "compiler, linker and headers are of CUDA %d.%d", first->major,
              first->minor);
    if (f->severity == FINDING_OK)
        f->fix[0] = '\0';
}

static void check_compiler_age(finding *f, const machine *m)
{
    const machine_piece *p = &m->pieces[MACHINE_NVRTC];
    int driver_major = m->driver_version / 1000;
    int driver_minor = m->driver_version % 1000 / 10;

    if (!m->driver_version || !p->major) {
        found(f, FINDING_OK, "nothing to compare");
    } else if (p->major > driver_major) {
        found(f, FINDING_FAIL,
              "NVRTC is of CUDA %d.%d and the driver of %d.%d: it loads neither its PTX nor its "
              "cubins",
              p->major, p->minor, driver_major, driver_minor);
        fix(f, "update the driver, or install NVRTC of CUDA %d", driver_major);
    } else if (p->major == driver_major && p->minor > driver_minor) {
        found(f, FINDING_WARN,
              "NVRTC is of CUDA %d.%d and the driver of %d.%d: it loads its cubins, not its PTX",
              p->major, p->minor, driver_major, driver_minor);
        fix(f, "compile to cubins, update the driver, or install NVRTC %d.%d", driver_major,
            driver_minor);
    } else {
        found(f, FINDING_OK, "the driver loads what NVRTC %d.%d compiles", p->major, p->minor);
    }
}

static void check_homes(finding *f, const machine *m)
{
    if (!m->one_home) {
        found(f, FINDING_WARN, "CUDA_PATH is '%s' and CUDA_HOME '%s'; CUDA_PATH counts",
              m->cuda_path, m->cuda_home);
        fix(f, "unset one of them, or set both alike");
    } else if (m->cuda_path || m->cuda_home) {
        found(f, FINDING_OK, "%s", m->cuda_path ? m->cuda_path : m->cuda_home);
    } else {
        found(f, FINDING_OK, "CUDA_PATH and CUDA_HOME are not set");
    }
}

static void check_stubs(finding *f, const machine *m)
{
    bool loaded = m->driver_path && strstr(m->driver_path, "/stubs/");

    if (loaded || (m->library_path && strstr(m->library_path, "stubs"))) {
        found(f, loaded ? FINDING_FAIL : FINDING_WARN,
              loaded ? "the driver library is a stub for linking: %s"
                     : "LD_LIBRARY_PATH has a folder of stub libraries: %s",
              loaded ? m->driver_path : m->library_path);
        fix(f, "take the stubs folder out of LD_LIBRARY_PATH: it is for the linker alone");
    } else {
        found(f, FINDING_OK, "no stub of libcuda in the way");
    }
}

static void check_mps(finding *f, const machine *m)
{
    if (!m->mps_pipe_directory) {
        found(f, FINDING_OK, "CUDA_MPS_PIPE_DIRECTORY is not set");
    } else if (!m->mps_pipe) {
        found(f, FINDING_WARN, "CUDA_MPS_PIPE_DIRECTORY is '%s', which does not exist",
              m->mps_pipe_directory);
        fix(f, "start nvidia-cuda-mps-control -d, or unset CUDA_MPS_PIPE_DIRECTORY");
    } else {
        found(f, FINDING_OK,
              "MPS at %s: a faulty kernel of one client ends the others of its server",
              m->mps_pipe_directory);
    }
}

static void check_blocking(finding *f, const machine *m)
{
    if (m->blocking && *m->blocking && strcmp(m->blocking, "0") != 0) {
        found(f, FINDING_WARN, "every launch waits for its kernel: LAUNCH_BLOCKING is set");
        fix(f, "unset CUCORE_LAUNCH_BLOCKING and CUDA_LAUNCH_BLOCKING when done with debugging");
    } else {
        found(f, FINDING_OK, "launches do not wait");
    }
}

static const char elsewhere[] = "set CUCORE_CACHE_DIR to a folder of your own";

// Checks a folder that the library would use.
static void check_folder(finding *f, const machine_cache *c)
{
    enum { LEAST_BYTES = 16 << 20 };
    const char *dir = c->info.dir;

    if (c->error) {
        found(f, FINDING_WARN, "%s cannot be %s: %s; nothing new is kept", dir,
              c->exists ? "written" : "made", strerror(c->error));
        fix(f, "%s that can be written", elsewhere);
    } else if (c->free_known && c->free_bytes < LEAST_BYTES) {
        found(f, FINDING_WARN, "the file system of %s has %" PRIu64 " bytes left", dir,
              c->free_bytes);
        fix(f, "remove files there, or %s on another one", elsewhere);
    } else if (c->no_locks) {
        found(f, FINDING_WARN,
              "the file system of %s has no locks: processes compile the same program at once",
              dir);
        fix(f, "%s on a local file system", elsewhere);
    } else if (*c->info.off) {
        found(f, FINDING_WARN, "%s is not used: %s", dir, c->info.off);
        fix(f, "%s", elsewhere);
    } else if (c->exists) {
        found(f, FINDING_OK, "%s, %" PRIu64 " entries, %" PRIu64 " of %" PRIu64 " bytes", dir,
              c->info.entries, c->info.bytes, c->info.max_bytes);
    } else {
        found(f, FINDING_OK, "%s, made when the first entry is kept", dir);
    }
}

static void check_cache(finding *f, const machine *m)
{
    const machine_cache *c = &m->cache;

    if (!*c->info.dir) {
        bool wanted = strcmp(c->info.off, "CUCORE_CACHE is 0") == 0;
        found(f, wanted ? FINDING_OK : FINDING_WARN, "off: %s", c->info.off);
        if (!wanted)
            fix(f, "%s",
                strstr(c->info.off, "MAX_BYTES") ? "correct or unset CUCORE_CACHE_MAX_BYTES"
                                                 : elsewhere);
    } else if (c->foreign) {
        found(f, FINDING_WARN, "%s belongs to another user and is not used", c->info.dir);
        fix(f, "%s, or give the folder to this user (chown)", elsewhere);
    } else if (c->open) {
        found(f, FINDING_WARN, "others can write to %s, so it is not used", c->info.dir);
        fix(f, "chmod go-w '%s', then cucore cache clear, as others may have left entries there",
            c->info.dir);
    } else {
        check_folder(f, c);
    }
}

static const struct {
    const char *name;
    void (*check)(finding *f, const machine *m);
} checks[] = {
    { "driver", check_driver },
    { "devices", check_devices },
    { "visible-devices", check_visible },
    { "device-nodes", check_nodes },
    { "container", check_container },
    { "wsl", check_wsl },
    { "nvrtc", check_nvrtc },
    { "nvjitlink", check_nvjitlink },
    { "nvfatbin", check_nvfatbin },
    { "headers", check_headers },
    { "one-toolkit", check_toolkits },
    { "compiler-age", check_compiler_age },
    { "cuda-path", check_homes },
    { "stubs", check_stubs },
    { "mps", check_mps },
    { "launch-blocking", check_blocking },
    { "cache", check_cache },
};

size_t doctor_check_count(void)
{
    return CUC_LENGTH(checks);
}

const char *doctor_check_name(size_t index)
{
    return checks[index].name;
}

void doctor_check(finding *out, size_t index, const machine *m)
{
    *out = (finding){ 0 };
    checks[index].check(out, m);
}
