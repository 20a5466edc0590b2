# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=FILE -DMODULES=LIST -P embed.cmake: the texts of modules as a C++ table (frontend/script/stdlib.h).
set(text "// SPDX-License-Identifier: Apache-2.0\n#include \"frontend/script/stdlib.h\"\n\nnamespace mlc::script {\n\n")
string(APPEND text "std::string_view stdlib_text(std::string_view module) {\n")
foreach(path IN LISTS MODULES)
  get_filename_component(name ${path} NAME_WLE)
  file(READ ${path} module)
  string(APPEND text "  if (module == \"${name}\")\n    return R\"~mlc~(${module})~mlc~\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace mlc::script\n")
file(WRITE ${OUTPUT} "${text}")
