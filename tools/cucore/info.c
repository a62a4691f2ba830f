#include "base/array.h"
#include "machine.h"

#include <cucore/device.h>
#include <cucore/error.h>

#include <inttypes.h>
#include <string.h>

extern char **environ;

static const cli_option options[] = { CLI_JSON_OPTION };

// Return whether a variable affects cucore, the driver, or the search for libraries.
static bool is_of_interest(const char *entry)
{
    static const char *const prefixes[] = { "CUCORE_",         "CUDA_",        "NVIDIA_",
                                            "CONDA_PREFIX=",   "VIRTUAL_ENV=", "PYTHONPATH=",
                                            "LD_LIBRARY_PATH=" };

    for (size_t i = 0; i < CUC_LENGTH(prefixes); i++)
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return strchr(entry, '=') != NULL;
    return false;
}

static double gib(uint64_t bytes)
{
    return (double)bytes / (1 << 30);
}

static int32_t attribute(cuc_device *device, int32_t which)
{
    int32_t value = 0;

    return cuc_device_get_attribute(&value, device, which) == CUC_OK ? value : 0;
}

static json_t *attributes_json(cuc_device *device)
{
    json_t *all = cli_object();

    for (size_t i = 0; i < cuc_device_attribute_count(); i++) {
        int32_t which;
        int32_t value;
        const char *name;
        if (cuc_device_attribute_at(&which, &name, NULL, i) != CUC_OK)
            continue;
        cli_set(all, name,
                cuc_device_get_attribute(&value, device, which) == CUC_OK ? cli_integer(value)
                                                                          : json_null());
    }
    return all;
}

static json_t *device_json(cuc_device *device)
{
    json_t *entry = cli_object();
    int32_t major = 0;
    int32_t minor = 0;
    uint64_t free_bytes;
    uint64_t total_bytes;
    char capability[32];

    cuc_device_get_compute_capability(&major, &minor, device);
    snprintf(capability, sizeof(capability), "%d.%d", major, minor);
    cli_set(entry, "ordinal", cli_integer(cuc_device_ordinal(device)));
    cli_set(entry, "name", cli_text(cuc_device_name(device)));
    cli_set(entry, "uuid", cli_text(cuc_device_uuid(device)));
    cli_set(entry, "pci", cli_text(cuc_device_pci_bus_id(device)));
    cli_set(entry, "arch", cli_text(cuc_device_arch(device)));
    cli_set(entry, "compute_capability", cli_text(capability));
    bool known = cuc_device_get_memory_info(&free_bytes, &total_bytes, device) == CUC_OK;
    cli_set(entry, "memory_bytes", known ? cli_integer((int64_t)total_bytes) : json_null());
    cli_set(entry, "free_bytes", known ? cli_integer((int64_t)free_bytes) : json_null());
    cli_set(entry, "attributes", attributes_json(device));
    return entry;
}

static void print_device(cuc_device *device)
{
    uint64_t free_bytes;
    uint64_t total_bytes;
    char label[32];

    snprintf(label, sizeof(label), "device %d", cuc_device_ordinal(device));
    cli_row(label, "%s, %s", cuc_device_name(device), cuc_device_arch(device));
    cli_row("", "%s, PCI %s", cuc_device_uuid(device), cuc_device_pci_bus_id(device));
    cli_row("", "%d SMs at %d MHz, memory at %d MHz",
            attribute(device, CUC_DEVICE_MULTIPROCESSOR_COUNT),
            attribute(device, CUC_DEVICE_CLOCK_RATE) / 1000,
            attribute(device, CUC_DEVICE_MEMORY_CLOCK_RATE) / 1000);
    if (cuc_device_get_memory_info(&free_bytes, &total_bytes, device) == CUC_OK)
        cli_row("", "%.1f GiB, of which %.1f GiB are free", gib(total_bytes), gib(free_bytes));
    else
        cli_row("", "its memory cannot be asked for: %s", cuc_error_message());
}

static const char *piece_version(const machine_piece *p, char *out, size_t size)
{
    out[0] = '\0';
    if (p->major)
        snprintf(out, size, "%d.%d", p->major, p->minor);
    return out;
}

static json_t *driver_json(const machine *m)
{
    json_t *driver = cli_object();
    char version[32];

    snprintf(version, sizeof(version), "%d.%d", m->driver_version / 1000,
             m->driver_version % 1000 / 10);
    cli_set(driver, "version", cli_text(m->driver_version ? version : NULL));
    cli_set(driver, "path", cli_text(m->driver_path));
    cli_set(driver, "simulated", cli_bool(m->simulated));
    cli_set(driver, "kernel_driver", cli_text(m->kernel_driver));
    cli_set(driver, "problem",
            cli_text(m->driver_message ? m->driver_message : m->devices_message));
    cli_set(driver, "tried", cli_text(m->driver_log));
    return driver;
}

