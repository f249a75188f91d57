# SPDX-License-Identifier: Apache-2.0
# The stand-in for the CUDA runtime, driver and NVML that `warpsage run` loads into programs, and libraries
# without code, which depend on it and have the names (and version tags) of CUDA's, for programs linked with
# -cudart shared, -lcuda or -lnvidia-ml on machines without CUDA.
set(runtime_dir ${CMAKE_BINARY_DIR}/runtime)
file(RELATIVE_PATH runtime_from_bin ${CMAKE_INSTALL_FULL_BINDIR}
     ${CMAKE_INSTALL_FULL_LIBDIR}/warpsage)
if(TARGET warpsage)
  target_compile_definitions(warpsage PRIVATE WARPSAGE_RUNTIME_DIR="${embedded_runtime}"
                                              WARPSAGE_RUNTIME_FROM_BIN="${runtime_from_bin}")
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR WARPSAGE_SANITIZE OR WARPSAGE_PACKAGE STREQUAL static)
  return() # a sanitizer would have to be in the program, too
endif()

file(GLOB runtime_sources CONFIGURE_DEPENDS runtime/*.c)
# From the archive, so that only what it needs of the library, and of what that needs, is loaded.
add_library(warpsage_cudart SHARED ${runtime_sources})
set_target_properties(warpsage_cudart PROPERTIES OUTPUT_NAME warpsage-cudart
                                                 LIBRARY_OUTPUT_DIRECTORY ${runtime_dir})
target_link_libraries(warpsage_cudart PRIVATE warpsage_static)
# It is there as the program starts, so that variables of threads are found without a call.
target_compile_options(warpsage_cudart PRIVATE -ftls-model=initial-exec)
target_link_options(
  warpsage_cudart PRIVATE -Wl,-Bsymbolic -Wl,-z,initfirst -Wl,--as-needed
                          -Wl,--exclude-libs,$<TARGET_FILE_NAME:warpsage_static>)

# Source lines of the host, for `warpsage check`; without it findings name functions.
pkg_check_modules(DW QUIET IMPORTED_TARGET libdw)
if(DW_FOUND)
  target_link_libraries(warpsage_cudart PRIVATE PkgConfig::DW)
  target_compile_definitions(warpsage_cudart PRIVATE WITH_LIBDW)
  if(TARGET warpsage)
    target_compile_definitions(warpsage PRIVATE WITH_LIBDW) # `doctor` tells it
  endif()
endif()

set(runtime_targets warpsage_cudart)
foreach(version 11.0 12 13)
  set(map ${runtime_dir}/libcudart.so.${version}.map)
  file(WRITE ${map} "libcudart.so.${version} { };\n")
  file(WRITE ${runtime_dir}/empty.c "typedef int empty;\n")
  set(name warpsage_cudart_${version})
  add_library(${name} SHARED ${runtime_dir}/empty.c)
  set_target_properties(
    ${name} PROPERTIES PREFIX "" OUTPUT_NAME libcudart SUFFIX .so.${version} NO_SONAME ON
                       LIBRARY_OUTPUT_DIRECTORY ${runtime_dir})
  target_link_options(${name} PRIVATE -Wl,-soname,libcudart.so.${version}
                                      -Wl,--version-script,${map} -Wl,--no-as-needed)
  target_link_libraries(${name} PRIVATE warpsage_cudart)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
  list(APPEND runtime_targets ${name})
endforeach()

# Interpreters open the runtime by its name without a version, and look for its functions there.
add_library(warpsage_cudart_plain SHARED ${runtime_dir}/empty.c)
set_target_properties(
  warpsage_cudart_plain
  PROPERTIES PREFIX "" OUTPUT_NAME libcudart SUFFIX .so NO_SONAME ON INSTALL_RPATH "$ORIGIN"
             LIBRARY_OUTPUT_DIRECTORY ${runtime_dir})
target_link_options(warpsage_cudart_plain PRIVATE -Wl,-soname,libcudart.so -Wl,--no-as-needed)
target_link_libraries(warpsage_cudart_plain PRIVATE warpsage_cudart)
list(APPEND runtime_targets warpsage_cudart_plain)

# Programs that look for functions of the driver or of NVML with dlsym find them through its dependency.
foreach(library cuda nvidia-ml)
  set(name warpsage_${library})
  add_library(${name} SHARED ${runtime_dir}/empty.c)
  set_target_properties(
    ${name} PROPERTIES PREFIX "" OUTPUT_NAME lib${library} SUFFIX .so.1 NO_SONAME ON INSTALL_RPATH
                       "$ORIGIN" LIBRARY_OUTPUT_DIRECTORY ${runtime_dir})
  target_link_options(${name} PRIVATE -Wl,-soname,lib${library}.so.1 -Wl,--no-as-needed)
  target_link_libraries(${name} PRIVATE warpsage_cudart)
  list(APPEND runtime_targets ${name})
endforeach()

if(TARGET warpsage)
  add_dependencies(warpsage ${runtime_targets})
endif()
install(TARGETS ${runtime_targets} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpsage COMPONENT tool
                                           NAMELINK_SKIP)
