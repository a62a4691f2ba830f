// Predicts which file the system's loader would open for a soname, without opening it. Loading a
// library just to examine it would run its constructors, and NVIDIA's libraries leak memory when
// they are unloaded.
#include "find.h"

#include "base/loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *cuc__find_cache = "/etc/ld.so.cache";

// The flags of those entries in the loader's cache that this process can load, and its ELF machine.
#if defined(__x86_64__)
enum { CACHE_FLAGS = 0x0303, MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { CACHE_FLAGS = 0x0a03, MACHINE = EM_AARCH64 };
#else
enum { CACHE_FLAGS = -1, MACHINE = EM_NONE };
#endif

// Returns true if the file is a library for this machine; the loader skips others.
static bool is_library(const char *path)
{
    Elf64_Ehdr header;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    ssize_t n = read(fd, &header, sizeof(header));
    close(fd);
    return n == (ssize_t)sizeof(header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == MACHINE;
}

// Searches the folders that the loader uses for this library's own dlopen(). With `defaults`, these
// are the loader's default folders; otherwise, the run paths and LD_LIBRARY_PATH as it was when the
// process started.
static bool in_folders(bool defaults, const char *soname, char *out, size_t size)
{
    Dl_info self;
    Dl_serinfo head;
    bool found = false;
    void *handle = NULL;

    if (dladdr((void *)&cuc__find_cache, &self) && self.dli_fname)
        handle = cuc__open_shared(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD, NULL);
    if (!handle) // this code is linked into the program
        handle = cuc__open_shared(NULL, RTLD_LAZY, NULL);
    if (!handle || dlinfo(handle, RTLD_DI_SERINFOSIZE, &head))
        return false;
    Dl_serinfo *info = malloc(head.dls_size);
    if (info && dlinfo(handle, RTLD_DI_SERINFOSIZE, info) == 0 &&
        dlinfo(handle, RTLD_DI_SERINFO, info) == 0) {
        for (unsigned i = 0; i < info->dls_cnt && !found; i++) {
            const Dl_serpath *folder = &info->dls_serpath[i];
            if (((folder->dls_flags & LA_SER_DEFAULT) != 0) == defaults &&
                snprintf(out, size, "%s/%s", folder->dls_name, soname) < (int)size)
                found = is_library(out);
        }
    }
    free(info);
    dlclose(handle);
    return found;
}

// The cache file that ldconfig writes: a header, entries, and strings. An entry refers to a string
// by its offset from the header. Older caches begin with a table in another format.

struct cache_header {
    char magic[20];
    uint32_t count;
    uint32_t string_bytes;
    uint32_t unused[5];
};

struct cache_entry {
    int32_t flags;
    uint32_t key;   // the soname
    uint32_t value; // the path
    uint32_t os_version;
    uint64_t hwcap; // nonzero for a variant that needs certain processors
};

static bool in_cache_text(const char *text, size_t size, const char *soname, char *out,
                          size_t out_size)
{
    static const char magic[] = "glibc-ld.so.cache1.1";
    static const char old_magic[] = "ld.so-1.7.0";
    struct cache_header header;
    struct cache_entry entry;
    uint32_t old_count;

    if (size >= 16 && memcmp(text, old_magic, sizeof(old_magic) - 1) == 0) {
        memcpy(&old_count, text + 12, sizeof(old_count));
        size_t skip = (16 + (size_t)old_count * 12 + 7) & ~(size_t)7;
        if (skip > size)
            return false;
        text += skip;
        size -= skip;
    }
    if (size < sizeof(header))
        return false;
    memcpy(&header, text, sizeof(header));
    if (memcmp(header.magic, magic, sizeof(header.magic)) != 0 ||
        header.count > (size - sizeof(header)) / sizeof(entry))
        return false;
    // Newer caches have more data after the strings.
    size_t end = sizeof(header) + header.count * sizeof(entry);
    if (header.string_bytes == 0 || header.string_bytes > size - end)
        return false;
    end += header.string_bytes;
    if (text[end - 1] != '\0')
        return false;
    for (size_t i = 0; i < header.count; i++) {
        memcpy(&entry, text + sizeof(header) + i * sizeof(entry), sizeof(entry));
        if (entry.flags == CACHE_FLAGS && entry.hwcap == 0 && entry.key < end &&
            entry.value < end && strcmp(text + entry.key, soname) == 0 &&
            snprintf(out, out_size, "%s", text + entry.value) < (int)out_size && is_library(out))
            return true;
    }
    return false;
}

static bool in_cache(const char *soname, char *out, size_t size)
{
    struct stat st;
    bool found = false;
    int fd = open(cuc__find_cache, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        size_t length = (size_t)st.st_size;
        char *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text != MAP_FAILED) {
            found = in_cache_text(text, length, soname, out, size);
            munmap(text, length);
        }
    }
    close(fd);
    return found;
}

bool cuc__system_library(const char *soname, char *out, size_t size)
{
    return in_folders(false, soname, out, size) || in_cache(soname, out, size) ||
           in_folders(true, soname, out, size);
}
