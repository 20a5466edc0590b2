# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=FILE -DROOT=DIR -DMODULES=LIST -P embed.cmake: the texts of modules as C++ tables
# (frontend/script/stdlib.h). The file python/a.mlc is the module `a`, tvm/a/b.mlc is `tvm.a.b`, schedule/a.mlc is
# `mlc.schedule.a`, pipeline/a.mlc is `mlc.pipeline.a`; a/__init__.mlc is the module of the folder.
set(text "// SPDX-License-Identifier: Apache-2.0\n#include \"frontend/script/stdlib.h\"\n\nnamespace mlc::script {\n\n")
string(APPEND text "std::string_view stdlib_text(std::string_view module) {\n")
foreach(path IN LISTS MODULES)
  file(RELATIVE_PATH name ${ROOT} ${path})
  string(REGEX REPLACE "\\.mlc$" "" name ${name})
  string(REGEX REPLACE "^python/" "" name ${name})
  string(REGEX REPLACE "^(schedule|pipeline)/" "mlc/\\1/" name ${name})
  string(REGEX REPLACE "/__init__$" "" name ${name})
  string(REPLACE "/" "." name ${name})
  list(APPEND names ${name})
  file(READ ${path} module)
  string(APPEND text "  if (module == \"${name}\")\n    return R\"~mlc~(${module})~mlc~\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\nstd::span<const std::string_view> stdlib_modules() {\n")
list(SORT names)
list(JOIN names "\", \"" names)
string(APPEND text "  static constexpr std::string_view names[] = {\"${names}\"};\n  return names;\n}\n")
string(APPEND text "\n}  // namespace mlc::script\n")
file(WRITE ${OUTPUT} "${text}")
