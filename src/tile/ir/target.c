// The targets of tile programs.
#include "target.h"

#include <stdio.h>

bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t room)
{
    // The most shared memory that a block may have: all of a multiprocessor's but 1 KiB.
    static const struct {
        int sm;
        uint32_t shared_kib;
    } machines[] = {
        { 80, 163 },  { 86, 99 },   { 87, 163 },  { 88, 99 },  { 89, 99 },  { 90, 227 },
        { 100, 227 }, { 103, 227 }, { 110, 227 }, { 120, 99 }, { 121, 99 },
    };

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].sm != sm)
            continue;
        *target = (struct tile_target){
            .sm = sm,
            .specific = specific,
            .shared_limit = machines[i].shared_kib * 1024,
            .contract = true,
        };
        return true;
    }
    snprintf(why, room,
             "tile programs are compiled for sm_80, 86, 87, 88, 89, 90, 100, 103, 110, "
             "120 and 121");
    return false;
}
