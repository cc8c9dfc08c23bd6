// SPDX-License-Identifier: BSD-2-Clause
#include "measure/waited_object.h"

#include <charconv>
#include <string_view>

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

WaitedObject WaitedObjectOf(const facts::WaitObject& object, bool blocked,
                            facts::WaitsFor waits_for) {
  WaitedObject waited{
      .blocked = blocked, .waits_for = waits_for, .syscall = object.syscall, .kind = object.kind};
  const std::string_view name = object.object;
  if (IsNumbered(name)) return waited;
  const size_t arrow = name.find(kArrow);
  if (arrow != std::string_view::npos) {
    waited.object = AddressOf(name.substr(0, arrow));
    waited.object += kArrow;
    waited.object += AddressOf(name.substr(arrow + kArrow.size()));
  } else if (object.kind == "tcp" || object.kind == "udp" || object.kind == "mptcp") {
    waited.object = AddressOf(name);
  } else {
    waited.object = FoldDigits(name.substr(name.rfind('/') + 1));
  }
  if (waited.object.size() > kMaxFoldedBytes) waited.object.resize(kMaxFoldedBytes);
  return waited;
}

}  // namespace measure
