// Tests the thread's last error, and failures that no call can return.
#include "base/array.h"
#include "base/demangle.h"
#include "base/error.h"
#include "device/failure.h"
#include "testing.h"

#include <pthread.h>

TEST(before_the_first_failure_there_is_nothing_to_read)
{
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    ck_assert_str_eq(cuc_error_message(), "no error");
    ck_assert_str_eq(cuc_error_function(), "");
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_NONE);
    ck_assert_int_eq(cuc_error_library_code(), 0);
    ck_assert_str_eq(cuc_error_library_symbol(), "");
    ck_assert_str_eq(cuc_error_library_call(), "");
    ck_assert_str_eq(cuc_error_explanation(), "");
    ck_assert_str_eq(cuc_error_log(), "");
    ck_assert_uint_eq(cuc_error_note_count(), 0);
    ck_assert_str_eq(cuc_error_note(0), "");
    cuc_error_clear();
    ck_assert_str_eq(cuc_error_message(), "no error");
}

static const struct {
    const char *text, *shown;
} symbols[] = {
    { "argument 1 of _Z5scaleIfEvPT_i", "argument 1 of scale<float>(float*, int)" },
    { "_Z5plainPf, saxpy", "plain(float*), saxpy" },
    { "in _ZN2ns1kILi3EEEvv: x", "in ns::k<3>(): x" },
    { "no kernel \"_Z5plainPf\"", "no kernel \"_Z5plainPf\"" }, // the user's own text is kept
    { "a_Z5plainPf _Z _Zzz", "a_Z5plainPf _Z _Zzz" },
    { "_Z1fILb1EEvNSt6vectorIiE", "_Z1fILb1EEvNSt6vectorIiE" },
    { "", "" },
};

TEST_ROWS(a_message_has_symbols_as_cpp_writes_them, symbols)
{
    char expected[256];

    snprintf(expected, sizeof(expected), "cuc_launch: %s", symbols[_i].shown);
    cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch", "%s", symbols[_i].text);
    ck_assert_str_eq(cuc_error_message(), expected);
}

TEST(a_demangled_text_is_truncated_to_its_buffer)
{
    static const char text[] = "of _Z5scaleIfEvPT_i and more";
    char whole[64], part[64];

    cuc__demangle_text(whole, sizeof(whole), text);
    ck_assert_str_eq(whole, "of scale<float>(float*, int) and more");
    for (size_t room = 1; room < sizeof(whole); room++) {
        memset(part, 'x', sizeof(part));
        cuc__demangle_text(part, room, text);
        ck_assert_uint_eq(strlen(part), room - 1 < strlen(whole) ? room - 1 : strlen(whole));
        ck_assert_int_eq(strncmp(part, whole, strlen(part)), 0);
    }
}

static const char *const names[][2] = {
    { "_Z5scaleIfEvPT_i", "scale<float>" },
    { "_ZN2ns1kILi3EEEvv", "ns::k<3>" },
    { "_Z5plainPf", "plain" },
    { "_Z5applyIFvvEEvT_", "apply<void ()>" },
};

TEST_ROWS(a_name_expression_is_what_stands_before_the_parameters, names)
{
    char name[64];

    ck_assert(cuc__demangle_name(name, sizeof(name), names[_i][0]));
    ck_assert_str_eq(name, names[_i][1]);
    ck_assert(!cuc__demangle_name(name, sizeof(name), "saxpy"));
}

TEST(a_failure_returns_its_status_and_is_recorded)
{
    ck_assert_int_eq(cuc__fail(CUC_ERROR_BUSY, "cuc_thing_do", "x is %d, at most %d", 7, 3),
                     CUC_ERROR_BUSY);
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_BUSY);
    ck_assert_str_eq(cuc_error_function(), "cuc_thing_do");
    ck_assert_str_eq(cuc_error_message(), "cuc_thing_do: x is 7, at most 3");
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_NONE);
    ck_assert_str_eq(cuc_status_name(CUC_OK), "CUC_OK"); // success leaves the last error unchanged
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_BUSY);
}

