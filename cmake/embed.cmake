# SPDX-License-Identifier: Apache-2.0
# Files as arrays of bytes in a C source: `cmake -DOUT=FILE.c -DHEADER=NAME.h "-DFILES=name=path;..." -P embed.cmake`
# writes a `const struct embedded_file embedded_NAME` for each; an empty path makes an empty one.
set(text "/* Made by cmake/embed.cmake. */\n#include \"${HEADER}\"\n")
foreach(file ${FILES})
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${file}")
  set(name ${CMAKE_MATCH_1})
  set(path "${CMAKE_MATCH_2}")
  if(path)
    file(READ "${path}" bytes HEX)
    string(LENGTH "${bytes}" length)
    math(EXPR size "${length} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "static const unsigned char ${name}[] = {${bytes}};\n"
                       "const struct embedded_file embedded_${name} = {${name}, ${size}};\n")
  else()
    string(APPEND text "const struct embedded_file embedded_${name} = {0, 0};\n")
  endif()
endforeach()
file(WRITE "${OUT}" "${text}")
