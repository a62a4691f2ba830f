// Launch records. They are reference counted, and unused ones are kept for later launches.
#include "shell.h"

#include <stdlib.h>

static struct launch *free_launches;

struct launch *sim_launch_new(void)
{
    struct launch *l = free_launches;

    if (l)
        free_launches = l->next;
    else if (posix_memalign((void **)&l, _Alignof(struct launch), sizeof(*l)))
        return NULL;
    l->refs = 1;
    return l;
}

void sim_launch_drop(struct launch *launch)
{
    if (--launch->refs)
        return;
    sim_code_done(launch);
    launch->next = free_launches;
    free_launches = launch;
}
