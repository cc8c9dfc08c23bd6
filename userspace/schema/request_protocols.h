// SPDX-License-Identifier: BSD-2-Clause
// The protocols of --request-names, and services by port.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace schema {

// The protocols whose first bytes of a request are read for its name.
struct RequestProtocols {
  bool http = false;
  bool redis = false;
  bool postgres = false;
  bool mysql = false;

  bool any() const { return http || redis || postgres || mysql; }
};

// "http", "redis", "postgres", "mysql".
std::span<const std::string_view> RequestProtocolNames();
// Selects the protocol of this name; false if there is none.
bool SelectRequestProtocol(std::string_view name, RequestProtocols& protocols);

// The name of the service that commonly has this TCP port, as in "redis"; empty: none.
std::string_view ServiceOfPort(uint32_t port);

}  // namespace schema
