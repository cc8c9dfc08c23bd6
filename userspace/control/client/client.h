// SPDX-License-Identifier: BSD-2-Clause
// A client of the control socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol/message_splitter.h"
#include "control/protocol/reply.h"
#include "control/protocol/requests.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace control {

// A descriptor that is passed with a call. The caller still owns it.
struct PassedOutput {
  int fd = -1;
  bool gzip = false;
};

// Calls block until the reply or a timeout. An error carries the controller's message.
class Client {
 public:
  // Connects to the controller that serves `path`.
  static util::Result<Client> Connect(const std::string& path);
  // True if a controller serves `path`, even if this user may not control it.
  static bool IsServed(const std::string& path);

  util::Status Initialize(const request::TraceConfig& config, std::optional<PassedOutput> output);
  util::Status Start(const request::StartOptions& options);
  // Empty if nothing was written.
  util::Result<std::optional<request::WrittenTrace>> Stop(bool write_results,
                                                          std::optional<PassedOutput> output);
  util::Result<std::optional<request::WrittenTrace>> Terminate(bool write_results,
                                                               std::optional<PassedOutput> output);
  // Writes the last `last` ns of the buffer; 0: the whole buffer.
  util::Result<std::optional<request::WrittenTrace>> TakeSnapshot(PassedOutput output,
                                                                  uint64_t last);
  util::Status SendAlert(const std::string& name);
  // Returns true if a session has recorded the mark.
  util::Result<bool> SendMark(const MarkRequest& mark);
  util::Result<Status> GetStatus();

  // The name of the last error of the interface, such as "ALREADY_INITIALIZED"; empty after
  // success.
  const std::string& last_error() const { return last_error_; }
  // True if the controller closed the connection without a reply.
  bool gone() const { return gone_; }

 private:
  class Answer;

  explicit Client(util::UniqueFd socket, std::string path)
      : socket_(std::move(socket)), path_(std::move(path)) {}

  // `parameters`: a JSON object.
  util::Result<Answer> Call(std::string_view member, std::string_view parameters,
                            std::chrono::milliseconds timeout, int descriptor = -1);
  util::Result<std::string> Receive(std::chrono::milliseconds timeout);
  util::Result<std::optional<request::WrittenTrace>> End(std::string_view member,
                                                         bool write_results,
                                                         std::optional<PassedOutput> output);
  util::Error Ended();

  util::UniqueFd socket_;
  std::string path_;
  MessageSplitter splitter_;
  std::string last_error_;
  bool gone_ = false;
};

}  // namespace control
