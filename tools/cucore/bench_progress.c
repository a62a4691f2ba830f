#include "bench_session.h"
#include "units.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool shown;

static bool is_terminal(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static size_t columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
}

bool bench_progress_line(const char *text)
{
    if (!is_terminal())
        return false;
    // Print at most the terminal's width, because "\r" would not erase the rest of a longer line.
    fprintf(stderr, "\r%.*s\033[K", (int)(columns() - 1), text);
    fflush(stderr);
    shown = true;
    return true;
}

void bench_progress_show(const cuc_bench_progress *p)
{
    char text[512];
    char median[UNITS_SIZE];

    if (!is_terminal())
        return;
    size_t n = (size_t)snprintf(text, sizeof(text), "[%zu/%zu] %s / %s %s", p->point + 1,
                                p->point_count, p->suite, p->name, p->axes);
    if (p->event == CUC_BENCH_PROGRESS_SAMPLES && n < sizeof(text))
        snprintf(text + n, sizeof(text) - n, " %s: %llu samples, %s %s",
                 cuc_bench_mode_name(p->mode), (unsigned long long)p->samples,
                 p->subject ? p->subject : "", units_text(median, p->median_s, UNITS_SECONDS));
    (void)bench_progress_line(text);
}

void bench_progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
