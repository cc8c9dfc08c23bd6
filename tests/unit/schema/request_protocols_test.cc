// SPDX-License-Identifier: BSD-2-Clause
#include "schema/request_protocols.h"

#include <gtest/gtest.h>

namespace schema {
namespace {

TEST(RequestProtocolsTest, SelectsByName) {
  RequestProtocols protocols;
  EXPECT_FALSE(protocols.any());
  for (const auto name : RequestProtocolNames()) {
    EXPECT_TRUE(SelectRequestProtocol(name, protocols));
  }
  EXPECT_TRUE(protocols.http && protocols.redis && protocols.postgres && protocols.mysql);
  EXPECT_FALSE(SelectRequestProtocol("gopher", protocols));
}

TEST(RequestProtocolsTest, KnowsCommonServices) {
  EXPECT_EQ(ServiceOfPort(6379), "redis");
  EXPECT_EQ(ServiceOfPort(27017), "mongodb");
  EXPECT_EQ(ServiceOfPort(8080), "");
}

}  // namespace
}  // namespace schema
