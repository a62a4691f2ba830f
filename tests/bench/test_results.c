// Tests documents of results: which ones are rejected, how the others are read, and how results are
// printed.
#include "base/array.h"
#include "results.h"

#include "documents.h"
#include "units.h"

#include <math.h>
#include <unistd.h>

#define NAMED "'suite': 's', 'case': 'c', 'subject': 'x', 'mode': 'hot'"

// ---- Reading

static const struct {
    const char *document;
    const char *why; // appears in the reason
} refusals[] = {
    { "{}", "has the schema of something else" },
    { "[]", "has the schema of something else" },
    { "{'schema': 1}", "has the schema of something else" },
    { "{'schema': 'cucore-bench/2'}", "'cucore-bench/2', and" },
    { "{'schema': 'cucore-bench/1', 'results': []}", "'machine'" },
    { "{'schema': 'cucore-bench/1', 'machine': {}}", "no list of 'results'" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [1]}", "result 0: it is not" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{'suite': 's'}]}",
      "result 0: 'case' is missing" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED "}]}", "no 'median_s'" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'skipped': 'x'}, "
      "{" NAMED ", 'median_s': 0}]}",
      "result 1: 'median_s' is 0" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'median_s': '1'}]}",
      "'median_s' is not a number" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'median_s': null}]}",
      "'median_s' is not a number" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'samples': 1.5}]}",
      "'samples' is not a whole number" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'verdict': 1}]}",
      "'verdict' is not text" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'disturbed': 1}]}",
      "'disturbed' is not true or false" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'axes': []}]}",
      "'axes' is not an object" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED ", 'axes': {'n': [1]}}]}",
      "axis 'n' has no plain value" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED
      ", 'median_s': 1, 'raw_s': 1}]}",
      "'raw_s' is not a list" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [{" NAMED
      ", 'median_s': 1, 'raw_s': [1, -1]}]}",
      "'raw_s' has a value that is not a time, at 1" },
    { "{'schema': 'cucore-bench/1', 'machine': {}, 'results': [], 'summaries': "
      "[{'suite': 's', 'case': 'c'}]}",
      "summary 0: 'subject' is missing" },
};

TEST_ROWS(documents_that_violate_the_schema_are_refused, refusals)
{
    results r = { .count = 77 };
    cli_why why;

    ck_assert_msg(!results_take(&r, json_of(refusals[_i].document), "x.json", &why), "%s",
                  refusals[_i].document);
    ck_assert_msg(strstr(why.text, refusals[_i].why) && strncmp(why.text, "x.json", 6) == 0, "%s",
                  why.text);
    ck_assert_uint_eq(r.count, 77);
}

TEST(invalid_json_is_refused_with_its_line)
{
    char path[] = "/tmp/cucore-results-XXXXXX";
    static const char text[] = "{\n\"schema\": oops\n";
    int fd = mkstemp(path);
    results r;
    cli_why why;

    ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
    ck_assert(!results_read(&r, path, &why));
    ck_assert_msg(strstr(why.text, "is no JSON: line 2") != NULL, "%s", why.text);
    unlink(path);
    ck_assert(!results_read(&r, path, &why));
    ck_assert_msg(strstr(why.text, "cannot be opened") != NULL, "%s", why.text);
}

