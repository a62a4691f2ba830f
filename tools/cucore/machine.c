#include "machine.h"

#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/find.h>
#include <cucore/system.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *copy_of(const char *text)
{
    return text && *text ? cli_copy_text(text, strlen(text)) : NULL;
}

static void look_at_driver(machine *m)
{
    const char *path;
    char version[CUC_NVML_DRIVER_VERSION_BYTES];

    m->driver_status = cuc_driver_get_version(&m->driver_version);
    if (m->driver_status < 0) {
        m->driver_message = copy_of(cuc_error_message());
        m->driver_log = copy_of(cuc_error_log());
    } else if (cuc_driver_get_path(&path) == CUC_OK) {
        m->driver_path = copy_of(path);
    }
    m->simulated = cuc_driver_is_simulated();
    if (!m->simulated && cuc_nvml_get_driver_version(version, sizeof(version)) == CUC_OK)
        m->kernel_driver = copy_of(version);

    m->devices_status = m->driver_status < 0 ? m->driver_status
                                             : cuc_device_get_count(&m->device_count);
    if (m->devices_status < 0)
        m->devices_message = copy_of(cuc_error_message());
}

// Return the number after #define NAME in a header; 0 if it is absent.
static int header_number(const char *directory, const char *header, const char *name)
{
    char path[4096];
    void *text;
    size_t bytes;
    cli_why why;
    int number = 0;

    if (snprintf(path, sizeof(path), "%s/%s", directory, header) >= (int)sizeof(path) ||
        !cli_read_file(&text, &bytes, path, &why))
        return 0;
    for (const char *at = text; (at = strstr(at, "#define ")) != NULL;) {
        at += strlen("#define ");
        if (strncmp(at, name, strlen(name)) == 0 && strchr(" \t", at[strlen(name)])) {
            number = atoi(at + strlen(name));
            break;
        }
    }
    free(text);
    return number;
}

static void ask_version(machine_piece *p, int piece)
{
    int32_t major = 0;
    int32_t minor = 0;
    int32_t number = 0;
    bool known = false;

    switch (piece) {
    case MACHINE_NVRTC:
        known = cuc_nvrtc_get_version(&major, &minor) == CUC_OK;
        break;
    case MACHINE_NVJITLINK:
        known = cuc_nvjitlink_get_version(&major, &minor) == CUC_OK;
        break;
    case MACHINE_NVFATBIN:
        known = cuc_nvfatbin_get_version(&major, &minor) == CUC_OK;
        break;
    case MACHINE_CUDART:
        known = cuc_runtime_get_version(&number) == CUC_OK;
        break;
    case MACHINE_CUDART_HEADERS:
        number = header_number(p->path, "cuda_runtime_api.h", "CUDART_VERSION");
        known = number > 0;
        break;
    default:
        break;
    }
    if (known) {
        p->major = number ? number / 1000 : major;
        p->minor = number ? number % 1000 / 10 : minor;
    }
}

static void look_at_pieces(machine *m)
{
#define PIECE(constant, piece, folder) [constant] = { .name = (piece), .headers = (folder) },
    static const machine_piece list[MACHINE_PIECES] = { MACHINE_PIECE_LIST(PIECE) };
#undef PIECE

    for (int i = 0; i < MACHINE_PIECES; i++) {
        machine_piece *p = &m->pieces[i];
        cuc_found *found;
        *p = list[i];
        if ((p->headers ? cuc_find_header_dir(&found, p->name)
                        : cuc_find_library(&found, p->name)) != CUC_OK)
            continue;
        p->path = copy_of(cuc_found_path(found));
        p->method = copy_of(cuc_found_method(found));
        cuc_found_release(found);
        ask_version(p, i);
    }
}

static bool file_has(const char *path, const char *const *words)
{
    void *text;
    size_t bytes;
    cli_why why;
    bool has = false;

    if (!cli_read_file(&text, &bytes, path, &why))
        return false;
    for (; *words && !has; words++)
        has = strstr(text, *words) != NULL;
    free(text);
    return has;
}

