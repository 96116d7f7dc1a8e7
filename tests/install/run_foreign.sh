#!/usr/bin/env bash
# run_foreign.sh: installs a build into a temporary folder, then builds and runs foreign.c against it
# through find_package(Sprag) and through pkg-config; both must print the same verdict.
# usage: run_foreign.sh BUILD-FOLDER COMPILER [COMPILER FLAGS]
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
build=$1 compiler=$2 flags=${3:-}
# A prefix with a space: paths must be quoted all the way. (pkg-config escapes it for eval.)
work=$(mktemp -d "${TMPDIR:-/tmp}/sprag install.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
prefix=$work/prefix
scene=$work/box.yaml
cat >"$scene" <<'SCENE'
sprag: 1
name: sliding box
materials:
  default: {friction: 0.5}
bodies:
  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}
  - {name: box, mass: 1, position: [0, 0.1], velocity: [1, 0], shapes: [{box: {size: [0.4, 0.2]}}]}
SCENE
# after 0.1 s: x = 0.1 − μ g 0.1²/2 = 0.075475
wanted='sliding box: unique (one motion (slide+ slide+), and it is stable)
done at t = 0.1: x 0.075475000'

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || fail "cmake --install"
for file in bin/sprag include/sprag/sprag.h include/sprag/version.h share/man/man1/sprag.1; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
if grep -rIlF "$build" "$prefix"/lib*/cmake "$prefix"/lib*/pkgconfig "$prefix/include"; then
    fail "the installed files above name the build folder"
fi

# 1. find_package
cmake -S "$here/foreign" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" >"$work/cmake.log" 2>&1 &&
    cmake --build "$work/cmake" >>"$work/cmake.log" 2>&1 ||
    { cat "$work/cmake.log"; fail "find_package(Sprag)"; }
answer=$("$work/cmake/foreign" "$scene")
[[ $answer == "$wanted"* ]] || fail "find_package: '$answer', wanted '$wanted'"

# 2. pkg-config
PKG_CONFIG_PATH=$(dirname -- "$(find "$prefix" -name sprag.pc)")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
pkg-config --validate sprag || fail "sprag.pc is not valid"
version=$("$prefix/bin/sprag" --version)
[ "$version" = "sprag $(pkg-config --modversion sprag)" ] || fail "pkg-config's version, $version"
eval "'$compiler' -std=c17 -Wall -Werror $flags '$here/foreign/foreign.c' -o '$work/foreign'" \
    "$(pkg-config --cflags --libs sprag)" || fail "pkg-config: compile and link"
answer=$("$work/foreign" "$scene")
[[ $answer == "$wanted"* ]] || fail "pkg-config: '$answer', wanted '$wanted'"
echo "installed Sprag works: $answer"
