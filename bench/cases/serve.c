#include "serve.h"

#include "base/array.h"
#include "support.h"

#include <cucore/error.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct server {
    const bench_service *service;
    void *point; // NULL: no point yet
} server;

static cuc_status do_point(server *s, const json_t *request, json_t *answer)
{
    void *made = NULL;

    if (s->point)
        s->service->drop(s->point);
    s->point = NULL;
    cuc_status st = s->service->point(&made, request, answer);
    if (st >= 0)
        s->point = made;
    return st;
}

static cuc_status do_check(server *s, const json_t *request, json_t *answer)
{
    char why[512] = "";
    cuc_status st = s->service->check(s->point, why, sizeof(why));

    (void)request;
    if (st == CUC_OK)
        json_object_set_new(answer, "checked", json_string("passed"));
    else if (st > 0)
        json_object_set_new(answer, "failed", json_string(why));
    return st;
}

static cuc_status do_sample(server *s, const json_t *request, json_t *answer)
{
    double seconds = 0;
    json_int_t set = json_integer_value(json_object_get(request, "set"));
    cuc_status st = s->service->sample(s->point, (uint64_t)set, &seconds);

    if (st >= 0)
        json_object_set_new(answer, "raw_s", json_pack("[f]", seconds));
    return st;
}

static const struct deed {
    const char *name;
    bool needs_point;
    cuc_status (*act)(server *s, const json_t *request, json_t *answer);
} deeds[] = {
    { "point", false, do_point },
    { "check", true, do_check },
    { "sample", true, do_sample },
};

static cuc_status act(server *s, const json_t *request, json_t *answer)
{
    const char *wanted = json_string_value(json_object_get(request, "do"));
    size_t i = 0;

    while (i < CUC_LENGTH(deeds) && (!wanted || strcmp(deeds[i].name, wanted) != 0))
        i++;
    if (i == CUC_LENGTH(deeds))
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "\"do\" is %s: point, check and sample are known",
                          wanted ? wanted : "missing");
    if (deeds[i].needs_point && !s->point)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "no point was made");
    return deeds[i].act(s, request, answer);
}

static bool reply(server *s, const char *line)
{
    json_error_t error;
    json_t *request = json_loads(line, 0, &error), *answer = json_object();
    cuc_status st = request ? act(s, request, answer)
                            : bench_fail(CUC_ERROR_INVALID_ARGUMENT, "no JSON: %s", error.text);

    if (st < 0)
        json_object_set_new(answer, "failed", json_string(cuc_error_message()));
    char *text = json_dumps(answer, JSON_COMPACT);
    bool said = text && printf("%s\n", text) > 0 && fflush(stdout) == 0;
    free(text);
    json_decref(answer);
    json_decref(request);
    return said;
}

int bench_serve(const bench_service *service)
{
    server s = { service, NULL };
    char *line = NULL;
    size_t capacity = 0;
    bool open = true;

    while (open && getline(&line, &capacity, stdin) > 0)
        open = reply(&s, line);
    if (s.point)
        service->drop(s.point);
    free(line);
    return open ? EXIT_SUCCESS : EXIT_FAILURE;
}
