# common.sh: what the scripts share: where the tree is, one progress line per phase, stamps.
# Sourced by bash scripts after `set -euo pipefail`; it changes no directory.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
logs=$root/build/log
mkdir -p -- "$logs"
export LC_ALL=C.UTF-8

jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '%s\n' "$*" >&2; }

# elapsed START: seconds since START (in nanoseconds), one decimal.
elapsed() {
    local now
    now=$(date +%s%N)
    awk -v d=$((now - $1)) 'BEGIN { printf "%.1f s", d / 1e9 }'
}

# watch_log PID LOG LABEL: on a terminal, the label with the last line of the log, until PID ends.
watch_log() {
    local last
    while kill -0 "$1" 2>/dev/null; do
        last=$(tail -n 1 -- "$2" 2>/dev/null | tr -d '\r\033' | cut -c 1-50)
        printf '\r\033[K  %-22s %s' "$3" "$last" >&2
        sleep 0.2
    done
    printf '\r\033[K' >&2
}

# logged NAME COMMAND…: runs the command with its output in build/log/NAME.log, showing progress.
logged() {
    local name=$1 log=$logs/${1// /-}.log status=0
    shift
    if [ -t 2 ]; then
        "$@" </dev/null >"$log" 2>&1 &
        watch_log $! "$log" "$name"
        wait $! || status=$?
    else
        "$@" </dev/null >"$log" 2>&1 || status=$?
    fi
    return "$status"
}

# phase NAME COMMAND…: the same with one line when it is done. When it fails: the end of the log,
# where the rest is, and the command's status.
phase() {
    local name=$1 log=$logs/${1// /-}.log status=0 start
    start=$(date +%s%N)
    logged "$@" || status=$?
    if [ "$status" -ne 0 ]; then
        printf '  %-22s FAILED\n' "$name" >&2
        tail -n 60 -- "$log" >&2
        say "The whole log: $log"
        return "$status"
    fi
    printf '  %-22s %s\n' "$name" "$(elapsed "$start")" >&2
}

# Tracked C files under the given folders (all files where there is no git), null-separated.
c_files() {
    if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        (cd -- "$root" && git ls-files -z --cached --others --exclude-standard -- "$@") |
            grep -zE '\.[ch]$' || true
    else
        (cd -- "$root" && find "$@" -path ./build -prune -o -name '*.[ch]' -print0)
    fi | (cd -- "$root" && while IFS= read -r -d '' file; do
        [ -f "$file" ] && printf '%s\0' "$file"
    done; true) | sort -zu
}

# configure PRESET: runs CMake when the build folder is new, the presets changed, or the tree moved.
configure() {
    local cache=$root/build/$1/CMakeCache.txt
    if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        rm -rf -- "$root/build/$1"
    fi
    if [ ! -f "$root/build/$1/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$cache" ]; then
        phase "configure $1" cmake -S "$root" --preset "$1" || return
        touch -- "$cache"
    fi
}

# build PRESET: configures and compiles; silent when there is nothing to do.
build() {
    configure "$1" || return
    if [[ $(ninja -C "$root/build/$1" -n 2>/dev/null) != *"no work to do"* ]]; then
        phase "build $1" ninja -C "$root/build/$1" -j "$jobs"
    fi
}
