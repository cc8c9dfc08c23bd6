// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/alert_listener.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "capture/bpf/category.h"
#include "tools/record/control/provider_words.h"
#include "util/clock.h"

namespace tools {
// Presents the recording as a session that is started and never stops.
class AlertListener::Engine : public control::Engine {
 public:
  Engine(Owner& owner, provider::ProviderSet* providers) : owner_(owner), providers_(providers) {}

  std::vector<control::KnownCategory> KnownCategories() const override {
    std::vector<control::KnownCategory> categories;
    for (const capture::Category& category : capture::AllCategories()) {
      categories.push_back({std::string(category.name), std::string(category.description)});
    }
    if (providers_ != nullptr) AppendProviderCategories(*providers_, categories);
    return categories;
  }
  std::vector<control::ProviderInfo> Providers() const override {
    if (providers_ != nullptr) return AllProviders(*providers_);
    return {RecorderAsProvider()};
  }
  std::optional<uint32_t> AddProvider(const std::string& name, const control::Caller& caller,
                                      control::NotifyProvider notify) override {
    if (providers_ == nullptr) return std::nullopt;
    return Register(*providers_, name, caller, std::move(notify));
  }
  uint64_t RefusedProviders() const override {
    return providers_ != nullptr ? providers_->refused() : 0;
  }
  bool SendMark(const control::MarkRequest& mark, const control::Caller& caller) override {
    return providers_ != nullptr && AddMark(*providers_, mark, caller);
  }
  void RemoveProvider(uint32_t id) override {
    if (providers_ != nullptr) providers_->Remove(id);
  }

  // The listener itself makes these calls; clients cannot.
  void Initialize(const request::TraceConfig&, std::optional<control::TraceOutput>,
                  control::Done done) override {
    done({});
  }
  void Start(const request::StartOptions&, control::Done done) override { done({}); }
  void Stop(control::Done done) override { done({}); }
  void Write(control::TraceOutput, uint64_t, std::function<void()> copied,
             control::Done done) override {
    copied();
    done({});
  }
  void Terminate(control::Done done) override { done({}); }

  void Alert(const std::string& name) override { owner_.OnAlert(name); }
  void GetStatus(std::function<void(control::Status)> done) override { done(owner_.GetStatus()); }

 private:
  Owner& owner_;
  provider::ProviderSet* providers_;
};

util::Result<std::unique_ptr<AlertListener>> AlertListener::Listen(
    const std::string& path, Owner& owner, provider::ProviderSet* providers) {
  auto socket = control::ControlSocket::Bind(path, std::nullopt);
  if (!socket) return socket.TakeError();
  return std::unique_ptr<AlertListener>(new AlertListener(std::move(*socket), owner, providers));
}

AlertListener::AlertListener(std::unique_ptr<control::ControlSocket> socket, Owner& owner,
                             provider::ProviderSet* providers)
    : socket_(std::move(socket)),
      engine_(std::make_unique<Engine>(owner, providers)),
      controller_(std::make_unique<control::Controller>(*engine_)),
      server_(std::make_unique<control::Server>(*socket_, *controller_, *engine_, std::nullopt,
                                                "this is a recording in the foreground: clients "
                                                "may send alerts and read the status only")) {
  request::TraceConfig config;
  config.buffering_mode = request::BufferingMode::kCircular;
  controller_->Initialize(std::move(config), std::nullopt, [](const control::Outcome&) {});
  controller_->Start({}, util::MonotonicNow(), [](const control::Outcome&) {});
}

AlertListener::~AlertListener() = default;

int AlertListener::TimeoutMs() const {
  const uint64_t now = util::MonotonicNow();
  uint64_t until = now + control::kSocketCheckInterval;
  if (const auto deadline = server_->deadline()) until = std::min(until, *deadline);
  return until > now ? static_cast<int>((until - now + 999'999) / 1'000'000) : 0;
}

void AlertListener::Turn(const std::vector<pollfd>& fds) {
  const uint64_t now = util::MonotonicNow();
  server_->Turn(fds, now);
  if (now < check_at_) return;
  check_at_ = now + control::kSocketCheckInterval;
  // The socket or its directory was removed. After a failure, try again in a minute.
  if (!socket_->IsInPlace() && !socket_->Restore())
    check_at_ = now + 60 * control::kSocketCheckInterval;
}

}  // namespace tools
