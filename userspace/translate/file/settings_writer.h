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
  // Bytes of settings in one file. Settings of further processes are left out and counted; the
  // others have limits of their own.
  static constexpr uint64_t kMostProcessBytes = uint64_t{8} << 20;

  explicit SettingsWriter(TraceWriter& file) : file_(file) {}

  // `time` in ns of the file's clock. Settings of a process that the file does not know are left
  // out.
  void Write(uint64_t time, const schema::Settings& settings);
  // Subjects that were left out because there was no room for them.
  uint64_t omitted() const { return omitted_; }

 private:
  model::ThreadHandle Track();

  TraceWriter& file_;
  model::ThreadHandle track_ = model::kNoHandle;
  uint64_t process_bytes_ = 0;
  uint64_t omitted_ = 0;
};

}  // namespace translate
