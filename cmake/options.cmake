# SPDX-License-Identifier: BSL-1.0
# What every target of ours is compiled with, and the two ways to add one.

add_library(yardstack_options INTERFACE)
target_include_directories(yardstack_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(yardstack_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Werror)
target_link_libraries(yardstack_options INTERFACE Threads::Threads)

if(YARDSTACK_SANITIZE)
  target_compile_options(yardstack_options INTERFACE
    -fsanitize=${YARDSTACK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(yardstack_options INTERFACE -fsanitize=${YARDSTACK_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's manual warns of false positives of this kind in instrumented code; the release build has none.
    target_compile_options(yardstack_options INTERFACE -Wno-maybe-uninitialized)
    if(YARDSTACK_SANITIZE MATCHES "address")
      # Checks as calls, not in line: the same are made, and a sixth less time is spent compiling them.
      target_compile_options(yardstack_options INTERFACE
        --param=asan-instrumentation-with-call-threshold=0)
    endif()
  endif()
  if(YARDSTACK_SANITIZE MATCHES "undefined")
    # Its first look at a type opens a pipe, which is not to be had where tests use up descriptors.
    target_compile_options(yardstack_options INTERFACE -fno-sanitize=vptr)
  endif()
  if(YARDSTACK_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns that it does not model atomic_thread_fence; the fences here are reviewed by hand.
    target_compile_options(yardstack_options INTERFACE -Wno-error=tsan)
  endif()
endif()

# What most sources include is compiled once for the harness, once for the tests: a quarter of a build's
# time. Each source still includes what it needs; the clang build, without these, is where it shows.
set(YARDSTACK_PRECOMPILED <algorithm> <array> <atomic> <chrono> <filesystem> <fstream> <functional> <map>
  <memory> <mutex> <optional> <span> <string> <string_view> <system_error> <thread> <utility> <variant> <vector>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(yardstack_options INTERFACE -fpch-preprocess)  # else ccache keeps none of them
endif()

# yardstack_library(NAME SOURCES...): the static library of one folder.
function(yardstack_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC yardstack_options)
endfunction()

# yardstack_program(NAME SOURCES...): a program of the harness, at the top of the build folder.
# Sanitizer builds measure nothing, so they have no programs.
function(yardstack_program name)
  if(YARDSTACK_SANITIZE)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE harness)
  target_precompile_headers(${name} REUSE_FROM harness)
endfunction()
