#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Goldens that run kernels on the first OpenCL device: a GPU's, or the CPU through PoCL.
#
#   sh tests/opencl/run.sh MLC [GOLDEN.mlc]...
set -u
mlc=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
device=$("$mlc" -c 'import tvm; print(tvm.opencl(0).device_name if tvm.opencl(0).exist else "")')
if [ -z "$device" ]; then
  echo "SKIPPED opencl: no OpenCL device is here (on Debian, \`apt install pocl-opencl-icd\` makes one of the CPU)"
  echo "0 passed, 0 failed"
  exit 0
fi
[ $# != 0 ] || set -- "$here"/*.mlc
echo "on $device"
exec "$mlc" test --quiet "$@"
