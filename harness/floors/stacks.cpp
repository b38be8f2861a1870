// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/stacks.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace harness::floors {

Stacks::Stacks(std::size_t count) : count_{count} {
  void* const mapping = mmap(nullptr, count * bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) throw std::system_error{errno, std::system_category(), "mmap"};
  mapping_ = static_cast<std::byte*>(mapping);
  const bool refused = madvise(mapping, count * bytes, MADV_NOHUGEPAGE) != 0;
  if (refused && errno != EINVAL) {  // EINVAL: a kernel that has no huge pages
    const int error = errno;
    munmap(mapping, count * bytes);
    throw std::system_error{error, std::system_category(), "madvise"};
  }
}

Stacks::~Stacks() {
#if defined(__SANITIZE_ADDRESS__)
  // The last frames are never left: the sanitizer would keep their marks for whoever comes here
  // next.
  __asan_unpoison_memory_region(mapping_, count_ * bytes);
#endif
  munmap(mapping_, count_ * bytes);
}

std::byte* Stacks::top(std::size_t index) const noexcept {
  return mapping_ + (index + 1) * bytes - index % colours * cache_line;
}

}  // namespace harness::floors
