// Tests launch attributes: clusters, cooperative launches, programmatic dependence and others.
#include "base/array.h"
#include "launch/launch.h"

#include "launching.h"

// `give` sets the caller's value; `got` examines the value that the driver gets.

static cuc_event *event;

static void give_window(cuc_launch_attribute *a)
{
    a->value.window.base = 0x7000;
    a->value.window.bytes = 4096;
    a->value.window.hit_ratio = 0.5f;
    a->value.window.hit = CUC_CACHE_PERSISTING;
    a->value.window.miss = CUC_CACHE_STREAMING;
}

static void got_window(const CUlaunchAttributeValue *v)
{
    ck_assert_ptr_eq(v->accessPolicyWindow.base_ptr, (void *)0x7000);
    ck_assert_uint_eq(v->accessPolicyWindow.num_bytes, 4096);
    ck_assert(v->accessPolicyWindow.hitRatio == 0.5f);
    ck_assert_int_eq((int)v->accessPolicyWindow.hitProp, CU_ACCESS_PROPERTY_PERSISTING);
    ck_assert_int_eq((int)v->accessPolicyWindow.missProp, CU_ACCESS_PROPERTY_STREAMING);
}

static void give_one(cuc_launch_attribute *a)
{
    a->value.value = 1;
}

static void give_priority(cuc_launch_attribute *a)
{
    a->value.value = -3;
}

static void give_cluster(cuc_launch_attribute *a)
{
    a->value.cluster[0] = 2;
    a->value.cluster[1] = 0; // 1
    a->value.cluster[2] = 4;
}

static void got_cluster(const CUlaunchAttributeValue *v)
{
    ck_assert_uint_eq(v->clusterDim.x, 2);
    ck_assert_uint_eq(v->clusterDim.y, 1);
    ck_assert_uint_eq(v->clusterDim.z, 4);
}

static void got_preferred_cluster(const CUlaunchAttributeValue *v)
{
    ck_assert_uint_eq(v->preferredClusterDim.x, 2);
    ck_assert_uint_eq(v->preferredClusterDim.y, 1);
    ck_assert_uint_eq(v->preferredClusterDim.z, 4);
}

static void give_event(cuc_launch_attribute *a)
{
    a->value.event.event = event;
    a->value.event.trigger_at_start = 1;
}

static void got_programmatic_event(const CUlaunchAttributeValue *v)
{
    ck_assert_ptr_eq(v->programmaticEvent.event, cuc_event_handle(event));
    ck_assert_int_eq(v->programmaticEvent.flags, 0);
    ck_assert_int_eq(v->programmaticEvent.triggerAtBlockStart, 1);
}

static void got_completion_event(const CUlaunchAttributeValue *v)
{
    ck_assert_ptr_eq(v->launchCompletionEvent.event, cuc_event_handle(event));
    ck_assert_int_eq(v->launchCompletionEvent.flags, 0);
}

static void give_map(cuc_launch_attribute *a)
{
    a->value.domain_map.default_domain = 1;
    a->value.domain_map.remote_domain = 2;
}

static void got_map(const CUlaunchAttributeValue *v)
{
    ck_assert_int_eq(v->memSyncDomainMap.default_, 1);
    ck_assert_int_eq(v->memSyncDomainMap.remote, 2);
}

static void give_carveout(cuc_launch_attribute *a)
{
    a->value.value = 75;
}

static void give_node(cuc_launch_attribute *a)
{
    a->value.device_node.updatable = 1;
}

static void give_policy(cuc_launch_attribute *a)
{
    a->value.value = CUC_CLUSTER_SCHEDULING_LOAD_BALANCING;
}

#define GOT(name, condition)                          \
    static void name(const CUlaunchAttributeValue *v) \
    {                                                 \
        ck_assert(condition);                         \
    }
