// SPDX-License-Identifier: BSD-2-Clause
// Handles the calls of providers: RegisterProvider and SendMark.
#pragma once

#include <memory>

#include "control/controller/engine.h"
#include "control/protocol/call.h"
#include "control/server/connection.h"

namespace control {

class ProviderCalls {
 public:
  explicit ProviderCalls(Engine& engine) : engine_(engine) {}

  // Returns false for other calls of the controller's interface.
  bool Handle(const std::shared_ptr<Connection>& client, const Call& call);
  // The client has disconnected.
  void Forget(const Connection& client);

 private:
  void Register(const std::shared_ptr<Connection>& client, const Caller& caller, const Call& call);

  Engine& engine_;
};

}  // namespace control
