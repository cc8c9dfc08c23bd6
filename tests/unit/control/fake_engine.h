// SPDX-License-Identifier: BSD-2-Clause
// An engine that records nothing. Operations end at once, or when the test calls Finish().
#pragma once

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "control/controller/engine.h"

namespace control {

class FakeEngine : public Engine {
 public:
  // The names of the calls, in order.
  std::vector<std::string> calls;
  // The callback of the current operation.
  std::vector<Done> open;
  // Writes that still need the buffer.
  std::vector<std::function<void()>> uncopied;
  // Operations end at once.
  bool at_once = true;
  // The result of the next operation.
  Outcome next;
  std::vector<KnownCategory> categories = {{"sched", "switches"}};

  // Ends the oldest operation.
  void Finish(Outcome outcome = {}) {
    const Done done = std::move(open.front());
    open.erase(open.begin());
    done(std::move(outcome));
  }

  // The oldest write has copied the buffer.
  void Copy() {
    const std::function<void()> copied = std::move(uncopied.front());
    uncopied.erase(uncopied.begin());
    copied();
  }

  std::vector<KnownCategory> KnownCategories() const override { return categories; }
  std::vector<ProviderInfo> Providers() const override { return {{1, 42, "fake"}}; }
  // Accepts at most two providers, with ids from 5 on.
  std::optional<uint32_t> AddProvider(const std::string& name, const Caller& caller,
                                      NotifyProvider notify) override {
    if (mailboxes.size() == 2) return std::nullopt;
    const uint32_t id = 5 + static_cast<uint32_t>(mailboxes.size());
    calls.push_back("provider " + name +
                    (caller.pid == static_cast<uint32_t>(getpid()) ? "" : "?"));
    notify(id, SessionState::kReady, nullptr);
    mailboxes.push_back(std::move(notify));
    return id;
  }
  void RemoveProvider(uint32_t id) override { calls.push_back("gone " + std::to_string(id)); }
  bool SendMark(const MarkRequest& mark, const Caller&) override {
    calls.push_back(std::string(Name(mark.kind)) + " " + mark.category + " " + mark.name);
    return true;
  }
  std::vector<NotifyProvider> mailboxes;

  void Initialize(const request::TraceConfig& config, std::optional<TraceOutput> output,
                  Done done) override {
    streaming_ = std::move(output);
    Begin("initialize " + std::string(Name(config.buffering_mode)), std::move(done));
  }
  void Start(const request::StartOptions& options, Done done) override {
    Begin("start " + std::string(Name(options.buffer_disposition)), std::move(done));
  }
  void Stop(Done done) override { Begin("stop", std::move(done)); }
  // With at_once the write ends at once, otherwise by Copy() and Finish().
  void Write(TraceOutput output, uint64_t last, std::function<void()> copied, Done done) override {
    // The content of the file, for tests.
    [[maybe_unused]] const ssize_t written = write(output.fd.get(), "trace", 5);
    calls.emplace_back("write");
    if (!at_once) {
      uncopied.push_back(std::move(copied));
      return open.push_back(std::move(done));
    }
    Outcome outcome = std::exchange(next, {});
    if (!outcome.failure) {
      outcome.written = request::WrittenTrace{5, 1, last == 0 ? 1'000'000'000 : last};
    }
    copied();
    done(std::move(outcome));
  }
  void Terminate(Done done) override {
    streaming_.reset();
    Begin("terminate", std::move(done));
  }
  void Alert(const std::string& name) override { calls.push_back("alert " + name); }
  void GetStatus(std::function<void(Status)> done) override {
    Status status;
    status.events = 7;
    done(status);
  }

 private:
  void Begin(std::string call, Done done) {
    calls.push_back(std::move(call));
    if (at_once) {
      done(std::exchange(next, {}));
    } else {
      open.push_back(std::move(done));
    }
  }

  std::optional<TraceOutput> streaming_;
};

}  // namespace control
