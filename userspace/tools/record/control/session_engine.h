// SPDX-License-Identifier: BSD-2-Clause
// Implements the controller's Engine with a SessionWorker on a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "control/controller/engine.h"
#include "control/server/mailbox.h"
#include "provider/provider_set.h"
#include "tools/record/control/provider_words.h"
#include "tools/record/control/session_worker.h"

namespace tools {

class SessionEngine : public control::Engine {
 public:
  // Called on the controller's thread.
  struct Events {
    std::function<void(const std::string& reason)> stopped;  // a recording has ended by itself
    std::function<void(const std::string& line)> note;       // for people
    std::function<void(const std::string& name)> alert;      // of a provider
  };

  // `mailbox` is that of the controller's thread. `mailbox` and `features` outlive it.
  SessionEngine(control::Mailbox& mailbox, const capture::KernelFeatures& features,
                SessionDefaults defaults, Events events);
  ~SessionEngine() override;

  // Fires the triggers of SIGUSR1.
  void Signal();

  std::vector<control::KnownCategory> KnownCategories() const override;
  std::vector<control::ProviderInfo> Providers() const override;
  std::optional<uint32_t> AddProvider(const std::string& name, const control::Caller& caller,
                                      control::NotifyProvider notify) override;
  uint64_t RefusedProviders() const override { return providers_.refused(); }
  void RemoveProvider(uint32_t id) override { providers_.Remove(id); }
  bool SendMark(const control::MarkRequest& mark, const control::Caller& caller) override {
    return AddMark(providers_, mark, caller);
  }
  void Initialize(const request::TraceConfig& config, std::optional<control::TraceOutput> output,
                  control::Done done) override;
  void Start(const request::StartOptions& options, control::Done done) override;
  void Stop(control::Done done) override;
  void Write(control::TraceOutput output, uint64_t last, std::function<void()> copied,
             control::Done done) override;
  void Terminate(control::Done done) override;
  void Alert(const std::string& name) override;
  void GetStatus(std::function<void(control::Status)> done) override;

 private:
  // Wraps `done` so that it runs on the controller's thread.
  control::Done OnControllerThread(control::Done done);
  // A function for the recording thread that calls `handler`, a member of events_, on the
  // controller's thread.
  std::function<void(std::string)> Forwarded(
      const std::function<void(const std::string&)>& handler);
  void GotStatus(const control::Status& status);

  control::Mailbox& mailbox_;
  const Events events_;
  provider::ProviderSet providers_;
  SessionWorker worker_;
  std::vector<std::function<void(control::Status)>> status_waiters_;
  control::Status status_;
  uint64_t status_time_ = 0;  // ns of util::MonotonicNow(); 0: none yet
  std::thread thread_;
};

}  // namespace tools
