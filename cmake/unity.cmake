# SPDX-License-Identifier: Apache-2.0
# Files of one folder are compiled several at a time: most of what a file costs are templates and inline functions
# of headers that its neighbours need too, and a clean build takes half of the time. A group ends where a hash of the
# file's name says so, once it has a size, and at the latest at twice that: a new file changes its own group and no
# other. -DMLC_UNITY=OFF compiles each file alone.
#
# What is being worked on is compiled alone: the files that build/edited.txt names, which ./dev writes (those with
# changes that are not committed). The first change of a file costs the rest of its group once more, in two halves that
# are compiled beside each other, the next ones the file.
#
# What two files of a group call alike in anonymous namespaces collides, and the compiler says so; most often it is
# a twin that wants to be shared.
option(MLC_UNITY "Compile several files of a folder as one translation unit" ON)

# Makes the files one group, or two halves without those that are edited.
function(mlc_unity_group members edited)
  set(all 0)
  set(whole ON)
  foreach(source IN LISTS members)
    file(SIZE ${source} size)
    math(EXPR all "${all} + ${size}")
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
    if(path IN_LIST edited)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      set(whole OFF)
    endif()
  endforeach()
  set(group "")
  set(before 0)
  foreach(source IN LISTS members)
    math(EXPR twice "2 * ${before}")
    set(second OFF)
    if(NOT whole AND NOT twice LESS all)
      set(second ON)
    endif()
    if(group STREQUAL "" OR NOT second STREQUAL half)
      file(RELATIVE_PATH group ${CMAKE_CURRENT_SOURCE_DIR} ${source})
      string(REGEX REPLACE "[/.]" "_" group ${group})  # its first file
      set(half ${second})
    endif()
    file(SIZE ${source} size)
    math(EXPR before "${before} + ${size}")
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
    if(NOT path IN_LIST edited)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()

# INLINE_LESS marks rooms where little time is spent: most of a build is LLVM's work on bodies that were inlined into
# each other, and a quarter of its usual threshold compiles a seventh faster. The interpreter of scripts would lose a
# fifth.
function(mlc_unity target)
  if("INLINE_LESS" IN_LIST ARGN AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:SHELL:-mllvm -inline-threshold=60>")
  endif()
  if(NOT MLC_UNITY)
    return()
  endif()
  set(enough 40000)  # bytes of source in one group, and the most
  set(limit 80000)
  set(edited "")
  if(EXISTS ${CMAKE_BINARY_DIR}/edited.txt)
    file(STRINGS ${CMAKE_BINARY_DIR}/edited.txt edited)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_BINARY_DIR}/edited.txt)
  endif()
  get_target_property(sources ${target} SOURCES)
  set(last "")
  set(total 0)
  set(full OFF)
  set(members "")
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT EXISTS ${source} OR folder MATCHES "^${CMAKE_BINARY_DIR}")
      continue()
    endif()
    file(SIZE ${source} size)
    math(EXPR total "${total} + ${size}")
    if(full OR NOT folder STREQUAL last OR total GREATER limit)
      mlc_unity_group("${members}" "${edited}")
      set(members "")
      set(total ${size})
    endif()
    list(APPEND members ${source})
    set(last ${folder})
    get_filename_component(name ${source} NAME)
    string(MD5 hash ${name})
    string(SUBSTRING ${hash} 0 4 hash)
    math(EXPR left "0x${hash} % 6")
    set(full OFF)
    if(left EQUAL 0 AND total GREATER enough)
      set(full ON)
    endif()
  endforeach()
  mlc_unity_group("${members}" "${edited}")
  # `refusals`, the table at the top of a file, is the one name that all files share.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID MLC_FILE
                        UNITY_BUILD_CODE_BEFORE_INCLUDE "#define refusals MLC_FILE"
                        UNITY_BUILD_CODE_AFTER_INCLUDE "#undef refusals")
endfunction()
