// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/provider_calls.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <string>
#include <vector>

#include "unit/control/server/served.h"

namespace control {
namespace {

constexpr std::string_view kMore = ",\"more\":true";

std::vector<std::string> CallsOf(Served& served) {
  return served.Do([](FakeEngine& engine) { return engine.calls; });
}

TEST(ProviderCallsTest, AProviderIsNotifiedWhileItIsConnected) {
  Served served;
  RawClient client(served.path());
  ASSERT_TRUE(
      client.Send("RegisterProvider", R"({"name":"app","pid":7,"categories":["a"]})", kMore));
  EXPECT_EQ(client.Receive(),
            R"({"parameters":{"id":5,"state":"READY","buffer":null},"continues":true})");
  served.Do([](FakeEngine& engine) {
    auto memory = std::make_shared<util::UniqueFd>(eventfd(7, EFD_CLOEXEC));
    engine.mailboxes[0](5, SessionState::kInitialized, std::move(memory));
    engine.mailboxes[0](5, SessionState::kStarted, nullptr);
    return 0;
  });
  std::vector<util::UniqueFd> descriptors;
  char bytes[1024];
  std::string text;
  while (text.find("STARTED") == std::string::npos) {
    const ssize_t got = ReceiveWithDescriptors(client.fd(), bytes, sizeof bytes, descriptors);
    ASSERT_GT(got, 0);
    text.append(bytes, static_cast<size_t>(got));
  }
  EXPECT_NE(text.find(R"("state":"INITIALIZED","buffer":{"descriptor":0})"), std::string::npos);
  ASSERT_EQ(descriptors.size(), 1u);
  uint64_t count = 0;
  EXPECT_EQ(read(descriptors[0].get(), &count, sizeof count), 8);
  EXPECT_EQ(count, 7u);
  client.Close();
  while (CallsOf(served).size() < 2) std::this_thread::yield();
  EXPECT_EQ(CallsOf(served), (std::vector<std::string>{"provider app", "gone 5"}));
}

TEST(ProviderCallsTest, RefusesInvalidRegistrations) {
  Served served;
  RawClient client(served.path());
  EXPECT_NE(client.Call("RegisterProvider", R"({"name":"app"})").find("ExpectedMore"),
            std::string::npos);
  for (const std::string parameters : {"{}", R"({"name":""})", R"({"name":7})",
                                       R"({"name":"a","pid":-1})", R"({"name":"a","x":1})"}) {
    ASSERT_TRUE(client.Send("RegisterProvider", parameters, kMore));
    EXPECT_NE(client.Receive().find("InvalidParameter"), std::string::npos) << parameters;
  }
  const std::string longest(101, 'x');
  ASSERT_TRUE(client.Send("RegisterProvider", "{\"name\":\"" + longest + "\"}", kMore));
  EXPECT_NE(client.Receive().find("InvalidParameter"), std::string::npos);
  EXPECT_TRUE(CallsOf(served).empty());
}

TEST(ProviderCallsTest, ReportsTooManyProviders) {
  Served served;
  RawClient first(served.path());
  RawClient second(served.path());
  RawClient third(served.path());
  for (RawClient* client : {&first, &second, &third}) {
    ASSERT_TRUE(client->Send("RegisterProvider", R"({"name":"app"})", kMore));
    const std::string answer = client->Receive();
    EXPECT_EQ(answer.find("FAILED") != std::string::npos, client == &third) << answer;
  }
}

TEST(ProviderCallsTest, TakesMarks) {
  Served served;
  RawClient client(served.path());
  EXPECT_EQ(client.Call("SendMark", R"({"kind":"COUNTER","name":"n","value":2.5})"),
            R"({"parameters":{"recorded":true}})");
  EXPECT_EQ(client.Call("SendMark", R"({"kind":"BEGIN","name":"b","category":"c","pid":1})"),
            R"({"parameters":{"recorded":true}})");
  for (const std::string parameters :
       {R"({"name":"a"})", R"({"kind":"BEGIN"})", R"({"kind":"begin","name":"a"})",
        R"({"kind":"COUNTER","name":"a","value":"1"})"}) {
    EXPECT_NE(client.Call("SendMark", parameters).find("InvalidParameter"), std::string::npos)
        << parameters;
  }
  EXPECT_EQ(CallsOf(served), (std::vector<std::string>{"COUNTER mark n", "BEGIN c b"}));
}

}  // namespace
}  // namespace control
