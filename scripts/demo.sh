#!/usr/bin/env bash
# From a fresh checkout to a checked result: set up, build, run the SAXPY example.
set -euo pipefail
cd "$(dirname "$0")/.."
set -- # setup.sh takes arguments
# shellcheck source=scripts/setup.sh
. scripts/setup.sh

cuc_configure build
echo "building in build/"
ninja -C build >build/demo.log || {
    cat build/demo.log
    exit 1
}

# Runs a program, shows which; 77 is its word for "no device here".
run() {
    status=0
    echo "+ $*"
    "$@" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || {
        echo "demo: $1 failed with exit status $status"
        exit 1
    }
}

run build/examples/saxpy
if [ "$status" = 0 ]; then
    echo "demo: SAXPY ran on the GPU, and every element of its result was checked"
else
    run build/examples/link_lto
    echo "demo: no GPU can be used here (see above), so the programs were compiled and linked for"
    echo "      sm_90, and not run"
fi
