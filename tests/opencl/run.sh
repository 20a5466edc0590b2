#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Goldens that run kernels on the first OpenCL device: a GPU's, or the CPU through PoCL.
#
#   sh tests/opencl/run.sh MLC [GOLDEN.mlc]...
set -u
mlc=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
[ $# != 0 ] || set -- "$here"/*.mlc

# Tests are left out only where the machine lacks something: who does not find what is there has failed.
failed() {
  echo "FAILED opencl: $1"
  echo "0 passed, 1 failed"
  exit 1
}
memory='import tvm; tvm.runtime.empty((1,), "float32", tvm.opencl(0))'
named=$(MLC_OPENCL_LIBRARY=/absent/libOpenCL.so "$mlc" -c "$memory" 2>&1)
case $named in
  *"OpenCL's library cannot be loaded: /absent/libOpenCL.so"*) ;;
  *) failed "a library that is named and absent: $named" ;;
esac
device=$("$mlc" -c 'import tvm; print(tvm.opencl(0).device_name if tvm.opencl(0).exist else "")') ||
  failed "a device that is there does not say its name"
if [ -z "$device" ]; then
  why=$("$mlc" -c "$memory" 2>&1)
  case $why in
    *"find no device"* | *"knows no driver"*) ;;
    *"library cannot be loaded"*)
      [ -n "${MLC_OPENCL_LIBRARY:-}" ] || ! ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' ||
        failed "its library is there: $why" ;;
    *) failed "$why" ;;
  esac
  echo "SKIPPED opencl: no OpenCL device is here (on Debian, \`apt install pocl-opencl-icd\` makes one of the CPU)"
  echo "0 passed, 0 failed"
  exit 0
fi
echo "on $device"
# A cache whose golden is the CPU's.
if [ $# -gt 1 ]; then
  compressed=$here/../vm/paged_cache_compressed_no_oracle.mlc
  there=$("$mlc" run "$compressed" opencl 2>&1) || failed "compressed rows in a cache: $there"
  [ "$there" = "$("$mlc" run "$compressed")" ] || failed "compressed rows in a cache differ: $there"
fi
exec "$mlc" test --quiet "$@"
