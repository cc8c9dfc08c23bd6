// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/provider_calls.h"

#include <string>
#include <utility>

#include "control/protocol/reply.h"

namespace control {
namespace {

void Answer(Connection& client, const Call& call, const std::string& message) {
  if (!call.oneway()) client.Send(message);
  client.set_busy(false);
}

}  // namespace

bool ProviderCalls::Handle(const std::shared_ptr<Connection>& client, const Call& call) {
  if (call.member() != "RegisterProvider" && call.member() != "SendMark") return false;
  // The connecting process may have exited, and its pid may be reused.
  const Peer& peer = client->peer();
  if (!peer.process || !peer.process->IsAlive()) {
    client->CloseNow();
    return true;
  }
  const Caller caller{static_cast<uint32_t>(peer.pid), peer.uid, peer.process};
  if (call.member() == "RegisterProvider") {
    Register(client, caller, call);
    return true;
  }
  const auto read = call.ReadMark();
  if (read.bad) {
    Answer(*client, call, reply::InvalidParameter(*read.bad));
  } else {
    Answer(*client, call, reply::Recorded(engine_.SendMark(read.value, caller)));
  }
  return true;
}

void ProviderCalls::Register(const std::shared_ptr<Connection>& client, const Caller& caller,
                             const Call& call) {
  const auto read = call.ReadProvider();
  if (read.bad) return Answer(*client, call, reply::InvalidParameter(*read.bad));
  if (!call.more() || call.oneway()) {
    return Answer(*client, call, reply::ServiceError("ExpectedMore", "method", call.method()));
  }
  // The call stays open until the connection ends.
  const auto id = engine_.AddProvider(
      read.value.name, caller,
      [weak = std::weak_ptr(client)](uint32_t provider, SessionState state,
                                     std::shared_ptr<util::UniqueFd> buffer) {
        const auto there = weak.lock();
        if (!there) return;
        const bool has_buffer = buffer != nullptr;
        there->Send(reply::ProviderState(provider, state, has_buffer), std::move(buffer));
      });
  if (id) {
    client->provider_id = *id;
  } else {
    Answer(*client, call,
           reply::Error(Failure{error_name::kFailed, "there are too many providers"}));
  }
}

void ProviderCalls::Forget(const Connection& client) {
  if (client.provider_id != 0) engine_.RemoveProvider(client.provider_id);
}

}  // namespace control
