// Tests structs whose size the caller states, so that old and new callers can be mixed; fields of
// options; and the texts of messages.
#include "base/array.h"
#include "base/options.h"
#include "base/text.h"
#include "testing.h"

struct thing { // as large as the library's
    size_t struct_size;
    int32_t a;
    int32_t b;
    uint64_t c;
};

struct old_thing { // as an older caller has it
    size_t struct_size;
    int32_t a;
    int32_t b;
};

struct new_thing { // as a newer caller has it
    size_t struct_size;
    int32_t a;
    int32_t b;
    uint64_t c;
    int32_t d;
    int32_t e;
};

static cuc_status read_thing(struct thing *out, const void *from)
{
    return cuc__read_options(out, sizeof(*out), from, "thing", "cuc_thing_create");
}

TEST(null_means_every_default)
{
    struct thing t = { 1, 2, 3, 4 };

    ck_ok(read_thing(&t, NULL));
    ck_assert_uint_eq(t.struct_size, sizeof(t));
    ck_assert_int_eq(t.a, 0);
    ck_assert_uint_eq(t.c, 0);
}

TEST(an_older_struct_leaves_the_rest_at_its_default)
{
    struct old_thing given = { sizeof(given), 5, 6 };
    struct thing t = { 1, 2, 3, 4 };

    ck_ok(read_thing(&t, &given));
    ck_assert_uint_eq(t.struct_size, sizeof(t));
    ck_assert_int_eq(t.a, 5);
    ck_assert_int_eq(t.b, 6);
    ck_assert_uint_eq(t.c, 0);
}

TEST(a_newer_struct_is_read_up_to_the_known_size)
{
    struct new_thing given = { sizeof(given), 5, 6, 7, 0, 0 };
    struct thing t;

    ck_ok(read_thing(&t, &given));
    ck_assert_int_eq(t.b, 6);
    ck_assert_uint_eq(t.c, 7);
    ck_assert_uint_eq(t.struct_size, sizeof(t));
}

TEST(a_newer_field_that_is_set_is_refused_with_its_offset)
{
    struct new_thing given = { sizeof(given), 5, 6, 7, 0, 9 };
    struct thing t;

    ck_assert_int_eq(read_thing(&t, &given), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(cuc_error_function(), "cuc_thing_create");
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "thing sets a field at byte 28"));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "24 bytes"));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "update cucore"));
}

static const size_t bad_sizes[] = { 0, 1, sizeof(size_t) - 1, 65537, (size_t)-1 };

TEST_ROWS(a_size_that_no_struct_has_is_refused_with_the_size_expected, bad_sizes)
{
    struct thing given = { bad_sizes[_i], 0, 0, 0 }, t;
    char text[32];

    snprintf(text, sizeof(text), "struct_size is %zu,", bad_sizes[_i]);
    ck_assert_int_eq(read_thing(&t, &given), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), text));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "expected sizeof(thing), which is 24"));
    given.struct_size = bad_sizes[_i];
    ck_assert_int_eq(cuc__write_struct(&given, &t, sizeof(t), "thing", "cuc_thing_get"),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), text));
}

TEST(an_out_struct_is_filled_up_to_the_callers_size)
{
    struct thing from = { 99, 1, 2, 3 };
    struct {
        struct old_thing thing;
        uint64_t after;
    } small = { { sizeof(small.thing), 0, 0 }, 0xABCD };
    struct new_thing large = { sizeof(large), 9, 9, 9, 9, 9 };

    ck_ok(cuc__write_struct(&small.thing, &from, sizeof(from), "thing", "cuc_thing_get"));
    ck_assert_uint_eq(small.thing.struct_size, sizeof(small.thing));
    ck_assert_int_eq(small.thing.b, 2);
    ck_assert_uint_eq(small.after, 0xABCD);
    ck_ok(cuc__write_struct(&large, &from, sizeof(from), "thing", "cuc_thing_get"));
    ck_assert_uint_eq(large.struct_size, sizeof(large));
    ck_assert_uint_eq(large.c, 3);
    ck_assert_int_eq(large.d, 0);
    ck_assert_int_eq(large.e, 0);
}

static const struct cuc__range ranges[] = { { "depth", 3, 1, 4, NULL },
                                            { "kind", 9, 0, 2, "CUC_KIND_" },
                                            { "width", 9, 1, 8, NULL } };

