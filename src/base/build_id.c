#include "build_id.h"

#include "bytes.h"
#include "file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HEADERS = 128, MOST_NOTES = 1 << 16 };

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    ssize_t n;

    if (at > INT64_MAX)
        return false;
    CUC_RETRY(n, pread(fd, to, bytes, (off_t)at));
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
static size_t read_notes(unsigned char id[CUC__BUILD_ID_BYTES], int fd, const unsigned char *header)
{
    uint64_t at = cuc__read_le(header, offsetof(Elf64_Phdr, p_offset), 8);
    uint64_t bytes = cuc__read_le(header, offsetof(Elf64_Phdr, p_filesz), 8);
    unsigned char *notes;
    size_t found = 0;

    if (cuc__read_le(header, offsetof(Elf64_Phdr, p_type), 4) != PT_NOTE || bytes > MOST_NOTES ||
        !(notes = malloc((size_t)bytes + 1)))
        return 0;
    if (read_at(fd, notes, (size_t)bytes, at))
        found = find(id, notes, (size_t)bytes);
    free(notes);
    return found;
}

static size_t read_file(unsigned char id[CUC__BUILD_ID_BYTES], int fd)
{
    static const unsigned char start[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
    unsigned char head[sizeof(Elf64_Ehdr)], header[sizeof(Elf64_Phdr)];
    size_t found = 0;

    if (!read_at(fd, head, sizeof(head), 0) || memcmp(head, start, sizeof(start)) != 0 ||
        cuc__read_le(head, offsetof(Elf64_Ehdr, e_phentsize), 2) != sizeof(header))
        return 0;
    uint64_t at = cuc__read_le(head, offsetof(Elf64_Ehdr, e_phoff), 8);
    uint64_t count = cuc__read_le(head, offsetof(Elf64_Ehdr, e_phnum), 2);
    for (uint64_t i = 0; i < count && i < MOST_HEADERS && !found; i++) {
        if (!read_at(fd, header, sizeof(header), at + i * sizeof(header)))
            return 0;
        found = read_notes(id, fd, header);
    }
    return found;
}

size_t cuc__build_id(unsigned char id[CUC__BUILD_ID_BYTES], const char *path)
{
    int fd = cuc__open(path, O_RDONLY | O_NONBLOCK);

    if (fd < 0)
        return 0;
    size_t bytes = read_file(id, fd);
    close(fd);
    return bytes;
}
