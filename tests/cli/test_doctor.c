#include "base/array.h"
#include "machine.h"
#include "tests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Describes a machine without problems; each test breaks one thing.
static machine healthy(void)
{
    machine m = {
        .driver_status = CUC_OK,
        .driver_version = 13000,
        .driver_path = "/usr/lib/libcuda.so.1",
        .kernel_driver = "580.65.06",
        .devices_status = CUC_OK,
        .device_count = 1,
        .gpu_on_bus = true,
        .control_node = true,
        .device_nodes = 1,
        .one_home = true,
        .cache = { .info = { .dir = "/home/me/.cache/cucore",
                             .off = "",
                             .max_bytes = 1000,
                             .bytes = 10,
                             .entries = 2 },
                   .exists = true },
    };
    static const char *const names[] = { "nvrtc", "nvjitlink", "nvfatbin", "cudart",
                                         "nvml",  "cudart",    "cccl" };

    for (int i = 0; i < MACHINE_PIECES; i++)
        m.pieces[i] = (machine_piece){ .name = names[i],
                                       .headers = i >= MACHINE_CUDART_HEADERS,
                                       .path = "/usr/local/cuda/x",
                                       .method = "standard",
                                       .major = 13 };
    return m;
}

static void no_driver(machine *m)
{
    m->driver_status = m->devices_status = CUC_ERROR_NO_DRIVER;
    m->driver_version = 0;
    m->driver_path = m->kernel_driver = NULL;
    m->driver_message = "no CUDA driver";
    m->device_count = 0;
    m->control_node = m->gpu_on_bus = false;
    m->device_nodes = 0;
}

static void nothing(machine *m)
{
    (void)m;
}

static void driver_missing_beside_nodes(machine *m)
{
    no_driver(m);
    m->control_node = true;
}

static void driver_missing_for_gpu(machine *m)
{
    no_driver(m);
    m->gpu_on_bus = true;
}

static void driver_choice_wrong(machine *m)
{
    no_driver(m);
    m->driver_choice = "/nowhere.so";
}

static void driver_too_old(machine *m)
{
    no_driver(m);
    m->driver_status = CUC_ERROR_DRIVER_TOO_OLD;
    m->driver_message = "the driver is of CUDA 11.4";
}

static void no_devices(machine *m)
{
    m->device_count = 0;
}

static void devices_hidden(machine *m)
{
    m->device_count = 0;
    m->visible_devices = "";
}

static void devices_refused(machine *m)
{
    m->devices_status = CUC_ERROR_DRIVER;
    m->devices_message = "cuInit returned 999";
    m->device_count = 0;
}

static void simulated_refused(machine *m)
{
    devices_refused(m);
    m->simulated = true;
}

static void nodes_denied(machine *m)
{
    m->device_count = 0;
    m->denied_nodes = 2;
}

static void one_node_denied(machine *m)
{
    m->denied_nodes = 1;
}

static void only_control_node(machine *m)
{
    m->device_count = 0;
    m->device_nodes = 0;
}

static void container_without(machine *m)
{
    no_driver(m);
    m->container = true;
}

static void no_simulated_devices(machine *m)
{
    no_devices(m);
    m->simulated = true;
}

static void container_simulated(machine *m)
{
    m->container = true;
    m->simulated = true;
}

static void container_with(machine *m)
{
    m->container = true;
}

static void wsl_with_linux_driver(machine *m)
{
    m->wsl = true;
}

static void wsl_as_it_should_be(machine *m)
{
    m->wsl = true;
    m->driver_path = "/usr/lib/wsl/lib/libcuda.so.1";
}

static void no_nvrtc(machine *m)
{
    m->pieces[MACHINE_NVRTC].path = NULL;
    m->pieces[MACHINE_NVRTC].major = 0;
}

static void broken_nvrtc(machine *m)
{
    m->pieces[MACHINE_NVRTC].major = 0;
}

static void no_nvfatbin(machine *m)
{
    m->pieces[MACHINE_NVFATBIN].path = NULL;
}

