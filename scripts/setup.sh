#!/usr/bin/env bash
# Installs the requirements for building and testing on Debian or Ubuntu. Returns quickly if
# everything is present.
#
#   scripts/setup.sh [PACKAGE...]     install only
#   scripts/setup.sh --site           install the documentation tools too
#   . scripts/setup.sh [PACKAGE...]   install, and set PATH, CUDA_HOME and PYTHONPATH for the shell
#
# PACKAGE names additional Debian packages. Compilers and tools come from apt, with sudo unless the
# user is root. CUDA libraries and headers come from an installed CUDA 13 toolkit (CUDA_PATH,
# CUDA_HOME, /usr/local/cuda, nvcc's), or else from NVIDIA's Python packages, installed to .cuda/ of
# this checkout. Meson is installed to .venv/ if the system's is older than 1.0, and cuc_site
# installs the documentation tools to .docs/. Nothing else is written outside the checkout.
#
# CUCORE_SETUP_WHEELS=1 uses the Python packages even if a toolkit is installed.

cuc_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# One row per requirement: how to detect it, and which package provides it.
cuc_needs="
command gcc         gcc
command g++         g++
command ninja       ninja-build
command pkg-config  pkg-config
command python3     python3
header  stdio.h     libc6-dev
shared  libzstd.so.1 libzstd1
module  check       check
module  jansson     libjansson-dev
python  clang.cindex python3-clang
python  numpy       python3-numpy
python  ensurepip   python3-venv
"

# cucore is written for CUDA 13.0.
cuc_wheels="nvidia-cuda-nvrtc==13.0.* nvidia-nvjitlink==13.0.* nvidia-cuda-runtime==13.0.*
    nvidia-cuda-crt==13.0.* nvidia-cuda-cccl==13.0.*"

cuc_say() {
    printf '%s\n' "setup: $*" >&2
}

cuc_has() {
    local python
    case $1 in
    command) command -v "$2" >/dev/null ;;
    module) pkg-config --exists "$2" 2>/dev/null ;;
    header) [ -e "/usr/include/$2" ] ;;
    shared) # loaded on demand: the simulated driver unpacks fat binaries with libzstd
        PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "$2" ;;
    python) # a module in either interpreter that cucore bench plot and api.py try
        for python in python3 /usr/bin/python3; do
            "$python" -c "import importlib.util as u, sys; sys.exit(not u.find_spec('$2'))" \
                2>/dev/null && return
        done
        return 1
        ;;
    package) dpkg-query -W -f '${Status}' "$2" 2>/dev/null | grep -q ' installed$' ;;
    esac
}

cuc_as_root() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo DEBIAN_FRONTEND=noninteractive "$@"
    fi </dev/null >&2
}

# Update the package lists, but only once.
cuc_apt_update() {
    [ -z "${cuc_apt_updated:-}" ] || return 0
    command -v apt-get >/dev/null || {
        cuc_say "this is no Debian or Ubuntu; install by hand what these packages have: $*"
        return 1
    }
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || {
        cuc_say "there is no sudo; let root install these packages: $*"
        return 1
    }
    cuc_as_root apt-get update -qq && cuc_apt_updated=1
}

cuc_apt() {
    cuc_apt_update "$@" || return
    cuc_say "installing $*"
    cuc_as_root apt-get install -y -qq --no-install-recommends "$@"
}

cuc_packages() {
    local missing=() kind name package
    while read -r kind name package; do
        [ -z "$kind" ] || cuc_has "$kind" "$name" || missing+=("$package")
    done <<<"$cuc_needs"
    for package; do
        cuc_has package "$package" || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] || cuc_apt "${missing[@]}"
}

# Create a private Python with pip. On Debian this needs python3-venv.
cuc_venv() {
    [ -x "$1/bin/pip" ] && "$1/bin/python3" -c '' 2>/dev/null && return
    rm -rf "$1"
    if ! python3 -m venv "$1" >/dev/null 2>&1; then
        rm -rf "$1"
        cuc_apt python3-venv && python3 -m venv "$1" >&2
    fi
}

cuc_pip() {
    "$1/bin/pip" --disable-pip-version-check --no-input install --quiet "${@:2}" </dev/null >&2
}

# Install the documentation tools to .docs/, at the versions of docs/requirements.txt.
cuc_site() {
    local wanted=$cuc_root/docs/requirements.txt has=$cuc_root/.docs/requirements.txt
    cuc_has command doxygen || cuc_apt doxygen || return
    [ -x "$cuc_root/.docs/bin/sphinx-build" ] && cmp -s "$wanted" "$has" && return
    cuc_say "installing what makes the documentation into .docs/"
    cuc_venv "$cuc_root/.docs" && cuc_pip "$cuc_root/.docs" -r "$wanted" && cp "$wanted" "$has"
}

