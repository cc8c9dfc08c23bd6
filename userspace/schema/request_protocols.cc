// SPDX-License-Identifier: BSD-2-Clause
#include "schema/request_protocols.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace schema {
namespace {

constexpr std::array<std::string_view, 4> kProtocols = {"http", "redis", "postgres", "mysql"};

struct Service {
  uint32_t port;
  std::string_view name;
};

// docs/requests.md lists them.
constexpr Service kServices[] = {
    {22, "ssh"},          {25, "smtp"},       {53, "dns"},
    {80, "http"},         {143, "imap"},      {389, "ldap"},
    {443, "https"},       {2049, "nfs"},      {2181, "zookeeper"},
    {2379, "etcd"},       {3306, "mysql"},    {4222, "nats"},
    {5432, "postgresql"}, {5672, "amqp"},     {6379, "redis"},
    {9042, "cassandra"},  {9092, "kafka"},    {9200, "elasticsearch"},
    {11211, "memcached"}, {27017, "mongodb"},
};

}  // namespace

std::span<const std::string_view> RequestProtocolNames() { return kProtocols; }

bool SelectRequestProtocol(std::string_view name, RequestProtocols& protocols) {
  bool* const selected = name == kProtocols[0]   ? &protocols.http
                         : name == kProtocols[1] ? &protocols.redis
                         : name == kProtocols[2] ? &protocols.postgres
                         : name == kProtocols[3] ? &protocols.mysql
                                                 : nullptr;
  if (selected == nullptr) return false;
  *selected = true;
  return true;
}

std::string_view ServiceOfPort(uint32_t port) {
  const auto* found = std::ranges::find(kServices, port, &Service::port);
  return found == std::end(kServices) ? std::string_view() : found->name;
}

}  // namespace schema
