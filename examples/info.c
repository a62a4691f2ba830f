// Prints this machine's driver, toolkit libraries, devices and some of their properties.
#include "example.h"

static void print_library(const char *name)
{
    cuc_found *found;

    if (cuc_find_library(&found, name) < 0) {
        printf("%-10s not found\n", name);
        return;
    }
    printf("%-10s %s (by %s)\n", name, cuc_found_path(found), cuc_found_method(found));
    cuc_found_release(found);
}

int main(void)
{
    static const char *const names[] = { "cuda", "nvrtc", "nvjitlink", "nvml" };
    int32_t count;

    printf("cucore     %s\n", cuc_version_string());
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        print_library(names[i]);

    (void)example_device();
    CUC_MUST(cuc_device_get_count(&count));
    for (int32_t i = 0; i < count; i++) {
        cuc_device *device;
        cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
        uint64_t free_bytes, total_bytes;

        CUC_MUST(cuc_device_get(&device, i));
        CUC_MUST(cuc_device_get_properties(&p, device));
        CUC_MUST(cuc_device_get_memory_info(&free_bytes, &total_bytes, device));
        printf("\ndevice %d   %s, %s, PCI %s\n", i, cuc_device_name(device),
               cuc_device_arch(device), cuc_device_pci_bus_id(device));
        printf("  memory          %.1f GiB, %.1f GiB free\n", (double)total_bytes / (1 << 30),
               (double)free_bytes / (1 << 30));
        printf("  multiprocessors %d of %d threads\n", p.multiprocessor_count,
               p.max_threads_per_multiprocessor);
        printf("  shared memory   %d KiB a block with opt-in\n",
               p.max_shared_memory_per_block_optin / 1024);
        printf("  L2 cache        %d KiB\n", p.l2_cache_size / 1024);
        printf("  clusters        %s\n", p.cluster_launch ? "yes" : "no");
    }
    return 0;
}