TEST(every_field_is_read_and_missing_fields_are_unmeasured)
{
    results r = results_of(
        "{" NAMED ", 'axes': {'n': 8, 'dtype': 'f32', 'r': 0.5, 'on': true}, 'kind': 'gpu', "
        "'samples': 3, 'median_s': 2e-6, 'peak': {'name': 'copy', 'value': 5}, 'disturbed': true, "
        "'raw_s': [1, 2, 3], 'a_key_of_a_later_version': {}}, {" NAMED ", 'skipped': 'none'}");
    const result *one = &r.list[0];

    ck_assert_uint_eq(r.count, 2);
    ck_assert_str_eq(one->suite, "s");
    ck_assert_str_eq(one->axes, "n=8 dtype=f32 r=0.5 on=true");
    ck_assert_str_eq(one->key, "s / c / dtype=f32 n=8 on=true r=0.5 / x / hot");
    ck_assert_str_eq(one->kind, "gpu");
    ck_assert_int_eq(one->samples, 3);
    ck_assert_double_eq(one->median_s, 2e-6);
    ck_assert_str_eq(one->peak_name, "copy");
    ck_assert_double_eq(one->peak_value, 5);
    ck_assert(one->disturbed);
    ck_assert_uint_eq(one->raw_count, 3);
    ck_assert_double_eq(one->raw_s[2], 3);
    ck_assert_ptr_null(one->peer);
    ck_assert_int_eq(one->discarded, -1);
    ck_assert(isnan(one->q1_s) && isnan(one->share));

    ck_assert_str_eq(r.list[1].axes, "");
    ck_assert_str_eq(r.list[1].key, "s / c / x / hot");
    ck_assert_str_eq(r.list[1].skipped, "none");
    ck_assert(isnan(r.list[1].median_s) && !r.list[1].disturbed);
    results_release(&r);
}

TEST(the_sample_documents_follow_the_schema)
{
    static const char *const names[] = { "old.json", "new.json", "plots.json", "simulated.json" };

    for (int i = 0; i < CUC_LENGTH(names); i++) {
        char path[1024];
        results r;
        cli_why why;
        snprintf(path, sizeof(path), "%s/%s", BENCH_DATA, names[i]);
        ck_assert_msg(results_read(&r, path, &why), "%s", why.text);
        ck_assert_uint_gt(r.count, 0);
        ck_assert(r.simulated == (i == 3));
        results_release(&r);
    }
}

// ---- Quantities

static const struct {
    double value;
    units_kind kind;
    const char *text;
} quantities[] = {
    { 1.2344e-6, UNITS_SECONDS, "1.234 us" },
    { 999.94e-9, UNITS_SECONDS, "999.9 ns" },
    { 999.96e-9, UNITS_SECONDS, "1.000 us" },
    { 12.345e-9, UNITS_SECONDS, "12.35 ns" },
    { 0.5e-9, UNITS_SECONDS, "0.500 ns" },
    { 1e-3, UNITS_SECONDS, "1.000 ms" },
    { 120, UNITS_SECONDS, "120.0 s" },
    { 0, UNITS_SECONDS, "0.000 ns" },
    { 4.8e12, UNITS_BYTES_PER_S, "4.800 TB/s" },
    { 999.99e9, UNITS_BYTES_PER_S, "1.000 TB/s" },
    { 512.34e9, UNITS_BYTES_PER_S, "512.3 GB/s" },
    { 10, UNITS_BYTES_PER_S, "10.00 B/s" },
    { 989.4e12, UNITS_FLOP_PER_S, "989.4 TFLOP/s" },
    { 1.979e15, UNITS_FLOP_PER_S, "1.979 PFLOP/s" },
    { 64, UNITS_BYTES, "64 B" },
    { 0x1p20, UNITS_BYTES, "1 MiB" },
    { 1.5 * 0x1p30, UNITS_BYTES, "1.500 GiB" },
    { 1000, UNITS_BYTES, "1000 B" },
    { 12.3e6, UNITS_COUNT, "12.30 M" },
    { 7, UNITS_COUNT, "7.000" },
    { NAN, UNITS_SECONDS, "" },
};

TEST_ROWS(quantities_are_printed_in_suitable_units, quantities)
{
    char text[UNITS_SIZE];

    ck_assert_str_eq(units_text(text, quantities[_i].value, quantities[_i].kind),
                     quantities[_i].text);
}

// ---- Printing

static char *printed(const results *documents, size_t count, table_style style)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);

    results_print(f, documents, count, style);
    fclose(f);
    return text;
}

static void check_has(const char *text, const char *fragment)
{
    ck_assert_msg(strstr(text, fragment) != NULL, "no \"%s\" in:\n%s", fragment, text);
}

