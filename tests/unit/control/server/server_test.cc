// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <sstream>

#include "unit/control/server/served.h"
#include "unit/support/is_json.h"

namespace control {
namespace {

using testing::HasSubstr;

constexpr const char* kCircular =
    R"({"config":{"categories":["sched"],"buffer_size_megabytes_hint":16,"buffering_mode":"CIRCULAR"}})";
constexpr const char* kEmpty = R"({"parameters":{}})";

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ServerTest, DescribesItself) {
  Served served;
  RawClient client(served.path());
  EXPECT_THAT(client.Call("org.varlink.service.GetInfo"),
              HasSubstr(R"("interfaces":["org.varlink.service","fuchsia.tracing.controller"])"));
  EXPECT_THAT(client.Call("org.varlink.service.GetInterfaceDescription",
                          R"({"interface":"fuchsia.tracing.controller"})"),
              HasSubstr("method InitializeTracing("));
  EXPECT_THAT(client.Call("org.varlink.service.GetInterfaceDescription", R"({"interface":"a.b"})"),
              HasSubstr("org.varlink.service.InterfaceNotFound"));
  EXPECT_THAT(client.Call("org.varlink.service.GetInterfaceDescription"),
              HasSubstr("org.varlink.service.InvalidParameter"));
  EXPECT_THAT(client.Call("org.varlink.service.No"), HasSubstr("MethodNotFound"));
  EXPECT_THAT(client.Call("No"), HasSubstr("MethodNotFound"));
  EXPECT_THAT(client.Call("io.systemd.No"), HasSubstr("InterfaceNotFound"));
}

TEST(ServerTest, ControlsASession) {
  Served served;
  RawClient client(served.path());
  EXPECT_THAT(client.Call("StartTracing"), HasSubstr("fuchsia.tracing.controller.NOT_INITIALIZED"));
  EXPECT_EQ(client.Call("InitializeTracing", kCircular), kEmpty);
  RawClient second(served.path());
  EXPECT_THAT(second.Call("InitializeTracing", kCircular), HasSubstr("ALREADY_INITIALIZED"));
  EXPECT_EQ(client.Call("StartTracing", R"({"options":{"buffer_disposition":"CLEAR_ALL"}})"),
            kEmpty);
  EXPECT_THAT(client.Call("GetStatus"),
              HasSubstr(R"("state":"STARTED","buffering_mode":"CIRCULAR")"));
  EXPECT_THAT(client.Call("GetKnownCategories"), HasSubstr(R"([{"name":"sched")"));
  EXPECT_THAT(client.Call("GetProviders"), HasSubstr(R"({"id":1,"pid":42,"name":"fake"})"));
  EXPECT_EQ(client.Call("SendAlert", R"({"alert_name":"slow-request"})"), kEmpty);
  EXPECT_EQ(client.Call("StopTracing"), R"({"parameters":{"written":null}})");
  EXPECT_EQ(client.Call("TerminateTracing"), R"({"parameters":{"result":{"written":null}}})");
  const auto calls = served.Do([](FakeEngine& engine) { return engine.calls; });
  EXPECT_EQ(calls, (std::vector<std::string>{"initialize CIRCULAR", "start CLEAR_ALL",
                                             "alert slow-request", "stop", "terminate"}));
}

TEST(ServerTest, ABadInitializeRequestEndsTheConnection) {
  Served served;
  RawClient client(served.path());
  EXPECT_THAT(client.Call("InitializeTracing", R"({"config":{"buffering_mode":"ROUND"}})"),
              HasSubstr(R"("parameter":"config.buffering_mode")"));
  EXPECT_TRUE(client.WaitForEnd());
}

TEST(ServerTest, WritesToAPassedDescriptor) {
  Served served;
  const std::string path = served.folder() / "trace";
  util::UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  RawClient client(served.path());
  client.Call("InitializeTracing", kCircular);
  client.Call("StartTracing");
  EXPECT_EQ(client.Call("TakeSnapshot", R"({"output":{"descriptor":0},"last_nanoseconds":2000000})",
                        file.get()),
            R"({"parameters":{"written":{"bytes":5,"events":1,"covered_seconds":0.002}}})");
  EXPECT_EQ(Contents(path), "trace");
  EXPECT_THAT(client.Call("TakeSnapshot", R"({"output":{"descriptor":0}})"),
              HasSubstr("has no such descriptor"));
  // Refuses descriptors opened for reading, and devices.
  util::UniqueFd reading(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(client.Call("TakeSnapshot", R"({"output":{"descriptor":0}})", reading.get()),
              HasSubstr("open for writing"));
  util::UniqueFd device(open("/dev/zero", O_WRONLY | O_CLOEXEC));
  EXPECT_THAT(client.Call("TakeSnapshot", R"({"output":{"descriptor":0}})", device.get()),
              HasSubstr("open for writing"));
  EXPECT_THAT(client.Call("TakeSnapshot"), HasSubstr("NO_OUTPUT"));
}

TEST(ServerTest, CreatesAFileByItsPath) {
  Served served;
  const std::string path = served.folder() / "trace";
  RawClient client(served.path());
  client.Call("InitializeTracing", kCircular);
  client.Call("StartTracing");
  const std::string output = R"({"output":{"path":")" + path + R"("}})";
  EXPECT_THAT(client.Call("TakeSnapshot", output), HasSubstr(R"("bytes":5)"));
  EXPECT_EQ(Contents(path), "trace");
  struct stat made = {};
  ASSERT_EQ(stat(path.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0600u);
  EXPECT_THAT(client.Call("TakeSnapshot", output), HasSubstr("File exists"));
  EXPECT_THAT(client.Call("TakeSnapshot", R"({"output":{"path":"/no/such/folder/file"}})"),
              HasSubstr("No such file or directory"));
}

// An empty file would make the next call fail.
TEST(ServerTest, ARefusedCallCreatesNoFile) {
  Served served;
  const std::string path = served.folder() / "trace";
  RawClient client(served.path());
  const std::string output = R"("output":{"path":")" + path + R"("}})";
  const std::string results = R"({"options":{"write_results":true},)" + output;
  EXPECT_THAT(client.Call("TakeSnapshot", "{" + output), HasSubstr("NOT_INITIALIZED"));
  client.Call("StopTracing", results);
  client.Call("TerminateTracing", results);
  client.Call("InitializeTracing", kCircular);
  EXPECT_THAT(client.Call("TakeSnapshot", "{" + output), HasSubstr("NOT_STARTED"));
  client.Call("StopTracing", results);
  client.Call("TerminateTracing", results);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(ServerTest, SendsStatesToWatchers) {
  Served served;
  RawClient watcher(served.path());
  watcher.Send("WatchSessionState", "{}", R"(,"more":true)");
  EXPECT_EQ(watcher.Receive(), R"({"parameters":{"state":"READY"},"continues":true})");
  RawClient client(served.path());
  client.Call("InitializeTracing", kCircular);
  client.Call("StartTracing");
  client.Call("TerminateTracing");
  for (const char* state :
       {"INITIALIZED", "STARTING", "STARTED", "STOPPING", "STOPPED", "TERMINATING", "READY"}) {
    EXPECT_THAT(watcher.Receive(), HasSubstr(state));
  }
  EXPECT_EQ(client.Call("WatchSessionState"), R"({"parameters":{"state":"READY"}})");
}

TEST(ServerTest, SendsAlertsToWatchers) {
  Served served;
  RawClient client(served.path()), one(served.path()), all(served.path());
  client.Call("InitializeTracing", kCircular);
  one.Send("WatchAlert");
  all.Send("WatchAlert", "{}", R"(,"more":true)");
  // Its reply shows that the server has handled the calls above.
  RawClient probe(served.path());
  probe.Call("GetStatus");
  client.Call("SendAlert", R"({"alert_name":"first"})");
  EXPECT_EQ(one.Receive(), R"({"parameters":{"alert_name":"first"}})");
  EXPECT_EQ(all.Receive(), R"({"parameters":{"alert_name":"first"},"continues":true})");
  // Alerts between two calls are kept.
  client.Call("SendAlert", R"({"alert_name":"second"})");
  EXPECT_EQ(one.Call("WatchAlert"), R"({"parameters":{"alert_name":"second"}})");
  EXPECT_EQ(all.Receive(), R"({"parameters":{"alert_name":"second"},"continues":true})");
}

TEST(ServerTest, AnswersInOrderForAnyFragments) {
  Served served;
  RawClient client(served.path());
  std::string calls;
  for (int i = 0; i < 200; ++i) {
    calls += R"({"method":"fuchsia.tracing.controller.WatchSessionState"})";
    calls.push_back('\0');
    calls += R"({"method":"fuchsia.tracing.controller.StopTracing","oneway":true})";
    calls.push_back('\0');
  }
  ASSERT_TRUE(client.SendBytes(calls));
  // Like `echo | socat`.
  shutdown(client.fd(), SHUT_WR);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.Receive(), R"({"parameters":{"state":"READY"}})");
  }
  EXPECT_TRUE(client.WaitForEnd());
}

TEST(ServerTest, DropsAClientThatDisconnectsWhileItWaits) {
  Served served;
  served.Do([](FakeEngine& engine) { return engine.at_once = false; });
  {
    RawClient client(served.path());
    client.Send("InitializeTracing", kCircular);
    while (served.Do([](FakeEngine& engine) { return engine.open.size(); }) == 0) {
    }
  }
  while (served.clients() > 0) {
  }
  served.Do([](FakeEngine& engine) {
    engine.Finish();
    return engine.at_once = true;
  });
  RawClient other(served.path());
  EXPECT_THAT(other.Call("GetStatus"), HasSubstr("INITIALIZED"));
}

TEST(ServerTest, SurvivesHostileClients) {
  Served served;
  // Clients that send no end, send nothing, or read nothing.
  RawClient half(served.path()), silent(served.path()), deaf(served.path());
  half.SendBytes(R"({"method":"fuchsia.tracing.controller.GetSt)");
  // Until it is disconnected, because it does not read the replies.
  std::thread flood([&] {
    for (int i = 0; i < 100'000; ++i) {
      pollfd ready{deaf.fd(), POLLOUT, 0};
      if (poll(&ready, 1, 200) == 0 || !deaf.Send("GetStatus")) break;
    }
  });
  RawClient large(served.path());
  large.SendBytes(std::string((size_t{1} << 20) + (size_t{1} << 17), 'x'));
  EXPECT_TRUE(large.WaitForEnd());
  RawClient deep(served.path());
  deep.SendBytes(std::string(100'000, '[') + std::string(1, '\0'));
  EXPECT_TRUE(deep.WaitForEnd());
  RawClient text(served.path());
  text.SendBytes("GET / HTTP/1.1\r\n\r\n" + std::string(1, '\0'));
  EXPECT_TRUE(text.WaitForEnd());
  // More descriptors than any client needs.
  RawClient handles(served.path());
  util::UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  for (int i = 0; i < 100; ++i) {
    if (!handles.SendBytes("{", null.get())) break;
  }
  EXPECT_TRUE(handles.WaitForEnd());
  // More clients than allowed.
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(std::make_unique<RawClient>(served.path()));
  EXPECT_LE(served.clients(), Server::kMaxClients + Server::kPlacesForRoot);
  crowd.clear();
  flood.join();
  while (served.clients() > 3) {
  }
  RawClient polite(served.path());
  EXPECT_THAT(polite.Call("GetStatus"), HasSubstr("READY"));
}

// Slightly malformed messages in fragments, complete or not.
TEST(ServerTest, SurvivesMutatedCalls) {
  Served served;
  std::mt19937 random(20240607);
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const char* const members[] = {"GetKnownCategories", "GetProviders",      "InitializeTracing",
                                 "StartTracing",       "StopTracing",       "TerminateTracing",
                                 "WatchAlert",         "WatchSessionState", "TakeSnapshot",
                                 "SendAlert",          "GetStatus",         "Nonsense"};
  const std::string parameters[] = {
      kCircular, "{}",
      R"({"options":{"buffer_disposition":"RETAIN","additional_categories":["a","b"]}})",
      R"({"options":{"write_results":true},"output":{"descriptor":0}})",
      // Has no slash, so that no mutation names a file that could be created.
      R"({"output":{"path":"relative"},"last_nanoseconds":12})", R"({"alert_name":"hello"})"};
  const std::string pieces[] = {"null",
                                "[",
                                "]",
                                "{",
                                "}",
                                "\"",
                                "\\",
                                "-1",
                                "1e999",
                                "\xc3\x28",
                                "18446744073709551616",
                                "true",
                                ",",
                                ":",
                                std::string(1, '\0')};
  for (int round = 0; round < 2'000; ++round) {
    RawClient client(served.path());
    ASSERT_TRUE(client.connected());
    std::string stream;
    for (size_t i = 0; i <= below(3); ++i) {
      std::string message = "{\"method\":\"fuchsia.tracing.controller.";
      message += members[below(std::size(members))];
      message += "\",\"parameters\":" + parameters[below(std::size(parameters))];
      if (below(4) == 0) message += ",\"more\":true";
      if (below(8) == 0) message += ",\"oneway\":true";
      message += "}";
      for (size_t changes = below(4); changes > 0; --changes) {
        const size_t at = below(message.size());
        switch (below(3)) {
          case 0:
            message[at] = static_cast<char>(below(256));
            break;
          case 1:
            message.insert(at, pieces[below(std::size(pieces))]);
            break;
          default:
            message.erase(at, below(8));
            break;
        }
      }
      stream += message;
      stream.push_back('\0');
    }
    if (below(4) == 0) stream.resize(below(stream.size()));
    const size_t cut = below(stream.size() + 1);
    if (!client.SendBytes(stream.substr(0, cut)) || !client.SendBytes(stream.substr(cut))) continue;
    shutdown(client.fd(), SHUT_WR);
    // Each reply is JSON, and then the connection ends. A watching client would wait forever.
    pollfd ready{client.fd(), POLLIN, 0};
    if (poll(&ready, 1, stream.find("Watch") == std::string::npos ? 20'000 : 0) == 0) continue;
    const std::string answer = client.Receive();
    EXPECT_TRUE(answer.empty() || testing_support::IsJson(answer)) << answer;
  }
  while (served.clients() > 0) {
  }
  RawClient polite(served.path());
  EXPECT_THAT(polite.Call("GetStatus"), HasSubstr("\"state\""));
}

}  // namespace
}  // namespace control
