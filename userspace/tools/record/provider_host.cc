// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/provider_host.h"

#include <utility>

#include "util/clock.h"

namespace tools {

ProviderHost::ProviderHost()
    : providers_([this](std::function<void()> work) { home_.Post(std::move(work)); }),
      stream_(providers_) {}

ProviderHost::~ProviderHost() = default;

util::Result<std::unique_ptr<ProviderHost>> ProviderHost::Listen(const std::string& socket) {
  std::unique_ptr<ProviderHost> host(new ProviderHost);
  auto listener = AlertListener::Listen(socket, *host, &host->providers_);
  if (!listener) return listener.TakeError();
  host->listener_ = std::move(*listener);
  return host;
}

void ProviderHost::Begin(capture::CaptureSession& session, fxt::ArchiveWriter& archive,
                         translate::Translator& translator,
                         provider::ProviderSessionOptions options) {
  writer_.emplace(archive, translator);
  stream_.set_writer(&*writer_);
  session.SetProviders(&stream_);
  providers_.Begin(options);
  // Nobody was served yet, so that nobody has to be waited for.
  providers_.Start(util::KernelMonotonicAhead(), 0, false);
  started_ = util::MonotonicNow();
}

void ProviderHost::AddPollFds(std::vector<pollfd>& fds) {
  fds.push_back({home_.fd(), POLLIN, 0});
  listener_->AddPollFds(fds);
}

void ProviderHost::Turn(const std::vector<pollfd>& fds) {
  listener_->Turn(fds);
  home_.Run();
  for (const provider::Alert& alert : stream_.TakeAlerts()) {
    listener_->TellAlert(alert.name.substr(0, control::kMaxAlertName));
  }
}

const provider::SectionStats& ProviderHost::stats() const {
  static constexpr provider::SectionStats kNone;
  return writer_ ? writer_->stats() : kNone;
}

control::Status ProviderHost::GetStatus() const {
  control::Status status;
  status.started = started_ == 0 ? 0 : util::MonotonicNow() - started_;
  status.covered = status.started;
  status.events = stats().records;
  status.lost = stats().lost;
  return status;
}

}  // namespace tools
