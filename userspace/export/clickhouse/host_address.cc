// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/host_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/clean_text.h"
#include "util/program_output.h"

namespace exporting {
namespace {

bool IsAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> into{};
  return inet_pton(AF_INET, text.c_str(), into.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), into.data()) == 1;
}

}  // namespace

util::Result<std::string> AddressOf(const std::string& host) {
  if (IsAddress(host)) return host;
  // "192.0.2.1  STREAM  name", and further lines.
  const std::string output = util::OutputOf({"getent", "ahosts", "--", host});
  const std::string address = output.substr(0, std::min(output.find(' '), output.size()));
  if (IsAddress(address)) return address;
  return util::Error{fmt::format("the host {} is unknown", text::CleanText(host)), ""};
}

}  // namespace exporting
