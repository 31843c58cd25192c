# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DOUT=x.cpp -DHEADER=folder/x.h -DNAMESPACE=a::b -DTEXTS=name=file+file|name=file -P EmbedTexts.cmake
# Writes a source in which each function `name` returns its files one behind the other. Pieces of 8,000 letters: compilers
# may refuse longer literals.
string(REPLACE "|" ";" texts "${TEXTS}")
set(out "// Made by cmake/EmbedTexts.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(text IN LISTS texts)
  string(FIND "${text}" "=" at)
  string(SUBSTRING "${text}" 0 ${at} name)
  math(EXPR at "${at} + 1")
  string(SUBSTRING "${text}" ${at} -1 files)
  string(REPLACE "+" ";" files "${files}")
  string(APPEND out "\nstd::string_view ${name}() {\n    return")
  foreach(file IN LISTS files)
    file(READ "${file}" hex HEX)
    string(LENGTH "${hex}" length)
    set(begin 0)
    while(begin LESS length)
      string(SUBSTRING "${hex}" ${begin} 16000 piece)
      string(REGEX REPLACE "(..)" "\\\\x\\1" piece "${piece}")
      string(APPEND out "\n        \"${piece}\"")
      math(EXPR begin "${begin} + 16000")
    endwhile()
  endforeach()
  string(APPEND out ";\n}\n")
endforeach()
string(APPEND out "\n} // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${out}")