TEST(a_program_can_report_a_failure_of_its_own)
{
    ck_assert_int_eq(cuc_error_set(CUC_ERROR_IO, "my_read", "100% of it is gone"), CUC_ERROR_IO);
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_IO);
    ck_assert_str_eq(cuc_error_function(), "my_read");
    ck_assert_str_eq(cuc_error_message(), "my_read: 100% of it is gone");
    ck_assert_int_eq(cuc_error_set(CUC_NOT_READY, "other", "nothing"), CUC_NOT_READY);
    ck_assert_int_eq(cuc_error_set(CUC_OK, "other", "nothing"), CUC_OK);
    ck_assert_str_eq(cuc_error_function(), "my_read"); // a normal outcome changes nothing
    ck_assert_int_eq(cuc_error_set(CUC_ERROR_BUSY, NULL, NULL), CUC_ERROR_BUSY);
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_BUSY);
    ck_assert_str_eq(cuc_error_function(), "");
}

TEST(a_truncated_note_is_marked)
{
    (void)cuc__fail(CUC_ERROR_INTERNAL, "cuc_x", "failed");
    cuc__error_note("%0600d", 7);
    ck_assert_uint_eq(strlen(cuc_error_note(0)), 511);
    ck_assert_str_eq(cuc_error_note(0) + 508, "...");
}

TEST(a_librarys_failure_is_one_paragraph_of_call_code_explanation_and_notes)
{
    ck_assert_int_eq(cuc__fail_library(CUC_ERROR_TOOLKIT, CUC_LIBRARY_NVRTC, 9, "NVRTC_ERROR_X",
                                       "cuc_thing_do", "nvrtcThing", "Do better.", "line 1\nline 2",
                                       "compiling %s", "a.cu"),
                     CUC_ERROR_TOOLKIT);
    cuc__error_note("first note");
    cuc__error_note("note %d", 2);
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_NVRTC);
    ck_assert_int_eq(cuc_error_library_code(), 9);
    ck_assert_str_eq(cuc_error_library_symbol(), "NVRTC_ERROR_X");
    ck_assert_str_eq(cuc_error_library_call(), "nvrtcThing");
    ck_assert_str_eq(cuc_error_explanation(), "Do better.");
    ck_assert_str_eq(cuc_error_log(), "line 1\nline 2");
    ck_assert_uint_eq(cuc_error_note_count(), 2);
    ck_assert_str_eq(cuc_error_note(0), "first note");
    ck_assert_str_eq(cuc_error_note(1), "note 2");
    ck_assert_str_eq(cuc_error_note(2), "");
    ck_assert_str_eq(cuc_error_message(),
                     "cuc_thing_do: compiling a.cu (nvrtcThing returned 9, NVRTC_ERROR_X). Do "
                     "better. Note: first note. Note: note 2.");
}

TEST(notes_are_sentences_of_their_own_without_mangled_names)
{
    cuc__fail(CUC_ERROR_DRIVER, "cuc_thing_do", "waiting for a thing");
    cuc__error_note("the cause may be _Z5scaleIfEvPT_i grid 1,1,1");
    cuc__error_set_explanation("");
    ck_assert_str_eq(cuc_error_message(), "cuc_thing_do: waiting for a thing. Note: the cause may "
                                          "be scale<float>(float*, int) grid 1,1,1.");
    ck_assert_str_eq(cuc_error_note(0), "the cause may be _Z5scaleIfEvPT_i grid 1,1,1");
}

TEST(a_note_begins_after_a_whole_sentence)
{
    static const char *const rows[][2] = {
        { "failed", "cuc_x: failed. Note: why." },
        { "failed.", "cuc_x: failed. Note: why." },
        { "failed:\n  x = y\n", "cuc_x: failed:\n  x = y\n Note: why." },
    };

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        (void)cuc__fail(CUC_ERROR_INTERNAL, "cuc_x", "%s", rows[i][0]);
        cuc__error_note("why");
        ck_assert_str_eq(cuc_error_message(), rows[i][1]);
    }
}

TEST(the_next_failure_leaves_nothing_of_the_one_before)
{
    cuc__fail_library(CUC_ERROR_TOOLKIT, CUC_LIBRARY_NVRTC, 9, "S", "cuc_a", "call", "E", "log",
                      "t");
    cuc__error_note("note");
    cuc__fail(CUC_ERROR_IO, "cuc_b", "other");
    ck_assert_str_eq(cuc_error_message(), "cuc_b: other");
    ck_assert_str_eq(cuc_error_log(), "");
    ck_assert_str_eq(cuc_error_explanation(), "");
    ck_assert_uint_eq(cuc_error_note_count(), 0);
    ck_assert_int_eq(cuc_error_library_code(), 0);
    cuc_error_clear();
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    ck_assert_str_eq(cuc_error_message(), "no error");
    ck_assert_str_eq(cuc_error_function(), "");
}