static void broken_nvfatbin(machine *m)
{
    m->pieces[MACHINE_NVFATBIN].major = 0;
}

static void no_nvjitlink(machine *m)
{
    m->pieces[MACHINE_NVJITLINK].path = NULL;
}

static void no_headers(machine *m)
{
    m->pieces[MACHINE_CUDART_HEADERS].path = NULL;
}

static void no_cccl(machine *m)
{
    m->pieces[MACHINE_CCCL_HEADERS].path = NULL;
}

static void linker_of_12(machine *m)
{
    m->pieces[MACHINE_NVJITLINK].major = 12;
}

static void older_linker(machine *m)
{
    m->pieces[MACHINE_NVRTC].minor = 1;
    m->driver_version = 13010;
}

static void newer_linker(machine *m)
{
    m->pieces[MACHINE_NVJITLINK].minor = 1;
}

static void other_headers(machine *m)
{
    m->pieces[MACHINE_CUDART_HEADERS].minor = 2;
}

static void nvrtc_newer_by_minor(machine *m)
{
    m->pieces[MACHINE_NVRTC].minor = 2;
}

static void nvrtc_newer_by_major(machine *m)
{
    m->driver_version = 12080;
}

static void nvrtc_older(machine *m)
{
    m->driver_version = 13020;
}

static void two_homes(machine *m)
{
    m->cuda_path = "/a";
    m->cuda_home = "/b";
    m->one_home = false;
}

static void stub_on_path(machine *m)
{
    m->library_path = "/usr/local/cuda/lib64/stubs";
}

static void stub_loaded(machine *m)
{
    m->driver_path = "/usr/local/cuda/lib64/stubs/libcuda.so.1";
}

static void mps_gone(machine *m)
{
    m->mps_pipe_directory = "/tmp/mps";
}

static void mps_there(machine *m)
{
    m->mps_pipe_directory = "/tmp/mps";
    m->mps_pipe = true;
}

static void blocking(machine *m)
{
    m->blocking = "1";
}

static void cache_off(machine *m)
{
    m->cache = (machine_cache){ .info = { .dir = "", .off = "CUCORE_CACHE is 0" } };
}

static void cache_nowhere(machine *m)
{
    m->cache =
        (machine_cache){ .info = { .dir = "", .off = "there is no folder: HOME is not set" } };
}

static void cache_limit_wrong(machine *m)
{
    m->cache = (machine_cache){ .info = { .dir = "", .off = "CUCORE_CACHE_MAX_BYTES is \"x\"" } };
}

static void cache_not_made(machine *m)
{
    m->cache.exists = false;
}

static void cache_foreign(machine *m)
{
    m->cache.foreign = m->cache.open = true;
}

static void cache_open(machine *m)
{
    m->cache.open = true;
}

static void cache_read_only(machine *m)
{
    m->cache.error = EROFS;
}

static void cache_cannot_be_made(machine *m)
{
    m->cache.exists = false;
    m->cache.error = EACCES;
}

static void cache_disk_full(machine *m)
{
    m->cache.free_known = true;
    m->cache.free_bytes = 4096;
}

static void cache_without_locks(machine *m)
{
    m->cache.no_locks = true;
}

static void cache_not_a_folder(machine *m)
{
    m->cache.info.off = "Not a directory";
}

