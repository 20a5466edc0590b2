# SPDX-License-Identifier: Apache-2.0
# A grammar that needs more than one token of lookahead still works, but slowly, and the first parse of every
# process pays for building prediction tables. Refuse it, and name the rules.
file(STRINGS ${PARSER} lines REGEX "adaptivePredict|^MlcParser::[A-Za-z]+Context\\* MlcParser::[a-z]")
set(slow "")
foreach(line IN LISTS lines)
  if(line MATCHES "MlcParser::([a-zA-Z]+)\\(")
    set(rule ${CMAKE_MATCH_1})
  else()
    list(APPEND slow ${rule})
  endif()
endforeach()
if(slow)
  list(REMOVE_DUPLICATES slow)
  list(JOIN slow ", " slow)
  file(REMOVE ${PARSER})
  message(FATAL_ERROR "Mlc.g4: more than one token of lookahead is needed in: ${slow}")
endif()