TEST(past_eight_notes_the_last_one_is_the_latest)
{
    char text[16];

    cuc__fail(CUC_ERROR_IO, "cuc_a", "t");
    for (int i = 0; i < 12; i++)
        cuc__error_note("note %d", i);
    ck_assert_uint_eq(cuc_error_note_count(), 8);
    for (int i = 0; i < 7; i++) {
        snprintf(text, sizeof(text), "note %d", i);
        ck_assert_str_eq(cuc_error_note((size_t)i), text);
    }
    ck_assert_str_eq(cuc_error_note(7), "note 11");
}

// Puts a long text in every field: it must be truncated, terminated and within bounds, which
// sanitizers check.
TEST(long_texts_are_truncated_but_a_long_log_is_kept_whole)
{
    size_t bytes = 200000;
    char *text = malloc(bytes + 1);

    memset(text, 'x', bytes);
    text[bytes] = '\0';
    cuc__fail_library(CUC_ERROR_COMPILE, CUC_LIBRARY_NVRTC, 6, text, text, text, text, text, "%s",
                      text);
    for (int i = 0; i < 10; i++)
        cuc__error_note("%s", text);
    ck_assert_uint_eq(strlen(cuc_error_log()), bytes);
    ck_assert_uint_gt(strlen(cuc_error_message()), 2000);
    ck_assert_uint_lt(strlen(cuc_error_message()), 8000);
    ck_assert_uint_lt(strlen(cuc_error_note(7)), 512);
    free(text);
}

TEST(a_public_name_replaces_a_helpers_and_an_internal_one_does_not)
{
    cuc__fail(CUC_ERROR_IO, "cuc_inner_call", "t");
    ck_assert_int_eq(cuc__pass(CUC_ERROR_IO, "cuc__helper"), CUC_ERROR_IO);
    ck_assert_str_eq(cuc_error_function(), "cuc_inner_call");
    ck_assert_int_eq(cuc__pass(CUC_ERROR_IO, "helper"), CUC_ERROR_IO);
    ck_assert_str_eq(cuc_error_function(), "cuc_inner_call");
    ck_assert_int_eq(cuc__pass(CUC_ERROR_IO, "cuc_outer_call"), CUC_ERROR_IO);
    ck_assert_str_eq(cuc_error_function(), "cuc_outer_call");
    ck_assert_int_eq(cuc__pass(CUC_OK, "cuc_other"), CUC_OK);
    ck_assert_int_eq(cuc__pass(CUC_NOT_READY, "cuc_other"), CUC_NOT_READY);
    ck_assert_str_eq(cuc_error_function(), "cuc_outer_call");
}

static void *fail_in_a_thread(void *data)
{
    if (cuc_error_status() != CUC_OK)
        return NULL;
    cuc__fail(CUC_ERROR_NOT_FOUND, "cuc_theirs", "theirs");
    return strcmp(cuc_error_message(), "cuc_theirs: theirs") == 0 ? data : NULL;
}

TEST(every_thread_has_an_error_of_its_own)
{
    pthread_t thread;
    void *same;
    int token;

    cuc__fail(CUC_ERROR_IO, "cuc_mine", "mine");
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_in_a_thread, &token), 0);
    ck_assert_int_eq(pthread_join(thread, &same), 0);
    ck_assert_ptr_eq(same, &token);
    ck_assert_str_eq(cuc_error_message(), "cuc_mine: mine");
}

static struct testing_failures failures;

static void first_handler(const char *message, void *user)
{
    cuc_set_failure_handler(testing_failed, user); // allowed, because no lock is held
    testing_failed(message, user);
}

TEST(the_failure_handler_gets_what_no_call_can_return)
{
    cuc__unraisable("nobody listens"); // dropped, because there is no handler
    cuc_set_failure_handler(first_handler, &failures);
    cuc__unraisable("cuThing(%d) returned %d", 1, 2);
    ck_assert_int_eq(failures.count, 1);
    ck_assert_str_eq(failures.last, "cuThing(1) returned 2");
    cuc__unraisable("again");
    ck_assert_int_eq(failures.count, 2);
    ck_assert_str_eq(failures.last, "again");
    cuc_set_failure_handler(NULL, NULL);
    cuc__unraisable("nobody listens");
    ck_assert_int_eq(failures.count, 2);
    ck_assert_int_eq(cuc_error_status(), CUC_OK); // the thread's error is unaffected
}

