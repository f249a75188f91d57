# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD [--prefix DIR]`: program, man pages, completion for shells, static and shared library, header, machine
# files, papers, schemas, examples, find_package(warpsage) and pkg-config. It may be moved afterwards.
# Sanitizers have no business there.
if(WARPSAGE_SANITIZE OR NOT TARGET warpsage)
  return()
endif()
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
target_link_libraries(warpsage_shared PRIVATE PkgConfig::YAML PkgConfig::JANSSON PkgConfig::ARCHIVE PkgConfig::HWLOC
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
  warpsage_archive PUBLIC PkgConfig::YAML PkgConfig::JANSSON PkgConfig::ARCHIVE PkgConfig::HWLOC
                          PkgConfig::ELF PkgConfig::LZ4 PkgConfig::ZSTD cxsparse Threads::Threads m ${CMAKE_DL_LIBS})

foreach(library warpsage_shared warpsage_archive)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# Man pages and completion for shells are written by the program, from its table of options. SOURCE_DATE_EPOCH
# dates the pages.
set(written_dir ${CMAKE_BINARY_DIR}/written)
add_custom_command(
  OUTPUT ${written_dir}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${written_dir}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${written_dir}/man1
  COMMAND $<TARGET_FILE:warpsage> man --dir ${written_dir}/man1
  COMMAND $<TARGET_FILE:warpsage> completion bash > ${written_dir}/warpsage
  COMMAND $<TARGET_FILE:warpsage> completion zsh > ${written_dir}/_warpsage
  COMMAND $<TARGET_FILE:warpsage> completion fish > ${written_dir}/warpsage.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${written_dir}/stamp
  DEPENDS warpsage
  VERBATIM)
add_custom_target(man ALL DEPENDS ${written_dir}/stamp)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpsage)
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/warpsage-config.cmake.in ${CMAKE_BINARY_DIR}/warpsage-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warpsage-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/warpsage.pc.in ${CMAKE_BINARY_DIR}/warpsage.pc @ONLY)

install(TARGETS warpsage)
install(TARGETS warpsage_archive warpsage_shared EXPORT warpsage)
install(EXPORT warpsage NAMESPACE warpsage:: FILE warpsage-targets.cmake DESTINATION ${config_dir})
install(FILES ${CMAKE_BINARY_DIR}/warpsage-config.cmake
              ${CMAKE_BINARY_DIR}/warpsage-config-version.cmake DESTINATION ${config_dir})
install(FILES ${CMAKE_BINARY_DIR}/warpsage.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY include/warpsage DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${written_dir}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${written_dir}/warpsage DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${written_dir}/_warpsage DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${written_dir}/warpsage.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY data/machines accuracy papers schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsage)
install(FILES data/evidence.yaml DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsage)
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md QUIRKS.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
