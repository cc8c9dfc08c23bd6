// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/call.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace control {
namespace {

Call Parsed(const std::string& parameters, const std::string& more = "") {
  auto call = Call::Parse(fmt::format(
      R"({{"method":"fuchsia.tracing.controller.Any","parameters":{}{}}})", parameters, more));
  EXPECT_TRUE(call.ok()) << parameters;
  return std::move(*call);
}

std::string BadOf(const auto& read) { return read.bad ? read.bad->name : ""; }

TEST(CallTest, ReadsMethodAndFlags) {
  const Call call = Parsed("{}", R"(,"more":true,"oneway":false)");
  EXPECT_EQ(call.interface(), "fuchsia.tracing.controller");
  EXPECT_EQ(call.member(), "Any");
  EXPECT_TRUE(call.more());
  EXPECT_FALSE(call.oneway());
}

TEST(CallTest, RefusesMalformedMessages) {
  for (const char* text :
       {"", "{", "[]", "null", "7", "{}", R"({"method":7})", R"({"method":"NoInterface"})",
        "{\"method\":\"a.B\"} x", "\xff\xfe", R"({"method":"a.\ud800"})"}) {
    EXPECT_FALSE(Call::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(Call::Parse("{\"method\":\"a." + std::string(300, 'B') + "\"}").ok());
  // Nested beyond the limit.
  EXPECT_FALSE(Call::Parse("{\"method\":\"a.B\",\"parameters\":" + std::string(1000, '[')).ok());
  std::string deep = "{\"method\":\"a.B\",\"x\":";
  deep += std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_FALSE(Call::Parse(deep).ok());
  // Brackets in a text do not nest.
  EXPECT_TRUE(Call::Parse("{\"method\":\"a.B\",\"x\":\"\\\"" + std::string(100, '[') + "\"}").ok());
}

TEST(CallTest, DistinguishesNoCategoriesFromAnEmptyList) {
  const auto none = Parsed(R"({"config":{"categories":[]}})").ReadInitialize();
  ASSERT_EQ(BadOf(none), "");
  ASSERT_TRUE(none.value.config.categories);
  EXPECT_TRUE(none.value.config.categories->empty());
  for (const char* unsaid : {R"({"config":{}})", R"({"config":{"categories":null}})"}) {
    EXPECT_FALSE(Parsed(unsaid).ReadInitialize().value.config.categories) << unsaid;
  }
}

TEST(CallTest, ReadsAFilter) {
  const auto read = Parsed(R"({"config":{"filter":{"tids":[1,2],"pids":[3],"comms":["a b"],
                               "cgroups":["/x"],"follow":true}}})")
                        .ReadInitialize();
  ASSERT_EQ(BadOf(read), "");
  const request::TaskFilter& filter = read.value.config.filter;
  EXPECT_EQ(filter.tids, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(filter.pids, (std::vector<uint32_t>{3}));
  EXPECT_EQ(filter.comms, (std::vector<std::string>{"a b"}));
  EXPECT_EQ(filter.cgroups, (std::vector<std::string>{"/x"}));
  EXPECT_TRUE(filter.follow);
  for (const char* wrong : {"[-1]", "[4194304]", "[\"1\"]", "1", "[1.5]"}) {
    const std::string text = R"({"config":{"filter":{"tids":)" + std::string(wrong) + "}}}";
    EXPECT_EQ(BadOf(Parsed(text.c_str()).ReadInitialize()), "config.filter.tids") << wrong;
  }
}

TEST(CallTest, ReadsSources) {
  const auto read = Parsed(R"({"config":{"sources":{"tracepoints":[{"name":"a:b","filter":"c > 1"},
                               {"name":"d:*"}],"counters":["task-clock"],"uprobes":["/x:f"],
                               "usdts":["/x:p:n"],"kprobes":["f"],"request_names":["http"]}}})")
                        .ReadInitialize();
  ASSERT_EQ(BadOf(read), "");
  const request::Sources& sources = read.value.config.sources;
  ASSERT_EQ(sources.tracepoints.size(), 2u);
  EXPECT_EQ(sources.tracepoints[0].pattern, "a:b");
  EXPECT_EQ(sources.tracepoints[0].filter, "c > 1");
  EXPECT_EQ(sources.tracepoints[1].pattern, "d:*");
  EXPECT_EQ(sources.counters, (std::vector<std::string>{"task-clock"}));
  EXPECT_EQ(sources.uprobes, (std::vector<std::string>{"/x:f"}));
  EXPECT_EQ(sources.usdts, (std::vector<std::string>{"/x:p:n"}));
  EXPECT_EQ(sources.kprobes, (std::vector<std::string>{"f"}));
  EXPECT_EQ(sources.request_names, (std::vector<std::string>{"http"}));
  EXPECT_TRUE(sources.probes());
  EXPECT_FALSE(Parsed(R"({"config":{}})").ReadInitialize().value.config.sources.any());
  for (const auto& [wrong, name] :
       {std::pair(R"({"tracepoints":["a:b"]})", "config.sources.tracepoints"),
        std::pair(R"({"tracepoints":[{}]})", "config.sources.tracepoints.name"),
        std::pair(R"({"counters":"x"})", "config.sources.counters"),
        std::pair(R"({"uprobes":[1]})", "config.sources.uprobes"),
        std::pair(R"({"kprobe":[]})", "config.sources.kprobe")}) {
    const std::string text = R"({"config":{"sources":)" + std::string(wrong) + "}}";
    EXPECT_EQ(BadOf(Parsed(text.c_str()).ReadInitialize()), name) << wrong;
  }
}

