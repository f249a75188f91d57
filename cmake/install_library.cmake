# SPDX-License-Identifier: Apache-2.0
# The library: shared and as an archive, its header, find_package(warpsage) and pkg-config.
include(CMakePackageConfigHelpers)

# Only what WS_API names leaves the shared library (CMAKE_C_VISIBILITY_PRESET).
add_library(warpsage_shared SHARED ${STAGE_OBJECTS})
set_target_properties(warpsage_shared PROPERTIES OUTPUT_NAME warpsage EXPORT_NAME warpsage
                                                 VERSION ${PROJECT_VERSION}
                                                 SOVERSION 1)
# What a program is linked with carries a version: a later, incompatible function gets another one.
set(symbol_versions ${CMAKE_SOURCE_DIR}/cmake/warpsage.map)
target_link_options(warpsage_shared PRIVATE -Wl,--version-script=${symbol_versions})
set_property(TARGET warpsage_shared APPEND PROPERTY LINK_DEPENDS ${symbol_versions})
target_link_libraries(warpsage_shared PRIVATE PkgConfig::YAML PkgConfig::JANSSON PkgConfig::HWLOC
                                              PkgConfig::ELF PkgConfig::LZ4 PkgConfig::ZSTD cxsparse Threads::Threads m ${CMAKE_DL_LIBS})
# The archive has one object, in which all other names are local: they would break the link of whoever
# has names like ours.
set(archive_object ${CMAKE_BINARY_DIR}/warpsage.o)
add_custom_command(
  OUTPUT ${archive_object}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--whole-archive $<TARGET_FILE:warpsage_static>
          -Wl,--no-whole-archive -o ${archive_object}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=ws_* ${archive_object}
  DEPENDS warpsage_static
  VERBATIM)
add_library(warpsage_archive STATIC ${archive_object})
set_source_files_properties(${archive_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set_target_properties(warpsage_archive PROPERTIES OUTPUT_NAME warpsage EXPORT_NAME warpsage_static
                                                  LINKER_LANGUAGE C)
target_link_libraries(
  warpsage_archive PUBLIC PkgConfig::YAML PkgConfig::JANSSON PkgConfig::HWLOC
                          PkgConfig::ELF PkgConfig::LZ4 PkgConfig::ZSTD cxsparse Threads::Threads m ${CMAKE_DL_LIBS})

foreach(library warpsage_shared warpsage_archive)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpsage)
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/warpsage-config.cmake.in ${CMAKE_BINARY_DIR}/warpsage-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warpsage-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
# Packages are not moved, and pkg-config leaves out the system's folders only if they are named plainly.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_prefix "\${pcfiledir}/${prefix_from_pc}")
if(WARPSAGE_PACKAGE)
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/warpsage.pc.in ${CMAKE_BINARY_DIR}/warpsage.pc @ONLY)

install(TARGETS warpsage_archive warpsage_shared EXPORT warpsage
        LIBRARY COMPONENT lib NAMELINK_COMPONENT dev
        ARCHIVE COMPONENT dev)
install(EXPORT warpsage NAMESPACE warpsage:: FILE warpsage-targets.cmake DESTINATION ${config_dir} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/warpsage-config.cmake
              ${CMAKE_BINARY_DIR}/warpsage-config-version.cmake DESTINATION ${config_dir} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/warpsage.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(DIRECTORY include/warpsage DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
