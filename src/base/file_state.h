// The state of a file, which shows whether the file has changed.
#ifndef CUCORE_BASE_FILE_STATE_H
#define CUCORE_BASE_FILE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

enum { CUC__SETTLED_SECONDS = 2 };

// Has no padding, so that memcmp() can compare two states.
struct cuc__file_state {
    uint64_t bytes, device, inode;
    int64_t modified_s, modified_ns, changed_s, changed_ns;
};

static inline struct cuc__file_state cuc__file_state_of(const struct stat *about)
{
    return (struct cuc__file_state){
        .bytes = (uint64_t)about->st_size,
        .device = about->st_dev,
        .inode = about->st_ino,
        .modified_s = about->st_mtim.tv_sec,
        .modified_ns = about->st_mtim.tv_nsec,
        .changed_s = about->st_ctim.tv_sec,
        .changed_ns = about->st_ctim.tv_nsec,
    };
}

// Returns true if every change after the time `now` alters the state. A file that has just changed
// may change again without altering its state, because file systems keep times of limited
// resolution.
static inline bool cuc__file_is_settled(const struct cuc__file_state *state, time_t now)
{
    return state->changed_s < now - CUC__SETTLED_SECONDS &&
           state->modified_s < now - CUC__SETTLED_SECONDS;
}

#endif
