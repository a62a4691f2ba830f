// Tests the set of files that a source may include. The source's key changes if one of these files
// changes, or if a file appears where it would be found instead. A source whose files cannot be
// determined has no key.
#include "base/array.h"
#include "program/included.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- System calls that fail (the test is linked with --wrap for each, see meson.build)

static struct {
    _Atomic int calls;  // number of calls since `at` was set, including those by helpers
    int at, error;      // the call that fails, and its error; 0: none
    int delay_ms;       // duration of each call
    _Atomic int helped; // number of calls by threads other than the first
} hit;

static pthread_t first_thread;

static bool fails(void)
{
    if (hit.delay_ms)
        testing_sleep_ms(hit.delay_ms);
    hit.helped += !pthread_equal(pthread_self(), first_thread);
    if (!hit.at || ++hit.calls != hit.at)
        return false;
    errno = hit.error;
    return true;
}

#define WRAP(type, name, parameters, ...)                 \
    type __real_##name parameters;                        \
    type __wrap_##name parameters;                        \
    type __wrap_##name parameters                         \
    {                                                     \
        return fails() ? -1 : __real_##name(__VA_ARGS__); \
    }

WRAP(ssize_t, read, (int fd, void *data, size_t bytes), fd, data, bytes)
WRAP(int, fstat, (int fd, struct stat *about), fd, about)
WRAP(int, fstat64, (int fd, struct stat *about), fd, about)
WRAP(int, fstatat, (int at, const char *path, struct stat *about, int flags), at, path, about,
     flags)
WRAP(int, fstatat64, (int at, const char *path, struct stat *about, int flags), at, path, about,
     flags)

#define WRAP_OPEN(name)                                                         \
    int __wrap_##name(int at, const char *path, int flags, ...);                \
    int __wrap_##name(int at, const char *path, int flags, ...)                 \
    {                                                                           \
        va_list args;                                                           \
        va_start(args, flags);                                                  \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; \
        va_end(args);                                                           \
        return fails() ? -1 : (int)syscall(SYS_openat, at, path, flags, mode);  \
    }

WRAP_OPEN(openat)
WRAP_OPEN(openat64)

// ---- Sources

static char folder[] = "/tmp/cucore-includes-XXXXXX";
static cuc__store store = { .max_bytes = 1 << 30 };

static void write_bytes(const char *name, const char *text, size_t bytes)
{
    FILE *f = fopen(name, "w");

    ck_assert_msg(f != NULL, "%s", name);
    ck_assert_uint_eq(fwrite(text, 1, bytes, f), bytes);
    fclose(f);
}

