// SPDX-License-Identifier: BSD-2-Clause
// A server with a fake engine on its own thread, and raw clients.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <string>
#include <thread>

#include "control/protocol/descriptors.h"
#include "control/server/mailbox.h"
#include "control/server/server.h"
#include "support/temp_folder.h"
#include "unit/control/fake_engine.h"
#include "util/clock.h"

namespace control {

class Served {
 public:
  Served() : path_(folder_ / "control") {
    auto socket = ControlSocket::Bind(path_, std::nullopt);
    EXPECT_TRUE(socket.ok());
    socket_ = std::move(*socket);
    thread_ = std::thread([this] { Run(); });
  }
  ~Served() {
    end_ = true;
    home_.Post([] {});
    thread_.join();
  }

  const std::string& path() const { return path_; }
  testing_support::TempFolder& folder() { return folder_; }

  // Calls a function with the engine on the server's thread.
  template <typename Work>
  auto Do(Work work) {
    std::promise<decltype(work(engine_))> promise;
    home_.Post([&] { promise.set_value(work(engine_)); });
    return promise.get_future().get();
  }
  size_t clients() {
    return Do([this](FakeEngine&) { return server_->clients(); });
  }

 private:
  void Run() {
    Controller controller(engine_);
    Server server(*socket_, controller, engine_, std::nullopt);
    server_ = &server;
    while (!end_) {
      std::vector<pollfd> fds = {{home_.fd(), POLLIN, 0}};
      server.AddPollFds(fds);
      uint64_t now = util::MonotonicNow();
      int timeout = -1;
      if (const auto until = server.deadline()) {
        timeout = *until > now ? static_cast<int>((*until - now) / 1'000'000 + 1) : 0;
      }
      poll(fds.data(), fds.size(), timeout);
      home_.Run();
      server.Turn(fds, util::MonotonicNow());
    }
  }

  testing_support::TempFolder folder_;
  std::string path_;
  FakeEngine engine_;
  Mailbox home_;
  std::unique_ptr<ControlSocket> socket_;
  Server* server_ = nullptr;
  std::atomic<bool> end_ = false;
  std::thread thread_;
};

// Sends and receives bytes. A timeout gives an empty reply.
class RawClient {
 public:
  explicit RawClient(const std::string& path) {
    fd_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path.data(), path.size());
    connected_ =
        connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }
  void Close() { fd_.reset(); }

  bool SendBytes(std::string_view bytes, int descriptor = -1) {
    while (!bytes.empty()) {
      const ssize_t sent = SendWithDescriptor(fd_.get(), bytes, descriptor);
      if (sent <= 0) return false;
      descriptor = -1;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // A call of the controller's interface, with further members such as "more".
  bool Send(std::string_view member, std::string_view parameters = "{}", std::string_view more = "",
            int descriptor = -1) {
    std::string message = "{\"method\":\"";
    message += member.find('.') == std::string_view::npos ? "fuchsia.tracing.controller." : "";
    message.append(member).append("\",\"parameters\":").append(parameters).append(more).append("}");
    message.push_back('\0');
    return SendBytes(message, descriptor);
  }
  // The next message; empty if the connection ends first.
  std::string Receive() {
    for (;;) {
      if (auto message = splitter_.Next()) return *message;
      pollfd ready{fd_.get(), POLLIN, 0};
      if (poll(&ready, 1, 300'000) <= 0) return "(no answer)";
      char buffer[4096];
      const ssize_t got = recv(fd_.get(), buffer, sizeof buffer, 0);
      if (got <= 0) return "";
      splitter_.Append({buffer, static_cast<size_t>(got)});
    }
  }
  std::string Call(std::string_view member, std::string_view parameters = "{}",
                   int descriptor = -1) {
    return Send(member, parameters, "", descriptor) ? Receive() : "";
  }
  // True if the server ends the connection.
  bool WaitForEnd() { return Receive().empty(); }

 private:
  util::UniqueFd fd_;
  bool connected_ = false;
  MessageSplitter splitter_;
};

}  // namespace control
