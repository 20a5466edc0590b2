# SPDX-License-Identifier: Apache-2.0
# flags.sh FOLDER NAME: what pkg-config says of the package, or what its file says where there is no pkg-config.
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH="$1" pkg-config --cflags --libs "$2"
else
  sed -n 's/^\(Cflags\|Libs\): //p' "$1/$2.pc" |
    sed "s|\${includedir}|$1/../../include|g; s|\${libdir}|$1/../../lib|g"
fi
