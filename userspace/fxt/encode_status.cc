// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/encode_status.h"

namespace fxt {

std::string_view Describe(EncodeStatus status) {
  switch (status) {
    case EncodeStatus::kOk:
      return "written";
    case EncodeStatus::kRecordTooLong:
      return "record longer than the format allows";
    case EncodeStatus::kTooManyArguments:
      return "more than 15 arguments";
    case EncodeStatus::kStringTooLong:
      return "string longer than the format allows";
    case EncodeStatus::kPayloadTooLong:
      return "payload longer than the format allows";
    case EncodeStatus::kInvalidStringRef:
      return "length of an inline string differs from its text";
    case EncodeStatus::kInvalidIndex:
      return "string or thread index out of range";
    case EncodeStatus::kInvalidField:
      return "field out of range";
    case EncodeStatus::kInconsistentWords:
      return "raw words disagree with their own header";
    case EncodeStatus::kNoMemory:
      return "out of memory";
    case EncodeStatus::kSinkFailed:
      return "output failed";
  }
  return "unknown status";
}

}  // namespace fxt
