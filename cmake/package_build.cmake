# SPDX-License-Identifier: Apache-2.0
# Builds that are made to be packed (doc/packages.md): the presets `package` and `static`. The files that
# they produce name no folder of this computer: two builds in two folders are the same bytes.
set(WARPSAGE_PACKAGE "" CACHE STRING "What is packed: deb, static, or nothing: a build to be used where it is")
set_property(CACHE WARPSAGE_PACKAGE PROPERTY STRINGS "" deb static)
if(NOT WARPSAGE_PACKAGE MATCHES "^(deb|static)?$")
  message(FATAL_ERROR "WARPSAGE_PACKAGE is '${WARPSAGE_PACKAGE}': expected deb, static or nothing")
endif()

include(GNUInstallDirs)
# Folders in which the program and the library look when what they need is not beside them.
if(WARPSAGE_PACKAGE)
  set(embedded_share ${CMAKE_INSTALL_FULL_DATADIR}/warpsage)
  set(embedded_machines ${embedded_share}/machines)
  set(embedded_runtime ${CMAKE_INSTALL_FULL_LIBDIR}/warpsage)
  # A build folder within the source folder is mapped by the last of the options that match; ccache may write
  # the source folder as `..`.
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=..=.
                      -ffile-prefix-map=${CMAKE_BINARY_DIR}=build -fstack-protector-strong)
  add_compile_definitions($<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
  # CMake overwrites the search paths of a build when it installs, and their length stays in the file.
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
else()
  set(embedded_share ${CMAKE_SOURCE_DIR})
  set(embedded_machines ${CMAKE_SOURCE_DIR}/data/machines)
  set(embedded_runtime ${CMAKE_BINARY_DIR}/runtime)
endif()

# Only the program, linked with everything that it needs, the C library included.
if(WARPSAGE_PACKAGE STREQUAL static)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  add_compile_definitions(WARPSAGE_STATIC)
endif()