GOT(got_cooperative, v->cooperative == 1)
GOT(got_policy, v->clusterSchedulingPolicyPreference == CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
GOT(got_serialization, v->programmaticStreamSerializationAllowed == 1)
GOT(got_priority, v->priority == -3)
GOT(got_domain, v->memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
GOT(got_node, v->deviceUpdatableKernelNode.deviceUpdatable == 1)
GOT(got_carveout, v->sharedMemCarveout == 75)
GOT(got_nvlink, v->nvlinkUtilCentricScheduling == 1)
GOT(got_anything, v != NULL)

static const struct {
    int32_t id;
    CUlaunchAttributeID driver;
    void (*give)(cuc_launch_attribute *attribute);
    void (*got)(const CUlaunchAttributeValue *value);
} attributes[] = {
    { CUC_LAUNCH_ATTRIBUTE_IGNORE, CU_LAUNCH_ATTRIBUTE_IGNORE, give_one, got_anything },
    { CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
      give_window, got_window },
    { CUC_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, give_one,
      got_cooperative },
    { CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, give_cluster,
      got_cluster },
    { CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY,
      CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, give_policy, got_policy },
    { CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
      CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, give_one, got_serialization },
    { CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, give_event,
      got_programmatic_event },
    { CUC_LAUNCH_ATTRIBUTE_PRIORITY, CU_LAUNCH_ATTRIBUTE_PRIORITY, give_priority, got_priority },
    { CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, give_map,
      got_map },
    { CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, give_one,
      got_domain },
    { CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
      CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, give_cluster, got_preferred_cluster },
    { CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
      give_event, got_completion_event },
    { CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
      CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, give_node, got_node },
    { CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, give_carveout, got_carveout },
    { CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
      CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, give_one, got_nvlink },
};

CASE("launch_attributes", .setup = setup, .teardown = teardown);

TEST_ROWS(each_attribute_reaches_the_drivers_config, attributes)
{
    cuc_launch_attribute a = { .id = attributes[_i].id };
    CUlaunchAttribute room[CUC__MAX_LAUNCH_ATTRIBUTES];
    CUlaunchConfig c;

    ck_ok(cuc_event_create(&event, device, NULL));
    attributes[_i].give(&a);
    cuc_launch_config config = { .struct_size = sizeof(config),
                                 .grid = { 8, 8, 8 },
                                 .block = { 32 },
                                 .attribute_count = 1,
                                 .attributes = &a };
    ck_ok(cuc__launch_config_fill(&c, room, &config, device, "cuc_launch"));
    ck_assert_uint_eq(c.numAttrs, 1);
    ck_assert_ptr_eq(c.attrs, room);
    ck_assert_uint_eq(room[0].id, attributes[_i].driver);
    attributes[_i].got(&room[0].value);
    // A device-updatable node works only in graphs; a launch accepts all other attributes.
    if (fake_available() && a.id != CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
        ck_ok(CUC_LAUNCH(stream, &config, none));
        ck_assert_uint_eq(seen("none")->numAttrs, 1);
        ck_assert_uint_eq(last.attributes[0].id, attributes[_i].driver);
        attributes[_i].got(&last.attributes[0].value);
    }
    cuc_event_release(event);
}

static const struct {
    int32_t id;
    const char *message;
} refused[] = {
    { 3, "CUC_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY (3) cannot be given to a launch: it is an "
         "attribute of streams only" },
    { 15, "15 is not a launch attribute of CUDA 13.0" },
    { 17, "17 is not a launch attribute of CUDA 13.0" },
    { -1, "-1 is not a launch attribute" },
    { INT32_MAX, "2147483647 is not a launch attribute" },
};

TEST_ROWS(attributes_that_launches_do_not_take_are_refused, refused)
{
    const cuc_launch_attribute a = { .id = refused[_i].id };

    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .attribute_count = 1,
                                          .attributes = &a),
                        none),
             refused[_i].message);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}

TEST(attributes_with_bad_values_are_reported)
{
    cuc_launch_attribute a = { .id = CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
    cuc_launch_config c = { .struct_size = sizeof(c),
                            .grid = { 6, 4 },
                            .block = { 1 },
                            .attribute_count = 1,
                            .attributes = &a };

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none),
             "attribute 4 has a cluster of 0,0,0");
    a = (cuc_launch_attribute){ .id = CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW };
    a.value.window.hit_ratio = 1.5f;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), "hit_ratio", "1.5",
             "0 to 1");
    a = (cuc_launch_attribute){ .id = CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT };
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none),
             "the attribute's event is NULL");
    c.attributes = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none),
             "attribute_count is 1 and attributes is NULL");
    c.attribute_count = 0;
    c.flags = 12;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), "flags is 0xc",
             "CUC_LAUNCH_COOPERATIVE (0x1)");
    static cuc_launch_attribute lots[33];
    c.flags = 0;
    c.attribute_count = 33;
    c.attributes = lots;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), "more than 32 attributes");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}

