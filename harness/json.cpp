// SPDX-License-Identifier: BSL-1.0
#include "harness/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/whole_file.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, double> percentiles[] = {
    {"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}, {"p9999", 99.99}};

Json histogram_object(const Histogram& histogram) {
  Json object{{"count", histogram.count()},
              {"min", histogram.min()},
              {"max", histogram.max()},
              {"mean", histogram.mean()}};
  for (const auto& [name, percent] : percentiles) object[name] = histogram.percentile(percent);
  Json buckets = Json::array();
  for (const auto& [lower, upper, count] : histogram.buckets()) {
    buckets.push_back(Json::array({lower, upper, count}));
  }
  object["buckets"] = std::move(buckets);
  return object;
}

struct Put {
  Json& object;
  const std::string& name;

  void operator()(const Histogram* value) const { object[name] = histogram_object(*value); }
  void operator()(double value) const {
    if (std::isfinite(value)) object[name] = value;
  }
  template <class T>
  void operator()(const T& value) const {
    object[name] = value;
  }
};

Histogram read_histogram(const Json& object) {
  std::vector<Histogram::Bucket> buckets;
  for (const Json& bucket : object.at("buckets")) {
    buckets.push_back({bucket.at(0).get<std::uint64_t>(), bucket.at(1).get<std::uint64_t>(),
                       bucket.at(2).get<std::uint64_t>()});
  }
  return Histogram::restore(buckets, object.at("min").get<std::uint64_t>(),
                            object.at("max").get<std::uint64_t>(), object.at("mean").get<double>());
}

}  // namespace

std::string json_text(const JsonFields& fields) {
  Json object = Json::object();
  for (const auto& [name, value] : fields) std::visit(Put{object, name}, value);
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::error_code write_json(const std::string& path, const JsonFields& fields) {
  return write_whole(path, json_text(fields) + '\n');
}

Histogram histogram_from_json(std::string_view text, std::string_view name,
                              std::error_code& error) {
  error.clear();
  const Json object = Json::parse(text, nullptr, false);
  try {
    if (!object.is_discarded()) return read_histogram(object.at(std::string{name}));
  } catch (const Json::exception&) {
  }
  error = std::make_error_code(std::errc::invalid_argument);
  return {};
}

}  // namespace harness
