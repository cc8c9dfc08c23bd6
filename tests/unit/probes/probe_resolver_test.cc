// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe_resolver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace probes {
namespace {

using Texts = std::vector<std::string>;

util::Result<std::vector<Probe>> Resolve(const Texts& functions, const Texts& usdt = {}) {
  SkippedProbes skipped;
  return ResolveProbes(functions, usdt, SystemSearchPaths(), {}, &skipped);
}

TEST(ProbeResolverTest, ResolvesAFunctionToAnOffset) {
  auto probes = Resolve({"libc.so.6:malloc+retval", "libc:free", "libc:calloc+entry"});
  ASSERT_TRUE(probes) << probes.error().message;
  ASSERT_EQ(probes->size(), 3u);
  EXPECT_TRUE((*probes)[2].entry_only);
  EXPECT_EQ((*probes)[0].name, "malloc");
  EXPECT_TRUE((*probes)[0].return_value);
  EXPECT_NE((*probes)[0].offset, 0u);
  EXPECT_EQ((*probes)[1].name, "free");
  EXPECT_FALSE((*probes)[1].return_value);
  EXPECT_EQ((*probes)[0].file, (*probes)[1].file);
}

TEST(ProbeResolverTest, AFunctionIsProbedOnce) {
  auto probes = Resolve({"libc.so.6:malloc", "libc:malloc+retval"});
  ASSERT_TRUE(probes);
  ASSERT_EQ(probes->size(), 1u);
  EXPECT_TRUE(probes->front().return_value);
}

TEST(ProbeResolverTest, SyntaxErrorsAreReported) {
  for (const char* text : {"", ":", "libc.so.6", "libc.so.6:", ":malloc", "libc.so.6:+retval"}) {
    EXPECT_FALSE(Resolve({text})) << text;
  }
  for (const char* text : {"", ":", "::", "a:b", "a::b", ":a:b", "a:b:"}) {
    EXPECT_FALSE(Resolve({}, {text})) << text;
  }
}

TEST(ProbeResolverTest, MissingUsdtProbeIsAnError) {
  auto probes = Resolve({}, {"libc.so.6:libc:no_such_probe"});
  ASSERT_FALSE(probes);
  EXPECT_NE(probes.error().message.find("has no USDT probe 'libc:no_such_probe'"),
            std::string::npos);
}

}  // namespace
}  // namespace probes
