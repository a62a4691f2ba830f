#!/usr/bin/env bash
# Runs everything that needs a GPU.
#
#   scripts/gpu.sh --prepare [BUILD]           on any machine: build everything, in build-gpu/
#   scripts/gpu.sh [OUTDIR [BUILD [STEPS]]]    on the machine with the GPU: run it
#
# The second command needs bash, the driver and a CUDA toolkit, but no network, no Check and no
# compiler. STEPS is a regular expression that selects steps, all by default. OUTDIR (gpu-results/)
# receives summary.txt, a table of the steps; logs/ with one file per step; logs.txt with all of
# them; opcodes.tar.gz with the result of every instruction; and the benchmarks' JSON, which is
# copied to bench/results/ too. Each step has a time limit, and none stops the next; exits 1 if any
# failed. If the checkout had another path during preparation, and that path does not exist here, it
# becomes a link to this checkout, because tests look there for their data.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

prepare() {
    # shellcheck source=scripts/setup.sh
    . scripts/setup.sh || return
    cuc_configure "$build" --buildtype=debugoptimized -Dwerror=true -Dtests=enabled || return
    ninja -C "$build" || return
    # List the tests and their programs for a machine without meson.
    python3 - "$build" <<'PYTHON' >"$build/gpu-tests.txt" || return
import json, os, sys
build = os.path.abspath(sys.argv[1])
# Of the tests that differ only in the simulated device, run one. Opcodes have their own step, and
# table coverage is checked from the source.
seen = {"tests/sim/test_opcodes", "tests/sim/test_opcode_coverage"}
for test in json.load(open(build + "/meson-info/intro-tests.json")):
    command = [word for word in test["cmd"] if os.path.basename(word) != "env"]
    program = os.path.join(build, command[0])
    name = os.path.relpath(program, build)
    # Tests of the simulator itself do not use a GPU.
    inside = name.startswith("tests/sim/test_sim_") and not name.endswith("_programs")
    if len(command) == 1 and program.startswith(build + "/") and name not in seen and not inside:
        seen.add(name)
        suite = test["suite"][0].split(":")[-1]
        print(suite, name, test["name"].replace(" ", "_"))
PYTHON
    git rev-parse --short HEAD >"$build/gpu-commit.txt" 2>/dev/null || echo unknown >"$build/gpu-commit.txt"
    pwd >"$build/gpu-source.txt"
    # Delete objects to reduce the transfer size; a later ninja rebuilds them.
    find "$build" '(' -name '*.o' -o -name '*.a' ')' -delete
    find "$build/tests/sim" -type f -name 'test_sim_*' ! -name '*_programs' -delete
    rm -rf "$build/tests/sim/cuda-core"
    find "$build" -type f -perm -u+x ! -name '*.py' ! -name '*.sh' -exec strip '{}' + 2>/dev/null
    du -sh "$build"
}

row() { # NAME WORD SECONDS WHY
    printf '%-36s %-8s %4d s  %s\n' "$@" | tee -a "$out/summary.txt"
}

skip() { # NAME WHY
    [[ ! $1 =~ $steps ]] || row "$1" skipped 0 "$2"
}

# step SECONDS NAME COMMAND...: run a command with a time limit; status 0 is ok, 77 is skipped, any
# other failed
step() {
    local limit=$1 name=$2 log=$out/logs/$2.log status begin=$SECONDS word why=
    shift 2
    [[ $name =~ $steps ]] || return 0
    {
        printf '+ %s\n' "$*"
        timeout --kill-after=10 "$limit" "$@"
    } >"$log" 2>&1 </dev/null
    status=$?
    case $status in
    0) word=ok ;;
    77) word=skipped ;;
    255) # of compute-sanitizer
        word=failed why="exit status $status: "
        ! grep -q 'terminated before first instrumented API call' "$log" || word=skipped why=
        ;;
    124 | 137) word=failed why="over $limit s: " ;;
    *) word=failed why="exit status $status: " ;;
    esac
    row "$name" $word $((SECONDS - begin)) "$why$(tail -n 1 "$log" | cut -c 1-90)"
    { printf '==== %s: %s\n' "$name" "$word" && cat "$log" && echo; } |
        flock "$out/logs" tee -a "$out/logs.txt" >/dev/null
}

