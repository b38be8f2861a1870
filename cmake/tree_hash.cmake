# SPDX-License-Identifier: BSL-1.0
# cmake -DSOURCE=... -DOUTPUT=... -P tree_hash.cmake: writes, if they changed, which sources a program
# is built from: a hash over names and contents of all files of the measured folders, and the commit.
set(folders io threads stackful stackless harness cmake)
set(listing "")
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/${folder}/*)
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 ${SOURCE}/${file} hash)
    string(APPEND listing "${file} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 tree_hash "${listing}")
string(SUBSTRING ${tree_hash} 0 16 tree_hash)

set(commit "none")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit ${described})
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [=[
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace harness::build {

inline constexpr const char* tree_hash = "@tree_hash@";
inline constexpr const char* commit = "@commit@";

}  // namespace harness::build
]=])
