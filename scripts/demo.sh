#!/usr/bin/env bash
# Goes from a fresh checkout to a checked result: sets up, builds, and runs SAXPY and a tile kernel.
set -euo pipefail
cd "$(dirname "$0")/.."
set -- # clear the arguments, which setup.sh would take as its own
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

cuc_configure build
echo "building the library, the simulated driver and three examples in build/"
ninja -C build libcucore-sim.so examples/saxpy examples/link_lto examples/tile_vadd

# Name a program and run it; status 77 means that no device is available.
run() {
    status=0
    echo "+ $*"
    "$@" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || {
        echo "demo: $1 failed with exit status $status"
        exit 1
    }
}

next() {
    echo "next: the README's \"Four lines of tiles\" builds the command line tool, build/tools/cucore/cucore;"
    echo "      docs/tour-c.md, tour-python.md and tour-rust.md each take ten minutes"
}

run build/examples/saxpy
if [ "$status" = 0 ]; then
    run build/examples/tile_vadd
    case "${CUCORE_DRIVER:-}" in
    "") where="on the GPU" ;;
    *) where="on the driver that CUCORE_DRIVER names, $CUCORE_DRIVER" ;;
    esac
    echo "demo: SAXPY ran $where, and every element of its result was checked"
    next
    exit 0
fi

# Select the simulated driver, which the library uses only on request.
echo "demo: no GPU can be used here (see above), so from here on a device is simulated"
export CUCORE_DRIVER=sim
run build/examples/saxpy
[ "$status" = 0 ] || {
    echo "demo: the simulated driver, build/libcucore-sim.so, cannot be used (see above)"
    exit 1
}
run build/examples/link_lto
run build/examples/tile_vadd
echo "demo: SAXPY was compiled, its PTX ran on the CPU and every element of its result was checked:"
echo "      simulated, not on a GPU, so its time says nothing"
next
