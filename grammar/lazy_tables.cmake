# SPDX-License-Identifier: Apache-2.0
# ANTLR's parser unpacks its tables when the process starts. With one token of lookahead they only serve to say
# what a mistake may have been meant to be: the first mistake unpacks them.
function(replace file old new)
  file(READ ${file} text)
  string(FIND "${text}" "${old}" at)
  if(at EQUAL -1)
    file(REMOVE ${file})
    message(FATAL_ERROR "${file} has no `${old}`: this version of ANTLR writes parsers in another way")
  endif()
  string(REPLACE "${old}" "${new}" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

replace(${PARSER}.h "getATN() const override { return _atn;" "getATN() const override { static Initializer once; return _atn;")
replace(${PARSER}.h "static Initializer _init;" "")
replace(${PARSER}.cpp "MlcParser::Initializer MlcParser::_init;" "")