# Run steps that measure no time in parallel, on up to 14 processors.
beside() {
    local most
    most=$(nproc)
    while [ "$(jobs -rp | wc -l)" -ge $((most < 14 ? most : 14)) ]; do
        wait -n
    done
    step "$@" &
}

# Run each test program on the real driver; programs that need the fake driver exit with 77.
run_tests() {
    local suite program name slice
    while read -r suite program name; do
        case $suite in
        examples) beside 120 "$name" "$build/$program" ;;
        gpu | bench) ;;
        tile)
            if [[ $name =~ ^tile_(emit|kernels|gemm|alignment|schedule)$ ]]; then # slow to assemble
                for slice in 0 1 2 3 4 5 6 7; do
                    beside 400 "test_${name}_$slice" "$build/$program" --slice $slice/8
                    [[ $name =~ ^tile_(gemm|schedule)$ ]] || beside 400 "linked_${name}_$slice" env TILE_LINKED=1 "$build/$program" --slice $slice/8
                done
            else
                beside 400 "test_$name" "$build/$program"
            fi
            ;;
        *) beside 400 "test_$name" "$build/$program" ;;
        esac
    done <"$build/gpu-tests.txt"
    wait
    while read -r suite program name; do # timing tests run alone
        case $suite in
        gpu | bench) step 120 "test_$name" "$build/$program" ;;
        esac
    done <"$build/gpu-tests.txt"
}

# Run the device tests and examples with memcheck, and the tile kernels with every tool.
run_sanitizer() {
    local suite program name tool slice
    command -v compute-sanitizer >/dev/null || {
        skip memcheck "there is no compute-sanitizer"
        return
    }
    while read -r suite program name; do
        case $suite:$name in
        object:object_load) skip memcheck_object_load "the tool's own calls spoil the captures it looks at" ;;
        gpu:* | object:* | examples:*) # skip processes that tests start to make them crash
            beside 300 "memcheck_$name" compute-sanitizer --tool memcheck --report-api-errors no \
                --leak-check full --error-exitcode 86 --target-processes application-only "$build/$program"
            ;;
        tile:tile_kernels)
            for tool in memcheck racecheck initcheck synccheck; do
                for slice in 0 1 2 3; do
                    beside 500 "${tool}_${name}_$slice" compute-sanitizer --tool $tool --report-api-errors no \
                        --error-exitcode 86 "$build/$program" --slice $slice/4
                done
            done
            ;;
        esac
    done <"$build/gpu-tests.txt"
    wait
}

# Compare every instruction on the GPU with the oracle and the recorded results, and record new
# results in one archive, laid out like tests/data/opcodes/sm_90/. Each family is a separate step,
# so that a fault does not affect the others.
run_opcodes() {
    local family test=$build/tests/sim/test_opcodes
    if [ "$device" = none ]; then
        skip opcodes "there is no GPU"
        return
    fi
    for family in $("$test" --list | cut -d: -f1 | uniq); do
        beside 120 "opcodes_$family" "$test" --only "^$family:" --golden tests/data/opcodes --record "$out/opcodes"
    done
    wait
    [ ! -d "$out/opcodes" ] || tar -czf "$out/opcodes.tar.gz" -C "$out" opcodes
}

# Test random products in eight parallel processes, for SOAK seconds (60 by default).
run_soak() {
    local i seconds=${SOAK:-60}
    if [ "$device" = none ]; then
        skip soak "there is no GPU"
        return
    fi
    for i in 1 2 3 4 5 6 7 8; do
        beside $((seconds + 60)) "soak_gemm_$i" "$build/tests/tile/soak_gemm" \
            --seconds "$seconds" --seed "${i}000000"
    done
    wait
}

# Destroy objects in any order on many threads, for longer than the test does. Then leave out each
# kind of object, to find the combinations that the driver cannot handle. Finally use the driver
# alone.
run_orders() {
    local without switches i
    for without in '' work host capture graph pool virtual condition green pool,virtual; do
        for i in 1 2 3; do
            if [ "$device" = none ]; then
                skip "orders_${without:-all}_$i" "there is no GPU"
            else
                beside 120 "orders_${without:-all}_$i" env ORDERS_WITHOUT="$without" ORDERS_ROUNDS=60 \
                    "$build/tests/test_orders"
            fi
        done
    done
    # The combinations that the driver supports; docs/memory.md names the others.
    for switches in pvh dvh vh dxyechr pxyechr; do
        for i in 1 2 3; do
            if [ "$device" = none ]; then
                skip "orders_driver_${switches}_$i" "there is no GPU"
            else
                beside 60 "orders_driver_${switches}_$i" "$build/tests/driver_orders" $switches
            fi
        done
    done
    wait
}