static void write_file(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static void make_folder(void)
{
    first_thread = pthread_self();
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    static char dir[64];
    snprintf(dir, sizeof(dir), "%s/cache", folder);
    store.dir = dir;
    ck_assert_int_eq(mkdir("first", 0755) | mkdir("second", 0755) | mkdir("second/sub", 0755) |
                         mkdir("third", 0755) | mkdir("own", 0755) | mkdir("memory", 0755),
                     0);
}

static void remove_folder(void)
{
    char command[64];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

// Writes the key of a source as text, or why it has none. With `stores`, the list of files may come
// from a store, which also receives new lists; *recalled says whether the list came from the store.
static const char *make_key(const char *text, const char *definitions, bool stores, bool *recalled)
{
    static const char *const folders[] = { "first", "second/sub", "second", "third/" };
    static char *const header_names[] = { "memory/h.h" };
    static char *const header_texts[] = { "#include \"beside.h\"\n" };
    static char result[64][400];
    static int at;
    struct cuc__include_source source = {
        .name = "own/source.cu",
        .text = text,
        .definitions = definitions ? definitions : "",
        .header_names = header_names,
        .header_texts = header_texts,
        .header_count = 1,
        .folders = folders,
        .folder_count = CUC_LENGTH(folders),
    };
    cuc__key_maker maker;
    cuc__key key;

    at = (at + 1) % CUC_LENGTH(result);
    cuc__key_begin(&maker, "test");
    cuc__includes *files = cuc__key_add_includes(&maker, stores ? &store : NULL, &source);
    if (recalled)
        *recalled = files && files->recalled;
    if (stores && files)
        cuc__includes_store(files, &store, "source.cu");
    cuc__includes_free(files);
    if (cuc__key_finish(&key, &maker))
        cuc__sha256_text(result[at], key.bytes);
    else
        snprintf(result[at], sizeof(result[at]), "refused: %s", maker.why);
    return result[at];
}

// Returns the key of a source, or why it has none. Checks that the answer is the same with a list
// in the store, and with helpers on a slow file system.
static const char *key_of(const char *text, const char *definitions)
{
    const char *key = make_key(text, definitions, false, NULL);
    bool recalled;

    cuc__included_slow = true;
    ck_assert_str_eq(make_key(text, definitions, false, NULL), key);
    cuc__included_slow = false;

    ck_assert_str_eq(make_key(text, definitions, true, NULL), key);
    ck_assert_str_eq(make_key(text, definitions, true, &recalled), key);
    ck_assert_msg(recalled == (strncmp(key, "refused", 7) != 0), "%s", text);
    return key;
}

// ---- Sources with a key

static const struct {
    const char *text, *file; // `file` changes the key when it appears
    const char *definitions;
} known[] = {
    // Places
    { "#include <h.h>\n", "first/h.h", NULL },
    { "#include <h.h>\n", "own/h.h", NULL },
    { "#include \"h.h\"\n", "h.h", NULL },
    { "#include <h>\n", "first/h.stdh", NULL },
    { "#include \"sub.d/h\"\n", "second/sub/h.stdh", "#define X\n" },
    { "", "memory/beside.h", NULL }, // a header in memory includes it
    { "#include_next <h.h>\n", "second/h.h", NULL },
    { "#include <h.h>\n", "third/h.h", NULL },
    { "#include <sub//h.h>\n", "second/sub/h.h", NULL },
    { "#include <sub/../h.h>\n", "second/h.h", NULL },
    // Lines, comments and literals
    { "#include <h.h>", "second/h.h", NULL }, // no newline at the end
    { "#include <h.h>\\", "second/h.h", NULL },
    { "#include <h.h>\\\n", "second/h.h", NULL },
    { "#include <h.h>\r\n", "second/h.h", NULL },
    { "int a;\r\n#inc\\\r\nlude <h.h>\r\nint b;\r\n", "second/h.h", NULL },
    { "\xEF\xBB\xBF#include <h.h>\n", "second/h.h", NULL },
    { "#\\\n\\\ninclude\\\n<h.\\\nh>\n", "second/h.h", NULL },
    { "int a; // b \\\n c\n#include <h.h>\n", "second/h.h", NULL },
    { " \t\v\f# \tinclude\t<h.h> // a\n", "second/h.h", NULL },
    { "/* a */ /* b */ # /* c */ include /* d */ <h.h> /* e */\n", "second/h.h", NULL },
    { "/* a\n # b\n*/ #include <h.h>\n", "second/h.h", NULL },
    { "/* a **/#include <h.h>\n", "second/h.h", NULL },
    { "// a /*\n#include <h.h>\n", "second/h.h", NULL },
    { "const char *a = \"/*\";\n#include <h.h>\n", "second/h.h", NULL },
    { "const char a = '\"';\n#include <h.h>\n", "second/h.h", NULL },
    { "const char *a = R\"(/*)\";\n#include <h.h>\n", "second/h.h", NULL },
    { "const char *a = R\"(\n\")\";\n#include <h.h>\n", "second/h.h", NULL },
    { "const char *a = R\"x(\n//)x\";\n#include <h.h>\n", "second/h.h", NULL },
    { "asm(\"%0, %1;\" : : );\n%:include <h.h>\n", "second/h.h", NULL },
    { "a % b; # c\nd #e\n%%: f\n#include <h.h>\n", "second/h.h", NULL },
    { "#pragma once\n#error \"\n#line 7 \"a\"\n#\n##\n#include <h.h>\n", "second/h.h", NULL },
    // Conditions
    { "#if 0\n#include <h.h>\n#endif\n", "second/h.h", NULL },
    { "#if 1\n#else\n#include <h.h>\n#endif\n", "second/h.h", NULL },
    { "#ifdef A\n#elif B\n#ifndef C\n#include <h.h>\n#endif\n#endif\n", "second/h.h", NULL },
    { "#ifndef A\n#define A\n#include <h.h>\n#endif\n", "second/h.h", NULL },
    // __has_include
    { "#if __has_include(<h.h>)\n#endif\n", "second/h.h", NULL },
    { "#if __has_include(\"h.h\")\n#endif\n", "own/h.h", NULL },
    { "#if 0\n#elif __has_include(<h>)\n#endif\n", "second/h.stdh", NULL },
    { "# /* */ if 1 && __has_include /* */ ( /* */ <h.h> /* */ )\n", "second/h.h", NULL },
    { "%: if __has_include(<h.h>)\n#endif\n", "second/h.h", NULL },
    { "#if __has_inc\\\nlude(<h\\\n.h>)\n", "second/h.h", NULL },
    { "#if __has_include_next(<h.h>)\n", "second/h.h", NULL },
    { "#ifdef __has_include\n#if __has_include(<h.h>)\n", "second/h.h", NULL },
    { "#if defined(__has_include) && defined __has_include && __has_include(<h.h>)\n", "second/h.h",
      NULL },
    { "#ifndef __has_include\n#define __has_include(X) 0\n#endif\n#if __has_include(<h.h>)\n",
      "second/h.h", NULL },
    { "// or __has_include(X)\n#if __has_include(<h.h>)\n#endif // __has_include\n", "second/h.h",
      NULL },
    { "#define H __has_include(<h.h>)\n#if H\n", "second/h.h", NULL },
    // Macros that expand to __has_include
    { "#define HAS(X) __has_include(X)\n#if HAS(<h.h>)\n", "second/h.h", NULL },
    { "#define HAS(X) __has_include(X)\n#if HAS(\"h.h\")\n", "own/h.h", NULL },
    { "#define HAS( X ) __has_include /**/ ( X ) \n#if HAS(<h.h>)\n", "second/h.h", NULL },
    { "#if HAS(<h.h>)\n#endif\n#include \"has.h\"\n", "second/h.h", NULL }, // defined later
    { "#include \"has.h\"\n#if HAS(<h.h>)\n#endif\n", "second/h.h", NULL },
    { "#if LIB_HAS_INCLUDE(<h.h>)\n#endif\n#include \"has.h\"\n", "second/h.h", NULL },
    { "#include \"has.h\"\n#if LIB_HAS_INCLUDE(<h.h>)\n#endif\n", "second/h.h", NULL },
    { "#if HAS(<h.h>)\n", "second/h.h", "#define HAS(X) __has_include(X)\n" },
    { "#if \xC3\xA4_HAS_INCLUDE(<h.h>)\n", "second/h.h",
      "#define \xC3\xA4_HAS_INCLUDE(X) __has_include(X)\n" },
    { "#if H(<h.h>) && HA(<i.h>)\n", "second/h.h",
      "#define H(X) __has_include(X)\n#define HA(X) __has_include(X)\n" },
    { "#define HAS(X) __has_include(X)\n#define HAS2(Y) HAS(Y)\n#if HAS2(<h.h>)\n", "second/h.h",
      NULL },
    { "#ifdef __has_include\n#define HAS(X) __has_include(X)\n#else\n#define HAS(X) 0\n#endif\n"
      "#if defined(HAS) && HAS(<h.h>)\n#undef HAS\n",
      "second/h.h", NULL },
    // Macros in an #include
    { "#define H <h.h>\n#include H\n", "second/h.h", NULL },
    { "#define H \"h.h\"\n#include H // comment\n", "own/h.h", NULL },
    { "#define H <h.h>\n#include H/* a */ /* b */\n", "second/h.h", NULL },
    { "#include H\n", "second/h.h", "#define H <h.h>\n" },
    { "#include H\n#include \"defines.h\"\n", "second/of_header.h", NULL },
    { "#define ROOT sub\n#define H <ROOT/h.h>\n#include H\n", "second/sub/h.h", NULL },
    { "#if X\n#define ROOT sub\n#else\n#define ROOT other\n#endif\n#define H <ROOT/h.h>\n"
      "#include H\n",
      "second/sub/h.h", NULL },
    { "#define sub other\n#undef sub\n#define H <sub/h.h>\n#include H\n", "second/sub/h.h", NULL },
    { "#define sub() other\n#define H <sub/h.h>\n#include H\n", "second/sub/h.h", NULL },
    { "#define A B\n#define B <h.h>\n#include A\n", "second/h.h", NULL },
    { "#define __ROOT sub\n#define __H <__ROOT/h.h>\n#include __H\n#undef __H\n", "second/sub/h.h",
      NULL },
};

static void write_has(void)
{
    write_file("own/has.h", "#define HAS(X) __has_include(X)\n"
                            "#define LIB_HAS_INCLUDE(X) __has_include(X)\n");
}

CASE("includes", .setup = make_folder, .teardown = remove_folder);

TEST_ROWS(a_file_that_appears_changes_the_key, known)
{
    const char *text = known[_i].text, *file = known[_i].file;

    write_has();
    write_file("own/defines.h", "#define H <of_header.h>\n");
    ck_assert_int_eq(mkdir("first/sub.d", 0755), 0);
    ck_assert_int_eq(symlink("sub", "second/sub.d"), 0);
    const char *before = key_of(text, known[_i].definitions);
    ck_assert_msg(strlen(before) == 64, "%s: %s", text, before);
    ck_assert_str_eq(key_of(text, known[_i].definitions), before);
    write_file(file, "#include \"nested.h\"\n");
    const char *after = key_of(text, known[_i].definitions);
    ck_assert_msg(strlen(after) == 64 && strcmp(before, after) != 0, "%s: %s", text, after);
    write_file("second/nested.h", "// changed\n");
    before = key_of(text, known[_i].definitions);
    ck_assert_msg(strlen(before) == 64 && strcmp(before, after) != 0, "%s: %s", text, before);
}

// ---- Sources without a key

static const struct {
    const char *text, *why, *definitions;
} unknown[] = {
    { "#if __has_include(H)\n", "does not name the file of __has_include", NULL },
    { "#if __has_include(H)", "does not name the file of __has_include", NULL },
    { "#if __has_include_next(H)\n", "does not name the file of __has_include_next", NULL },
    { "#if __has_include(<h.h>\n", "__has_include", NULL },
    { "#if __has_include(\n", "__has_include", NULL },
    { "int x = __has_include(<h.h>);\n", "__has_include", NULL },
    { "#if 1 /*\n*/ && __has_include(X)\n", "__has_include", NULL },
    { "// */ #if __has_include(X)\n", "__has_include", NULL },
    { "#define HAS __has_include\n#if HAS(<h.h>)\n", "__has_include", NULL },
    { "#define HAS(X) 1 && __has_include(X)\n", "__has_include", NULL },
    { "#define HAS(X) __has_include(X) || 0\n", "__has_include", NULL },
    { "#define HAS(X) __has_include(Y)\n", "__has_include", NULL },
    { "#define HAS(X, Y) __has_include(X)\n", "__has_include", NULL },
    { "#define HAS(X) __has_include(<X/h.h>)\n", "__has_include", NULL },
    { "#define HAS(X) __has_include(X)\n#if HAS(H)\n", "the file of HAS", NULL },
    { "#define HAS(X) __has_include(X)\n#if APPLY(HAS, <h.h>)\n", "the file of HAS", NULL },
    { "#define HAS(X) __has_include(X)\n#if HAS(<linux/h.h>)\n", "the file of HAS", NULL },
    { "#if HAS(H)\n", "the file of HAS", "#define HAS(X) __has_include(X)\n" },
    // The file is next to the file that uses the macro.
    { "#define H __has_include(\"h.h\")\n", "__has_include", NULL },
    { "#define H /*\n*/ __has_include(\"h.h\")\n", "__has_include", NULL },
    { "#define HAS(X) __has_include(X)\n#define sub other\n#if HAS(<sub/h.h>)\n", "a macro, sub",
      NULL },
    { "#define HAS(X) __has_include(X)\n#if HAS(<sub/h.h>)\n", "a macro, sub",
      "#define sub other\n" },
    // Names that ## makes
    { "#define J(A, B) A##B\n#if J(__has_, include)(<h.h>)\n", "a part of __has_", NULL },
    { "#define J(A, B) A##B\n#if J(_, _has_include)(<h.h>)\n", "a part of __has_", NULL },
    { "#define HAS(X) __has_include(X)\n#if J(HA, S)(<h.h>)\n", "a part of HAS", NULL },
    { "#define J(A, B) A##B\nconst char *t = J(__TI, ME__);\n", "a part of __TIME__", NULL },
    { "#define J(A, B, C, D) A##B##C##D\n#if J(__h, as_i, nclu, de)(<h.h>)\n", "a part of __has_",
      NULL },
    { "#define J(A, B, C, D) A##B##C##D\nconst char *t = J(_,_T,I,ME__);\n", "a part of __TIME__",
      NULL },
    { "#if J(__has_include, _next)(<h.h>)\n", "__has_include", NULL },
    { "#if J(__has,\n_include)(<h.h>)\n", "a part of __has_", NULL },
    { "#if J(__has_i/* */, nclude)(<h.h>)\n", "a part of __has_", NULL },
    { "const char *t = J(_,\n_TI,\nM, E__);\n", "a part of __TIME__", NULL },
    { "#if J(LIB_HAS, _INCLUDE)(<h.h>)\n#endif\n#include \"has.h\"\n", "a part of LIB_HAS", NULL },
    { "#include \"has.h\"\n#if J(LIB_, HAS_INCLUDE)(<h.h>)\n#endif\n", "a part of LIB_HAS", NULL },
    { "#if LIB_HAS_INCLUDE(H)\n#endif\n#include \"has.h\"\n", "the file of LIB_HAS", NULL },
    // Words and lines
    { "const char *t = __TIME__;", "has __TIME__", NULL },
    { "// __DATE__\n", "has __DATE__", NULL },
    { "const char *t = \"\xC3\xA4__TIMESTAMP__\xC3\xA4\";\n", "has __TIMESTAMP__", NULL },
    { "#if __has_embed(<h.h>)\n", "has __has_embed", NULL },
    { "?\?=include <h.h>\n", "has ?\?=", NULL },
    { "// ?\?\?\?/\n#include <h.h>\n", "has ?\?/", NULL },
    { "int a;\r#include <h.h>\n", "carriage return", NULL },
    { "int a; \\ \n", "backslash and blanks", NULL },
    { "const char *t = T;\n", "__TIME__", "#define T __TIME__\n" },
    // Includes
    { "#define H(X) <X>\n#include H(h.h)\n", "does not name its file", NULL },
    { "#define A B\n#define B A\n#include A\n", "does not name its file", NULL },
    { "#include __FILE__\n", "does not name its file", NULL },
    { "#define H <__SELF/h.h>\n#include H\n", "does not name its file", NULL },
    { "#ifndef __CUDA_ARCH__\n#define __CUDA_ARCH__ sub\n#endif\n#define H <__CUDA_ARCH__/h.h>\n"
      "#include H\n",
      "does not name its file", NULL },
    { "#define linux sub\n#define H <linux/h.h>\n#include H\n", "does not name its file", NULL },
    { "#define H <h .h>\n#include H\n", "does not name its file", NULL },
    { "#define H <h.h /*\n*/ >\n#include H\n", "does not name its file", NULL },
    { "#define H <h.h>\n#include H /*\n*/\n", "does not name its file", NULL },
    { "#define H <a##b>\n#include H\n", "does not name its file", NULL },
    { "#include 7\n", "does not name its file", NULL },
    { "#include /*\n*/ <h.h>\n", "comment of several lines", NULL },
    { "#define /*\n*/ H <h.h>\n", "comment of several lines", NULL },
    { "#import <h.h>\n", "#import", NULL },
    { "#embed <h.h>\n", "#embed", NULL },
};

TEST_ROWS(a_source_with_unknown_files_has_no_key, unknown)
{
    write_has();
    const char *key = key_of(unknown[_i].text, unknown[_i].definitions);

    ck_assert_msg(strncmp(key, "refused: ", 9) == 0 && strstr(key, unknown[_i].why), "%s: %s",
                  unknown[_i].text, key);
}

// ---- Headers

// Writes a text to a header that a source includes, and a small header before and after it. Returns
// the key of the source.
static const char *key_of_header(const char *text, const char *definitions)
{
    write_has();
    write_file("first/before.h", "int before;\n");
    write_file("first/top.h", text);
    write_file("first/after.h", "int after;");
    return key_of("#include <before.h>\n#include <top.h>\n#include <after.h>\n", definitions);
}

TEST_ROWS(a_header_is_read_as_a_source_is, known)
{
    const char *text = known[_i].text, *file = known[_i].file;

    write_file("own/defines.h", "#define H <of_header.h>\n");
    ck_assert_int_eq(mkdir("first/sub.d", 0755), 0);
    ck_assert_int_eq(symlink("sub", "second/sub.d"), 0);
    const char *before = key_of_header(text, known[_i].definitions);
    ck_assert_msg(strlen(before) == 64, "%s: %s", text, before);
    write_file(file, "#include \"nested.h\"");
    const char *after = key_of_header(text, known[_i].definitions);
    ck_assert_msg(strlen(after) == 64 && strcmp(before, after) != 0, "%s: %s", text, after);
    write_file("second/nested.h", "// changed\n");
    before = key_of_header(text, known[_i].definitions);
    ck_assert_msg(strlen(before) == 64 && strcmp(before, after) != 0, "%s: %s", text, before);
}

TEST_ROWS(a_header_may_have_no_key, unknown)
{
    const char *key = key_of_header(unknown[_i].text, unknown[_i].definitions);

    ck_assert_msg(strncmp(key, "refused: ", 9) == 0 && strstr(key, unknown[_i].why), "%s: %s",
                  unknown[_i].text, key);
}

TEST(a_header_with_a_zero_byte_has_no_key)
{
    static const char text[] = "int a;\n\0#include <h.h>\n";

    for (size_t bytes = 8; bytes < sizeof(text); bytes += sizeof(text) - 9) {
        write_bytes("first/zero.h", text, bytes); // a zero as the last byte, then inside
        const char *key = key_of("#include <zero.h>\n", NULL);
        ck_assert_msg(strncmp(key, "refused: ", 9) == 0 && strstr(key, "has a zero byte"), "%s",
                      key);
    }
}

TEST(an_empty_header_has_a_key)
{
    write_file("first/empty.h", "");
    ck_assert_uint_eq(strlen(key_of("#include <empty.h>\n", NULL)), 64);
}

// The text of a longer header stays in memory after the text of the next one.
TEST(a_header_ends_where_its_file_does)
{
    write_file("first/long.h", "//        other.h>\n#include <h.h>\n");
    write_file("first/h.h", "#include <");
    const char *before = key_of("#include <long.h>\n", NULL);
    ck_assert_msg(strstr(before, "an #include does not name its file"), "%s", before);
    write_file("first/h.h", "// #define");
    before = key_of("#include <long.h>\n", NULL);
    ck_assert_msg(strlen(before) == 64, "%s", before);
    write_file("first/other.h", "// other\n");
    ck_assert_str_eq(key_of("#include <long.h>\n", NULL), before);
    // Joining lines leaves the end of the former text in memory after the joined one.
    write_file("first/h.h", "//\\\n\\\n\\\n\\\n\\\n\\\n\\\n\\\n\\\n\\\n #include <i.h>");
    before = key_of("#include <h.h>\n", NULL);
    write_file("first/i.h", "// i\n");
    ck_assert_str_eq(key_of("#include <h.h>\n", NULL), before);
    // Texts about as long as the memory
    static char text[70000];
    memset(text, ' ', sizeof(text));
    memcpy(text, "#include <end.h>\n", 17);
    for (size_t bytes = 65536 - 200; bytes < 65536 + 200; bytes += 7) {
        memcpy(text + bytes - 17, "\n#include <last.h", 17);
        text[bytes] = '>';
        write_bytes("first/h.h", text, bytes + 1);
        memset(text + bytes - 17, ' ', 18);
        ck_assert_int_eq(remove("second/last.h") == 0 || errno == ENOENT, 1);
        before = key_of("#include <h.h>\n", NULL);
        write_file("second/last.h", "// last\n");
        ck_assert_str_ne(key_of("#include <h.h>\n", NULL), before);
    }
}

TEST(headers_may_include_one_another)
{
    write_file("first/a.h", "#include <b.h>\n#include \"a.h\"\n#define H \"c.h\"\n");
    write_file("first/b.h", "#include \"a.h\"\n#include H\n#if __has_include(<b.h>)\n#endif\n");
    write_file("first/c.h", "#include H\n#include <sub/../a.h>\n#include \"d.h\"\n");
    const char *before = key_of("#include \"a.h\"\n", NULL);
    ck_assert_msg(strlen(before) == 64, "%s", before);
    write_file("first/d.h", "#include \"b.h\"\n");
    const char *after = key_of("#include \"a.h\"\n", NULL);
    ck_assert_msg(strlen(after) == 64 && strcmp(before, after) != 0, "%s", after);
}

// A name that was found before is looked for again beside each file that includes it in quotes.
TEST(a_name_may_be_beside_each_header)
{
    ck_assert_int_eq(mkdir("first/x", 0755) | mkdir("first/y", 0755), 0);
    write_file("first/x/a.h", "#include \"b.h\"\n");
    write_file("first/y/a.h", "#include \"b.h\"\n#include <b.h>\n");
    write_file("first/b.h", "// b\n");
    static const char text[] = "#include <b.h>\n#include <x/a.h>\n#include <y/a.h>\n";
    const char *before = key_of(text, NULL);
    ck_assert_msg(strlen(before) == 64, "%s", before);
    write_file("first/y/b.h", "// beside\n");
    const char *after = key_of(text, NULL);
    ck_assert_msg(strlen(after) == 64 && strcmp(before, after) != 0, "%s", after);
}

// Adds the missing folders one by one, then the file.
TEST(a_missing_folder_stands_for_the_files_in_it)
{
    static const char text[] = "#include <deep/er/h.h>\n#include <deep/i.h>\n";
    bool recalled;

    const char *before = key_of(text, NULL);
    ck_assert_msg(strlen(before) == 64, "%s", before);
    ck_assert_int_eq(mkdir("second/deep", 0755), 0);
    ck_assert_str_eq(make_key(text, NULL, true, &recalled), before);
    ck_assert(!recalled); // other places are missing now
    ck_assert_str_eq(key_of(text, NULL), before);
    ck_assert_int_eq(mkdir("second/deep/er", 0755), 0);
    ck_assert_str_eq(key_of(text, NULL), before);
    write_file("second/deep/er/h.h", "// h\n");
    const char *after = key_of(text, NULL);
    ck_assert_msg(strlen(after) == 64 && strcmp(before, after) != 0, "%s", after);
}

// A skipped branch names the pipe, so the compiler never opens it. Waiting for a writer could take
// forever.
TEST(a_pipe_without_a_writer_is_not_waited_for)
{
    ck_assert_int_eq(mkfifo("first/pipe.h", 0600), 0);
    const char *key = key_of("#if 0\n#include <pipe.h>\n#endif\n", NULL);
    ck_assert_msg(strncmp(key, "refused: ", 9) == 0 && strstr(key, "first/pipe.h cannot be read"),
                  "%s", key);
}

// ---- Lists that another source has stored

static const struct {
    const char *first, *second; // sources
    bool recalled;              // whether the second source uses the first one's list
} pairs[] = {
    // Lines that name no file
    { "#include <h.h>\nint a;\n", "#include <h.h>\nint b;\n", true },
    { "#include <h.h>\n", "// a\n#include <h.h>\n\n\nint a;\n", true },
    { "#include <h.h>\n", "#include <h.h>\n#pragma unroll\n#error a\n#undef A\n#line 3\n", true },
    { "#include <h.h>\n", "#include <h.h>\n#ifdef A\n#else\n#endif\n", true },
    { "#include <h.h>\n", "#include <h.h>\n_Pragma(\"once\") int a;\n", true },
    { "#include <h.h>\n", "#include <h.h>\nconst char *f = __FILE__; int c = __COUNTER__;\n",
      true },
    { "#include <h.h>\n", "#include <h.h>\nconst char *f = \"#include <i.h>\";\n", true },
    { "#include <h.h>\n", "#include <h.h>\nint a = b # c % : d;\n", true },
    // Others
    { "#include <h.h>\n", "#include <i.h>\n", false },
    { "#include <h.h>\n", "#include \"h.h\"\n", false },
    { "#include <h.h>\n", "#include <h.h>\n#include <i.h>\n", false },
    { "#include <h.h>\n#include <i.h>\n", "#include <i.h>\n#include <h.h>\n", false },
    { "#include <h.h>\n", "#include_next <h.h>\n", false },
    { "#define H <h.h>\n#include H\n", "#define H <i.h>\n#include H\n", false },
    { "#define D h\n#define H <D.h>\n#include H\n", "#define D i\n#define H <D.h>\n#include H\n",
      false },
    { "#if A\n#include <h.h>\n#endif\n", "#if B\n#include <h.h>\n#endif\n", false },
    { "#if __has_include(<h.h>)\n#endif\n", "#if __has_include(<i.h>)\n#endif\n", false },
    { "#if 0\n#elif __has_include(<h.h>)\n#endif\n", "#if 0\n#elif __has_include(<i.h>)\n#endif\n",
      false },
    { "#if HAS(<h.h>)\n#endif\n#include \"has.h\"\n",
      "#if HAS(<i.h>)\n#endif\n#include \"has.h\"\n", false },
    // Spellings of a directive
    { "#include <h.h>\n", "#include <h.h>\n%:include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n%: define A <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n/* a */ # /* b */ include /* c */ <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n/* a\n*/ # include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n#inc\\\nlude <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n\\\n#include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\r\n#include <i.h>\r\n", false },
    { "#include <h.h>\n", "#include <h.h>\n#pragma once /*\n*/ #include <i.h>\n", false },
    { "#inc\\\nlude <h.h>\n", "#include <h.h>\n", true }, // the same line
    // Directives inside literals and comments count too, and so do those after a /* in a literal.
    { "#include <h.h>\n", "#include <h.h>\nauto t = R\"(\n#include <i.h>\n)\";\n", false },
    { "#include <h.h>\n", "#include <h.h>\n/*\n#include <i.h>\n*/\n", false },
    { "#include <h.h>\n", "#include <h.h>\nauto t = R\"(/*)\";\n#include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\nauto t = \"/*\";\n#include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n// \\\n#include <i.h>\n", true }, // a comment line
    { "#include <h.h>\n", "/*\n#include <h.h>\n*/\n", true },                // includes nothing
    // Lines that name no file but prevent a key
    { "#include <h.h>\n", "#include <h.h>\nconst char *t = __TIME__;\n", false },
    { "#include <h.h>\n", "#include <h.h>\nconst char *t = __DATE__;\n", false },
    { "#include <h.h>\n", "#include <h.h>\nconst char *t = __TIMESTAMP__;\n", false },
    { "#include <h.h>\n", "#include <h.h>\nconst char *t = __TI\\\nME__;\n", false },
    { "#include <h.h>\n", "#include <h.h>\nconst char *t = J(__TI, ME__);\n", false },
    { "#include <h.h>\n", "#include <h.h>\nint a = __has_include(<i.h>);\n", false },
    { "#include <h.h>\n", "#include <h.h>\nint a = J(__has_, include)(<i.h>);\n", false },
    { "#include <h.h>\n", "#include <h.h>\n?\?=include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\n// ?\?/\n#include <i.h>\n", false },
    { "#include <h.h>\n", "#include <h.h>\nint a; \\ \n", false },
    { "#include <h.h>\n", "#include <h.h>\rint a;\n", false },
    // A header defines the macro HAS, which expands to __has_include.
    { "#include \"has.h\"\n", "#include \"has.h\"\nint a = HAS(<i.h>);\n", false },
    { "#include \"has.h\"\n", "#include \"has.h\"\nint a = J(HA, S)(<i.h>);\n", false },
    { "#include \"has.h\"\n", "#include \"has.h\"\n#pragma a HAS(<i.h>)\n", false },
    { "#include \"has.h\"\n", "#include \"has.h\"\n// HAS(<i.h>)\n", true },
    { "#include \"has.h\"\n", "#include \"has.h\"\n#ifdef HAS\n#endif\n", true },
};

// A list must give the same key as a scan, and no key where a scan gives none.
TEST_ROWS(a_list_serves_sources_with_the_same_directives, pairs)
{
    const char *first = pairs[_i].first, *second = pairs[_i].second;
    bool recalled;

    write_file("own/has.h", "#define HAS(X) __has_include(X)\n");
    write_file("first/h.h", "// h\n");
    write_file("second/i.h", "// i\n");
    const char *key = make_key(first, NULL, true, NULL);
    ck_assert_msg(strlen(key) == 64, "%s: %s", first, key);
    key = make_key(second, NULL, false, NULL);
    ck_assert_msg(strcmp(make_key(second, NULL, true, &recalled), key) == 0, "%s\nafter %s", second,
                  first);
    ck_assert_msg(recalled == pairs[_i].recalled, "%s\nafter %s: %s", second, first, key);
}

// Makes sources of random pieces; many share their directives with an earlier source.
TEST(a_list_never_changes_a_key)
{
    static const char *const pieces[] = {
        "#include <h.h>\n",
        "#include <i.h>\n",
        "#include \"has.h\"\n",
        "#include H\n",
        "# ",
        "%:",
        "define H <h.h>\n",
        "define H <i.h>\n",
        "#if HAS(<i.h>)\n",
        "#elif __has_include(<h.h>)\n",
        "HAS(<i.h>)",
        "J(HA, S)",
        "__TI",
        "ME__",
        "J(_",
        ",",
        "/*",
        "*/",
        "//",
        "R\"(",
        ")\"",
        "\"",
        "\\\n",
        "\r\n",
        "\n",
        "int a;",
        "a\n",
        "?\?/",
        "#pragma x ",
        "#endif\n",
        "int b;",
        "\n",
        "\n",
        "\n",
    };
    enum { ROUNDS = 1500, MOST_PIECES = 5 };
    int recalled_count = 0, refused = 0;
    unsigned state = 19;

    write_file("own/has.h", "#define HAS(X) __has_include(X)\n");
    write_file("first/h.h", "// h\n");
    write_file("second/i.h", "#include <h.h>\n");
    for (int i = 0; i < ROUNDS; i++) {
        char text[400] = "#include <h.h>\n";
        bool recalled;
        for (int k = i % (MOST_PIECES + 1); k > 0; k--) {
            state = state * 1103515245 + 12345;
            strcat(text, pieces[(state >> 16) % CUC_LENGTH(pieces)]);
        }
        const char *key = make_key(text, NULL, false, NULL);
        const char *with = make_key(text, NULL, true, &recalled);
        ck_assert_msg(strcmp(with, key) == 0, "%s, not %s:\n%s", with, key, text);
        recalled_count += recalled;
        refused += strncmp(key, "refused", 7) == 0;
    }
    ck_assert_int_gt(recalled_count, ROUNDS / 10);
    ck_assert_int_gt(refused, ROUNDS / 50);
    printf("%d of %d sources had a list, and %d have no key\n", recalled_count, ROUNDS, refused);
}

// ---- Changes to the files in a list

static void change_text(void)
{
    write_file("first/h.h", "// i\n");
}

static void add_before(void)
{
    write_file("own/h.h", "// h\n");
}

static void add_folder(void)
{
    ck_assert_int_eq(mkdir("first/deep", 0755) | mkdir("first/deep/er", 0755), 0);
    write_file("first/deep/er/h.h", "// h\n");
}

static void remove_it(void)
{
    ck_assert_int_eq(remove("first/h.h"), 0);
}

static void make_it_a_folder(void)
{
    remove_it();
    ck_assert_int_eq(mkdir("first/h.h", 0755), 0);
}

static void touch_it(void)
{
    ck_assert_int_eq(utimensat(AT_FDCWD, "first/h.h", NULL, 0), 0);
}

static void replace_it(void)
{
    write_file("first/new", "// h\n");
    ck_assert_int_eq(rename("first/new", "first/h.h"), 0);
}

static void add_elsewhere(void)
{
    write_file("first/other.h", "// h\n");
}

static const struct {
    void (*change)(void);
    bool same; // whether the key stays the same and comes from the list
} changes[] = {
    { change_text, false }, { add_before, false },       { add_folder, false },
    { remove_it, false },   { make_it_a_folder, false }, { touch_it, true },
    { replace_it, true },   { add_elsewhere, true },
};

TEST_ROWS(a_list_is_invalid_after_a_change, changes)
{
    static const char text[] = "#include <h.h>\n#include <deep/er/h.h>\n";
    bool recalled;

    write_file("first/h.h", "// h\n");
    write_file("second/h.h", "// second\n");
    const char *before = key_of(text, NULL);
    changes[_i].change();
    const char *after = make_key(text, NULL, true, &recalled);
    ck_assert_str_eq(after, make_key(text, NULL, false, NULL));
    ck_assert_int_eq(recalled, changes[_i].same);
    ck_assert_int_eq(strcmp(before, after) == 0, changes[_i].same);
}

// A file that changes and changes back while a compiler runs has the same contents afterwards, but
// the compiler may have read different contents.
TEST(a_file_that_is_touched_may_have_been_read_meanwhile)
{
    struct cuc__include_source source = { .name = "source.cu",
                                          .text = "#include \"first/h.h\"\n",
                                          .definitions = "" };
    cuc__key_maker maker;

    write_file("first/h.h", "// h\n");
    cuc__key_begin(&maker, "test");
    cuc__includes *files = cuc__key_add_includes(&maker, NULL, &source);
    ck_assert_ptr_nonnull(files);
    ck_assert(cuc__includes_unchanged(files, true));
    testing_sleep_ms(20);
    touch_it();
    ck_assert(!cuc__includes_unchanged(files, true));
    ck_assert(cuc__includes_unchanged(files, false));
    cuc__includes_free(files);
}

// Other threads read and check files if system calls take long. The key is the same.
TEST(helpers_serve_slow_file_systems)
{
    enum { FILES = 40 };
    struct cuc__include_source source = { .name = "own/source.cu",
                                          .text = "#include \"0.h\"\n",
                                          .definitions = "" };
    char name[32], text[64];
    cuc__key keys[2];

    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "own/%d.h", i);
        snprintf(text, sizeof(text), "#include \"%d.h\"\n # include <%d.h>\n", 2 * i + 1,
                 2 * i + 2);
        write_file(name, text);
    }
    for (int slow = 0; slow < 2; slow++) {
        cuc__key_maker maker;
        cuc__key_begin(&maker, "test");
        hit.delay_ms = slow;
        hit.helped = 0;
        cuc__includes *files = cuc__key_add_includes(&maker, NULL, &source);
        ck_assert(cuc__key_finish(&keys[slow], &maker));
        ck_assert_ptr_nonnull(files);
        ck_assert_uint_ge(files->count, 2 * FILES);
        ck_assert_msg(!slow || hit.helped > FILES, "%d calls", hit.helped);
        hit.helped = 0;
        ck_assert(cuc__includes_unchanged(files, true));
        ck_assert_msg(!slow || hit.helped > FILES / 2, "%d calls", hit.helped);
        hit.delay_ms = 0;
        write_file("39.h", "// appears\n");
        hit.delay_ms = slow;
        ck_assert(!cuc__includes_unchanged(files, true));
        hit.delay_ms = 0;
        ck_assert_int_eq(remove("39.h"), 0);
        cuc__includes_free(files);
    }
    ck_assert_mem_eq(&keys[0], &keys[1], sizeof(keys[0]));
}

