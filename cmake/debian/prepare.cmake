# SPDX-License-Identifier: Apache-2.0
# Run by cpack when the files of all components are in their folders: what Debian wants beside them.
set(here ${CMAKE_CURRENT_LIST_DIR})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(doc ${root}/usr/share/doc/${package})
  file(COPY ${here}/copyright DESTINATION ${doc})
  execute_process(COMMAND ${CPACK_WARPSAGE_SOURCE}/tools/make-debian-changelog.sh OUTPUT_FILE ${doc}/changelog
                  COMMAND_ERROR_IS_FATAL ANY)
  run(gzip -9nf ${doc}/changelog)
  if(EXISTS ${here}/${package}.lintian-overrides)
    file(COPY ${here}/${package}.lintian-overrides DESTINATION ${root}/usr/share/lintian/overrides)
    file(RENAME ${root}/usr/share/lintian/overrides/${package}.lintian-overrides
                ${root}/usr/share/lintian/overrides/${package})
  endif()

  # The build may know no date: the pages of a package have that of the source, whatever the build's environment.
  if(EXISTS ${root}/usr/bin/warpsage)
    run(${root}/usr/bin/warpsage man --dir ${root}/usr/share/man/man1)
  endif()
  file(GLOB_RECURSE pages LIST_DIRECTORIES false ${root}/usr/share/man/*)
  foreach(page IN LISTS pages)
    if(IS_SYMLINK ${page})
      file(READ_SYMLINK ${page} target)
      file(REMOVE ${page})
      file(CREATE_LINK ${target}.gz ${page}.gz SYMBOLIC)
    else()
      run(gzip -9nf ${page})
    endif()
  endforeach()
  # `install/strip` leaves archives alone, and the compiler's name in all.
  file(GLOB_RECURSE archives ${root}/usr/lib/*.a)
  if(archives)
    run(strip --strip-debug --remove-section=.comment --remove-section=.note --enable-deterministic-archives ${archives})
  endif()
  file(GLOB_RECURSE binaries ${root}/usr/lib/*.so* ${root}/usr/bin/warpsage)
  foreach(binary IN LISTS binaries)
    if(NOT IS_SYMLINK ${binary})
      run(strip --remove-section=.comment --remove-section=.note ${binary})
    endif()
  endforeach()
endforeach()