#define FIGURES                                                                          \
    "'median_s': 2e-6, 'ci_low_s': 1.99e-6, 'ci_high_s': 2.02e-6, 'bytes_per_s': 3e12, " \
    "'share': 0.75, 'peak': {'name': 'copy'}, 'ratio': 1.25, 'ratio_low': 1.2, "         \
    "'ratio_high': 1.3, 'peer': 'y', 'verdict': 'SLOWER', 'samples': 20, 'checked': 'passed'"

static const struct {
    const char *list;
    const char *line; // a line of the plain table, with single spaces between words
} lines[] = {
    { "{" NAMED ", 'axes': {'bytes': 1048576}, " FIGURES "}",
      "1 MiB x hot 2.000 us +-1.00 % 3.000 TB/s 75.0 % of copy y 1.250 [1.200, 1.300] SLOWER 20" },
    { "{" NAMED ", 'median_s': 1, 'limit': 1.1, 'ratio': 1.2, 'checked': 'passed'}",
      "x hot 1.000 s 1.200 perhaps over the limit of 1.1" },
    { "{" NAMED ", 'limit': 1.1, " FIGURES "}", "SLOWER 20 over the limit of 1.1" },
    { "{" NAMED ", 'median_s': 1, 'disturbed': true, 'discarded': 9, 'checked': 'passed'}",
      "x hot 1.000 s DISTURBED, 9 thrown away" },
    { "{" NAMED ", 'median_s': 1}", "x hot 1.000 s not checked" },
    { "{" NAMED ", 'median_s': 1, 'figures': {'resident_bytes': 1536, 'registers': 40}}",
      "x hot 1.000 s not checked, resident 1.500 KiB, registers 40" },
    { "{" NAMED ", 'skipped': 'no cuBLASLt'}", "x hot skipped: no cuBLASLt" },
    { "{" NAMED ", 'failed': 'word 7'}", "x hot FAILED: word 7" },
    { "{" NAMED ", 'failed': 'a log\\nof two lines'}", "x hot FAILED: a log of two lines " },
    { "{" NAMED ", 'median_s': 1, 'items_per_s': 2e9, 'item': 'instructions', 'checked': 'passed'}",
      "x hot 1.000 s 2.000 G instructions/s" },
    { "{" NAMED ", 'skipped': 'a'}, {'suite': 's', 'case': 'd', 'skipped': 'b'}",
      "case subject mode note c x hot skipped: a d skipped: b" },
};

TEST_ROWS(a_line_of_the_table_agrees_with_the_result, lines)
{
    results r = results_of(lines[_i].list);
    char *text = printed(&r, 1, TABLE_PLAIN);
    size_t n = 0;

    for (size_t i = 0; text[i]; i++) {
        char c = text[i] == '\n' ? ' ' : text[i];
        if (c != ' ' || (n && text[n - 1] != ' '))
            text[n++] = c;
    }
    text[n] = '\0';
    check_has(text, lines[_i].line);
    free(text);
    results_release(&r);
}

static const struct {
    const char *fields;
    result_limit limit;
} limits[] = {
    { "'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3", LIMIT_NONE },
    { "'limit': 1.05", LIMIT_NONE },
    { "'limit': 1.05, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3", LIMIT_BROKEN },
    { "'limit': 1.15, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3", LIMIT_UNSURE },
    { "'limit': 1.25, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3", LIMIT_UNSURE },
    { "'limit': 1.30, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3", LIMIT_KEPT },
    { "'limit': 1.05, 'ratio': 1.2", LIMIT_UNSURE },
    { "'limit': 1.25, 'ratio': 1.2", LIMIT_KEPT },
    { "'limit': 1.05, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3, 'disturbed': true",
      LIMIT_UNSURE },
    { "'limit': 1.05, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3, 'verdict': 'UNSURE'",
      LIMIT_UNSURE },
    { "'limit': 0.10, 'ratio': 1.0, 'ratio_low': 0.9, 'ratio_high': 1.1, 'verdict': 'UNSURE'",
      LIMIT_BROKEN },
    { "'limit': 1.30, 'ratio': 1.2, 'ratio_low': 1.1, 'ratio_high': 1.3, 'disturbed': true",
      LIMIT_KEPT },
};

