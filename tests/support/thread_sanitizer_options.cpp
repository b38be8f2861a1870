// SPDX-License-Identifier: BSL-1.0
// Part of every test program built with ThreadSanitizer, whose run-time library asks it before
// anything else runs. Where a thread is left at the end it sleeps for a second, to catch it racing
// with the exit; and it takes fibers for threads. A hundredth of that will do: tests join theirs.

extern "C" const char* __tsan_default_options();  // in no header

extern "C" const char* __tsan_default_options() {
  return "atexit_sleep_ms=10";
}