# Test the Python package with this library. Leaves out the tests of wheels and of the bench
# package, which need more than this machine has.
run_python() {
    local file name
    for file in bindings/python/tests/test_*.py; do
        name=python_$(basename "$file" .py)
        case $name in
        python_test_wheel | python_test_bench) continue ;;
        esac
        if [ "$device" = none ]; then
            skip "$name" "there is no GPU"
        else
            beside 120 "$name" env CUCORE_LIBRARY="$PWD/$build/libcucore.so.0" PYTHONPATH=bindings/python \
                PYTHONDONTWRITEBYTECODE=1 python3 "$file"
        fi
    done
    wait
}

# Run the suites of cucore bench. Exceeding a limit (call overhead relative to the raw driver, or
# tile kernels relative to a copy) is a failure. Results are stored under the device's name.
run_bench() {
    local cli=$1 suite name options
    for suite in runtime compile memory gemm attention elementwise norms reductions; do
        if [ "$device" = none ]; then
            skip "bench_$suite" "there is no GPU"
            continue
        elif [ ! -x "$cli" ]; then
            skip "bench_$suite" "the command line tool was not built"
            continue
        fi
        options=(--driver real --max-seconds 1 --limits)
        name=$suite-$device
        step 590 "bench_$suite" "$cli" bench $suite "${options[@]}" --json "$out/$name.json" \
            --commit "$(cat "$build/gpu-commit.txt")"
        if [ -s "$out/$name.json" ]; then
            mkdir -p bench/results
            cp "$out/$name.json" bench/results/
        fi
    done
}

main() {
    local cli=$build/tools/cucore/cucore lib source

    [ -e "$build/gpu-tests.txt" ] || {
        echo "$build is not prepared: run scripts/gpu.sh --prepare $build where Check is installed"
        exit 1
    }
    rm -rf "$out/logs" "$out/opcodes" "$out/opcodes.tar.gz"
    mkdir -p "$out/logs"
    rm -f "$out/summary.txt" "$out/logs.txt"
    unset CUCORE_DRIVER
    export CUCORE_CACHE=0 # as meson sets it; tests of the cache set their own folder
    # Tests look for their data at the path that the sources had at build time.
    source=$(cat "$build/gpu-source.txt")
    [ -e "$source" ] || { mkdir -p "$(dirname "$source")" && ln -s "$PWD" "$source"; }
    export CUCORE_CLI=$PWD/$cli # for tests built elsewhere
    # The interpreter runs inline instructions in the simulator, libcucore-sim.so.
    export LD_LIBRARY_PATH=$PWD/$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    # Programs linked to the shared runtime find this machine's toolkit.
    for lib in "${CUDA_HOME:-/usr/local/cuda}"/lib64 "${CUDA_HOME:-/usr/local/cuda}"/lib; do
        [ ! -e "$lib/libcudart.so" ] || export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    done
    device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 |
        tr 'A-Z ' 'a-z-' | sed 's/^nvidia-//')
    device=${device:-none}

    if [ "$device" = none ]; then
        skip nvidia_smi "it names no GPU"
    else
        step 30 nvidia_smi nvidia-smi
    fi
    if [ -x "$cli" ]; then
        step 60 cli_info "$cli" info
        step 60 cli_info_json "$cli" info --json
        step 60 cli_doctor "$cli" doctor
    else
        skip cli "the command line tool was not built"
    fi
    run_tests
    run_orders
    run_python
    run_opcodes
    run_sanitizer
    run_soak
    run_bench "$cli"

    echo
    awk '{ n[$2]++; s += $3 } END { printf "%d ok, %d failed, %d skipped, %d s\n", n["ok"], n["failed"], n["skipped"], s }' \
        "$out/summary.txt" | tee -a "$out/summary.txt"
    ! grep -q '^[^ ]* *failed ' "$out/summary.txt"
}

if [ "${1:-}" = --prepare ]; then
    build=${2:-build-gpu}
    set --
    prepare
else
    out=${1:-gpu-results}
    build=${2:-build-gpu} # within the checkout
    steps=${3:-.}
    main
fi
