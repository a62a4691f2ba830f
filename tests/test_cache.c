// Tests caches as programs see them: environment variables, custom folders, counts, lists.
#include "base/array.h"
#include "cache/cache.h"
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cucore-cache-XXXXXX";

static const char *below(const char *name)
{
    static char path[4][128];
    static int at;

    at = (at + 1) % CUC_LENGTH(path);
    snprintf(path[at], sizeof(path[at]), "%s%s", folder, name);
    return path[at];
}

static void make_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    static const char *const variables[] = { "CUCORE_CACHE", "CUCORE_CACHE_DIR",
                                             "CUCORE_CACHE_MAX_BYTES", "XDG_CACHE_HOME" };
    for (int i = 0; i < CUC_LENGTH(variables); i++)
        unsetenv(variables[i]);
    setenv("HOME", folder, 1);
}

static void remove_folder(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static cuc__key key_of(int number)
{
    cuc__key key;

    cuc__sha256_of(key.bytes, &number, sizeof(number));
    return key;
}

static void put(cuc_cache *cache, int number)
{
    cuc__key key = key_of(number);
    char label[32];

    snprintf(label, sizeof(label), "entry %d", number);
    cuc__cache_put(cache, &key, label, &number, sizeof(number));
}

static bool get(cuc_cache *cache, int number)
{
    cuc__key key = key_of(number);
    cuc__entry entry;
    int lock;

    if (!cuc__cache_get(&entry, &lock, cache, &key)) {
        cuc__store_unlock(lock);
        return false;
    }
    ck_assert_int_eq(lock, -1);
    ck_assert_uint_eq(entry.bytes, sizeof(number));
    ck_assert_int_eq(memcmp(entry.data, &number, sizeof(number)), 0);
    free(entry.file);
    return true;
}

static cuc_cache_info info_of(cuc_cache *cache)
{
    cuc_cache_info info = CUC_CACHE_INFO_INIT;

    ck_ok(cuc_cache_get_info(&info, cache));
    return info;
}

// A variable whose value begins with a slash is a path below the test's folder.
static const struct {
    const char *name[2], *value[2];
    const char *dir; // below the test's folder; NULL: none
    uint64_t max_bytes;
    const char *off; // part of the reason
} rows[] = {
    { { NULL }, { NULL }, "/.cache/cucore", 1u << 30, "" },
    { { "XDG_CACHE_HOME" }, { "/xdg" }, "/xdg/cucore", 1u << 30, "" },
    { { "XDG_CACHE_HOME" }, { "relative" }, "/.cache/cucore", 1u << 30, "" },
    { { "XDG_CACHE_HOME", "CUCORE_CACHE_DIR" }, { "/xdg", "/own" }, "/own", 1u << 30, "" },
    { { "CUCORE_CACHE_DIR" }, { "" }, "/.cache/cucore", 1u << 30, "" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "1000" }, "/.cache/cucore", 1000, "" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "3M" }, "/.cache/cucore", 3 << 20, "" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "" }, "/.cache/cucore", 1u << 30, "" },
    { { "CUCORE_CACHE" }, { "1" }, "/.cache/cucore", 1u << 30, "" },
    { { "CUCORE_CACHE" }, { "0" }, NULL, 0, "CUCORE_CACHE is 0" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "much" }, NULL, 1u << 30, "is \"much\"" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "-1" }, NULL, 1u << 30, "is \"-1\"" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "5MB" }, NULL, 1u << 30, "is \"5MB\"" },
    { { "CUCORE_CACHE_MAX_BYTES" }, { "20000000T" }, NULL, 1u << 30, "is \"20000000T\"" },
    { { "HOME" }, { "" }, NULL, 1u << 30, "HOME" },
};

CASE("caches", .setup = make_folder, .teardown = remove_folder);

TEST_ROWS(the_environment_chooses_the_default_cache, rows)
{
    for (int i = 0; i < 2 && rows[_i].name[i]; i++)
        setenv(rows[_i].name[i],
               *rows[_i].value[i] == '/' ? below(rows[_i].value[i]) : rows[_i].value[i], 1);
    cuc_cache *cache = cuc_cache_default();
    cuc_cache_info info = info_of(cache);
    ck_assert_str_eq(info.dir, rows[_i].dir ? below(rows[_i].dir) : "");
    ck_assert_uint_eq(info.max_bytes, rows[_i].max_bytes);
    ck_assert_ptr_nonnull(strstr(info.off, rows[_i].off));
    ck_assert_int_eq(*info.off != 0, *rows[_i].off != 0);
    put(cache, 1);
    ck_assert_int_eq(get(cache, 1), rows[_i].dir != NULL);
    ck_assert_int_eq(get(NULL, 1), rows[_i].dir != NULL); // NULL stands for the default cache
    ck_assert_int_eq(cuc__cache_works(NULL), rows[_i].dir != NULL);
    cuc_cache_release(cache); // changes nothing
    ck_assert_ptr_eq(cuc_cache_retain(cache), cache);
    ck_assert_ptr_eq(cuc_cache_default(), cache);
}

