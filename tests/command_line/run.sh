#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the shell sessions of this folder: `$ ` before a command, then what it must print on either stream, then
# `[N]` when the exit code N is not zero. They run in a copy of files/, with `mlc` on the path. A session whose comment
# has a line `# needs: gdb nm` is skipped, and says so, where one of these commands is not installed; so is one with
# `# needs: libdnnl.so.2` without that library.
#
#   sh tests/command_line/run.sh MLC [--update] [SESSION.txt]...
set -u
mlc=$1
shift
update=no
if [ "${1:-}" = --update ]; then
  update=yes
  shift
fi
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- "$here"/*.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$(readlink -f "$mlc")" "$work/bin/mlc"
# `limited COMMAND`: with little memory to be had. A program under a sanitizer does not even start so.
printf '#!/bin/sh\nulimit -c 0; ulimit -v 700000; exec "$@"\n' >"$work/bin/limited"
chmod +x "$work/bin/limited"
"$work/bin/limited" "$work/bin/mlc" --version >"$work/shown" 2>&1 || rm "$work/bin/limited"
export stdlib="$here/../../stdlib" PATH="$work/bin:$PATH" NO_COLOR=1 XDG_STATE_HOME="$work/state" XDG_CACHE_HOME="$work/cache"
passed=0
failed=0
for session in "$@"; do
  [ -f "$session" ] || {
    echo "$session: no such session" >&2
    exit 2
  }
  missing=
  for tool in $(sed -n '/^\$ /q; s/^# needs: //p' "$session"); do
    case $tool in
      lib*.so*) /sbin/ldconfig -p | grep -qF "$tool" ;;
      *) command -v "$tool" >/dev/null ;;
    esac || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    echo "SKIPPED $session: not installed:$missing"
    continue
  fi
  rm -rf "$work/files"
  cp -r "$here/files" "$work/files"
  # The lines before the first command are the session's own comment.
  sed '/^\$ /,$d' "$session" >"$work/actual"
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      '$ '*)
        printf '%s\n' "$line" >>"$work/actual"
        (cd "$work/files" && sh -c "${line#??}") >"$work/shown" 2>&1 </dev/null
        status=$?
        cat "$work/shown" >>"$work/actual"
        [ ! -s "$work/shown" ] || [ -z "$(tail -c 1 "$work/shown")" ] || echo >>"$work/actual"
        [ $status = 0 ] || echo "[$status]" >>"$work/actual"
        ;;
    esac
  done <"$session"
  if [ $update = yes ]; then
    cp "$work/actual" "$session"
  fi
  diff -u "$session" "$work/actual" | sed '1,2d' >"$work/diff"
  if [ ! -s "$work/diff" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $session"
    cat "$work/diff"
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
