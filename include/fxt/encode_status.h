// SPDX-License-Identifier: BSD-2-Clause
// The result of writing a record.
#pragma once

#include <cstdint>
#include <string_view>

namespace fxt {

// On any status but kOk nothing was written, and earlier output is unchanged.
enum class [[nodiscard]] EncodeStatus : uint8_t{
    kOk = 0,
    kRecordTooLong,      // more than 4095 words, or 2^32 - 1 in a large record
    kTooManyArguments,   // more than 15
    kStringTooLong,      // longer than its length field allows
    kPayloadTooLong,     // a blob, build id or backtrace longer than its length field allows
    kInvalidStringRef,   // inline, and its length differs from that of the text
    kInvalidIndex,       // string index 0 or above 0x7fff, thread index 0
    kInvalidField,       // a number too large for its bits, or an event type that does not exist
    kInconsistentWords,  // a record or argument of raw words whose header does not state its size
                         // or type
    kNoMemory,           // for a record longer than a chunk of the buffer
    kSinkFailed,         // now or before; the sink has the reason
};

// One phrase for a message, lower case, no full stop.
std::string_view Describe(EncodeStatus status);

}  // namespace fxt