static const struct {
    int code;
    cuc_status status;
    const char *symbol;
} codes[] = {
    { CUDA_ERROR_INVALID_VALUE, CUC_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE" },
    { CUDA_ERROR_OUT_OF_MEMORY, CUC_ERROR_OUT_OF_DEVICE_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY" },
    { CUDA_ERROR_NO_DEVICE, CUC_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE" },
    { CUDA_ERROR_STUB_LIBRARY, CUC_ERROR_NO_DRIVER, "CUDA_ERROR_STUB_LIBRARY" },
    { CUDA_ERROR_NOT_SUPPORTED, CUC_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED" },
    { CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUC_ERROR_BUSY,
      "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" },
    { CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, CUC_ERROR_BUSY, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" },
    { CUDA_ERROR_CAPTURED_EVENT, CUC_ERROR_BUSY, "CUDA_ERROR_CAPTURED_EVENT" },
    { CUDA_ERROR_UNKNOWN, CUC_ERROR_DRIVER, "CUDA_ERROR_UNKNOWN" },
    { 31415, CUC_ERROR_DRIVER, "" }, // a code of a newer driver
};

TEST_ROWS(a_drivers_code_becomes_a_status_with_symbol_and_explanation, codes)
{
    ck_assert_int_eq(cuc__fail_driver(NULL, codes[_i].code, "cuc_do", "cuDo", "doing %d", 5),
                     codes[_i].status);
    ck_assert_int_eq(cuc_error_status(), codes[_i].status);
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_DRIVER);
    ck_assert_int_eq(cuc_error_library_code(), codes[_i].code);
    ck_assert_str_eq(cuc_error_library_call(), "cuDo");
    if (codes[_i].symbol[0])
        ck_assert_str_eq(cuc_error_library_symbol(), codes[_i].symbol);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "cuc_do: doing 5 (cuDo returned "));
    ck_assert_uint_gt(strlen(cuc_error_explanation()), 20);
}

TEST(every_status_and_element_type_has_its_name)
{
    ck_assert_str_eq(cuc_status_name(CUC_ERROR_CONTEXT_LOST), "CUC_ERROR_CONTEXT_LOST");
    ck_assert_str_eq(cuc_status_name(-12345), "CUC_ERROR_UNKNOWN");
    ck_assert_ptr_nonnull(cuc_status_text(-12345));
#define ROW(constant, value, text)                       \
    ck_assert_int_eq(constant, value);                   \
    ck_assert_str_eq(cuc_status_name(value), #constant); \
    ck_assert_str_eq(cuc_status_text(value), text);
    CUC_STATUS_LIST(ROW)
#undef ROW
#define ROW(constant, value, name, bits)            \
    ck_assert_int_eq(constant, value);              \
    ck_assert_str_eq(cuc_dtype_name(value), name);  \
    ck_assert_uint_eq(cuc_dtype_bits(value), bits); \
    ck_assert_int_eq(cuc_dtype_from_name(name), value);
    CUC_DTYPE_LIST(ROW)
#undef ROW
    ck_assert_str_eq(cuc_dtype_name(-1), "unknown");
    ck_assert_str_eq(cuc_dtype_name(1000), "unknown");
    ck_assert_uint_eq(cuc_dtype_bits(1000), 0);
    ck_assert_int_eq(cuc_dtype_from_name(NULL), CUC_DTYPE_UNKNOWN);
    ck_assert_int_eq(cuc_dtype_from_name("f31"), CUC_DTYPE_UNKNOWN);
}

TEST(the_library_and_its_headers_are_of_one_version)
{
    char text[32];

    snprintf(text, sizeof(text), "%d.%d.%d", CUC_VERSION_MAJOR, CUC_VERSION_MINOR,
             CUC_VERSION_PATCH);
    ck_assert_uint_eq(cuc_version(), CUC_VERSION);
    ck_assert_str_eq(cuc_version_string(), text);
}

int main(void)
{
    return run_tests("error");
}
