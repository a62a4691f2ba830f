// Drawings of graphs. The driver can write a drawing only to a file, so it gets an unnamed file in
// memory.
#include "graph.h"

#include "base/file.h"
#include "base/new_file.h"
#include "base/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static cuc_status draw(char **out, size_t *bytes, const cuc_graph *graph, uint32_t flags,
                       const char *function)
{
    cuc_status st = cuc__check_bits("flags", flags, ((uint32_t)CUC_DOT_CONDITIONALS << 1) - 1, 0,
                                    "CUC_DOT_ bits (0xffff)", function);
    char path[64];

    if (st < 0)
        return st;
    int fd = memfd_create("cucore-dot", MFD_CLOEXEC);
    if (fd < 0)
        return cuc__fail(CUC_ERROR_IO, function, "cannot make a file in memory for the drawing: %s",
                         strerror(errno));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    CUresult r = cuc__cu.cuGraphDebugDotPrint(graph->handle, path, flags);
    if (r)
        st = cuc__fail_driver(graph->context, r, function, "cuGraphDebugDotPrint",
                              "drawing a graph into %s, with flags 0x%x", path, flags);
    else if (cuc__read_to_end(out, bytes, fd, SIZE_MAX) != 0)
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a graph's drawing");
    close(fd);
    return st;
}

cuc_status cuc_graph_get_dot(const char **text, size_t *bytes, cuc_graph *graph, uint32_t flags)
{
    char *drawn;
    size_t size;

    CUC_CHECK_NOT_NULL(text);
    CUC_CHECK_GRAPH(graph);
    cuc_status st = draw(&drawn, &size, graph, flags, __func__);
    if (st < 0)
        return st;
    free(graph->dot);
    graph->dot = drawn;
    *text = drawn;
    if (bytes)
        *bytes = size;
    return CUC_OK;
}

cuc_status cuc_graph_write_dot(cuc_graph *graph, const char *path, uint32_t flags)
{
    size_t size;
    char *drawn;

    CUC_CHECK_GRAPH(graph);
    CUC_CHECK_NOT_NULL(path);
    cuc_status st = draw(&drawn, &size, graph, flags, __func__);
    if (st < 0)
        return st;
    int error = cuc__write_file(path, drawn, size);
    free(drawn);
    if (error)
        return CUC_FAIL(CUC_ERROR_IO, "the drawing of a graph cannot be written to %s: %s", path,
                        strerror(error));
    return CUC_OK;
}
