// SPDX-License-Identifier: BSD-2-Clause
// The calls of programs that take part in a session, as opposed to those that control one.
#pragma once

#include <memory>

#include "control/controller/engine.h"
#include "control/protocol/call.h"
#include "control/server/connection.h"

namespace control {

class ProviderCalls {
 public:
  explicit ProviderCalls(Engine& engine) : engine_(engine) {}

  // False: `call`, of the controller's interface, is none of these.
  bool Handle(const std::shared_ptr<Connection>& client, const Call& call);
  // The client has gone.
  void Forget(const Connection& client);

 private:
  void Register(const std::shared_ptr<Connection>& client, const Caller& caller, const Call& call);

  Engine& engine_;
};

}  // namespace control
