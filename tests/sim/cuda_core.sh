#!/usr/bin/env bash
# Runs cuda_core.py with the simulated driver as libcuda.so.1. If CUCORE is given, also runs cucore
# bench with cuda.core as a peer. pip installs cuda.core from PyPI into a folder of the build; if
# that fails, the test is skipped with a message.
#
#     tests/sim/cuda_core.sh LIBCUCORE_SIM FOLDER [CUCORE]
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
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
"$python" "$(dirname "$0")/cuda_core.py" || exit
[ $# -gt 2 ] || exit 0

# cuda.core launches a kernel and copies 1 MiB; the bench checks both results as it checks cucore's
# own.
export CUCORE_DRIVER=$sim CUCORE_PYTHON=$python
"$3" bench runtime memory --filter '/launch_3|/copy$' --axis path=d2d --axis bytes=20 --mode cold,cpu \
    --quick --max-seconds 0.1 --csv - >"$folder/bench.csv" || { cat "$folder/bench.csv"; exit 1; }
for row in 'runtime,launch_3_arguments,,cuda.core,cpu,foreign,raw,' \
    'memory,copy,path=d2d bytes=1048576,cuda.core,cold,foreign,cucore,'; do
    if ! grep "^$row" "$folder/bench.csv"; then
        echo "cucore bench did not measure $row"
        cat "$folder/bench.csv"
        exit 1
    fi
done
