# SPDX-License-Identifier: Apache-2.0
# Files of one folder are compiled several at a time: most of what a file costs are templates and inline functions
# of headers that its neighbours need too, and a clean build takes half of the time. A group ends where a hash of the
# file's name says so, at the latest at a size that takes a few seconds: a new file changes its own group and no
# other. -DMLC_UNITY=OFF compiles each file alone.
#
# What two files of a group call alike in anonymous namespaces collides, and the compiler says so; most often it is
# a twin that wants to be shared.
option(MLC_UNITY "Compile several files of a folder as one translation unit" ON)

function(mlc_unity target)
  if(NOT MLC_UNITY)
    return()
  endif()
  set(limit 60000)  # bytes of source in one group
  get_target_property(sources ${target} SOURCES)
  set(last "")
  set(total 0)
  set(full OFF)
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
      file(RELATIVE_PATH group ${CMAKE_CURRENT_SOURCE_DIR} ${source})
      string(REGEX REPLACE "[/.]" "_" group ${group})  # its first file
      set(total ${size})
    endif()
    set(last ${folder})
    get_filename_component(name ${source} NAME)
    string(MD5 hash ${name})
    string(SUBSTRING ${hash} 0 4 hash)
    math(EXPR left "0x${hash} % 6")
    set(full OFF)
    if(left EQUAL 0)
      set(full ON)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  # `refusals`, the table at the top of a file, is the one name that all files share.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID MLC_FILE
                        UNITY_BUILD_CODE_BEFORE_INCLUDE "#define refusals MLC_FILE"
                        UNITY_BUILD_CODE_AFTER_INCLUDE "#undef refusals")
endfunction()