static const struct {
    void (*make)(machine *m);
    const char *check;
    int severity;
    const char *says;
    const char *fix;
} rows[] = {
    { nothing, "driver", FINDING_OK, "CUDA 13.0, /usr/lib/libcuda.so.1, driver 580.65.06", "" },
    { no_driver, "driver", FINDING_WARN, "compile, find, explain and info work", "GPU" },
    { driver_missing_beside_nodes, "driver", FINDING_FAIL, "libcuda.so.1 cannot", "libcuda1" },
    { driver_missing_for_gpu, "driver", FINDING_FAIL, "no driver for it", "install" },
    { driver_choice_wrong, "driver", FINDING_FAIL, "/nowhere.so", "unset CUCORE_DRIVER" },
    { driver_too_old, "driver", FINDING_FAIL, "CUDA 11.4", "12.0 or later" },
    { no_driver, "devices", FINDING_OK, "no driver", "" },
    { no_devices, "devices", FINDING_WARN, "sees no device", "nvidia-smi" },
    { no_simulated_devices, "devices", FINDING_WARN, "sees no device", "CUCORE_SIM_DEVICES" },
    { devices_hidden, "devices", FINDING_WARN, "CUDA_VISIBLE_DEVICES is ''", "unset" },
    { devices_refused, "devices", FINDING_FAIL, "cuInit returned 999", "nvidia-smi" },
    { simulated_refused, "devices", FINDING_FAIL, "cuInit returned 999", "unset the variable" },
    { devices_hidden, "visible-devices", FINDING_WARN, "hides every device", "unset" },
    { nodes_denied, "device-nodes", FINDING_FAIL, "2 of the /dev/nvidia*", "group" },
    { one_node_denied, "device-nodes", FINDING_WARN, "1 of the /dev/nvidia*", "group" },
    { only_control_node, "device-nodes", FINDING_FAIL, "no /dev/nvidia0", "nvidia-modprobe" },
    { container_without, "driver", FINDING_WARN, "no CUDA driver", "GPU" },
    { container_without, "container", FINDING_WARN, "given no GPU", "--gpus all" },
    { container_with, "container", FINDING_OK, "with a GPU", "" },
    { container_simulated, "container", FINDING_OK, "the driver is simulated and needs no GPU",
      "" },
    { wsl_with_linux_driver, "wsl", FINDING_FAIL, "Windows", "/usr/lib/wsl/lib" },
    { wsl_as_it_should_be, "wsl", FINDING_OK, "Windows", "" },
    { no_nvrtc, "nvrtc", FINDING_WARN, "not found", "nvidia-cuda-nvrtc" },
    { broken_nvrtc, "nvrtc", FINDING_FAIL, "cannot be used", "CUCORE_NVRTC" },
    { no_nvfatbin, "nvfatbin", FINDING_OK, "only cucore build needs it", "" },
    { broken_nvfatbin, "nvfatbin", FINDING_WARN, "cannot be used", "CUCORE_NVFATBIN" },
    { no_nvjitlink, "nvjitlink", FINDING_WARN, "not found", "nvidia-nvjitlink" },
    { no_headers, "headers", FINDING_WARN, "cuda_fp16.h", "nvidia-cuda-runtime" },
    { no_cccl, "headers", FINDING_WARN, "cuda/std", "nvidia-cuda-cccl" },
    { linker_of_12, "one-toolkit", FINDING_FAIL, "nvjitlink 12.0", "CUDA_PATH" },
    { older_linker, "one-toolkit", FINDING_WARN, "nvrtc 13.1", "CUDA_PATH" },
    { newer_linker, "one-toolkit", FINDING_OK, "nvjitlink 13.1", "" },
    { other_headers, "one-toolkit", FINDING_WARN, "cudart 13.2 headers", "CUDA_PATH" },
    { nvrtc_newer_by_minor, "compiler-age", FINDING_WARN, "not its PTX", "NVRTC 13.0" },
    { nvrtc_newer_by_major, "compiler-age", FINDING_FAIL, "neither", "NVRTC of CUDA 12" },
    { nvrtc_older, "compiler-age", FINDING_OK, "NVRTC 13.0", "" },
    { no_driver, "compiler-age", FINDING_OK, "nothing to compare", "" },
    { two_homes, "cuda-path", FINDING_WARN, "'/a' and CUDA_HOME '/b'", "unset" },
    { stub_on_path, "stubs", FINDING_WARN, "LD_LIBRARY_PATH", "linker" },
    { stub_loaded, "stubs", FINDING_FAIL, "is a stub", "linker" },
    { mps_gone, "mps", FINDING_WARN, "does not exist", "nvidia-cuda-mps-control" },
    { mps_there, "mps", FINDING_OK, "/tmp/mps", "" },
    { blocking, "launch-blocking", FINDING_WARN, "waits", "unset" },
    { nothing, "cache", FINDING_OK, "/home/me/.cache/cucore, 2 entries, 10 of 1000 bytes", "" },
    { cache_not_made, "cache", FINDING_OK, "made when the first entry is kept", "" },
    { cache_off, "cache", FINDING_OK, "off: CUCORE_CACHE is 0", "" },
    { cache_nowhere, "cache", FINDING_WARN, "HOME is not set", "set CUCORE_CACHE_DIR" },
    { cache_limit_wrong, "cache", FINDING_WARN, "is \"x\"", "unset CUCORE_CACHE_MAX_BYTES" },
    { cache_foreign, "cache", FINDING_WARN, "another user", "chown" },
    { cache_open, "cache", FINDING_WARN, "others can write to /home/me", "chmod go-w '/home/me" },
    { cache_read_only, "cache", FINDING_WARN, "cannot be written: Read-only", "CUCORE_CACHE_DIR" },
    { cache_cannot_be_made, "cache", FINDING_WARN, "cannot be made: Permission", "can be written" },
    { cache_disk_full, "cache", FINDING_WARN, "has 4096 bytes left", "remove files" },
    { cache_without_locks, "cache", FINDING_WARN, "no locks", "local file system" },
    { cache_not_a_folder, "cache", FINDING_WARN, "Not a directory", "CUCORE_CACHE_DIR" },
};

