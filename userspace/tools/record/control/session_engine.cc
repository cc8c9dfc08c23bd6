// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/session_engine.h"

#include <memory>
#include <utility>

#include "util/clock.h"

namespace tools {
namespace {

// Who asks more often gets the same.
constexpr uint64_t kStatusAge = 50'000'000;

}  // namespace

SessionEngine::SessionEngine(control::Mailbox& home, const capture::KernelFeatures& features,
                             SessionDefaults defaults)
    : home_(home),
      providers_([this](std::function<void()> work) { home_.Post(std::move(work)); }),
      worker_(
          features, std::move(defaults), providers_,
          [this](const std::string& reason) {
            home_.Post([this, reason] {
              if (stopped_) stopped_(reason);
            });
          },
          [this](const std::string& line) {
            home_.Post([this, line] {
              if (said_) said_(line);
            });
          },
          [this](const std::string& name) {
            home_.Post([this, name] {
              if (alerted_) alerted_(name);
            });
          }),
      thread_([this] { worker_.Run(); }) {}

SessionEngine::~SessionEngine() {
  worker_.Quit();
  thread_.join();
}

control::Done SessionEngine::AtHome(control::Done done) {
  return [this, done = std::move(done)](control::Outcome outcome) {
    home_.Post([this, done, outcome = std::move(outcome)] {
      status_time_ = 0;  // it is another one now
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
                                                   control::TellProvider tell) {
  return Register(providers_, name, caller, std::move(tell));
}

void SessionEngine::Initialize(const control::TraceConfig& config,
                               std::optional<control::TraceOutput> output, control::Done done) {
  auto shared = std::make_shared<std::optional<control::TraceOutput>>(std::move(output));
  worker_.inbox().Post([this, config, shared, done = AtHome(std::move(done))] {
    done(worker_.Initialize(config, std::move(*shared)));
  });
}

void SessionEngine::Start(const control::StartOptions& options, control::Done done) {
  worker_.inbox().Post(
      [this, options, done = AtHome(std::move(done))] { done(worker_.Start(options)); });
}

void SessionEngine::Stop(control::Done done) {
  worker_.inbox().Post([this, done = AtHome(std::move(done))] { done(worker_.Stop()); });
}

void SessionEngine::Write(control::TraceOutput output, uint64_t last, control::Done done) {
  auto shared = std::make_shared<control::TraceOutput>(std::move(output));
  worker_.inbox().Post([this, shared, last, done = AtHome(std::move(done))] {
    worker_.Write(std::move(*shared), last, done);
  });
}

void SessionEngine::Terminate(control::Done done) {
  worker_.inbox().Post([this, done = AtHome(std::move(done))] { worker_.Terminate(done); });
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
  want_status_.push_back(std::move(done));
  if (want_status_.size() > 1) return;
  worker_.inbox().Post(
      [this] { home_.Post([this, status = worker_.GetStatus()] { GotStatus(status); }); });
}

void SessionEngine::GotStatus(const control::Status& status) {
  status_ = status;
  status_time_ = util::MonotonicNow();
  for (const auto& done : std::exchange(want_status_, {})) done(status);
}

}  // namespace tools
