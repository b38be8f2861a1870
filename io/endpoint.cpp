// SPDX-License-Identifier: BSL-1.0
#include "io/endpoint.hpp"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <sys/un.h>
#include <utility>

namespace io {
namespace {

constexpr std::size_t path_offset = offsetof(sockaddr_un, sun_path);
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

/// An abstract name begins with a zero byte, written '@', and has no terminator.
bool is_abstract(const std::string& host) {
  return host.starts_with('@');
}

Address unix_address(const Endpoint& where) {
  Address address;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, where.host.data(), where.host.size());
  if (is_abstract(where.host)) name.sun_path[0] = '\0';
  std::memcpy(&address.storage, &name, sizeof name);
  const std::size_t terminator = is_abstract(where.host) ? 0 : 1;
  address.size = static_cast<socklen_t>(path_offset + where.host.size() + terminator);
  return address;
}

Address tcp_address(const Endpoint& where, std::error_code& error) {
  Address address;
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(where.port);
  if (::inet_pton(AF_INET, where.host.c_str(), &name.sin_addr) != 1) {
    error = std::make_error_code(std::errc::invalid_argument);
  }
  std::memcpy(&address.storage, &name, sizeof name);
  address.size = sizeof name;
  return address;
}

Endpoint tcp_endpoint(const Address& address) {
  sockaddr_in name{};
  std::memcpy(&name, &address.storage, sizeof name);
  std::array<char, INET_ADDRSTRLEN> text{};
  const char* const host = ::inet_ntop(AF_INET, &name.sin_addr, text.data(), text.size());
  return {.host = host != nullptr ? host : "", .port = ntohs(name.sin_port)};
}

Endpoint unix_endpoint(const Address& address) {
  sockaddr_un name{};
  std::memcpy(&name, &address.storage, sizeof name);
  std::string host(name.sun_path, address.size > path_offset ? address.size - path_offset : 0);
  if (host.starts_with('\0')) {
    host.front() = '@';
  } else {
    host.resize(::strnlen(host.data(), host.size()));
  }
  return {.transport = Endpoint::Transport::unix_domain, .host = std::move(host)};
}

std::optional<Endpoint> parse_tcp(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Endpoint endpoint{.host = std::string{text.substr(0, colon)}};
  const std::string_view digits = text.substr(colon + 1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, endpoint.port);
  in_addr address{};
  const bool is_port = failure == std::errc{} && stop == end;
  if (!is_port || ::inet_pton(AF_INET, endpoint.host.c_str(), &address) != 1) return std::nullopt;
  return endpoint;
}

std::optional<Endpoint> parse_unix(std::string_view text) {
  const bool is_path = text.starts_with('/') && text.find('\0') == std::string_view::npos;
  if (!is_path && !text.starts_with('@')) return std::nullopt;
  if (text.size() < 2 || text.size() > longest_path) return std::nullopt;
  return Endpoint{.transport = Endpoint::Transport::unix_domain, .host = std::string{text}};
}

}  // namespace

Endpoint Endpoint::parse(std::string_view text, std::error_code& error) {
  error.clear();
  std::optional<Endpoint> endpoint;
  if (text.starts_with("tcp:")) endpoint = parse_tcp(text.substr(4));
  if (text.starts_with("unix:")) endpoint = parse_unix(text.substr(5));
  if (!endpoint) error = std::make_error_code(std::errc::invalid_argument);
  return endpoint.value_or(Endpoint{});
}

std::string Endpoint::text() const {
  if (transport == Transport::unix_domain) return "unix:" + host;
  return "tcp:" + host + ":" + std::to_string(port);
}

Address Address::of(const Endpoint& endpoint, std::error_code& error) {
  error.clear();
  if (endpoint.transport == Endpoint::Transport::tcp) return tcp_address(endpoint, error);
  if (endpoint.host.empty() || endpoint.host.size() > longest_path) {
    error = std::make_error_code(endpoint.host.empty() ? std::errc::invalid_argument
                                                       : std::errc::filename_too_long);
    return {};
  }
  return unix_address(endpoint);
}

Endpoint Address::endpoint() const {
  return storage.ss_family == AF_INET ? tcp_endpoint(*this) : unix_endpoint(*this);
}

}  // namespace io