TEST_ROWS(a_limit_is_exceeded_if_the_whole_interval_is_beyond_it, limits)
{
    char list[256];

    snprintf(list, sizeof(list), "{" NAMED ", 'median_s': 1, %s}", limits[_i].fields);
    results r = results_of(list);
    ck_assert_int_eq(results_limit(&r.list[0]), limits[_i].limit);
    results_release(&r);
}

TEST(columns_line_up_and_no_line_ends_in_a_space)
{
    results r = results_of("{" NAMED ", 'axes': {'name': 'caf\u00e9', 'n': 1}, " FIGURES "}, "
                           "{" NAMED ", 'axes': {'name': 'tea', 'n': 1000}, " FIGURES "}");
    char *text = printed(&r, 1, TABLE_PLAIN);

    check_has(text, "\nname     n  subject  mode    median");
    check_has(text, "\ncaf\xc3\xa9     1  x        hot   2.000 us");
    check_has(text, "\n tea  1000  x        hot   2.000 us");
    ck_assert_ptr_null(strstr(text, " \n"));
    free(text);
    results_release(&r);
}

static size_t commas(const char *text, int line)
{
    size_t n = 0;

    for (; *text && line >= 0; text++) {
        line -= *text == '\n';
        n += line == 0 && *text == ',';
    }
    return n;
}

TEST(csv_has_a_head_and_quotes_what_needs_it)
{
    results r[2] = { results_of("{" NAMED ", 'axes': {'n': 1}, 'median_s': 0.1, 'checked': "
                                "'a, \\\"b\\\"'}"),
                     results_of("{" NAMED ", 'skipped': 'two\\nlines'}") };
    r[1].simulated = true;
    char *text = printed(r, 2, TABLE_CSV);

    ck_assert_int_eq(strncmp(text, "suite,case,axes,subject,mode,", 29), 0);
    check_has(text, ",gpu,simulated,commit\n");
    check_has(text, "\ns,c,n=1,x,hot,,,");
    check_has(text, ",0.1,");
    check_has(text, ",\"a, \"\"b\"\"\",");
    check_has(text, ",ExampleGPU 1,false,\n");
    check_has(text, ",\"two\nlines\",,ExampleGPU 1,true,\n");
    ck_assert_ptr_null(strstr(text, "nan"));
    // Each row has as many cells as the header; one cell is quoted.
    ck_assert_uint_eq(commas(text, 1), commas(text, 0) + 1);
    free(text);
    results_release(&r[0]);
    results_release(&r[1]);
}

TEST(markdown_has_a_rule_and_escapes_bars)
{
    results r = results_of("{" NAMED ", 'median_s': 0.1, 'checked': 'passed'}, {" NAMED
                           ", 'skipped': 'a|b\\nc'}");
    char *text = printed(&r, 1, TABLE_MARKDOWN);

    check_has(text,
              "### s / c\n\n| subject | mode | median | note |\n| --- | --- | ---: | --- |\n");
    check_has(text, "| x | hot | 100.0 ms |  |\n");
    check_has(text, "| skipped: a\\|b c |\n");
    free(text);
    results_release(&r);
}

TEST(every_format_marks_simulated_results)
{
    static const char *const words[] = {
        [TABLE_PLAIN] = "\nsimulated: ",
        [TABLE_MARKDOWN] = "\n**simulated: ",
        [TABLE_CSV] = ",ExampleGPU 1,true,",
    };
    results r = results_of("{" NAMED ", 'median_s': 0.1}");

    for (int style = 0; style < CUC_LENGTH(words); style++) {
        r.simulated = true;
        char *text = printed(&r, 1, (table_style)style);
        check_has(text, words[style]);
        free(text);
        r.simulated = false;
        text = printed(&r, 1, (table_style)style);
        ck_assert_ptr_null(strstr(text, words[style]));
        free(text);
    }
    results_release(&r);
}

int main(void)
{
    return run_tests("results");
}
