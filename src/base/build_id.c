#include "build_id.h"

#include "bytes.h"
#include "file.h"

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HEADERS = 128, MOST_NOTES = 1 << 16, START_BYTES = 4096, REMEMBERED = 16 };

// An open file and its first bytes, which usually contain the ELF headers and the notes.
struct elf {
    int fd;
    size_t bytes;
    unsigned char start[START_BYTES];
};

static bool read_at(const struct elf *elf, void *to, size_t bytes, uint64_t at)
{
    ssize_t n;

    if (at <= elf->bytes && bytes <= elf->bytes - at) {
        memcpy(to, elf->start + at, bytes);
        return true;
    }
    if (at > INT64_MAX)
        return false;
    CUC_RETRY(n, pread(elf->fd, to, bytes, (off_t)at));
    return n == (ssize_t)bytes;
}

static size_t padded(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

// Looks for the build ID in a note segment.
static size_t find(unsigned char id[CUC__BUILD_ID_BYTES], const unsigned char *notes, size_t bytes)
{
    static const char owner[] = "GNU";
    const size_t head = sizeof(Elf64_Nhdr);

    for (size_t at = 0; bytes - at >= head;) {
        size_t name = (size_t)cuc__read_le(notes, at, 4),
               data = (size_t)cuc__read_le(notes, at + 4, 4);
        uint64_t type = cuc__read_le(notes, at + 8, 4);
        size_t rest = bytes - at - head;
        if (padded(name) > rest || data > rest - padded(name))
            return 0;
        const unsigned char *text = notes + at + head;
        if (type == NT_GNU_BUILD_ID && name == sizeof(owner) && memcmp(text, owner, name) == 0 &&
            data <= CUC__BUILD_ID_BYTES) {
            memcpy(id, text + padded(name), data);
            return data;
        }
        if (padded(data) > rest - padded(name))
            return 0;
        at += head + padded(name) + padded(data);
    }
    return 0;
}

// Reads the note segment that a program header describes.
static size_t read_notes(unsigned char id[CUC__BUILD_ID_BYTES], const struct elf *elf,
                         const unsigned char *header)
{
    uint64_t at = cuc__read_le(header, offsetof(Elf64_Phdr, p_offset), 8);
    uint64_t bytes = cuc__read_le(header, offsetof(Elf64_Phdr, p_filesz), 8);
    unsigned char *notes;
    size_t found = 0;

    if (cuc__read_le(header, offsetof(Elf64_Phdr, p_type), 4) != PT_NOTE || bytes > MOST_NOTES ||
        !(notes = malloc((size_t)bytes + 1)))
        return 0;
    if (read_at(elf, notes, (size_t)bytes, at))
        found = find(id, notes, (size_t)bytes);
    free(notes);
    return found;
}

static size_t read_headers(unsigned char id[CUC__BUILD_ID_BYTES], const struct elf *elf)
{
    static const unsigned char start[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
    unsigned char head[sizeof(Elf64_Ehdr)], header[sizeof(Elf64_Phdr)];
    size_t found = 0;

    if (!read_at(elf, head, sizeof(head), 0) || memcmp(head, start, sizeof(start)) != 0 ||
        cuc__read_le(head, offsetof(Elf64_Ehdr, e_phentsize), 2) != sizeof(header))
        return 0;
    uint64_t at = cuc__read_le(head, offsetof(Elf64_Ehdr, e_phoff), 8);
    uint64_t count = cuc__read_le(head, offsetof(Elf64_Ehdr, e_phnum), 2);
    for (uint64_t i = 0; i < count && i < MOST_HEADERS && !found; i++) {
        if (!read_at(elf, header, sizeof(header), at + i * sizeof(header)))
            return 0;
        found = read_notes(id, elf, header);
    }
    return found;
}

static size_t read_file(unsigned char id[CUC__BUILD_ID_BYTES], int fd)
{
    struct elf elf = { .fd = fd };
    ssize_t n;

    CUC_RETRY(n, pread(fd, elf.start, sizeof(elf.start), 0));
    elf.bytes = n > 0 ? (size_t)n : 0;
    return read_headers(id, &elf);
}

// ---- The build IDs of the last files

static struct remembered {
    struct cuc__file_state state;
    size_t bytes;
    unsigned char id[CUC__BUILD_ID_BYTES];
} remembered[REMEMBERED];

static pthread_mutex_t remembered_lock = PTHREAD_MUTEX_INITIALIZER;

// Copies a remembered build ID. Returns false if there is none, or if another thread has the lock,
// which may be forever in a child of fork().
static bool recall(unsigned char id[CUC__BUILD_ID_BYTES], size_t *bytes,
                   const struct cuc__file_state *state)
{
    bool found = false;

    if (pthread_mutex_trylock(&remembered_lock) != 0)
        return false;
    for (int i = 0; i < REMEMBERED && !found; i++) {
        const struct remembered *r = &remembered[i];
        found = memcmp(&r->state, state, sizeof(*state)) == 0;
        if (found)
            memcpy(id, r->id, *bytes = r->bytes);
    }
    pthread_mutex_unlock(&remembered_lock);
    return found;
}

static void remember(const unsigned char *id, size_t bytes, const struct cuc__file_state *state)
{
    static size_t next;

    if (pthread_mutex_trylock(&remembered_lock) != 0)
        return;
    struct remembered *r = &remembered[next++ % REMEMBERED];
    r->state = *state;
    memcpy(r->id, id, r->bytes = bytes);
    pthread_mutex_unlock(&remembered_lock);
}

size_t cuc__build_id(unsigned char id[CUC__BUILD_ID_BYTES], const char *path,
                     const struct cuc__file_state *state)
{
    const time_t now = time(NULL);
    struct stat about;
    size_t bytes = 0;

    if (recall(id, &bytes, state))
        return bytes;
    int fd = cuc__open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return 0;
    bytes = read_file(id, fd);
    // Another file may have replaced the file at this path.
    if (bytes && cuc__file_is_settled(state, now) && fstat(fd, &about) == 0) {
        const struct cuc__file_state opened = cuc__file_state_of(&about);
        if (memcmp(&opened, state, sizeof(opened)) == 0)
            remember(id, bytes, state);
    }
    close(fd);
    return bytes;
}
