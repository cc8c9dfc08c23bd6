// SPDX-License-Identifier: BSD-2-Clause
// The recording side of a controller: a thread of its own, and what is asked of it.
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
  // Both outlive it. `home`: of the controller's thread, where answers go.
  SessionEngine(control::Mailbox& home, const capture::KernelFeatures& features,
                SessionDefaults defaults);
  ~SessionEngine() override;

  // When a recording ends by itself; on the controller's thread.
  void OnStopped(std::function<void(const std::string&)> stopped) { stopped_ = std::move(stopped); }

  // Lines for people; on the controller's thread.
  void OnSaid(std::function<void(const std::string&)> said) { said_ = std::move(said); }
  // When a provider sends an alert; on the controller's thread.
  void OnAlerted(std::function<void(const std::string&)> alerted) { alerted_ = std::move(alerted); }
  // Somebody sent a SIGUSR1.
  void Signal();

  std::vector<control::KnownCategory> KnownCategories() const override;
  std::vector<control::ProviderInfo> Providers() const override;
  std::optional<uint32_t> AddProvider(const std::string& name, const control::Caller& caller,
                                      control::TellProvider tell) override;
  uint64_t RefusedProviders() const override { return providers_.refused(); }
  void RemoveProvider(uint32_t id) override { providers_.Remove(id); }
  bool SendMark(const control::MarkRequest& mark, const control::Caller& caller) override {
    return AddMark(providers_, mark, caller);
  }
  void Initialize(const control::TraceConfig& config, std::optional<control::TraceOutput> output,
                  control::Done done) override;
  void Start(const control::StartOptions& options, control::Done done) override;
  void Stop(control::Done done) override;
  void Write(control::TraceOutput output, uint64_t last, control::Done done) override;
  void Terminate(control::Done done) override;
  void Alert(const std::string& name) override;
  void GetStatus(std::function<void(control::Status)> done) override;

 private:
  // `done`, on the controller's thread.
  control::Done AtHome(control::Done done);
  void GotStatus(const control::Status& status);

  control::Mailbox& home_;
  std::function<void(const std::string&)> stopped_;
  std::function<void(const std::string&)> said_;
  std::function<void(const std::string&)> alerted_;
  provider::ProviderSet providers_;
  SessionWorker worker_;
  std::vector<std::function<void(control::Status)>> want_status_;
  control::Status status_;
  uint64_t status_time_ = 0;  // ns of CLOCK_MONOTONIC; 0: none yet
  std::thread thread_;
};

}  // namespace tools
