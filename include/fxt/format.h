// SPDX-License-Identifier: BSD-2-Clause
// Constants of the Fuchsia Trace Format: record, event, argument and object types, and limits.
// Section names in comments are those of the format document ("Record Types", "Arguments", ...).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fxt {

using Koid = uint64_t;
using Ticks = uint64_t;

// "Magic number record": the first eight bytes of every file, as one little-endian word.
inline constexpr uint64_t kMagicRecord = 0x0016547846040010;
inline constexpr uint64_t kMagicRecordByteSwapped = 0x1000044678541600;
inline constexpr uint32_t kMagicNumber = 0x16547846;

inline constexpr size_t kWordBytes = 8;
// "Records": the size field of an ordinary record has 12 bits and counts words.
inline constexpr size_t kMaxRecordWords = 4095;
// "Large record header": 32 bits.
inline constexpr uint64_t kMaxLargeRecordWords = 0xffffffff;
// "String references": the longest string of a reference, which is also the recommended maximum.
inline constexpr size_t kMaxStringRefBytes = 0x7fff;
inline constexpr size_t kMaxStringBytes = 32000;
inline constexpr uint16_t kMaxStringIndex = 0x7fff;
inline constexpr uint16_t kInlineStringBit = 0x8000;
// "Thread references": index 0 means inline.
inline constexpr uint8_t kMaxThreadIndex = 0xff;
// "Arguments": the count has four bits.
inline constexpr size_t kMaxArguments = 15;
// "Log record": 15 bits of length.
inline constexpr size_t kMaxLogMessageBytes = 0x7fff;
// "Provider info metadata": eight bits of length.
inline constexpr size_t kMaxProviderNameBytes = 0xff;

// "Record Types".
enum class RecordType : uint8_t {
  kMetadata = 0,
  kInitialization = 1,
  kString = 2,
  kThread = 3,
  kEvent = 4,
  kBlob = 5,
  kUserspaceObject = 6,
  kKernelObject = 7,
  kScheduling = 8,  // "Context switch record" in the first edition; later editions use bits 60..63
                    // as a subtype
  kLog = 9,
  kProfiler = 10,
  kLarge = 15,
};

// "Metadata record".
enum class MetadataType : uint8_t {
  kProviderInfo = 1,
  kProviderSection = 2,
  kProviderEvent = 3,
  kTraceInfo = 4,
};

// "Provider event metadata", Events.
inline constexpr uint8_t kProviderEventBufferFilledUp = 0;

// "Event record".
enum class EventType : uint8_t {
  kInstant = 0,
  kCounter = 1,
  kDurationBegin = 2,
  kDurationEnd = 3,
  kDurationComplete = 4,
  kAsyncBegin = 5,
  kAsyncInstant = 6,
  kAsyncEnd = 7,
  kFlowBegin = 8,
  kFlowStep = 9,
  kFlowEnd = 10,
};

// "Argument types"; 10 is an addition of the newest edition.
enum class ArgumentType : uint8_t {
  kNull = 0,
  kInt32 = 1,
  kUint32 = 2,
  kInt64 = 3,
  kUint64 = 4,
  kDouble = 5,
  kString = 6,
  kPointer = 7,
  kKoid = 8,
  kBool = 9,
  kBlob = 10,
};

// "BLOB record", Blob types; 3 is an addition of the newest edition.
enum class BlobType : uint8_t {
  kData = 1,
  kLastBranch = 2,
  kPerfetto = 3,
};

// "Kernel object record": those of the ZX_OBJ_TYPE constants that a Linux tracer writes.
enum class KernelObjectType : uint8_t {
  kProcess = 1,
  kThread = 2,
};

// "Context switch record", Thread States.
enum class ThreadState : uint8_t {
  kNew = 0,
  kRunning = 1,
  kSuspended = 2,
  kBlocked = 3,
  kDying = 4,
  kDead = 5,
};

// Subtype of a scheduling record (newest edition), bits 60..63.
enum class SchedulingType : uint8_t {
  kLegacyContextSwitch = 0,
  kContextSwitch = 1,
  kThreadWakeup = 2,
};

// Subtype of a profiler record (newest edition), bits 16..19.
enum class ProfilerType : uint8_t {
  kModule = 0,
  kMmap = 1,
  kBacktrace = 2,
};

// "Large BLOB record".
enum class LargeRecordType : uint8_t { kBlob = 0 };
enum class LargeBlobFormat : uint8_t { kWithMetadata = 0, kNoMetadata = 1 };

// Words of `bytes` bytes of a stream, including padding.
constexpr size_t WordsForBytes(size_t bytes) { return (bytes + kWordBytes - 1) / kWordBytes; }

}  // namespace fxt
