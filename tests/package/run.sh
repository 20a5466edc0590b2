#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh MLC LIBTVM_FFI VERSION TVM_FFI_VERSION PYTHON: makes both packages, unpacks the Debian one into an empty folder
# and, with what it depends on, into a root that holds nothing else; installs the wheel into a new virtual environment. None
# sees the build tree, and none finds a compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0
expect() { # NAME EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: expected\n%s\nbut it is\n%s\n' "$1" "$2" "$3"
  fi
}
python3 "$here/../../cmake/package/make.py" "$1" "$2" "$3" "$4" "$folder/out"

dpkg-deb -x "$folder"/out/*.deb "$folder/root"
cp "$here/program.mlc" "$folder/program.mlc"
cd "$folder"
alone() { env -i HOME="$folder" PATH="$folder/none" "$@"; }
expect "the Debian package runs a program" "[2. 4. 6.]" "$(alone "$folder/root/usr/bin/mlc" run program.mlc)"
alone "$folder/root/usr/bin/mlc" build program.mlc -o program.so >/dev/null
expect "the Debian package builds a library" "program.so" "$(ls program.so)"
expect "it names no folder of this machine" '[$ORIGIN/../lib:$ORIGIN/../lib/mlc]' \
  "$(readelf -d root/usr/bin/mlc | grep -oE '\[\$ORIGIN.*\]')"
expect "the Debian package has a page for man and completion" "usr/share/bash-completion/completions/mlc
usr/share/fish/vendor_completions.d/mlc.fish
usr/share/man/man1/mlc.1.gz
usr/share/zsh/vendor-completions/_mlc" "$(cd root && find usr/share -type f ! -name copyright | sort)"
depends=$(dpkg-deb -f "$folder"/out/*.deb Depends | sed 's/([^)]*)//g; s/,/ /g')
mkdir "$folder/debs" "$folder/clean"
# shellcheck disable=SC2086 # one word per package
if (cd "$folder/debs" && apt-get download $depends && unshare --user --map-root-user --mount mount --rbind /proc "$folder/debs") >"$folder/debs.log" 2>&1; then
  for package in "$folder"/debs/*.deb "$folder"/out/*.deb; do dpkg-deb -x "$package" "$folder/clean"; done
  cp "$here/program.mlc" "$folder/clean/program.mlc"
  mkdir "$folder/clean/tmp" "$folder/clean/proc" # the loader asks /proc where a program lies
  clean() {
    # shellcheck disable=SC2016 # the inner shell's
    env -i HOME=/ PATH=/usr/bin:/bin:/usr/sbin unshare --user --map-root-user --mount \
      sh -c 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"' "$folder/clean" "$@"
  }
  expect "in a root of its own with what it depends on it runs" "[2. 4. 6.]" "$(clean /usr/bin/mlc run program.mlc)"
  clean /usr/bin/mlc build program.mlc -o program.so >/dev/null
  expect "and builds" "program.so" "$(cd "$folder/clean" && ls program.so)"
else
  echo "SKIPPED package: the clean root: $(tail -n 1 "$folder/debs.log")"
fi
expect "what it depends on are libraries alone" "" \
  "$(dpkg-deb -f "$folder"/out/*.deb Depends | tr ',' '\n' | grep -vE '^ *lib' || true)"

expect "the wheel carries what manylinux does not promise" "lib/mlc/libfmt.so
lib/mlc/libtvm_ffi.so" "$(python3 -m zipfile -l "$(echo "$folder"/out/*.whl)" | grep -oE 'lib/mlc/lib[a-z_]+\.so' | sort)"

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "apache-tvm-ffi==$4" numpy
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$folder"/out/*.whl
expect "the wheel puts mlc on the path" "[2. 4. 6.]" "$(alone "$folder/venv/bin/mlc" run program.mlc)"
expect "the module mlc builds, loads and runs" "[2. 4. 6.]
[2. 4. 6.]
[2. 4. 6.]
1 error[unclosed]" "$(alone "$folder/venv/bin/python" "$here/use.py" program.mlc)"
echo "$passed passed, $failed failed"
