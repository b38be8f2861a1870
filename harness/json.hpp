// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "harness/histogram.hpp"

namespace harness {

/// What a field of a JSON file of ours can hold. A histogram becomes an object with its count,
/// exact minimum, maximum and mean, the usual percentiles, and its buckets as [lower, upper,
/// count].
using JsonValue = std::variant<bool, std::uint64_t, double, std::string, std::vector<double>,
                               std::vector<std::string>, const Histogram*>;
/// An object's fields in the order they are to be read. A number that is not finite is left out:
/// JSON has no word for it.
using JsonFields = std::vector<std::pair<std::string, JsonValue>>;

/// The object, indented by two.
std::string json_text(const JsonFields& fields);

/// Writes the object by write_whole().
std::error_code write_json(const std::string& path, const JsonFields& fields);

/// Reads back a histogram from the text of such an object's field `name`; `error` is set to
/// invalid_argument for anything that is not one. Values return to their buckets, and minimum and
/// maximum exactly.
Histogram histogram_from_json(std::string_view text, std::string_view name, std::error_code& error);

}  // namespace harness
