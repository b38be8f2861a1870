# SPDX-License-Identifier: BSL-1.0
# Finds every library as a package and names the command that installs what is missing.

set(missing "")
set(missing_apt_names "")

macro(note_missing package apt_name)
  list(APPEND missing ${package})
  list(APPEND missing_apt_names ${apt_name})
endmacro()

macro(require_package package apt_name)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    note_missing(${package} ${apt_name})
  endif()
endmacro()

require_package(Threads libc6-dev)
require_package(benchmark libbenchmark-dev)
require_package(fmt libfmt-dev)
require_package(nlohmann_json nlohmann-json3-dev)
require_package(CLI11 libcli11-dev)
require_package(GTest libgtest-dev)

find_package(Boost 1.74 QUIET OPTIONAL_COMPONENTS context fiber)
foreach(component context fiber)
  if(NOT TARGET Boost::${component})
    note_missing(Boost.${component} libboost-${component}-dev)
  endif()
endforeach()

if(missing)
  list(JOIN missing ", " missing)
  list(JOIN missing_apt_names " " missing_apt_names)
  # What begins with a space is not wrapped.
  message(FATAL_ERROR "missing: ${missing}; to install:\n  apt-get install ${missing_apt_names}\n")
endif()

# A Boost.Context built for another calling convention can lack its assembly: link and run one switch.
if(NOT YARDSTACK_CONTEXT_SWITCH_WORKS)
  try_run(context_ran context_compiled
    ${CMAKE_BINARY_DIR}/context-check ${CMAKE_SOURCE_DIR}/cmake/context_check.cpp
    LINK_LIBRARIES Boost::context
    CXX_STANDARD 20
    COMPILE_OUTPUT_VARIABLE context_log)
  if(NOT context_compiled OR NOT context_ran EQUAL 0)
    message(FATAL_ERROR "Boost.Context links but cannot switch stacks on this machine; reinstall it "
                        "with: apt-get install --reinstall libboost-context-dev\n${context_log}")
  endif()
  set(YARDSTACK_CONTEXT_SWITCH_WORKS TRUE CACHE INTERNAL "one fiber switch was linked and run")
endif()
