# SPDX-License-Identifier: BSL-1.0
# Finds every library as a package and names the command that installs what is missing.

function(require_package package apt_name)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} is missing; install it with: apt-get install ${apt_name}")
  endif()
  set(${package}_FOUND TRUE PARENT_SCOPE)
  set(${package}_VERSION ${${package}_VERSION} PARENT_SCOPE)
endfunction()

require_package(Threads libc6-dev)
require_package(benchmark libbenchmark-dev)
require_package(fmt libfmt-dev)
require_package(nlohmann_json nlohmann-json3-dev)
require_package(CLI11 libcli11-dev)
require_package(GTest libgtest-dev)

find_package(Boost 1.74 QUIET COMPONENTS context fiber)
if(NOT Boost_FOUND)
  message(FATAL_ERROR "Boost.Context and Boost.Fiber are missing; install them with: "
                      "apt-get install libboost-context-dev libboost-fiber-dev")
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
