// SPDX-License-Identifier: BSD-2-Clause
// Programs that take part in a recording in the foreground: its control socket, and what they
// write.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture_session.h"
#include "control/server/mailbox.h"
#include "fxt/archive_writer.h"
#include "provider/provider_set.h"
#include "provider/section_writer.h"
#include "session/providers/provider_stream.h"
#include "tools/record/control/alert_listener.h"
#include "translate/translator.h"
#include "util/result.h"

namespace tools {

class ProviderHost : private AlertListener::Owner {
 public:
  // Listens at `socket` from now on.
  static util::Result<std::unique_ptr<ProviderHost>> Listen(const std::string& socket);
  ~ProviderHost() override;

  // Before `session` starts. All outlive this, or its Stop().
  void Begin(capture::CaptureSession& session, fxt::ArchiveWriter& archive,
             translate::Translator& translator, provider::ProviderSessionOptions options);
  void AddPollFds(std::vector<pollfd>& fds);
  int TimeoutMs() const { return listener_->TimeoutMs(); }
  void Turn(const std::vector<pollfd>& fds);
  // Nothing later counts; what came is delivered at the last drains.
  void Stop() { providers_.Stop(); }

  const provider::SectionStats& stats() const;

 private:
  ProviderHost();
  void OnAlert(const std::string&) override {}
  control::Status GetStatus() const override;

  control::Mailbox home_;
  provider::ProviderSet providers_;
  session::ProviderStream stream_;
  std::optional<provider::SectionWriter> writer_;
  std::unique_ptr<AlertListener> listener_;
  uint64_t started_ = 0;  // ns of util::MonotonicNow()
};

}  // namespace tools
