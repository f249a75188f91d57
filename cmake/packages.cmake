# SPDX-License-Identifier: Apache-2.0
# What cpack makes of a build (doc/packages.md): with the preset `package` Debian's packages warpsage (tool),
# libwarpsage1 (lib), libwarpsage-dev (dev) and warpsage-data (data); with `static` an archive of the program.
if(NOT WARPSAGE_PACKAGE)
  return()
endif()

# "## 0.2.0 (not yet released)" sorts before 0.2.0.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/CHANGELOG.md)
execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/make-debian-changelog.sh --version
                OUTPUT_VARIABLE package_version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT package_version MATCHES "^${PROJECT_VERSION}(~dev)?$")
  message(FATAL_ERROR "CHANGELOG.md begins with version ${package_version}, warpsage.h says ${PROJECT_VERSION}")
endif()

set(CPACK_PACKAGE_NAME warpsage)
set(CPACK_PACKAGE_VERSION ${package_version})
set(CPACK_PACKAGE_VENDOR warpsage)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/debian/project.cmake)
set(CPACK_WARPSAGE_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_VERBATIM_VARIABLES ON)

if(WARPSAGE_PACKAGE STREQUAL static)
  set(CPACK_GENERATOR TXZ)
  string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
  set(CPACK_PACKAGE_FILE_NAME warpsage-${package_version}-${system}-${CMAKE_SYSTEM_PROCESSOR}-static)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  # The licences of what is linked into it.
  foreach(package libc6-dev libyaml-dev libjansson-dev libarchive-dev libsqlite3-dev libhwloc-dev libelf-dev liblz4-dev libzstd-dev
                  libsuitesparse-dev liblzma-dev libbz2-dev zlib1g-dev nettle-dev)
    if(EXISTS /usr/share/doc/${package}/copyright)
      install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${package})
    endif()
  endforeach()
  include(CPack)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian/prepare.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian/finish.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tool lib dev data)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/make-debian-changelog.sh --maintainer
                OUTPUT_VARIABLE CPACK_DEBIAN_PACKAGE_MAINTAINER OUTPUT_STRIP_TRAILING_WHITESPACE)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME warpsage)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
# Loaded when it is needed (src/base/archive_library.h), so that dpkg-shlibdeps does not see it.
set(archive_package "libarchive13 | libarchive13t64")
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "warpsage-data (= ${package_version}), ${archive_package}")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, clang")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${runtime_dir})
set(CPACK_COMPONENT_TOOL_DESCRIPTION
"predict how long a GPU kernel takes, without a GPU
warpsage executes the PTX or machine code of a CUDA or OpenCL kernel on the
CPU, counts instructions, memory accesses and branches, and feeds the counts
to published performance models of any GPU that it has a description of. It
tells the time, what bounds it, at which source line, and how much each fix
would gain.
.
`warpsage run` executes unmodified CUDA programs on computers without a GPU.")

set(CPACK_DEBIAN_LIB_PACKAGE_NAME libwarpsage1)
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIB_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIB_PACKAGE_DEPENDS "warpsage-data (>= ${package_version}), ${archive_package}")
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA
    ${CMAKE_BINARY_DIR}/debian/symbols ${CMAKE_BINARY_DIR}/debian/shlibs ${CMAKE_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_LIB_DESCRIPTION
"predict the time of GPU kernels without a GPU: shared library
The library executes PTX and machine code of GPU kernels on the CPU, counts
what they do, and predicts time, limits and gains on a GPU that it has a
description of.
.
This package is the shared library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libwarpsage-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# pkg-config wants those that warpsage.pc names to be there; the others are for the static library alone.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libwarpsage1 (= ${package_version}), libyaml-dev, libjansson-dev, libelf-dev, liblz4-dev, libzstd-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libhwloc-dev, libsuitesparse-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION
"predict the time of GPU kernels without a GPU: development files
The library executes PTX and machine code of GPU kernels on the CPU, counts
what they do, and predicts time, limits and gains on a GPU that it has a
description of.
.
This package has the header, the static library, and files for pkg-config
and CMake.")

set(CPACK_DEBIAN_DATA_PACKAGE_NAME warpsage-data)
set(CPACK_DEBIAN_DATA_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DATA_DESCRIPTION
"predict the time of GPU kernels without a GPU: GPUs, examples, papers
warpsage predicts how long a GPU kernel takes, on computers without a GPU.
.
This package has the descriptions of GPUs, published and measured results
that predictions are compared with, JSON schemas, documentation and example
kernels.")

# What dpkg-shlibdeps reads of the library when others are linked with it.
file(WRITE ${CMAKE_BINARY_DIR}/debian/shlibs "libwarpsage 1 libwarpsage1 (>= ${PROJECT_VERSION}~)\n")
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
configure_file(cmake/debian/libwarpsage1.symbols ${CMAKE_BINARY_DIR}/debian/symbols COPYONLY)
include(CPack)