TEST(a_cache_that_keeps_nothing)
{
    cuc_cache *none = cuc_cache_none();
    uint64_t damaged = 7;

    put(none, 1);
    ck_assert(!get(none, 1));
    ck_assert(!cuc__cache_works(none));
    ck_assert_str_eq(info_of(none).dir, "");
    ck_assert_uint_eq(info_of(none).entries, 0);
    ck_assert_int_ne(*info_of(none).off, 0);
    ck_ok(cuc_cache_clear(none));
    ck_ok(cuc_cache_verify(&damaged, none));
    ck_assert_uint_eq(damaged, 0);
}

struct listed {
    int count, damaged, stop;
    char labels[200];
};

static int32_t list(void *user, const cuc_cache_entry *entry)
{
    struct listed *l = user;

    ck_assert_uint_eq(strlen(entry->key), 64);
    ck_assert_int_gt(entry->used_ns, INT64_C(1500000000000000000));
    ck_assert_uint_ge(entry->bytes, 88);
    l->damaged += entry->damaged;
    strcat(strcat(l->labels, entry->label), ";");
    return ++l->count == l->stop;
}

TEST(caches_of_your_own)
{
    cuc_cache *cache = NULL, *again = NULL;
    struct listed listed = { .stop = 0 };
    uint64_t damaged = 7;
    char path[200];

    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = below("/a/b"), .max_bytes = 5000)));
    for (int i = 0; i < 5; i++)
        put(cache, i);
    ck_assert(get(cache, 3));
    ck_assert(!get(cache, 5));
    cuc_cache_info info = info_of(cache);
    ck_assert_str_eq(info.dir, below("/a/b"));
    ck_assert_str_eq(info.off, "");
    ck_assert_uint_eq(info.max_bytes, 5000);
    ck_assert_uint_eq(info.entries, 5);
    ck_assert_uint_eq(info.bytes, 5 * (88 + 7 + 4));
    ck_assert_uint_eq(info.hits, 1);
    ck_assert_uint_eq(info.misses, 1);
    ck_assert_uint_eq(info.stored, 5);
    ck_ok(cuc_cache_list(cache, list, &listed));
    ck_assert_int_eq(listed.count, 5);
    ck_assert_int_eq(listed.damaged, 0);
    ck_assert_ptr_nonnull(strstr(listed.labels, "entry 4;"));

    // A second handle sees the same entries.
    ck_ok(cuc_cache_open(&again, CUC_CACHE_OPTIONS(.dir = below("/a/b"))));
    ck_assert(get(again, 4));
    ck_assert_uint_eq(info_of(again).max_bytes, 1u << 30);
    struct cuc__entry_path at;
    cuc__key key = key_of(2);
    cuc__entry_path(&at, &key);
    snprintf(path, sizeof(path), "%s/%s/%s", below("/a/b"), at.folder, at.name);
    ck_assert_int_eq(truncate(path, 90), 0);
    listed = (struct listed){ .stop = 0 };
    ck_ok(cuc_cache_list(again, list, &listed));
    ck_assert_int_eq(listed.count, 5);
    ck_assert_int_eq(listed.damaged, 1);
    listed = (struct listed){ .stop = 2 };
    ck_ok(cuc_cache_list(again, list, &listed));
    ck_assert_int_eq(listed.count, 2);
    ck_ok(cuc_cache_verify(&damaged, again));
    ck_assert_uint_eq(damaged, 1);
    ck_assert_uint_eq(info_of(again).entries, 4);
    ck_ok(cuc_cache_verify(NULL, again));

    ck_ok(cuc_cache_clear(again));
    ck_assert_uint_eq(info_of(cache).entries, 0);
    put(cache, 1); // works as before
    ck_assert(get(cache, 1));
    ck_assert_ptr_eq(cuc_cache_retain(cache), cache);
    cuc_cache_release(cache);
    ck_assert(get(cache, 1));
    cuc_cache_release(cache);
    cuc_cache_release(again);
    cuc_cache_release(NULL);
}

// ---- Entries under keys that the caller chooses

