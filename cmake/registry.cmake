# SPDX-License-Identifier: Apache-2.0
# The directory is the registry: every FOLDER/NAME.cpp defines `extern const TYPE NAME;` in NAMESPACE,
# and this writes the table of their addresses. No static initialisers, no list to edit.
#
#   mlc_registry(OUT_SOURCE folder Type namespace table_function header)
function(mlc_registry out folder type namespace table header)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(declarations "")
  set(rows "")
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    string(APPEND declarations "extern const ${type} ${name};\n")
    string(APPEND rows "    &${name},\n")
  endforeach()
  string(REPLACE "/" "_" stem ${folder})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${stem}_table.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from the files of ${folder}/.
#include \"${header}\"
namespace ${namespace} {
${declarations}
const std::vector<const ${type}*>& ${table}() {
  static const std::vector<const ${type}*> rows = {
${rows}  };
  return rows;
}
}  // namespace ${namespace}
")
  set(${out} ${sources} ${generated} PARENT_SCOPE)
endfunction()
