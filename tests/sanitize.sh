#!/usr/bin/env bash
# The C++ tests under the address, undefined-behaviour and thread sanitizers; then the fast Python
# tests on a module built with the first two. Called by `make sanitize`; needs cmake, ninja and
# the Python of the development environment first on PATH.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
export UBSAN_OPTIONS=print_stacktrace=1

say() { printf '\n== %s\n' "$*"; }

# build FOLDER SANITIZERS OPTION...: into build/FOLDER
build() {
  local folder=$1 sanitizers=$2
  shift 2
  say "build/$folder: -fsanitize=$sanitizers"
  cmake -S . -B "build/$folder" -G Ninja -DSILVICS_SANITIZE="$sanitizers" "$@" \
    > "build/$folder.log" 2>&1 || { cat "build/$folder.log"; exit 1; }
  cmake --build "build/$folder"
}

# works SANITIZER COMMAND...: whether an empty program of that sanitizer runs under the command.
works() {
  local sanitizer=$1
  shift
  echo 'int main() {}' | ${CXX:-g++} -fsanitize="$sanitizer" -x c++ - -o build/sanitizer_probe &&
    "$@" build/sanitizer_probe > build/sanitizer_probe.log 2>&1
}

build asan address,undefined -DSILVICS_PYTHON=OFF -DSILVICS_TESTS=ON
leaks=1
works address env ASAN_OPTIONS=detect_leaks=1 ||
  { leaks=0; echo 'The leak check does not run here: tests go on without it.'; }
ASAN_OPTIONS=detect_leaks=$leaks:detect_stack_use_after_return=1 build/asan/tests/cpp/silvics_tests

build tsan thread -DSILVICS_PYTHON=OFF -DSILVICS_TESTS=ON
fixed_addresses=()  # some kernels move memory to where the thread sanitizer cannot follow
works thread env || fixed_addresses=(setarch "$(uname -m)" -R)
TSAN_OPTIONS=halt_on_error=1 ${fixed_addresses[@]+"${fixed_addresses[@]}"} \
  build/tsan/tests/cpp/silvics_tests

build asan-python address,undefined -DPython_EXECUTABLE="$(command -v python)"
package=$PWD/build/asan-python/package
rm -rf "$package"
mkdir -p "$package"
cp -r src/silvics "$package/"
find "$package" -name '_core*.so' -delete
cp build/asan-python/_core*.so "$package/silvics/"

# The interpreter is not built with sanitizers: their libraries come first, and the C++ library
# with them, whose `throw` they watch.
preload=$(ldd "$package"/silvics/_core*.so | awk '/lib(asan|ubsan|stdc\+\+)\.so/ { print $3 }' | sort)
[[ $preload == *libasan* && $preload == *libubsan* ]] || { echo 'The module has no sanitizers.'; exit 1; }
sanitized() {
  env LD_PRELOAD="${preload//$'\n'/:}" PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 python "$@"
}
say "Python tests on $package"
sanitized - "$package" <<'PYTHON'
import sys
import silvics._core
assert silvics._core.__file__.startswith(sys.argv[1] + "/"), silvics._core.__file__
PYTHON
folders=()
for folder in tests/unit tests/property tests/oracle; do
  [[ -n $(find "$folder" -name 'test_*.py' 2> /dev/null) ]] && folders+=("$folder")
done
# tests/package is left out: its test_size reads billions of values, which takes too long here.
sanitized -m pytest -q -p no:cacheprovider -p no:xdist "${folders[@]}"
say 'All clean.'
