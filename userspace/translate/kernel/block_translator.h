// SPDX-License-Identifier: BSD-2-Clause
// Translates block requests into async spans, on a track per device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fxt_record/long_event.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"

namespace translate {

class BlockTranslator {
 public:
  // Both outlive the translator.
  BlockTranslator(TraceWriter& file, model::TaskTracker& tasks) : file_(file), tasks_(tasks) {}

  // `time` is ns of the file's clock; `disk` is the disk's name. `interrupt_track` stands in for an
  // issuer without a thread. Returns false for the end of a request that began before the
  // recording.
  bool OnRequest(uint64_t time, const fxr_block_long& request, std::string_view disk,
                 model::ThreadHandle interrupt_track);

 private:
  struct Open {
    uint64_t id = 0;
    uint64_t sector = 0;
    model::ThreadHandle device = model::kNoHandle;
    uint8_t operation = 0;
    bool issued = false;
  };

  model::ThreadHandle DeviceOf(std::string_view disk);
  void Begin(uint64_t time, const fxr_block_long& request, std::string_view disk,
             model::ThreadHandle interrupt_track);
  void End(uint64_t time, const Open& open, std::string_view argument, int32_t value);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  model::ProcessHandle process_ = model::kNoHandle;
  std::map<std::string, model::ThreadHandle, std::less<>> devices_;
  std::unordered_map<uint64_t, Open> requests_;  // by address of the request
  uint64_t last_id_ = 0;
};

}  // namespace translate
