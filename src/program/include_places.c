#include "include_places.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// Visits `name` in a folder; `folder` ends with a slash or is "". For a name without a dot, NVRTC
// also accepts the file name.stdh.
static bool visit_in(const char *folder, size_t folder_bytes, const char *name,
                     cuc__visit_path *visit, void *user)
{
    static const char other[] = ".stdh";
    const char *slash = strrchr(name, '/');
    bool has_dot = strchr(slash ? slash : name, '.');
    size_t name_bytes = strlen(name), bytes = folder_bytes + name_bytes;
    char path[PATH_MAX];

    if (bytes + (has_dot ? 1 : sizeof(other)) > sizeof(path))
        return false;
    memcpy(path, folder, folder_bytes);
    memcpy(path + folder_bytes, name, name_bytes + 1);
    visit(user, path, bytes);
    if (!has_dot) {
        memcpy(path + bytes, other, sizeof(other));
        visit(user, path, bytes + sizeof(other) - 1);
    }
    return true;
}

bool cuc__visit_beside(const char *from, const char *name, cuc__visit_path *visit, void *user)
{
    const char *slash = from && *name != '/' ? strrchr(from, '/') : NULL;

    return !slash || visit_in(from, (size_t)(slash + 1 - from), name, visit, user);
}

bool cuc__visit_places(const struct cuc__include_source *source, const char *name,
                       cuc__visit_path *visit, void *user)
{
    char folder[PATH_MAX];
    bool fits = visit_in("", 0, name, visit, user); // in the current folder, or an absolute path

    if (*name == '/')
        return fits;
    fits &= cuc__visit_beside(source->name, name, visit, user);
    for (size_t i = 0; i < source->folder_count; i++) {
        int length = snprintf(folder, sizeof(folder), "%s/", source->folders[i]);
        fits &= length < (int)sizeof(folder) && visit_in(folder, (size_t)length, name, visit, user);
    }
    return fits;
}
