# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD [--prefix DIR]`: program, man pages, completion for shells, static and shared library, header, machine
# files, papers, schemas, examples, find_package(warpsage) and pkg-config. It may be moved afterwards.
# Sanitizers have no business there.
if(WARPSAGE_SANITIZE OR NOT TARGET warpsage)
  return()
endif()
# Packages (cmake/packages.cmake): tool, lib, dev and data. What names none is part of the tool's.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
if(NOT WARPSAGE_PACKAGE STREQUAL static)
  include(cmake/install_library.cmake)
endif()

# Man pages and completion for shells are written by the program, from its table of options. SOURCE_DATE_EPOCH
# dates the pages; packages write them again (debian/prepare.cmake).
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

install(TARGETS warpsage)
if(WARPSAGE_PACKAGE STREQUAL deb) # the other one is for what an administrator adds
  set(zsh_dir ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
else()
  set(zsh_dir ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
install(DIRECTORY ${written_dir}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${written_dir}/warpsage DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${written_dir}/_warpsage DESTINATION ${zsh_dir})
install(FILES ${written_dir}/warpsage.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY data/machines accuracy papers schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsage COMPONENT data)
install(FILES data/evidence.yaml DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsage COMPONENT data)
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)
install(FILES README.md QUIRKS.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)
if(NOT WARPSAGE_PACKAGE STREQUAL deb) # Debian has each licence once
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT data)
  # Of what pages of HTML carry.
  install(FILES src/render/html/d3-license.js DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.d3 COMPONENT data)
endif()