cuc_meson_is_new() {
    local version
    version=$(meson --version 2>/dev/null) && [ "${version%%.*}" -ge 1 ]
}

cuc_meson() {
    [ -x "$cuc_root/.venv/bin/meson" ] && PATH=$cuc_root/.venv/bin:$PATH
    cuc_meson_is_new && return
    if ! command -v meson >/dev/null; then
        cuc_apt_update meson || return
        case $(apt-cache policy meson | sed -n 's/ *Candidate: //p') in
        '' | '(none)' | 0.*) ;;
        *) cuc_apt meson && cuc_meson_is_new && return ;;
        esac
    fi
    cuc_say "the system has no meson of 1.0 or later: installing one into .venv/"
    cuc_venv "$cuc_root/.venv" && cuc_pip "$cuc_root/.venv" 'meson>=1.0,<2' || return
    PATH=$cuc_root/.venv/bin:$PATH
}

# Return whether a folder is a CUDA 13 toolkit with everything that cucore loads and includes.
cuc_is_toolkit() {
    local sub lib="" include=""
    for sub in lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib; do
        [ -e "$1/$sub/libnvrtc.so.13" ] && [ -e "$1/$sub/libnvJitLink.so.13" ] && lib=1
    done
    for sub in include targets/x86_64-linux/include targets/sbsa-linux/include; do
        [ -e "$1/$sub/cuda_runtime.h" ] && [ -e "$1/$sub/crt/host_defines.h" ] && include=1
    done
    [ -n "$lib" ] && [ -n "$include" ]
}

cuc_toolkit() {
    local root nvcc
    if [ "${CUCORE_SETUP_WHEELS:-0}" != 1 ]; then
        nvcc=$(command -v nvcc) && nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
        for root in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda "$nvcc" /usr/local/cuda-13*; do
            if [ -n "$root" ] && cuc_is_toolkit "$root"; then
                cuc_say "CUDA toolkit: $root"
                export CUDA_HOME=$root
                return
            fi
        done
    fi
    if [ "$(cat "$cuc_root/.cuda/wheels" 2>/dev/null)" != "$cuc_wheels" ]; then
        cuc_say "no CUDA 13 toolkit is used: downloading NVIDIA's Python packages into .cuda/ (135 MB)"
        cuc_venv "$cuc_root/.cuda" || return
        # shellcheck disable=SC2086 # a list of words
        cuc_pip "$cuc_root/.cuda" --no-deps $cuc_wheels || return
        printf '%s\n' "$cuc_wheels" >"$cuc_root/.cuda/wheels"
    fi
    for root in "$cuc_root"/.cuda/lib/python3*/site-packages; do
        # cucore searches PYTHONPATH first, so these take precedence over an older toolkit.
        case :${PYTHONPATH:-}: in
        *:"$root":*) ;;
        *) export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH} ;;
        esac
        export CUDA_HOME=$root/nvidia/cu13
        unset CUDA_PATH
    done
    cuc_is_toolkit "$CUDA_HOME" || {
        cuc_say "$CUDA_HOME lacks files: remove .cuda/ and run this again"
        return 1
    }
    cuc_say "CUDA toolkit: NVIDIA's Python packages in $CUDA_HOME"
}

# cuc_configure FOLDER OPTION...: configure a build folder, or change its options. A folder copied
# from another checkout is recreated. Meson's output appears only on failure.
cuc_configure() {
    local folder=$1 said
    shift
    if grep -qs "\"source\": \"$PWD\"" "$folder/meson-info/meson-info.json" &&
        [ -e "$folder/build.ninja" ]; then
        [ $# = 0 ] || set -- configure "$folder" "$@"
    else
        rm -rf "$folder"
        set -- setup "$folder" "$@"
    fi
    [ $# = 0 ] || said=$(meson "$@" 2>&1) || {
        printf '%s\n' "$said" >&2
        return 1
    }
}

cuc_with_site=
if [ "${1:-}" = --site ]; then
    cuc_with_site=1
    shift
fi
if ! { cuc_packages "$@" && cuc_meson && cuc_toolkit && { [ -z "$cuc_with_site" ] || cuc_site; }; }; then
    cuc_say "failed"
    # shellcheck disable=SC2317 # a script that sources this file needs the first command
    return 1 2>/dev/null || exit 1
fi
