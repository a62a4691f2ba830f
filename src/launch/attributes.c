#include "base/array.h"
#include "base/options.h"
#include "launch.h"

#include "device/event.h"

#include <string.h>

// The device feature that a config field or an attribute needs.
enum need {
    NEEDS_NOTHING,
    NEEDS_CLUSTERS,
    NEEDS_COOPERATIVE,
    NEEDS_PROGRAMMATIC,
};

static cuc_status copy_value(CUlaunchAttributeValue *to, const cuc_launch_attribute *from,
                             const char *function)
{
    (void)function;
    // Each of these members of the driver's union is one 32-bit word at the start.
    memcpy(to, &from->value.value, sizeof(from->value.value));
    return CUC_OK;
}

static cuc_status copy_cluster(CUlaunchAttributeValue *to, const cuc_launch_attribute *from,
                               const char *function)
{
    const uint32_t *c = from->value.cluster;

    if (!c[0])
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "attribute %d has a cluster of 0,%u,%u, expected 1 or more blocks",
                         from->id, c[1], c[2]);
    to->clusterDim.x = c[0];
    to->clusterDim.y = c[1] ? c[1] : 1;
    to->clusterDim.z = c[2] ? c[2] : 1;
    return CUC_OK;
}

static cuc_status copy_window(CUlaunchAttributeValue *to, const cuc_launch_attribute *from,
                              const char *function)
{
    if (!(from->value.window.hit_ratio >= 0 && from->value.window.hit_ratio <= 1))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "hit_ratio of the access policy window is %g, expected 0 to 1",
                         (double)from->value.window.hit_ratio);
    to->accessPolicyWindow.base_ptr = (void *)(uintptr_t)from->value.window.base;
    to->accessPolicyWindow.num_bytes = (size_t)from->value.window.bytes;
    to->accessPolicyWindow.hitRatio = from->value.window.hit_ratio;
    to->accessPolicyWindow.hitProp = (CUaccessProperty)from->value.window.hit;
    to->accessPolicyWindow.missProp = (CUaccessProperty)from->value.window.miss;
    return CUC_OK;
}

static cuc_status copy_event(CUlaunchAttributeValue *to, const cuc_launch_attribute *from,
                             const char *function)
{
    const cuc_event *event = from->value.event.event;

    if (!cuc__handle_is_valid(event, CUC__HANDLE_EVENT))
        return cuc__fail_handle(event, CUC__HANDLE_EVENT, function, "the attribute's event");
    // The member launchCompletionEvent begins with the same two fields.
    to->programmaticEvent.event = event->handle;
    to->programmaticEvent.flags = from->value.event.flags;
    if (from->id == CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
        to->programmaticEvent.triggerAtBlockStart = from->value.event.trigger_at_start;
    return CUC_OK;
}

static cuc_status copy_domain_map(CUlaunchAttributeValue *to, const cuc_launch_attribute *from,
                                  const char *function)
{
    (void)function;
    to->memSyncDomainMap.default_ = from->value.domain_map.default_domain;
    to->memSyncDomainMap.remote = from->value.domain_map.remote_domain;
    return CUC_OK;
}

static cuc_status copy_device_node(CUlaunchAttributeValue *to, const cuc_launch_attribute *from,
                                   const char *function)
{
    (void)function;
    to->deviceUpdatableKernelNode.deviceUpdatable = from->value.device_node.updatable;
    return CUC_OK;
}

// All attributes of CUDA 13.0. `copy` is NULL for an attribute that a launch does not accept.
static const struct attribute {
    const char *name;
    cuc_status (*copy)(CUlaunchAttributeValue *, const cuc_launch_attribute *, const char *);
    enum need need;
    const char *refusal;
} table[] = {
    [CU_LAUNCH_ATTRIBUTE_IGNORE] = { "IGNORE", copy_value, NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW] = { "ACCESS_POLICY_WINDOW", copy_window,
                                                   NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_COOPERATIVE] = { "COOPERATIVE", copy_value, NEEDS_COOPERATIVE, NULL },
    [CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY] = { "SYNCHRONIZATION_POLICY", NULL, NEEDS_NOTHING,
                                                     "it is an attribute of streams only" },
    [CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION] = { "CLUSTER_DIMENSION", copy_cluster, NEEDS_CLUSTERS,
                                                NULL },
    [CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] = { "CLUSTER_SCHEDULING_POLICY",
                                                                   copy_value, NEEDS_CLUSTERS,
                                                                   NULL },
    [CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION] = { "PROGRAMMATIC_STREAM_SERIALIZATION",
                                                                copy_value, NEEDS_PROGRAMMATIC,
                                                                NULL },
    [CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT] = { "PROGRAMMATIC_EVENT", copy_event,
                                                 NEEDS_PROGRAMMATIC, NULL },
    [CU_LAUNCH_ATTRIBUTE_PRIORITY] = { "PRIORITY", copy_value, NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP] = { "MEM_SYNC_DOMAIN_MAP", copy_domain_map,
                                                  NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN] = { "MEM_SYNC_DOMAIN", copy_value, NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION] = { "PREFERRED_CLUSTER_DIMENSION",
                                                          copy_cluster, NEEDS_CLUSTERS, NULL },
    [CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT] = { "COMPLETION_EVENT", copy_event,
                                                      NEEDS_PROGRAMMATIC, NULL },
    [CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE] = { "DEVICE_UPDATABLE_KERNEL_NODE",
                                                           copy_device_node, NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = { "PREFERRED_SHARED_MEMORY_CARVEOUT",
                                                               copy_value, NEEDS_NOTHING, NULL },
    [CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING] = { "NVLINK_UTIL_CENTRIC_SCHEDULING",
                                                             copy_value, NEEDS_NOTHING, NULL },
};

static const size_t table_size = CUC_LENGTH(table);

static cuc_status check_need(enum need need, const char *what, const cuc_device *device,
                             const char *function)
{
    const char *feature = NULL;

    if (need == NEEDS_CLUSTERS && !device->limits.cluster_launch)
        feature = "thread block clusters (compute capability 9.0 and later)";
    else if (need == NEEDS_COOPERATIVE && !device->limits.cooperative_launch)
        feature = "cooperative launch";
    else if (need == NEEDS_PROGRAMMATIC && device->major < 9)
        feature = "programmatic dependent launch (compute capability 9.0 and later)";
    if (!feature)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function, "%s: device %d (%s, %s) has no %s", what,
                     device->ordinal, device->name, device->arch, feature);
}

static cuc_status add(CUlaunchConfig *out, const cuc_launch_attribute *from,
                      const cuc_device *device, const char *function)
{
    const struct attribute *row = from->id >= 0 && (size_t)from->id < table_size ? &table[from->id]
                                                                                 : NULL;

    if (!row || !row->name)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%d is not a launch attribute of CUDA 13.0", from->id);
    if (!row->copy)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "CUC_LAUNCH_ATTRIBUTE_%s (%d) cannot be given to a launch: %s", row->name,
                         from->id, row->refusal);
    if (from->reserved)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "reserved of attribute %s is %u, expected 0", row->name, from->reserved);
    cuc_status st = check_need(row->need, row->name, device, function);
    if (st < 0)
        return st;
    if (out->numAttrs == CUC__MAX_LAUNCH_ATTRIBUTES)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "more than %d attributes in one launch", CUC__MAX_LAUNCH_ATTRIBUTES);
    CUlaunchAttribute *to = &out->attrs[out->numAttrs];
    memset(to, 0, sizeof(*to));
    to->id = (CUlaunchAttributeID)from->id;
    if ((st = row->copy(&to->value, from, function)) >= 0)
        out->numAttrs++;
    return st;
}

