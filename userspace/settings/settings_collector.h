// SPDX-License-Identifier: BSD-2-Clause
// Reads the settings of a recording on its own thread, at the start and then periodically, and
// reports changes. A file system or process that blocks the thread delays nothing else: the
// recording waits for it with a timeout.
//
// The thread takes at most a hundredth of a CPU, after a first allowance. Further requests wait,
// with precedence for the recorded command; a process that ends meanwhile is not read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "schema/settings.h"
#include "settings/small_file.h"

namespace settings {

struct CollectorOptions {
  Roots roots = {};
  // Path of the key of environment hashes; empty: the machine's default.
  std::string key_path = {};
  // Time between two checks for changes, ns.
  uint64_t period = 5'000'000'000;
};

enum class ProcessUse : uint8_t {
  kOther,    // a process of the machine
  kTree,     // a descendant of the recorded command
  kCommand,  // it is the recorded command
};

struct ReadSettings {
  // util::MonotonicNow(), ns. At that time the process ran this program.
  uint64_t time = 0;
  schema::Settings settings;
};

class SettingsCollector {
 public:
  // Memory of processes that wait to be read and of results that wait to be taken.
  static constexpr size_t kMostRequests = 4096;
  static constexpr size_t kMostResultBytes = size_t{8} << 20;

  explicit SettingsCollector(const CollectorOptions& options = {});
  // Does not wait for a read in progress.
  ~SettingsCollector();
  SettingsCollector(const SettingsCollector&) = delete;
  SettingsCollector& operator=(const SettingsCollector&) = delete;

  // Starts the thread, which reads the machine's settings first.
  void Start();
  // Asks for a process: `number` is its id in /proc, `pid` that in the file. Reads it again if it
  // was read. `delay`: ns from now.
  void AskProcess(uint32_t number, uint32_t pid, ProcessUse use, uint64_t delay = 0);
  // The same for the recorded command before it is executed: reads it as soon as it runs another
  // executable than this process's.
  void AwaitCommand(uint32_t number, uint32_t pid);
  // The process has ended: forgets it.
  void Drop(uint32_t pid);

  // Settings that were read since the last call, in order of time, and not later than `until`.
  std::vector<ReadSettings> Take(uint64_t until = UINT64_MAX);

  // Reads what waits and looks for changes once more. Returns when that is done, at the latest
  // after `timeout` ns.
  void Refresh(uint64_t timeout);

  // Results that were dropped because no one took them.
  uint64_t dropped() const;

 private:
  class Worker;
  std::shared_ptr<Worker> worker_;  // shared with the thread
};

}  // namespace settings