TEST(CallTest, ReadsATraceConfig) {
  const auto read =
      Parsed(R"({"config":{"categories":["sched","task"],"buffer_size_megabytes_hint":16,
               "start_timeout_milliseconds":250,"buffering_mode":"CIRCULAR",
               "provider_specs":[{"name":"fxt-record","buffer_size_megabytes_hint":8}]},
               "output":{"path":"/tmp/x","gzip":true}})")
          .ReadInitialize();
  ASSERT_EQ(BadOf(read), "");
  const request::TraceConfig& config = read.value.config;
  EXPECT_EQ(config.categories, (std::optional<std::vector<std::string>>{{"sched", "task"}}));
  EXPECT_EQ(config.buffer_size_megabytes_hint, 16u);
  EXPECT_EQ(config.start_timeout_milliseconds, 250u);
  EXPECT_EQ(config.buffering_mode, request::BufferingMode::kCircular);
  ASSERT_EQ(config.provider_specs.size(), 1u);
  EXPECT_EQ(config.provider_specs[0].buffer_size_megabytes_hint, 8u);
  EXPECT_EQ(read.value.output->path, "/tmp/x");
  EXPECT_TRUE(read.value.output->gzip);
}

TEST(CallTest, UsesTheDocumentsDefaults) {
  const auto read = Parsed(R"({"config":{"categories":null}})").ReadInitialize();
  ASSERT_EQ(BadOf(read), "");
  EXPECT_EQ(read.value.config.buffering_mode, request::BufferingMode::kOneshot);
  EXPECT_FALSE(read.value.output);
  EXPECT_EQ(Parsed("{}").ReadStart().value.buffer_disposition, request::BufferDisposition::kRetain);
  EXPECT_FALSE(Parsed("{}").ReadEnd().value.write_results);
}

TEST(CallTest, NamesTheParameterThatIsWrong) {
  std::string hundred_one = "[\"a\"";
  for (int i = 0; i < 100; ++i) hundred_one += ",\"a\"";
  hundred_one += "]";
  const std::string long_name = std::string(101, 'n');
  const std::pair<std::string, std::string> cases[] = {
      {"{}", "config"},
      {"[]", "parameters"},
      {R"({"config":[]})", "config"},
      {R"({"config":{},"nonsense":1})", "nonsense"},
      {R"({"config":{"buffering_mod":"CIRCULAR"}})", "config.buffering_mod"},
      {R"({"config":{"buffering_mode":"circular"}})", "config.buffering_mode"},
      {R"({"config":{"buffering_mode":1}})", "config.buffering_mode"},
      {R"({"config":{"buffering_mode":"STREAMING"}})", "output"},
      {R"({"config":{"categories":"sched"}})", "config.categories"},
      {R"({"config":{"categories":[1]}})", "config.categories"},
      {R"({"config":{"categories":["a\u0000b"]}})", "config.categories"},
      {R"({"config":{"categories":)" + hundred_one + "}}", "config.categories"},
      {R"({"config":{"categories":[")" + long_name + "\"]}}", "config.categories"},
      {R"({"config":{"buffer_size_megabytes_hint":-1}})", "config.buffer_size_megabytes_hint"},
      {R"({"config":{"buffer_size_megabytes_hint":1.5}})", "config.buffer_size_megabytes_hint"},
      {R"({"config":{"buffer_size_megabytes_hint":4294967296}})",
       "config.buffer_size_megabytes_hint"},
      {R"({"config":{"start_timeout_milliseconds":18446744073709551615}})",
       "config.start_timeout_milliseconds"},
      {R"({"config":{"provider_specs":[{}]}})", "config.provider_specs.name"},
      {R"({"config":{},"output":{}})", "output"},
      {R"({"config":{},"output":{"path":"relative"}})", "output.path"},
      {R"({"config":{},"output":{"path":"/a","descriptor":0}})", "output"},
      {R"({"config":{},"output":{"descriptor":-1}})", "output.descriptor"},
  };
  for (const auto& [parameters, name] : cases) {
    EXPECT_EQ(BadOf(Parsed(parameters).ReadInitialize()), name) << parameters;
  }
  EXPECT_EQ(BadOf(Parsed(R"({"options":{"buffer_disposition":"CLEAR"}})").ReadStart()),
            "options.buffer_disposition");
  EXPECT_EQ(BadOf(Parsed(R"({"options":{"write_results":1}})").ReadEnd()), "options.write_results");
  EXPECT_EQ(BadOf(Parsed(R"({"last_nanoseconds":"1"})").ReadSnapshot()), "last_nanoseconds");
  EXPECT_EQ(BadOf(Parsed(R"({"x":1})").ReadNothing()), "x");
}

TEST(CallTest, AlertNamesHaveFourteenBytes) {
  EXPECT_EQ(Parsed(R"({"alert_name":"exactly14bytes"})").ReadAlert().value, "exactly14bytes");
  EXPECT_EQ(BadOf(Parsed(R"({"alert_name":"fifteen-bytes-x"})").ReadAlert()), "alert_name");
  EXPECT_EQ(BadOf(Parsed(R"({"alert_name":""})").ReadAlert()), "alert_name");
  EXPECT_EQ(BadOf(Parsed("{}").ReadAlert()), "alert_name");
}

}  // namespace
}  // namespace control
