# SPDX-License-Identifier: Apache-2.0
# The directory is the registry: a file defines one constant, and these write the table of their addresses. No
# static initialisers, no list to edit.

# The table alone, of the names that follow, each an `extern const TYPE NAME;` in NAMESPACE or one below it.
function(mlc_registry_table out stem source type namespace table header)
  set(declarations "")
  set(rows "")
  foreach(name IN LISTS ARGN)
    if(name MATCHES "^(.*)::(.*)$")
      string(APPEND declarations "namespace ${CMAKE_MATCH_1} {\nextern const ${type} ${CMAKE_MATCH_2};\n}\n")
    else()
      string(APPEND declarations "extern const ${type} ${name};\n")
    endif()
    string(APPEND rows "    &${name},\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${stem}_table.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from ${source}.
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
  set(${out} ${generated} PARENT_SCOPE)
endfunction()

# Every FOLDER/NAME.cpp defines `extern const TYPE NAME;` in a namespace of its own, NAMESPACE::type_NAME, so that
# several files can be one translation unit (unity.cmake) whatever they call their parts.
#   mlc_registry(OUT_SOURCE folder Type namespace table_function header)
function(mlc_registry out folder type namespace table header)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(names "")
  string(TOLOWER ${type} prefix)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    list(APPEND names ${prefix}_${name}::${name})
  endforeach()
  string(REPLACE "/" "_" stem ${folder})
  set_property(GLOBAL PROPERTY MLC_REGISTRY_${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${prefix})
  mlc_registry_table(
    generated ${stem} "the files of ${folder}/" ${type} ${namespace} ${table} ${header} ${names})
  set(${out} ${sources} ${generated} PARENT_SCOPE)
endfunction()

# Every NAME/KIND.cpp below this folder defines `extern const TYPE KIND_NAME;` in NAMESPACE. The files themselves belong
# to the libraries of their folders; OUT_SOURCE is the table.
#   mlc_registry_of_folders(OUT_SOURCE kind Type namespace table_function header)
function(mlc_registry_of_folders out kind type namespace table header)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/${kind}.cpp)
  set(names "")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    list(APPEND names ${kind}_${name})
  endforeach()
  mlc_registry_table(generated ${kind} "*/${kind}.cpp" ${type} ${namespace} ${table} ${header} ${names})
  set(${out} ${generated} PARENT_SCOPE)
endfunction()

# What the files of a room refuse: FOLDER/NAME.cpp may define `extern const ir::RefusalList
# refusals_FOLDER_NAME;` in NAMESPACE, or in its own where the folder is a registry (MLC_REFUSALS of ir/core/refusal.h), and this writes the table of those
# that do, `refusal_lists()` of that namespace. The declarations are weak, since a file that refuses nothing
# defines none; but a file that holds rows alone, *refusals.cpp, must be asked for by name, or the linker leaves
# it in its archive. The folder `.` is the one that calls.
#
#   mlc_refusal_table(OUT_SOURCE namespace folder...)
function(mlc_refusal_table out namespace)
  set_property(GLOBAL APPEND PROPERTY MLC_REFUSAL_ROOMS ${namespace})
  set(declarations "")
  set(rows "")
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    get_filename_component(whole ${folder} ABSOLUTE)
    get_filename_component(last ${whole} NAME)
    get_property(registry GLOBAL PROPERTY MLC_REGISTRY_${whole})
    foreach(source IN LISTS sources)
      get_filename_component(name ${source} NAME_WE)
      set(weak " [[gnu::weak]]")
      if(name MATCHES "refusals$")
        set(weak "")
      endif()
      set(list "refusals_${last}_${name}")
      set(declaration "extern const ir::RefusalList ${list}${weak};\n")
      if(registry)
        set(declaration "namespace ${registry}_${name} {\n${declaration}}\n")
        set(list ${registry}_${name}::${list})
      endif()
      string(APPEND declarations "${declaration}")
      string(APPEND rows "    &${list},\n")
    endforeach()
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/refusal_lists_table.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from the files of ${ARGN}.
#include \"ir/core/refusal.h\"
namespace ${namespace} {
${declarations}
const ir::RefusalList* const lists[] = {
${rows}};
std::vector<const ir::RefusalList*> refusal_lists() {
  std::vector<const ir::RefusalList*> defined;
  for (const ir::RefusalList* list : lists) {
    if (list != nullptr) defined.push_back(list);
  }
  return defined;
}
}  // namespace ${namespace}
")
  set(${out} ${generated} PARENT_SCOPE)
endfunction()

# All rooms that called mlc_refusal_table until now: `all_refusal_rooms()` of NAMESPACE, declared in HEADER.
#
#   mlc_refusal_rooms(OUT_SOURCE namespace header)
function(mlc_refusal_rooms out namespace header)
  get_property(rooms GLOBAL PROPERTY MLC_REFUSAL_ROOMS)
  set(declarations "")
  set(rows "")
  foreach(room IN LISTS rooms)
    string(APPEND declarations "namespace ${room} {\nstd::vector<const ir::RefusalList*> refusal_lists();\n}\n")
    string(APPEND rows "    {\"${room}\", ${room}::refusal_lists},\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/refusal_rooms.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated.
#include \"${header}\"
${declarations}namespace ${namespace} {
const std::vector<RefusalRoom>& all_refusal_rooms() {
  static const std::vector<RefusalRoom> all = {
${rows}  };
  return all;
}
}  // namespace ${namespace}
")
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
