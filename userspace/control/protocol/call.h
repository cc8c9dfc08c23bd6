// SPDX-License-Identifier: BSD-2-Clause
// A varlink call, as a client sent it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/protocol/requests.h"
#include "util/result.h"

namespace control {

class Json;

// What is wrong with the parameters of a call: which one, and why.
struct BadParameter {
  std::string name;  // "config.categories"
  std::string message;
};

template <typename T>
struct Read {
  T value;
  std::optional<BadParameter> bad;
};

class Call {
 public:
  // An Error for what is no call at all; whoever sends that speaks no varlink.
  static util::Result<Call> Parse(std::string_view message);
  Call(Call&&) noexcept;
  Call& operator=(Call&&) noexcept;
  ~Call();

  // "fuchsia.tracing.controller.GetStatus"; `interface()` is what stands before the last dot.
  const std::string& method() const { return method_; }
  std::string_view interface() const;
  std::string_view member() const;
  // Wants several replies.
  bool more() const { return more_; }
  // Wants none.
  bool oneway() const { return oneway_; }
  bool upgrade() const { return upgrade_; }

  // The parameters, by the method they belong to. All of them are refused that the method does not
  // have, and those that are out of the document's limits.
  Read<std::string> ReadInterface() const;
  Read<InitializeRequest> ReadInitialize() const;
  Read<request::StartOptions> ReadStart() const;
  Read<EndRequest> ReadEnd() const;
  Read<TakeSnapshotRequest> ReadSnapshot() const;
  Read<std::string> ReadAlert() const;
  Read<ProviderRequest> ReadProvider() const;
  Read<MarkRequest> ReadMark() const;
  Read<bool> ReadNothing() const;

 private:
  Call();

  std::string method_;
  bool more_ = false;
  bool oneway_ = false;
  bool upgrade_ = false;
  std::unique_ptr<const Json> parameters_;
};

}  // namespace control
