// SPDX-License-Identifier: BSD-2-Clause
#include "control/client/client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/control/server/served.h"

namespace control {
namespace {

using testing::HasSubstr;

TEST(ClientTest, ControlsASession) {
  Served served;
  auto client = Client::Connect(served.path());
  ASSERT_TRUE(client.ok());
  EXPECT_FALSE(client->Start({}).ok());
  EXPECT_EQ(client->last_error(), "NOT_INITIALIZED");
  request::TraceConfig config;
  config.categories = {{"sched", "with \"quotes\""}};
  config.buffering_mode = request::BufferingMode::kCircular;
  ASSERT_TRUE(client->Initialize(config, std::nullopt).ok());
  ASSERT_TRUE(client->Start({}).ok());
  const util::UniqueFd file(
      open((served.folder() / "trace").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  auto written = client->TakeSnapshot({file.get(), false}, 2'000'000'000);
  ASSERT_TRUE(written.ok()) << written.error().message;
  ASSERT_TRUE(*written);
  EXPECT_EQ((*written)->bytes, 5u);
  EXPECT_EQ((*written)->covered, 2'000'000'000u);
  EXPECT_TRUE(client->SendAlert("hello").ok());
  EXPECT_FALSE(client->SendAlert("fifteen-bytes-x").ok());
  EXPECT_EQ(client->last_error(), "InvalidParameter");
  auto status = client->GetStatus();
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->state, SessionState::kStarted);
  EXPECT_EQ(status->buffering_mode, request::BufferingMode::kCircular);
  EXPECT_EQ(status->events, 7u);
  ASSERT_EQ(status->providers.size(), 1u);
  EXPECT_EQ(status->providers[0].pid, 42u);
  auto stopped = client->Stop(false, std::nullopt);
  ASSERT_TRUE(stopped.ok());
  EXPECT_FALSE(*stopped);
  auto ended = client->Terminate(true, PassedOutput{file.get(), true});
  ASSERT_TRUE(ended.ok());
  EXPECT_TRUE(*ended);
}

TEST(ClientTest, ReportsAMissingController) {
  const testing_support::TempFolder folder;
  for (const std::string& path : {folder / "none", folder / "none/none", std::string()}) {
    auto client = Client::Connect(path);
    ASSERT_FALSE(client.ok());
    EXPECT_FALSE(Client::IsServed(path)) << path;
  }
  EXPECT_THAT(Client::Connect(folder / "none").error().message,
              HasSubstr("no controller is running"));
  EXPECT_FALSE(Client::Connect(folder / std::string(200, 'x')).ok());
}

// Any program may listen there.
TEST(ClientTest, RejectsAServerThatIsNotAController) {
  using std::string_literals::operator""s;
  for (
      const std::string& answer :
      {""s, "\0"s, "garbage\0"s, "{}\0"s, "{\"error\":7}\0"s, "{\"parameters\":[]}\0"s,
       "{\"parameters\":{\"status\":[1,2]}}\0"s,
       "{\"error\":\"a.B\",\"parameters\":{\"message\":1}}\0"s,
       "{\"parameters\":{\"status\":{\"providers\":{\"a\":1},\"triggers\":7,\"categories\":\"x\"}}}\0"s,
       std::string(2 << 20, 'x')}) {
    const testing_support::TempFolder folder;
    auto socket = ControlSocket::Bind(folder / "control", std::nullopt);
    ASSERT_TRUE(socket.ok());
    std::thread server([&] {
      pollfd ready{(*socket)->fd(), POLLIN, 0};
      poll(&ready, 1, -1);
      const util::UniqueFd fd(accept((*socket)->fd(), nullptr, nullptr));
      char buffer[4096];
      [[maybe_unused]] const ssize_t got = recv(fd.get(), buffer, sizeof buffer, 0);
      std::string_view left = answer;
      while (!left.empty()) {
        const ssize_t sent = SendWithDescriptor(fd.get(), left, -1);
        if (sent <= 0) break;
        left.remove_prefix(static_cast<size_t>(sent));
      }
    });
    {
      auto client = Client::Connect(folder / "control");
      ASSERT_TRUE(client.ok());
      static_cast<void>(client->GetStatus());
    }
    server.join();
  }
}

}  // namespace
}  // namespace control
