// SPDX-License-Identifier: BSD-2-Clause
// What systemd is told of a service: sd_notify(3), without its library.
#pragma once

#include <string_view>

namespace control {

// "READY=1", "STATUS=...", "STOPPING=1"; several with line feeds between them. False where nobody
// wants to know (no NOTIFY_SOCKET), or it could not be told.
bool TellServiceManager(std::string_view state);

}  // namespace control