static size_t index_of(const char *check)
{
    for (size_t i = 0; i < doctor_check_count(); i++)
        if (strcmp(doctor_check_name(i), check) == 0)
            return i;
    ck_abort_msg("no check is called %s", check);
    return 0;
}

CASE("checks");

TEST_ROWS(a_fault_is_found_by_its_check, rows)
{
    machine m = healthy();
    finding f;

    rows[_i].make(&m);
    doctor_check(&f, index_of(rows[_i].check), &m);
    ck_assert_msg(f.severity == rows[_i].severity, "%s gives %d: %s", rows[_i].check, f.severity,
                  f.text);
    ck_assert_msg(strstr(f.text, rows[_i].says) != NULL, "%s: %s", rows[_i].check, f.text);
    ck_assert_msg(*rows[_i].fix ? strstr(f.fix, rows[_i].fix) != NULL : !*f.fix, "%s: fix: %s",
                  rows[_i].check, f.fix);
}

TEST(a_healthy_machine_passes_every_check)
{
    machine m = healthy();
    finding f;

    for (size_t i = 0; i < doctor_check_count(); i++) {
        doctor_check(&f, i, &m);
        ck_assert_msg(f.severity == FINDING_OK, "%s: %s", doctor_check_name(i), f.text);
        ck_assert_msg(*f.text, "%s says nothing", doctor_check_name(i));
    }
}

TEST(a_machine_without_a_gpu_fails_no_check)
{
    machine m = healthy();
    finding f;

    no_driver(&m);
    for (size_t i = 0; i < doctor_check_count(); i++) {
        doctor_check(&f, i, &m);
        ck_assert_msg(f.severity != FINDING_FAIL, "%s: %s", doctor_check_name(i), f.text);
    }
}

TEST(a_finding_that_is_not_ok_has_a_fix_of_one_line)
{
    for (int r = 0; r < CUC_LENGTH(rows); r++) {
        machine m = healthy();
        finding f;
        rows[r].make(&m);
        for (size_t i = 0; i < doctor_check_count(); i++) {
            doctor_check(&f, i, &m);
            ck_assert_msg((f.severity == FINDING_OK) == !*f.fix, "%s: %s", doctor_check_name(i),
                          f.text);
            ck_assert_ptr_null(strchr(f.fix, '\n'));
        }
    }
}

int main(void)
{
    return run_tests("doctor");
}