TEST(a_cluster_must_divide_the_grid)
{
    static const struct {
        uint32_t grid[3], cluster[3];
        const char *message;
    } rows[] = {
        { { 6, 1, 1 }, { 4, 1, 1 }, "grid.x is 6 blocks, which is not a multiple of cluster.x, 4" },
        { { 4, 3, 1 }, { 2, 2, 1 }, "grid.y is 3 blocks, which is not a multiple of cluster.y, 2" },
        { { 4, 4, 5 }, { 1, 1, 2 }, "grid.z is 5 blocks, which is not a multiple of cluster.z, 2" },
        { { 3, 0, 0 }, { 2, 0, 0 }, "grid.x is 3 blocks" },
        { { 4, 4, 1 }, { 0, 2, 1 }, "cluster is 0,2,1" },
    };
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;
    int32_t clusters;

    ck_ok(cuc_device_get_attribute(&clusters, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH));
    if (!clusters)
        SKIP("the device has no clusters");
    c.block[0] = 32;
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        memcpy(c.grid, rows[i].grid, sizeof(c.grid));
        memcpy(c.cluster, rows[i].cluster, sizeof(c.cluster));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), rows[i].message);
    }
    c.grid[0] = 4;
    c.grid[1] = c.grid[2] = 0;
    memcpy(c.cluster, (uint32_t[3]){ 2, 0, 0 }, sizeof(c.cluster));
    ck_ok(CUC_LAUNCH(stream, &c, none));
    if (fake_available()) {
        seen("none");
        ck_assert_uint_eq(last.attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
        ck_assert_uint_eq(last.attributes[0].value.clusterDim.x, 2);
        ck_assert_uint_eq(last.attributes[0].value.clusterDim.y, 1);
    }
    c.grid[0] = 64;
    c.cluster[0] = 32; // more than the hardware allows; the driver reports it
    ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(stream, &c, none), "launching none, grid 64,1,1",
             "cuLaunchKernelEx returned");
}

TEST(flags_become_attributes)
{
    NEED_FAKE();
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 4 }, .block = { 32 }, .cluster = { 4 },
                                       .flags = CUC_LAUNCH_PROGRAMMATIC | CUC_LAUNCH_COOPERATIVE),
                     none));
    ck_assert_uint_eq(seen("none")->numAttrs, 3);
    ck_assert_uint_eq(last.attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    ck_assert_uint_eq(last.attributes[1].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    ck_assert_int_eq(last.attributes[1].value.cooperative, 1);
    ck_assert_uint_eq(last.attributes[2].id, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    ck_assert_int_eq(last.attributes[2].value.programmaticStreamSerializationAllowed, 1);
}

CASE("bare");

// Tests a device that lacks a feature. Its limits are read with the first device, so this runs in a
// process that has read no device.
TEST(features_that_the_device_lacks_are_not_supported)
{
    NEED_FAKE();
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0);
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    none = kernel("none");
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }),
                        none),
             "CLUSTER_DIMENSION: device 0 (", "sm_80", "has no thread block clusters",
             "compute capability 9.0");
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             CUC_LAUNCH(
                 stream,
                 CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .flags = CUC_LAUNCH_COOPERATIVE),
                 none),
             "has no cooperative launch");
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             CUC_LAUNCH(
                 stream,
                 CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .flags = CUC_LAUNCH_PROGRAMMATIC),
                 none),
             "has no programmatic dependent launch");
    ck_assert_int_eq(fake_launch_count(), 0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    three = kinds = many = one = NULL;
    release_all();
}

CASE("launch_attributes");

TEST(a_too_large_cooperative_grid_is_reported_with_the_largest)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    char processors[64];

    ck_ok(cuc_device_get_properties(&p, device));
    snprintf(processors, sizeof(processors), "each of the %d multiprocessors of device 0, so at",
             p.multiprocessor_count);
    ck_fails(CUC_ERROR_DRIVER,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1000000 }, .block = { 1024 },
                                          .flags = CUC_LAUNCH_COOPERATIVE),
                        none),
             "launching none cooperatively on 1000000 blocks: ", "run at once on", processors,
             "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    uint32_t fits = 2u * (uint32_t)p.multiprocessor_count;
    ck_ok(CUC_LAUNCH(
        stream,
        CUC_LAUNCH_CONFIG(.grid = { fits }, .block = { 1024 }, .flags = CUC_LAUNCH_COOPERATIVE),
        none));
}

int main(void)
{
    return run_device_tests("launch_attributes");
}
