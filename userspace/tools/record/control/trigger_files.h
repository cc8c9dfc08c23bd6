// SPDX-License-Identifier: BSD-2-Clause
// The triggers of a session that others control, and the files that they write.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol/reply.h"
#include "output/name_pattern.h"
#include "session/recording.h"
#include "session/trigger/trigger_set.h"
#include "session/trigger/trigger_spec.h"
#include "util/result.h"

namespace tools {

struct TriggerOptions {
  std::vector<session::TriggerSpec> triggers;
  uint64_t before = 0;  // ns; 0: all of the buffer
  uint64_t after = 0;   // ns
  std::string output;   // a pattern, see output::NamePattern
};

class TriggerFiles {
 public:
  // `recording` outlives it. `say` is called with lines for people, errors too.
  static util::Result<std::unique_ptr<TriggerFiles>> Make(const TriggerOptions& options,
                                                          session::Recording& recording,
                                                          std::function<void(std::string)> say);

  // As those of session::TriggerSet.
  void Begin() { set_->Begin(); }
  void AddPollFds(std::vector<pollfd>& fds) const { set_->AddPollFds(fds); }
  int TimeoutMs() const { return set_->TimeoutMs(); }
  void OnAlert(std::string_view name) { set_->OnAlert(name); }
  void OnSignal() { set_->OnSignal(); }

  // Looks at what there is, and begins to write what is due.
  void Turn(std::span<const pollfd> polled);
  // Recording has been stopped: what is pending is written as it is.
  void Finish() { WriteDue(true); }
  // Whether that is a file of these triggers.
  bool Take(const session::Written& written);
  // Some are being written.
  bool writing() const { return !being_written_.empty(); }

  std::vector<control::TriggerStatus> status() const;

 private:
  TriggerFiles(output::NamePattern names, session::Recording& recording,
               std::function<void(std::string)> say)
      : names_(std::move(names)), recording_(recording), say_(std::move(say)) {}

  void WriteDue(bool all);
  std::string NextName();

  output::NamePattern names_;
  session::Recording& recording_;
  std::function<void(std::string)> say_;
  std::unique_ptr<session::TriggerSet> set_;
  uint64_t next_file_ = 1;
  std::string last_name_;
  std::map<uint64_t, std::string> being_written_;  // snapshot's number -> the trigger's text
  std::map<std::string, uint64_t, std::less<>> files_;
};

}  // namespace tools
