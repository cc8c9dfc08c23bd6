// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "control/protocol/descriptors.h"

namespace control {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;
// No further calls are read while this much output is pending.
constexpr size_t kEnoughOutgoing = size_t{64} << 10;

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

pollfd Connection::Polled() const {
  short events = 0;
  const bool wants_more = !ended_ && !closing_ && !busy_ && !splitter_whole_;
  if (wants_more && outgoing_.size() < kEnoughOutgoing) events |= POLLIN;
  if (!outgoing_.empty()) events |= POLLOUT;
  return {socket_.get(), events, 0};
}

void Connection::Turn(short revents, uint64_t now) {
  // POLLHUP: both directions are closed. `echo ... | socat` closes only one.
  if ((revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 && (revents & POLLIN) == 0) dead_ = true;
  if (!dead_ && (revents & POLLIN) != 0) Receive();
  if (!dead_ && !outgoing_.empty()) Flush(now);
  // The time of the current call does not count against the timeout of the next message.
  if (busy_ && part_since_ != 0) part_since_ = now;
  if (const auto end = deadline(); end && now >= *end) dead_ = true;
}

void Connection::Receive() {
  char buffer[kReadBytes];
  const ssize_t got = ReceiveWithDescriptors(socket_.get(), buffer, sizeof buffer, descriptors_);
  if (got < 0) {
    if (!WouldBlock(errno)) dead_ = true;
    return;
  }
  if (got == 0) ended_ = true;
  if (descriptors_.size() > kMaxDescriptors) dead_ = true;
  if (!splitter_.Append({buffer, static_cast<size_t>(got)})) dead_ = true;
  splitter_whole_ = true;
}

std::optional<std::string> Connection::NextMessage(uint64_t now) {
  if (dead_ || closing_ || busy_ || !splitter_whole_) return std::nullopt;
  auto message = splitter_.Next();
  if (!message) splitter_whole_ = false;
  if (!splitter_.has_part()) {
    part_since_ = 0;
  } else if (message || part_since_ == 0) {
    part_since_ = now;
  }
  return message;
}

void Connection::Send(std::string_view message, std::shared_ptr<util::UniqueFd> descriptor) {
  if (dead_) return;
  if (outgoing_.size() + message.size() > kMaxOutgoing) {
    dead_ = true;
    return;
  }
  if (descriptor) passed_.push_back({outgoing_.size(), std::move(descriptor)});
  outgoing_ += message;
  Flush(outgoing_since_);
}

void Connection::Flush(uint64_t now) {
  while (!outgoing_.empty()) {
    // Sends the bytes before the next descriptor, or the descriptor with the bytes after it.
    const bool pass = !passed_.empty() && passed_.front().place == 0;
    const size_t until =
        passed_.size() > (pass ? 1 : 0) ? passed_[pass ? 1 : 0].place : outgoing_.size();
    const ssize_t sent =
        SendWithDescriptor(socket_.get(), std::string_view(outgoing_).substr(0, until),
                           pass ? passed_.front().descriptor->get() : -1);
    if (sent < 0) {
      if (!WouldBlock(errno)) dead_ = true;
      break;
    }
    outgoing_.erase(0, static_cast<size_t>(sent));
    if (pass) passed_.pop_front();
    for (Passed& each : passed_) each.place -= static_cast<size_t>(sent);
    outgoing_since_ = 0;
  }
  if (outgoing_.empty()) {
    outgoing_ = {};
    outgoing_since_ = 0;
  } else if (outgoing_since_ == 0) {
    outgoing_since_ = now;
  }
}

bool Connection::over() const {
  if (dead_) return true;
  if (!outgoing_.empty() || busy_) return false;
  return closing_ || (ended_ && !splitter_whole_);
}

std::optional<uint64_t> Connection::deadline() const {
  const uint64_t part = part_since_ == 0 ? UINT64_MAX : part_since_;
  const uint64_t since =
      std::min(busy_ ? UINT64_MAX : part, outgoing_since_ == 0 ? UINT64_MAX : outgoing_since_);
  if (since == UINT64_MAX) return std::nullopt;
  return since + kTimeoutNs;
}

void Connection::ForgetDescriptors() {
  // If a part of a call is buffered, the descriptors may belong to it.
  if (!splitter_.has_part()) descriptors_.clear();
}

}  // namespace control