static bool in_container(void)
{
    static const char *const marks[] = { "/docker", "/kubepods", "containerd",
                                         "/lxc",    "libpod",    NULL };

    return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
           file_has("/proc/1/cgroup", marks);
}

// Look for an NVIDIA display or 3D controller on the PCI bus.
static bool gpu_on_bus(void)
{
    static const char root[] = "/sys/bus/pci/devices";
    static const char *const vendor[] = { "0x10de", NULL };
    static const char *const display[] = { "0x0300", "0x0302", NULL };
    DIR *dir = opendir(root);
    struct dirent *entry;
    bool is_one = false;

    while (dir && !is_one && (entry = readdir(dir)) != NULL) {
        char path[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s/vendor", root, entry->d_name);
        is_one = file_has(path, vendor);
        snprintf(path, sizeof(path), "%s/%s/class", root, entry->d_name);
        is_one = is_one && file_has(path, display);
    }
    if (dir)
        closedir(dir);
    return is_one;
}

// Check a device node's permissions with access(). open() would also detect a container's device
// rules, but it may start the device, so leave that to the driver.
static bool node(const char *name, int *denied)
{
    char path[300];

    snprintf(path, sizeof(path), "/dev/%s", name);
    if (access(path, F_OK) != 0)
        return false;
    *denied += access(path, R_OK | W_OK) != 0;
    return true;
}

static void look_at_nodes(machine *m)
{
    DIR *dir = opendir("/dev");
    struct dirent *entry;

    m->control_node = node("nvidiactl", &m->denied_nodes);
    while (dir && (entry = readdir(dir)) != NULL) {
        const char *digits = entry->d_name + strlen("nvidia");
        if (strncmp(entry->d_name, "nvidia", strlen("nvidia")) == 0 && *digits &&
            strspn(digits, "0123456789") == strlen(digits))
            m->device_nodes += node(entry->d_name, &m->denied_nodes);
    }
    if (dir)
        closedir(dir);
}

static bool same_folder(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL);
    char *real_b = realpath(b, NULL);
    bool same = real_a && real_b ? strcmp(real_a, real_b) == 0 : strcmp(a, b) == 0;

    free(real_a);
    free(real_b);
    return same;
}

static void look_at_system(machine *m)
{
    static const char *const wsl[] = { "microsoft", "Microsoft", NULL };
    const char *blocking = getenv("CUCORE_LAUNCH_BLOCKING");

    m->container = in_container();
    m->wsl = file_has("/proc/version", wsl);
    m->gpu_on_bus = gpu_on_bus();
    look_at_nodes(m);
    m->driver_choice = getenv("CUCORE_DRIVER");
    m->cuda_path = getenv("CUDA_PATH");
    m->cuda_home = getenv("CUDA_HOME");
    m->visible_devices = getenv("CUDA_VISIBLE_DEVICES");
    m->library_path = getenv("LD_LIBRARY_PATH");
    m->mps_pipe_directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
    m->blocking = blocking ? blocking : getenv("CUDA_LAUNCH_BLOCKING");
    m->mps_pipe = m->mps_pipe_directory && access(m->mps_pipe_directory, F_OK) == 0;
    m->one_home = !m->cuda_path || !m->cuda_home || same_folder(m->cuda_path, m->cuda_home);
}

void machine_look(machine *m)
{
    *m = (machine){ 0 };
    look_at_driver(m);
    look_at_pieces(m);
    look_at_system(m);
    machine_look_at_cache(m);
}

void machine_release(machine *m)
{
    for (int i = 0; i < MACHINE_PIECES; i++) {
        free(m->pieces[i].path);
        free(m->pieces[i].method);
    }
    free(m->driver_message);
    free(m->driver_log);
    free(m->driver_path);
    free(m->kernel_driver);
    free(m->devices_message);
    *m = (machine){ 0 };
}
