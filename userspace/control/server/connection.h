// SPDX-License-Identifier: BSD-2-Clause
// One client: the bytes that come from it and go to it, within bounds.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol/message_splitter.h"
#include "control/protocol/peer.h"
#include "control/server/open_as.h"
#include "util/unique_fd.h"

namespace control {

class Connection {
 public:
  // What may wait for a client to read it: more ends the connection.
  static constexpr size_t kMaxOutgoing = size_t{512} << 10;
  // Alerts that wait for the next WatchAlert.
  static constexpr size_t kMaxAlerts = 64;
  // How long a message may be on its way, and a reply wait for its reader; ns.
  static constexpr uint64_t kTimeoutNs = 10'000'000'000;

  // `socket` does not block.
  Connection(util::UniqueFd socket, Peer peer)
      : socket_(std::move(socket)), peer_(std::move(peer)) {}

  const Peer& peer() const { return peer_; }
  pollfd Polled() const;
  // Reads and writes what can be, `now` is ns of CLOCK_MONOTONIC.
  void Turn(short revents, uint64_t now);
  // A message to handle; none while the client still waits for the answer to the last one.
  std::optional<std::string> NextMessage(uint64_t now);
  bool has_message() const { return !busy_ && splitter_whole_; }

  // A whole message, with its NUL, and a descriptor that comes with it, or null.
  void Send(std::string_view message, std::shared_ptr<util::UniqueFd> descriptor = nullptr);
  // Nothing more is read; it is over when what is to be sent is.
  void CloseAfterwards() { closing_ = true; }
  void CloseNow() { dead_ = true; }
  // Over: may be forgotten.
  bool over() const;
  // When its patience ends; none if nothing is under way.
  std::optional<uint64_t> deadline() const;

  // Between a call and its (last) answer.
  void set_busy(bool busy) { busy_ = busy; }
  bool busy() const { return busy_; }

  // Descriptors that came; the caller takes those that it uses.
  std::vector<util::UniqueFd>& descriptors() { return descriptors_; }
  // After a call: those that nobody used.
  void ForgetDescriptors();

  // What the client waits for.
  bool watches_state = false;
  enum class Watch : uint8_t { kNo, kOne, kAll } watches_alerts = Watch::kNo;
  bool keeps_alerts = false;  // has watched
  std::deque<std::string> alerts;
  uint32_t provider_id = 0;  // 0: none

 private:
  void Receive();
  void Flush(uint64_t now);

  util::UniqueFd socket_;
  Peer peer_;
  MessageSplitter splitter_;
  bool splitter_whole_ = false;  // may have a whole message
  std::vector<util::UniqueFd> descriptors_;
  std::string outgoing_;
  // Descriptors that go with the byte at this place of outgoing_.
  struct Passed {
    size_t place;
    std::shared_ptr<util::UniqueFd> descriptor;
  };
  std::deque<Passed> passed_;
  bool busy_ = false;
  bool ended_ = false;  // the client sends no more
  bool closing_ = false;
  bool dead_ = false;
  uint64_t part_since_ = 0;      // a part of a message is there; 0: none
  uint64_t outgoing_since_ = 0;  // nothing was taken since; 0: nothing waits
};

}  // namespace control
