// SPDX-License-Identifier: BSD-2-Clause
// Translates events of arbitrary tracepoints into instants on the running thread. The category is
// the tracepoint's system, the name its own, the arguments its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fxt/string_pool.h"
#include "model/task_table.h"
#include "schema/tracepoint_format.h"
#include "translate/file/trace_writer.h"

namespace translate {

class TracepointTranslator {
 public:
  // A record has at most 15 arguments. If there are more fields, the 15th argument, "more", has the
  // rest.
  static constexpr size_t kMaxArguments = 15;

  // Events carry an index into `formats`.
  TracepointTranslator(TraceWriter& file, std::vector<schema::TracepointFormat> formats);

  // `record` holds the bytes that the kernel wrote. Returns false for an unknown number.
  bool OnEvent(uint64_t time, uint32_t number, std::span<const std::byte> record,
               model::ThreadHandle thread);

 private:
  struct Texts {
    fxt::StringId system;
    fxt::StringId name;
    std::vector<fxt::StringId> fields;
  };

  TraceWriter& file_;
  std::vector<schema::TracepointFormat> formats_;
  std::vector<Texts> texts_;
  fxt::StringId more_;
};

}  // namespace translate
