// Runs GPU work in an event loop: poll() waits for the device and for a timer at the same time.
#include <poll.h>
#include <unistd.h>

#include <sys/timerfd.h>

#include "example.h"

static const char source[] = "extern \"C\" __global__ void spin(long long ns, int *done)\n"
                             "{\n"
                             "    long long begin, now;\n"
                             "    asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(begin));\n"
                             "    do\n"
                             "        asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(now));\n"
                             "    while (now - begin < ns);\n"
                             "    *done = 1;\n"
                             "}\n";

int main(void)
{
    cuc_device *device = example_device();
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_event, event);
    CUC_SCOPED(cuc_kernel, kernel);
    CUC_SCOPED(cuc_buffer, buffer);
    int32_t event_fd, done = 0;
    int ticks = 0;

    CUC_MUST(cuc_kernel_from_source(&kernel, CUC_SOURCE_CUDA, source, 0, "spin", NULL));
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_event_create(&event, device, NULL));
    CUC_MUST(cuc_buffer_create(&buffer, stream, NULL, sizeof(done)));

    CUC_MUST(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), kernel,
                        200000000LL, buffer));
    CUC_MUST(cuc_event_record(stream, event));
    CUC_MUST(cuc_event_get_fd(&event_fd, event));

    struct itimerspec every_20_ms = { { 0, 20000000 }, { 0, 20000000 } };
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    timerfd_settime(timer, 0, &every_20_ms, NULL);
    struct pollfd fds[] = { { event_fd, POLLIN, 0 }, { timer, POLLIN, 0 } };
    do {
        uint64_t expired;
        if (poll(fds, 2, 10000) <= 0)
            return 1;
        if (fds[1].revents && read(timer, &expired, sizeof(expired)) > 0)
            ticks += (int)expired; // the loop keeps running while the GPU works
    } while (!fds[0].revents);
    CUC_MUST(cuc_event_query(event)); // the event is ready even if the work failed: report that

    CUC_MUST(cuc_buffer_read_async(stream, &done, buffer, 0, sizeof(done)));
    CUC_MUST(cuc_stream_synchronize(stream));
    printf("the kernel is done (%d) after %d ticks of 20 ms\n", done, ticks);
    close(event_fd);
    close(timer);
    return done == 1 && ticks > 0 ? 0 : 1;
}
