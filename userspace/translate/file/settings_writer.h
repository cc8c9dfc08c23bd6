// SPDX-License-Identifier: BSD-2-Clause
// Writes settings as instants of category "settings" on a track of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fxt_record/event.h"
#include "schema/settings.h"
#include "translate/file/trace_writer.h"

namespace translate {

class SettingsWriter {
 public:
  // Limit of bytes of process settings in one file. Settings of further processes are omitted and
  // counted. Other settings have limits of their own.
  static constexpr uint64_t kMostProcessBytes = uint64_t{8} << 20;

  explicit SettingsWriter(TraceWriter& file) : file_(file) {}

  // `time` is ns of the file's clock. Omits settings of a process that is not in the file.
  void Write(uint64_t time, const schema::Settings& settings);
  // Subjects omitted because of the limit.
  uint64_t omitted() const { return omitted_; }

 private:
  model::ThreadHandle Track();

  TraceWriter& file_;
  model::ThreadHandle track_ = model::kNoHandle;
  uint64_t process_bytes_ = 0;
  uint64_t omitted_ = 0;
};

}  // namespace translate