// Each row replaces a valid value with one that a check rejects.
static const struct {
    uint32_t bits, reserved, alone;
    int32_t on;
    size_t ranges, skipped;
    const char *says; // NULL: nothing is rejected
} fields[] = {
    { .bits = 3, .on = CUC_OFF, .ranges = 1, .says = NULL },
    { .bits = 5, .says = "options->flags is 0x5, expected CUC_X_ bits (0x3)" },
    { .bits = 1,
      .reserved = 7,
      .says = "flags is 0x1 and reserved 7, expected CUC_X_ bits (0x3) and 0" },
    { .alone = 1, .says = "options->reserved is 1, expected 0" },
    { .on = 3, .says = "fast is 3, expected CUC_DEFAULT (0), CUC_ON (1) or CUC_OFF (2)" },
    { .on = -1, .says = "fast is -1, expected" },
    { .ranges = 3, .says = "kind is 9, expected a CUC_KIND_ constant, 0 to 2" },
    { .ranges = 3, .skipped = 2, .says = "width is 9, expected 1 to 8" },
};

TEST_ROWS(a_field_is_refused_with_its_value_and_the_expected_ones, fields)
{
    const char *const f = "cuc_thing_create";
    cuc_status st = cuc__check_bits("options->flags", fields[_i].bits, 3, fields[_i].reserved,
                                    "CUC_X_ bits (0x3)", f);

    if (st >= 0)
        st = cuc__check_reserved("options->reserved", fields[_i].alone, f);
    if (st >= 0)
        st = cuc__check_switch("fast", fields[_i].on, f);
    if (st >= 0)
        st = cuc__check_ranges(ranges + fields[_i].skipped, fields[_i].ranges - fields[_i].skipped,
                               f);
    ck_assert_int_eq(st, fields[_i].says ? CUC_ERROR_INVALID_ARGUMENT : CUC_OK);
    if (fields[_i].says)
        ck_assert_ptr_nonnull(strstr(cuc_error_message(), fields[_i].says));
}

// Tests a text to which other text is appended.
TEST(a_text_grows_or_is_truncated_to_its_buffer)
{
    char small[8] = "";
    struct cuc__text grown = { 0 }, cut = CUC_TEXT_IN(small);

    for (int i = 0; i < 1000; i++)
        cuc__text_put(&grown, "%03d,", i);
    cuc__text_append(&grown, "end", 3);
    ck_assert_uint_eq(grown.length, 4003);
    ck_assert_str_eq(grown.at + 3992, "998,999,end");
    ck_assert(!grown.lost);
    free(grown.at);
    cuc__text_put(&cut, "%s", "1234567");
    ck_assert(!cut.lost && cut.length == 7);
    cuc__text_put(&cut, "8");
    ck_assert(cut.lost);
    cut = (struct cuc__text)CUC_TEXT_IN(small);
    cuc__text_put(&cut, "%d and %d", 100, 200);
    cuc__text_put(&cut, "more");
    ck_assert(cut.lost && cut.length == 7);
    ck_assert_str_eq(small, "100 and");
}

// Compares every exported _init function with its macro.
static const cuc_stream_options stream_init = CUC_STREAM_OPTIONS_INIT;
static const cuc_event_options event_init = CUC_EVENT_OPTIONS_INIT;
static const cuc_launch_config launch_init = CUC_LAUNCH_CONFIG_INIT;

static void init_stream(void *o, size_t size)
{
    cuc_stream_options_init(o, size);
}

static void init_event(void *o, size_t size)
{
    cuc_event_options_init(o, size);
}

static void init_launch(void *o, size_t size)
{
    cuc_launch_config_init(o, size);
}

static const struct {
    void (*init)(void *, size_t);
    const void *expected;
    size_t size;
} inits[] = {
    { init_stream, &stream_init, sizeof(stream_init) },
    { init_event, &event_init, sizeof(event_init) },
    { init_launch, &launch_init, sizeof(launch_init) },
};

TEST_ROWS(init_writes_no_more_than_the_callers_size, inits)
{
    _Alignas(16) unsigned char bytes[512];
    size_t size;

    for (size_t given = inits[_i].size - 4; given <= inits[_i].size + 8; given += 4) {
        memset(bytes, 0xEE, sizeof(bytes));
        inits[_i].init(bytes, given);
        memcpy(&size, bytes, sizeof(size));
        ck_assert_uint_eq(size, given);
        for (size_t i = sizeof(size); i < sizeof(bytes); i++)
            ck_assert_uint_eq(bytes[i], i < given ? 0 : 0xEE);
    }
    memset(bytes, 0xEE, sizeof(bytes));
    inits[_i].init(bytes, inits[_i].size);
    ck_assert_mem_eq(bytes, inits[_i].expected, inits[_i].size);
    inits[_i].init(NULL, inits[_i].size); // does nothing
    memset(bytes, 0xEE, sizeof(bytes));
    inits[_i].init(bytes, 4); // too small for a struct_size, so nothing is written
    ck_assert_uint_eq(bytes[0], 0xEE);
}

int main(void)
{
    return run_tests("options");
}
