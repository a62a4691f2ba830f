#!/usr/bin/env bash
# Run cuda_core.py with the simulated driver as libcuda.so.1. cuda.core comes from PyPI into a folder
# of the build; where it cannot be had the test is skipped, and says so.
#
#     tests/sim/cuda_core.sh LIBCUCORE_SIM FOLDER
set -u
sim=$(realpath "$1")
folder=$2
python=$folder/venv/bin/python
mkdir -p "$folder/lib"
if ! "$python" -c 'import cuda.core, numpy' 2>/dev/null; then
    if ! python3 -m venv "$folder/venv" >"$folder/pip.log" 2>&1 ||
        ! "$python" -m pip install -q --disable-pip-version-check 'cuda-core==1.2.*' \
            'cuda-bindings==13.*' 'nvidia-cuda-nvrtc==13.0.*' numpy >>"$folder/pip.log" 2>&1; then
        echo "skipped: cuda.core cannot be installed: $(tail -n 1 "$folder/pip.log")"
        exit 77
    fi
fi
ln -sf "$sim" "$folder/lib/libcuda.so.1"
LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    "$python" "$(dirname "$0")/cuda_core.py"
