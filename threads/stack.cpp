// SPDX-License-Identifier: BSL-1.0
#include "threads/stack.hpp"

#include <cstdlib>
#include <system_error>

namespace threads {
namespace {

void require(int error, const char* what) {
  if (error != 0) {
    throw std::system_error{error, std::generic_category(), what};
  }
}

void destroy(pthread_attr_t& attributes) noexcept {
  if (pthread_attr_destroy(&attributes) != 0) {
    std::abort();
  }
}

}  // namespace

StackAttributes::StackAttributes(std::size_t stack_bytes, std::size_t guard_bytes) {
  require(pthread_attr_init(&attributes_), "pthread_attr_init");
  try {
    require(pthread_attr_setstacksize(&attributes_, stack_bytes), "pthread_attr_setstacksize");
    require(pthread_attr_setguardsize(&attributes_, guard_bytes), "pthread_attr_setguardsize");
  } catch (...) {
    destroy(attributes_);
    throw;
  }
}

StackAttributes::~StackAttributes() {
  destroy(attributes_);
}

std::size_t current_stack_bytes() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;
  }
  std::size_t bytes = 0;
  const int error = pthread_attr_getstacksize(&attributes, &bytes);
  destroy(attributes);
  return error == 0 ? bytes : 0;
}

}  // namespace threads
