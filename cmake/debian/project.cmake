# SPDX-License-Identifier: Apache-2.0
# cpack reads this first. The time in all files is that of the last commit, or of CHANGELOG.md where git does
# not know it, unless the caller gives SOURCE_DATE_EPOCH: two builds of one source are the same bytes.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CPACK_WARPSAGE_SOURCE} log -1 --format=%ct OUTPUT_VARIABLE epoch
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT epoch MATCHES "^[0-9]+$")
    file(TIMESTAMP ${CPACK_WARPSAGE_SOURCE}/CHANGELOG.md epoch "%s" UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()
set(ENV{TZ} UTC)
set(ENV{LC_ALL} C.UTF-8)