// Checks that the cluster divides the grid. The driver's own error for this contains no numbers.
static cuc_status check_cluster(const CUlaunchConfig *c, const uint32_t *cluster,
                                const char *function)
{
    const uint32_t grid[3] = { c->gridDimX, c->gridDimY, c->gridDimZ };

    for (int i = 0; i < 3; i++) {
        uint32_t n = cluster[i] ? cluster[i] : 1;
        if (grid[i] % n)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "grid.%c is %u blocks, which is not a multiple of cluster.%c, %u",
                             "xyz"[i], grid[i], "xyz"[i], n);
    }
    return CUC_OK;
}

cuc_status cuc__launch_config_fill(CUlaunchConfig *out, CUlaunchAttribute *attributes,
                                   const cuc_launch_config *config, const cuc_device *device,
                                   const char *function)
{
    const struct {
        bool wanted;
        cuc_launch_attribute attribute;
    } fields[] = {
        { config->cluster[0] != 0,
          { .id = CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            .value.cluster = { config->cluster[0], config->cluster[1], config->cluster[2] } } },
        { (config->flags & CUC_LAUNCH_COOPERATIVE) != 0,
          { .id = CUC_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.value = 1 } },
        { (config->flags & CUC_LAUNCH_PROGRAMMATIC) != 0,
          { .id = CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.value = 1 } },
    };
    const uint32_t known = CUC_LAUNCH_COOPERATIVE | CUC_LAUNCH_PROGRAMMATIC;
    cuc_status st;

    *out = (CUlaunchConfig){
        .gridDimX = config->grid[0],
        .gridDimY = config->grid[1] ? config->grid[1] : 1,
        .gridDimZ = config->grid[2] ? config->grid[2] : 1,
        .blockDimX = config->block[0],
        .blockDimY = config->block[1] ? config->block[1] : 1,
        .blockDimZ = config->block[2] ? config->block[2] : 1,
        .sharedMemBytes = config->shared_bytes,
        .attrs = attributes,
    };
    st = cuc__check_bits("flags", config->flags, known, 0,
                         "CUC_LAUNCH_COOPERATIVE (0x1) and CUC_LAUNCH_PROGRAMMATIC (0x2)",
                         function);
    if (st < 0)
        return st;
    if (!config->cluster[0] && (config->cluster[1] | config->cluster[2]))
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "cluster is 0,%u,%u, expected 1 or more blocks in each, or 0 in all for no cluster",
            config->cluster[1], config->cluster[2]);
    if (config->attribute_count && !config->attributes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "attribute_count is %u and attributes is NULL", config->attribute_count);
    for (size_t i = 0; st >= 0 && i < CUC_LENGTH(fields); i++)
        if (fields[i].wanted)
            st = add(out, &fields[i].attribute, device, function);
    for (uint32_t i = 0; st >= 0 && i < config->attribute_count; i++)
        st = add(out, &config->attributes[i], device, function);
    for (unsigned i = 0; st >= 0 && i < out->numAttrs; i++) {
        const CUlaunchAttribute *a = &out->attrs[i];
        const uint32_t cluster[3] = { a->value.clusterDim.x, a->value.clusterDim.y,
                                      a->value.clusterDim.z };
        if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            st = check_cluster(out, cluster, function);
    }
    return st;
}
