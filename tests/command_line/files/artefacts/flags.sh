# SPDX-License-Identifier: Apache-2.0
# flags.sh FOLDER NAME: what pkg-config says of the package, or what its file says where there is no pkg-config, with
# a backslash before spaces.
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH="$1" pkg-config --cflags --libs "$2"
else
  folder=$(printf %s "$1" | sed 's/ /\\\\ /g')
  sed -n "s|\${includedir}|$folder/../../include|g; s|\${libdir}|$folder/../../lib|g; s/^\(Cflags\|Libs\): //p" "$1/$2.pc"
fi
