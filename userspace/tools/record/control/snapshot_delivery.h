// SPDX-License-Identifier: BSD-2-Clause
// Delivers finished snapshots to clients. Each receiver has a thread and a place of its own, so
// that a slow receiver delays nothing but its own snapshot.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "control/protocol/peer.h"
#include "control/server/send_as.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class SnapshotDelivery {
 public:
  // The snapshots that users may have under way at a time. A snapshot holds its place from its
  // request until it is delivered.
  static constexpr size_t kPlacesOfUser = 1;
  static constexpr size_t kPlacesOfRoot = 8;
  static constexpr size_t kPlacesOfOthers = 16;  // all users but root together

  explicit SnapshotDelivery(control::SendLimits limits = {}) : limits_(limits) {}
  SnapshotDelivery(const SnapshotDelivery&) = delete;
  SnapshotDelivery& operator=(const SnapshotDelivery&) = delete;
  // Abandons what is under way.
  ~SnapshotDelivery();

  // The place of one snapshot, until the last copy of the pointer goes; null if the user has none
  // left. From any thread. All places end before the delivery does.
  using Place = std::shared_ptr<void>;
  Place Take(const control::Peer& client);

  // From one thread. Sends all of `spool` to `receiver`, which messages call `name`. `done` is
  // called on another thread, after the place is free again.
  void Begin(Place place, control::Peer client, util::UniqueFd spool, util::UniqueFd receiver,
             std::string name, std::function<void(util::Status)> done);

 private:
  struct Sending {
    std::thread thread;
    std::atomic<bool> ended = false;
  };

  const control::SendLimits limits_;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;
  std::map<uid_t, size_t> places_;  // taken, by user; under mutex_
  std::list<Sending> sendings_;
};

// An unnamed file for a snapshot that is sent to a client: in the service's state directory, in
// /var/tmp, or in memory.
util::Result<util::UniqueFd> OpenSpool();

}  // namespace tools
