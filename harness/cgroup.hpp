// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace harness {

/// A memory control group for one subject, v1 or v2, made beneath this process's own or the nearest
/// ancestor that can hand the memory controller down. Removed with the object, once its processes
/// have ended.
class MemoryCgroup {
 public:
  enum class Version { v1, v2 };

  /// Empty where none can be made (no controller, no permission): measuring goes on without.
  static std::optional<MemoryCgroup> create(const std::string& name);

  MemoryCgroup(MemoryCgroup&& other) noexcept;
  MemoryCgroup& operator=(MemoryCgroup&&) = delete;
  ~MemoryCgroup();

  [[nodiscard]] Version version() const noexcept { return version_; }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  MemoryCgroup(Version version, std::filesystem::path folder);

  Version version_;
  std::filesystem::path folder_;
};

}  // namespace harness
