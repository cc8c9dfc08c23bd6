// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/reserved_bits.h"

#include "fxt/record.h"

namespace fxt {
namespace {

constexpr uint64_t Mask(unsigned first, unsigned last) {
  return (~uint64_t{0} >> (63 - (last - first))) << first;
}

}  // namespace

uint64_t ReservedHeaderBits(uint64_t header) {
  switch (static_cast<RecordType>(header & 0xf)) {
    case RecordType::kMetadata:
      switch (static_cast<MetadataType>(header >> 16 & 0xf)) {
        case MetadataType::kProviderInfo:
          return Mask(60, 63);
        case MetadataType::kProviderSection:
          return Mask(52, 63);
        case MetadataType::kProviderEvent:
          return Mask(56, 63);
        case MetadataType::kTraceInfo:
          return (header >> 20 & 0xf) == 0 ? Mask(56, 63) : 0;
      }
      return 0;
    case RecordType::kInitialization:
      return Mask(16, 63);
    case RecordType::kString:
      return Mask(31, 31) | Mask(47, 63);
    case RecordType::kThread:
      return Mask(24, 63);
    case RecordType::kEvent:
      return 0;
    case RecordType::kBlob:
      return Mask(47, 47) | Mask(56, 63);
    case RecordType::kUserspaceObject:
    case RecordType::kKernelObject:
      return Mask(44, 63);
    case RecordType::kScheduling:
      switch (static_cast<SchedulingType>(header >> 60)) {
        case SchedulingType::kLegacyContextSwitch:
          return 0;
        case SchedulingType::kContextSwitch:
          return Mask(40, 59);
        case SchedulingType::kThreadWakeup:
          return Mask(36, 59);
      }
      return 0;
    case RecordType::kLog:
      return Mask(31, 31) | Mask(40, 63);
    case RecordType::kProfiler:
      switch (static_cast<ProfilerType>(header >> 16 & 0xf)) {
        case ProfilerType::kModule:
          return Mask(60, 63);
        case ProfilerType::kMmap:
          return Mask(47, 63);
        case ProfilerType::kBacktrace:
          return Mask(36, 63);
      }
      return 0;
    case RecordType::kLarge:
      return (header >> 36 & 0xf) == 0 ? Mask(44, 63) : 0;
  }
  return 0;
}

uint64_t ReservedArgumentBits(uint64_t header) {
  switch (static_cast<ArgumentType>(header & 0xf)) {
    case ArgumentType::kNull:
    case ArgumentType::kInt64:
    case ArgumentType::kUint64:
    case ArgumentType::kDouble:
    case ArgumentType::kPointer:
    case ArgumentType::kKoid:
      return Mask(32, 63);
    case ArgumentType::kString:
      return Mask(48, 63);
    case ArgumentType::kBool:
      return Mask(33, 63);
    case ArgumentType::kInt32:
    case ArgumentType::kUint32:
    case ArgumentType::kBlob:
      return 0;
  }
  return 0;
}

size_t MinimumRecordWords(uint64_t header) {
  switch (static_cast<RecordType>(header & 0xf)) {
    case RecordType::kMetadata: {
      const uint64_t type = header >> 16 & 0xf;
      if (type == 1) return 1 + WordsForBytes(header >> 52 & 0xff);
      if (type == 4) return header == kMagicRecord ? 1 : 0;
      return type == 2 || type == 3 ? 1 : 0;
    }
    case RecordType::kInitialization:
      return 2;
    case RecordType::kString:
      return 1 + WordsForBytes(header >> 32 & 0x7fff);
    case RecordType::kThread:
      return 3;
    case RecordType::kEvent:
      if ((header >> 16 & 0xf) > static_cast<uint64_t>(EventType::kFlowEnd)) return 0;
      return HasPayload(static_cast<EventType>(header >> 16 & 0xf)) ? 3 : 2;
    case RecordType::kBlob:
      return 1 + WordsForBytes(header >> 32 & 0x7fff);
    case RecordType::kUserspaceObject:
    case RecordType::kKernelObject:
      return 2;
    case RecordType::kScheduling:
      switch (header >> 60) {
        case 0:
          return 2 + ((header >> 28 & 0xff) == 0 ? 2 : 0) + ((header >> 36 & 0xff) == 0 ? 2 : 0);
        case 1:
          return 4;
        case 2:
          return 3;
      }
      return 0;
    case RecordType::kLog:
      return 2 + WordsForBytes(header >> 16 & 0x7fff);
    case RecordType::kProfiler:
      switch (header >> 16 & 0xf) {
        case 0:
          return 2;
        case 1:
          return 5;
        case 2:
          return 2 + (header >> 28 & 0xff);
      }
      return 0;
    case RecordType::kLarge:
      return (header >> 36 & 0xf) == 0 && (header >> 40 & 0xf) <= 1 ? 3 : 0;
  }
  return 0;
}

}  // namespace fxt
