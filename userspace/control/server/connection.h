// SPDX-License-Identifier: BSD-2-Clause
// The connection of one client: bounded buffers of messages in both directions.
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
  // Limit of bytes that the client has not read. More end the connection.
  static constexpr size_t kMaxOutgoing = size_t{512} << 10;
  // Limit of alerts that are kept for the next WatchAlert.
  static constexpr size_t kMaxAlerts = 64;
  // The time for a message to arrive completely, and for the client to read a reply; ns.
  static constexpr uint64_t kTimeoutNs = 10'000'000'000;

  // `socket` is non-blocking.
  Connection(util::UniqueFd socket, Peer peer)
      : socket_(std::move(socket)), peer_(std::move(peer)) {}

  const Peer& peer() const { return peer_; }
  pollfd Polled() const;
  // Reads and writes without blocking. `now`: ns of CLOCK_MONOTONIC.
  void Turn(short revents, uint64_t now);
  // The next message; empty while the last call has no reply yet.
  std::optional<std::string> NextMessage(uint64_t now);
  bool has_message() const { return !busy_ && splitter_whole_; }

  // Sends a message with its NUL, and `descriptor` with it if it is not null.
  void Send(std::string_view message, std::shared_ptr<util::UniqueFd> descriptor = nullptr);
  // Stops reading, and ends the connection when all output is sent.
  void CloseAfterwards() { closing_ = true; }
  void CloseNow() { dead_ = true; }
  // True if the connection has ended.
  bool over() const;
  // The time of the timeout; empty if no transfer is in progress.
  std::optional<uint64_t> deadline() const;

  // True from a call to its last reply.
  void set_busy(bool busy) { busy_ = busy; }
  bool busy() const { return busy_; }

  // Descriptors that the client passed. The handler of a call moves out those that it uses.
  std::vector<util::UniqueFd>& descriptors() { return descriptors_; }
  // Closes the unused descriptors after a call.
  void ForgetDescriptors();

  // The events that the client watches.
  bool watches_state = false;
  enum class Watch : uint8_t { kNo, kOne, kAll } watches_alerts = Watch::kNo;
  bool keeps_alerts = false;  // has called WatchAlert
  std::deque<std::string> alerts;
  uint32_t provider_id = 0;  // 0: none

 private:
  void Receive();
  void Flush(uint64_t now);

  util::UniqueFd socket_;
  Peer peer_;
  MessageSplitter splitter_;
  bool splitter_whole_ = false;  // the splitter may have a complete message
  std::vector<util::UniqueFd> descriptors_;
  std::string outgoing_;
  // A descriptor that goes with the byte at this place of outgoing_.
  struct Passed {
    size_t place;
    std::shared_ptr<util::UniqueFd> descriptor;
  };
  std::deque<Passed> passed_;
  bool busy_ = false;
  bool ended_ = false;  // the client has closed its side
  bool closing_ = false;
  bool dead_ = false;
  uint64_t part_since_ = 0;      // since when a part of a message is buffered; 0: none
  uint64_t outgoing_since_ = 0;  // since when the client has read nothing; 0: nothing to read
};

}  // namespace control