struct received {
    int calls;
    size_t bytes;
    char data[5000];
};

static void receive(void *user, const void *data, size_t bytes)
{
    struct received *r = user;

    ck_assert_uint_lt(bytes, sizeof(r->data));
    memcpy(r->data, data, bytes);
    r->data[bytes] = '\0';
    r->bytes = bytes;
    r->calls++;
}

// Reads the entry of a key; NULL if there is none.
static const char *read_own(cuc_cache *cache, const char *key)
{
    static struct received r;

    r.calls = 0;
    ck_ok(cuc_cache_read(cache, key, strlen(key), receive, &r));
    ck_assert_int_le(r.calls, 1);
    return r.calls ? r.data : NULL;
}

static cuc_status write_own(cuc_cache *cache, const char *key, const char *data)
{
    return cuc_cache_write(cache, key, strlen(key), NULL, data, strlen(data));
}

static void path_of_only_entry(char path[200], cuc_cache *cache)
{
    char command[100];

    snprintf(command, sizeof(command), "find '%s' -name '????????????????????*' -type f",
             info_of(cache).dir);
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%199s", path), 1);
    pclose(f);
}

TEST(entries_of_your_own)
{
    static const struct {
        const char *key, *data;
    } entries[] = {
        { "", "no key" }, { "a", "" }, { "b", "two" }, { "bb", "three" }, { "b\n", "4" }
    };
    static char large[5000];
    cuc_cache *cache = NULL, *again = NULL;
    struct listed listed = { .stop = 0 };
    char path[200];

    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = below("/own"), .max_bytes = 5000)));
    for (int i = 0; i < CUC_LENGTH(entries); i++) {
        ck_assert_ptr_null(read_own(cache, entries[i].key));
        ck_ok(write_own(cache, entries[i].key, entries[i].data));
    }
    ck_ok(cuc_cache_open(&again, CUC_CACHE_OPTIONS(.dir = below("/own"))));
    for (int i = 0; i < CUC_LENGTH(entries); i++)
        ck_assert_str_eq(read_own(again, entries[i].key), entries[i].data);
    ck_assert_uint_eq(info_of(cache).misses, CUC_LENGTH(entries));
    ck_assert_uint_eq(info_of(cache).stored, CUC_LENGTH(entries));
    ck_assert_uint_eq(info_of(again).hits, CUC_LENGTH(entries));

    // Each key has one entry, with the label that was written last.
    for (int i = 0; i < CUC_LENGTH(entries) - 1; i++)
        ck_ok(cuc_cache_remove(cache, entries[i].key, strlen(entries[i].key)));
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_cache_remove(cache, "a", 1), "no entry of this key");
    ck_ok(cuc_cache_write(cache, "b\n", 2, "mine", NULL, 0));
    ck_assert_str_eq(read_own(again, "b\n"), "");
    ck_assert_ptr_null(read_own(again, "b"));
    ck_ok(cuc_cache_list(cache, list, &listed));
    ck_assert_str_eq(listed.labels, "mine;");

    // A time in nanoseconds since 1970 overflows in 2262.
    path_of_only_entry(path, cache);
    const struct timespec late[2] = { { .tv_sec = INT64_C(13569465600) },
                                      { .tv_sec = INT64_C(13569465600) } };
    ck_assert_int_eq(utimensat(AT_FDCWD, path, late, 0), 0);
    ck_ok(cuc_cache_list(cache, list, &listed));

    // A damaged entry counts as absent, and can be removed.
    ck_assert_int_eq(truncate(path, 80), 0);
    ck_assert_ptr_null(read_own(cache, "b\n"));
    ck_ok(cuc_cache_remove(cache, "b\n", 2));
    ck_assert_uint_eq(info_of(cache).entries, 0);

    // Data larger than the cache is not kept, and removes the old entry.
    memset(large, 'x', sizeof(large) - 1);
    ck_ok(write_own(cache, "c", "small"));
    ck_ok(write_own(cache, "d", "small"));
    ck_ok(write_own(cache, "c", large));
    ck_ok(write_own(cache, "e", large));
    ck_assert_ptr_null(read_own(cache, "c"));
    ck_assert_ptr_null(read_own(cache, "e"));
    ck_assert_str_eq(read_own(cache, "d"), "small");
    cuc_cache_release(cache);
    cuc_cache_release(again);
}

