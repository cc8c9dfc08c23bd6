// SPDX-License-Identifier: BSD-2-Clause
// Parses a varlink call of an untrusted client.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string>
#include <string_view>

#include "control/protocol/requests.h"
#include "util/result.h"

namespace control {

// The first invalid parameter of a call, and why it is invalid.
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
  // An error if the message is not a varlink call.
  static util::Result<Call> Parse(std::string_view message);

  // "fuchsia.tracing.controller.GetStatus"; interface() is the part before the last dot.
  const std::string& method() const { return method_; }
  std::string_view interface() const;
  std::string_view member() const;
  // The client expects several replies.
  bool more() const { return more_; }
  // The client expects no reply.
  bool oneway() const { return oneway_; }
  bool upgrade() const { return upgrade_; }

  // Each reads the parameters of one method. Refuses unknown parameters and values beyond the
  // limits of the interface.
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
  Call(rapidjson::Document document, std::string method);
  const rapidjson::Value& parameters() const;

  rapidjson::Document document_;
  std::string method_;
  bool more_;
  bool oneway_;
  bool upgrade_;
};

}  // namespace control