static json_t *pieces_json(const machine *m, bool headers)
{
    json_t *list = cli_array();
    char version[32];

    for (int i = 0; i < MACHINE_PIECES; i++) {
        const machine_piece *p = &m->pieces[i];
        if (p->headers != headers)
            continue;
        json_t *entry = cli_object();
        cli_set(entry, "name", cli_text(p->name));
        cli_set(entry, "path", cli_text(p->path));
        cli_set(entry, "method", cli_text(p->method));
        cli_set(entry, "version",
                cli_text(p->major ? piece_version(p, version, sizeof(version)) : NULL));
        cli_append(list, entry);
    }
    return list;
}

static int print_json(const machine *m)
{
    json_t *document = cli_document(true);
    json_t *devices = cli_array();
    json_t *environment = cli_object();
    json_t *cache = cli_object();

    cli_set(document, "version", cli_text(cuc_version_string()));
    cli_set(document, "driver", driver_json(m));
    cli_set(document, "libraries", pieces_json(m, false));
    cli_set(document, "headers", pieces_json(m, true));
    for (int32_t i = 0; i < m->device_count; i++) {
        cuc_device *device;
        json_t *entry;
        if (cuc_device_get(&device, i) == CUC_OK) {
            entry = device_json(device);
        } else {
            entry = cli_object();
            cli_set(entry, "ordinal", cli_integer(i));
            cli_set(entry, "problem", cli_text(cuc_error_message()));
        }
        cli_append(devices, entry);
    }
    cli_set(document, "devices", devices);
    machine_set_cache(cache, &m->cache.info);
    cli_set(document, "cache", cache);
    for (char **e = environ; *e; e++)
        if (is_of_interest(*e)) {
            size_t length = strcspn(*e, "=");
            char name[128];
            snprintf(name, sizeof(name), "%.*s", (int)length, *e);
            cli_set(environment, name, cli_text(*e + length + 1));
        }
    cli_set(document, "environment", environment);
    return cli_print_json(document, CLI_DONE);
}

static void print_driver(const machine *m)
{
    if (m->driver_status < 0) {
        cli_row("driver", "none: %s", m->driver_message);
        return;
    }
    cli_row("driver", "CUDA %d.%d%s%s%s", m->driver_version / 1000, m->driver_version % 1000 / 10,
            m->kernel_driver ? ", driver " : "", m->kernel_driver ? m->kernel_driver : "",
            m->simulated ? ", simulated: it runs no GPU" : "");
    cli_row("", "%s", m->driver_path ? m->driver_path : "of unknown path");
}

static void print_pieces(const machine *m)
{
    char version[32];

    for (int i = 0; i < MACHINE_PIECES; i++) {
        const machine_piece *p = &m->pieces[i];
        char label[32];
        snprintf(label, sizeof(label), "%s%s", p->name, p->headers ? " headers" : "");
        if (p->path)
            cli_row(label, "%s%s%s (%s)", piece_version(p, version, sizeof(version)),
                    p->major ? ", " : "", p->path, p->method);
        else
            cli_row(label, "not found; cucore find %s%s shows where it looked",
                    p->headers ? "--header " : "", p->name);
    }
}

static void print_cache(const cuc_cache_info *c)
{
    if (*c->dir)
        cli_row("cache", "%s", c->dir);
    if (*c->off)
        cli_row(*c->dir ? "" : "cache", "off: %s", c->off);
    else
        cli_row("", "%" PRIu64 " entries, %" PRIu64 " of %" PRIu64 " bytes", c->entries, c->bytes,
                c->max_bytes);
}

static int print_text(const machine *m)
{
    const char *label = "environment";

    cli_row("cucore", "%s", cuc_version_string());
    print_driver(m);
    print_pieces(m);
    for (int32_t i = 0; i < m->device_count; i++) {
        cuc_device *device;
        if (cuc_device_get(&device, i) == CUC_OK)
            print_device(device);
        else
            cli_row("device", "%d cannot be used: %s", i, cuc_error_message());
    }
    if (m->device_count == 0)
        cli_row("devices", "none: %s",
                m->driver_status < 0    ? "there is no driver"
                : m->devices_status < 0 ? m->devices_message
                : m->visible_devices    ? "CUDA_VISIBLE_DEVICES leaves none"
                                        : "the driver sees no GPU");
    print_cache(&m->cache.info);
    for (char **e = environ; *e; e++)
        if (is_of_interest(*e)) {
            cli_row(label, "%s", *e);
            label = "";
        }
    if (*label)
        cli_row(label, "no CUCORE_ or CUDA_ variable is set");
    return CLI_DONE;
}

static int run(int argc, char **argv)
{
    cli_parser parser;
    const char *value;
    machine m;

    cli_parse(&parser, &cli_info, argc, argv);
    if (cli_next(&parser, &value))
        return parser.status;
    if (parser.operand_count)
        return cli_usage_error("'%s' is not expected", parser.operands[0]);
    machine_look(&m);
    int status = cli_json_wanted() ? print_json(&m) : print_text(&m);
    machine_release(&m);
    return status;
}

const cli_command cli_info = {
    .name = "info",
    .summary = "Print what there is: driver, toolkit, devices, cache, environment",
    .usage = "[--json]",
    .examples = "  cucore info\n"
                "  cucore info --json | jq '.devices[0].attributes.max_threads_per_block'\n",
    .details = "Works without a GPU and without a driver, and says why there is none. With --json, "
               "each device has\nall its attributes.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
