// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/session_engine.h"

#include <memory>
#include <utility>

#include "util/clock.h"

namespace tools {
namespace {

// A status is served again for so long, so that frequent calls do not cost the recording; ns.
constexpr uint64_t kStatusAge = 50'000'000;

}  // namespace

SessionEngine::SessionEngine(control::Mailbox& mailbox, const capture::KernelFeatures& features,
                             SessionDefaults defaults, Events events)
    : mailbox_(mailbox),
      events_(std::move(events)),
      providers_([this](std::function<void()> work) { mailbox_.Post(std::move(work)); }),
      worker_(features, std::move(defaults), providers_,
              {.stopped = Forwarded(events_.stopped),
               .note = Forwarded(events_.note),
               .alert = Forwarded(events_.alert)}),
      thread_([this] { worker_.Run(); }) {}

SessionEngine::~SessionEngine() {
  worker_.Quit();
  thread_.join();
}

std::function<void(std::string)> SessionEngine::Forwarded(
    const std::function<void(const std::string&)>& handler) {
  return [this, &handler](const std::string& text) {
    mailbox_.Post([&handler, text] { handler(text); });
  };
}

control::Done SessionEngine::OnControllerThread(control::Done done) {
  return [this, done = std::move(done)](control::Outcome outcome) {
    mailbox_.Post([this, done, outcome = std::move(outcome)] {
      status_time_ = 0;  // the operation has changed the status
      done(outcome);
    });
  };
}

std::vector<control::KnownCategory> SessionEngine::KnownCategories() const {
  std::vector<control::KnownCategory> categories;
  for (const capture::Category& category : capture::AllCategories()) {
    categories.push_back({std::string(category.name), std::string(category.description)});
  }
  AppendProviderCategories(providers_, categories);
  return categories;
}

std::vector<control::ProviderInfo> SessionEngine::Providers() const {
  return AllProviders(providers_);
}

std::optional<uint32_t> SessionEngine::AddProvider(const std::string& name,
                                                   const control::Caller& caller,
                                                   control::NotifyProvider notify) {
  return Register(providers_, name, caller, std::move(notify));
}

void SessionEngine::Initialize(const request::TraceConfig& config,
                               std::optional<control::TraceOutput> output, control::Done done) {
  auto shared = std::make_shared<std::optional<control::TraceOutput>>(std::move(output));
  worker_.inbox().Post([this, config, shared, done = OnControllerThread(std::move(done))] {
    done(worker_.Initialize(config, std::move(*shared)));
  });
}

void SessionEngine::Start(const request::StartOptions& options, control::Done done) {
  worker_.inbox().Post([this, options, done = OnControllerThread(std::move(done))] {
    done(worker_.Start(options));
  });
}

// The recording thread may be waiting for the reader of a stream.
void SessionEngine::Stop(control::Done done) {
  worker_.LimitStreamWait();
  worker_.inbox().Post(
      [this, done = OnControllerThread(std::move(done))] { done(worker_.Stop()); });
}

void SessionEngine::Write(control::TraceOutput output, uint64_t last, std::function<void()> copied,
                          control::Done done) {
  auto shared = std::make_shared<control::TraceOutput>(std::move(output));
  worker_.inbox().Post([this, shared, last,
                        copied = [this, copied = std::move(copied)] { mailbox_.Post(copied); },
                        done = OnControllerThread(std::move(done))] {
    worker_.Write(std::move(*shared), last, copied, done);
  });
}

void SessionEngine::Terminate(control::Done done) {
  worker_.LimitStreamWait();
  worker_.inbox().Post(
      [this, done = OnControllerThread(std::move(done))] { worker_.Terminate(done); });
}

void SessionEngine::Alert(const std::string& name) {
  worker_.inbox().Post([this, name] { worker_.Alert(name); });
}

void SessionEngine::Signal() {
  worker_.inbox().Post([this] { worker_.Signal(); });
}

void SessionEngine::GetStatus(std::function<void(control::Status)> done) {
  if (status_time_ != 0 && util::MonotonicNow() - status_time_ < kStatusAge) {
    return done(status_);
  }
  status_waiters_.push_back(std::move(done));
  if (status_waiters_.size() > 1) return;
  worker_.inbox().Post(
      [this] { mailbox_.Post([this, status = worker_.GetStatus()] { GotStatus(status); }); });
}

void SessionEngine::GotStatus(const control::Status& status) {
  status_ = status;
  status_time_ = util::MonotonicNow();
  for (const auto& done : std::exchange(status_waiters_, {})) done(status);
}

}  // namespace tools