// A call that fails, such as ESTALE on a network file system, may cost the key, but never changes
// it. `_i` says whether helpers read the files.
TEST_RANGE(every_system_call_may_fail, 0, 2)
{
    static const char text[] = "#include \"a.h\"\n#include <sub/../b.h>\n#include <deep/er/h.h>\n";
    static const int errors[] = { EIO, ESTALE, EACCES, EMFILE };
    struct cuc__include_source source = { .name = "own/source.cu",
                                          .text = "#include \"../first/a.h\"\n",
                                          .definitions = "" };
    int failed = 0, refused = 0, missed = 0;

    write_file("first/a.h", "#include \"c.h\"\n#include <d.h>\n");
    write_file("second/b.h", "#include \"c.h\"\n");
    write_file("first/c.h", "// c\n");
    const char *key = make_key(text, NULL, true, NULL);
    ck_assert_msg(strlen(key) == 64, "%s", key);
    cuc__included_slow = _i == 1;
    for (size_t e = 0; e < CUC_LENGTH(errors); e++) {
        bool armed = true;
        for (int n = 1; armed; n++) {
            hit.error = errors[e];
            for (int stores = 0; stores < 2; stores++) {
                bool recalled;
                hit.calls = 0;
                hit.at = n;
                const char *got = make_key(text, NULL, stores, &recalled);
                armed = hit.calls >= n || (stores && armed);
                hit.at = 0;
                bool same = strcmp(got, key) == 0;
                ck_assert_msg(same || strncmp(got, "refused: ", 9) == 0,
                              "call %d fails with %s: %s", n, strerror(errors[e]), got);
                refused += !same;
                missed += stores && armed && !recalled;
            }
            failed += armed;
        }
    }
    ck_assert_int_gt(failed, 20 * CUC_LENGTH(errors));
    ck_assert_int_gt(refused, 0);
    ck_assert_int_gt(missed, 0);
    // A change is noticed whichever call fails.
    cuc__key_maker maker;
    cuc__key_begin(&maker, "test");
    cuc__includes *files = cuc__key_add_includes(&maker, NULL, &source);
    ck_assert_ptr_nonnull(files);
    write_file("own/d.h", "// d\n");
    for (int n = 1; n < 40; n++) {
        hit.calls = 0;
        hit.at = n;
        ck_assert(!cuc__includes_unchanged(files, n % 2));
        hit.at = 0;
    }
    cuc__includes_free(files);
    cuc__included_slow = false;
}

// Lists in other formats, and truncated lists, are rejected.
TEST(damaged_lists_are_refused)
{
    struct cuc__include_source source = { .name = "source.cu",
                                          .text = "#include \"first/h.h\"\n",
                                          .definitions = "" };
    cuc__key_maker maker;
    cuc__entry entry;

    write_file("first/h.h", "// h\n");
    cuc__key_begin(&maker, "test");
    cuc__includes *files = cuc__key_add_includes(&maker, &store, &source);
    cuc__includes_store(files, &store, "source.cu");
    ck_assert(cuc__store_get(&entry, &store, &files->key));
    cuc__includes_free(files);
    int whole = 0;
    for (size_t bytes = 0; bytes <= entry.bytes; bytes++) {
        files = cuc__includes_decode(entry.data, bytes);
        whole += files != NULL;
        cuc__includes_free(files);
    }
    ck_assert_int_lt(whole, 4); // cuts after the head and after each file
    free(entry.file);
}

int main(void)
{
    return run_tests("includes");
}
