// SPDX-License-Identifier: BSD-2-Clause
#include "measure/waited_object.h"

#include <charconv>

#include "measure/group_name.h"

namespace measure {
namespace {

// Linux takes the ports of clients from 32768 on (ip_local_port_range).
constexpr unsigned kFirstClientPort = 32768;
constexpr std::string_view kArrow = " -> ";

// "127.0.0.1:40112" is "127.0.0.1:#".
std::string AddressOf(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::string(address);
  const std::string_view text = address.substr(colon + 1);
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_clients =
      error == std::errc() && end == text.data() + text.size() && port >= kFirstClientPort;
  return std::string(address.substr(0, colon + 1)) + (is_clients ? "#" : std::string(text));
}

bool IsNumbered(std::string_view object) {
  return object.starts_with("0x") || object.starts_with("pipe:[") ||
         object.starts_with("socket:[") || object.starts_with("eventfd:");
}

}  // namespace

std::string ComparableName(std::string_view kind, std::string_view object) {
  if (IsNumbered(object)) return {};
  std::string name;
  const size_t arrow = object.find(kArrow);
  if (arrow != std::string_view::npos) {
    name = AddressOf(object.substr(0, arrow));
    name += kArrow;
    name += AddressOf(object.substr(arrow + kArrow.size()));
  } else if (kind == "tcp" || kind == "udp" || kind == "mptcp") {
    name = AddressOf(object);
  } else {
    name = FoldDigits(object.substr(object.rfind('/') + 1));
  }
  if (name.size() > kMaxFoldedBytes) name.resize(kMaxFoldedBytes);
  return name;
}

WaitedObject WaitedObjectOf(const facts::WaitObject& object, bool blocked,
                            facts::WaitsFor waits_for) {
  return {.blocked = blocked,
          .waits_for = waits_for,
          .syscall = object.syscall,
          .kind = object.kind,
          .object = ComparableName(object.kind, object.object)};
}

}  // namespace measure
