# SPDX-License-Identifier: Apache-2.0
# Run by cpack when the packages are made. cpack of CMake 3.25 has no field Multi-Arch, calls ldconfig in scripts
# where Debian has a trigger, and keeps the times of the installation: dpkg-deb packs them again.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/repack.sh ${package} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
