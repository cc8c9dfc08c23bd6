// SPDX-License-Identifier: BSD-2-Clause
// Notifies systemd of the state of the service: sd_notify(3) without its library.
#pragma once

#include <string_view>

namespace control {

// `state`: "READY=1", "STATUS=...", "STOPPING=1"; several are separated by line feeds. False
// without NOTIFY_SOCKET, and if it cannot be sent.
bool NotifyServiceManager(std::string_view state);

}  // namespace control