TEST(invalid_entries_are_refused)
{
    cuc_cache *cache = cuc_cache_none();

    // A cache that keeps nothing.
    ck_ok(write_own(cache, "a", "data"));
    ck_assert_ptr_null(read_own(cache, "a"));
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_cache_remove(cache, "a", 1), "no entry of this key");

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_read(NULL, "a", 1, receive, NULL),
             "cache is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_read(cache, NULL, 1, receive, NULL),
             "key is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_read(cache, "a", 1, NULL, NULL),
             "receive is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_write(NULL, "a", 1, NULL, "b", 1),
             "cache is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_write(cache, NULL, 1, NULL, "b", 1),
             "key is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_write(cache, "a", 1, NULL, NULL, 3),
             "data is NULL, but bytes is 3");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_remove(NULL, "a", 1), "cache is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_remove(cache, NULL, 1), "key is NULL");

    // The folder has become unsafe, so nothing in it is trusted.
    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = below("/own"), .max_bytes = 5000)));
    ck_ok(write_own(cache, "a", "data"));
    ck_assert_int_eq(chmod(below("/own"), 0770), 0);
    ck_assert_ptr_null(read_own(cache, "a"));
    ck_fails(CUC_ERROR_IO, write_own(cache, "a", "new"), "entry of 3 bytes",
             "others can write to it");
    ck_fails(CUC_ERROR_IO, cuc_cache_remove(cache, "a", 1), "others can write to it");
    ck_assert_int_eq(chmod(below("/own"), 0700), 0);
    ck_assert_str_eq(read_own(cache, "a"), "data");

    // Replace a folder of entries with another kind of file.
    char path[200];
    path_of_only_entry(path, cache);
    ck_ok(cuc_cache_clear(cache));
    *strrchr(path, '/') = '\0';
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(symlink("/nowhere", path), 0);
    ck_fails(CUC_ERROR_IO, write_own(cache, "a", "new"), "could not be written to");
    ck_assert_ptr_null(read_own(cache, "a"));
    cuc_cache_release(cache);
}

static void chmod_to(const char *name, mode_t mode)
{
    (void)mkdir(below(name), 0700);
    ck_assert_int_eq(chmod(below(name), mode), 0);
}

TEST(invalid_arguments_are_refused)
{
    cuc_cache *cache = NULL;
    cuc_cache_options options = CUC_CACHE_OPTIONS_INIT;
    static char long_name[5000];

    memset(long_name, 'x', sizeof(long_name) - 1);
    chmod_to("/open", 0777);
    setenv("CUCORE_CACHE_DIR", below("/open"), 1);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_open(NULL, NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = "")),
             "dir is empty");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = long_name)), "4999 bytes");
    options.struct_size = 3;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_open(&cache, &options), "struct_size");
    ck_fails(CUC_ERROR_IO, cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = below("/open"))),
             "/open cannot be a cache", "others can write to it");
    ck_fails(CUC_ERROR_IO, cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = "/proc/none/cache")),
             "/proc/none/cache cannot be a cache");
    ck_assert_ptr_null(cache);

    // The default cache reports the problem only when it is asked.
    cache = cuc_cache_default();
    put(cache, 1);
    ck_assert(!get(cache, 1));
    ck_assert_ptr_nonnull(strstr(info_of(cache).off, "others can write to it"));
    ck_fails(CUC_ERROR_IO, cuc_cache_clear(cache), "/open cannot be a cache");
    ck_fails(CUC_ERROR_IO, cuc_cache_verify(NULL, cache), "/open cannot be a cache");
    ck_fails(CUC_ERROR_IO, cuc_cache_list(cache, list, NULL), "/open cannot be a cache");

    cuc_cache_info info = CUC_CACHE_INFO_INIT;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_get_info(NULL, cache), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_get_info(&info, NULL), "cache is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_list(cache, NULL, NULL), "visit is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_list(NULL, list, NULL), "cache is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_clear(NULL), "cache is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_cache_verify(NULL, NULL), "cache is NULL");
}

TEST(without_a_default_folder_one_must_be_named)
{
    cuc_cache *cache = NULL;

    setenv("CUCORE_CACHE", "0", 1);
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_cache_open(&cache, NULL), "CUCORE_CACHE is 0");
    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = below("/own"))));
    put(cache, 1);
    ck_assert(get(cache, 1));
    ck_assert_uint_eq(info_of(cache).max_bytes, 1u << 30);
    cuc_cache_release(cache);
    // A relative path is relative to the process's current folder at this moment.
    ck_assert_int_eq(chdir(folder), 0);
    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = "here")));
    ck_assert_int_eq(chdir("/"), 0);
    put(cache, 1);
    ck_assert_int_eq(access(below("/here/state"), F_OK), 0);
    cuc_cache_release(cache);
}

int main(void)
{
    return run_tests("cache");
}
