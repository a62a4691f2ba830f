// Exit handling that the examples share. Status 77 tells a test runner that no device was
// available.
#ifndef EXAMPLE_HPP
#define EXAMPLE_HPP

#include <cstdio>

#include <cucore/cucore.hpp>

template <class Body> int run_example(Body body)
{
    try {
        return body() ? 0 : 1;
    } catch (const cuc::error &failure) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", failure.what());
        return failure.code() == CUC_ERROR_NO_DRIVER || failure.code() == CUC_ERROR_NO_DEVICE ? 77
                                                                                              : 1;
    }
}

#endif
