// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/snapshot_delivery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tools {

SnapshotDelivery::~SnapshotDelivery() {
  abandoned_ = true;
  for (Sending& each : sendings_) each.thread.join();
}

SnapshotDelivery::Place SnapshotDelivery::Take(const control::Peer& client) {
  const std::lock_guard lock(mutex_);
  size_t of_others = 0;
  for (const auto& [user, taken] : places_) of_others += user == 0 ? 0 : taken;
  const uid_t user = client.IsPrivileged() ? 0 : client.uid;
  const size_t taken = places_.contains(user) ? places_[user] : 0;
  const bool free =
      user == 0 ? taken < kPlacesOfRoot : taken < kPlacesOfUser && of_others < kPlacesOfOthers;
  if (!free) return nullptr;
  ++places_[user];
  return Place(this, [this, user](void*) {
    const std::lock_guard freeing(mutex_);
    if (--places_[user] == 0) places_.erase(user);
  });
}

void SnapshotDelivery::Begin(Place place, control::Peer client, util::UniqueFd spool,
                             util::UniqueFd receiver, std::string name,
                             std::function<void(util::Status)> done) {
  std::erase_if(sendings_, [](Sending& each) {
    if (!each.ended) return false;
    each.thread.join();
    return true;
  });
  Sending& sending = sendings_.emplace_back();
  sending.thread =
      std::thread([this, &sending, place = std::move(place), client = std::move(client),
                   spool = std::move(spool), receiver = std::move(receiver), name = std::move(name),
                   done = std::move(done)]() mutable {
        util::Status status =
            control::SendAs(client, spool.get(), receiver.get(), name, limits_, abandoned_);
        spool.reset();
        receiver.reset();
        place.reset();
        done(std::move(status));
        sending.ended = true;
      });
}

util::Result<util::UniqueFd> OpenSpool() {
  const char* const state = getenv("STATE_DIRECTORY");
  for (const char* directory : {state, "/var/tmp"}) {
    if (directory == nullptr) continue;
    util::UniqueFd file(open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
  }
  util::UniqueFd memory(memfd_create("fxt-record-snapshot", MFD_CLOEXEC));
  if (memory) return memory;
  return util::Error{fmt::format("no file or memory for a snapshot: {}", strerror(errno)), ""};
}

}  // namespace tools
