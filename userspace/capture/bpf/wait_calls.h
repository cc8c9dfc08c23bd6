// SPDX-License-Identifier: BSD-2-Clause
// The system calls that categories `wait` and `request` resolve further than to their names.
#pragma once

#include <cstdint>
#include <span>

namespace capture {

// Sets the entry of each such call, by its number, to its enum fxr_wait_call. `calls` is zeroed.
void FillWaitCalls(std::span<uint8_t> calls);

// The same with enum fxr_request_call.
void FillRequestCalls(std::span<uint8_t> calls);

// Pages of threads' sleep times (bpf/wait.bpf.c) for this machine's largest thread id.
uint32_t WaitPages();

}  // namespace capture
