// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/session_options.h"

#include <fmt/format.h>

#include "capture/bpf/category.h"
#include "util/quantity.h"

namespace tools {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

// In the document's unit, at least one of it.
util::Result<uint32_t> Megabytes(const std::string& size) {
  auto bytes = util::ParseSize(size);
  if (!bytes) return bytes.TakeError();
  const uint64_t megabytes = (*bytes + kMebibyte - 1) / kMebibyte;
  if (megabytes > UINT32_MAX) {
    return util::Error{fmt::format("a buffer of {} is too large", size), ""};
  }
  return static_cast<uint32_t>(megabytes);
}

std::vector<std::string> SplitAtCommas(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    words.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return words;
}

}  // namespace

void SessionOptions::AddTo(const Command& command) {
  command
      .Add("--circular", circular,
           "Keep the newest events in a buffer of this size, all CPUs together")
      .Type("SIZE");
  command.Add("--oneshot", oneshot, "Stop when a buffer of this size is full")
      .Type("SIZE")
      .Excludes("--circular");
  command.Add("--streaming", streaming, "Write everything to the file of -o as it comes")
      .Excludes("--circular")
      .Excludes("--oneshot");
  command.Add("-o,--output", output, "With --streaming: file to write").Type("FILE");
  command
      .Add("-c,--categories", categories,
           "What to record (fxt-record --list-categories shows what there is)")
      .Type("LIST");
}

util::Result<control::TraceConfig> SessionOptions::MakeConfig() const {
  control::TraceConfig config;
  config.buffering_mode = control::BufferingMode::kCircular;
  if (streaming) {
    config.buffering_mode = control::BufferingMode::kStreaming;
    if (output.empty()) {
      return util::Error{"--streaming without a file", "name it with -o FILE"};
    }
  } else if (!output.empty()) {
    return util::Error{"-o goes with --streaming",
                       "fxt-record snapshot and stop write what the other modes have in memory"};
  }
  const std::string& size = !oneshot.empty() ? oneshot : circular;
  if (!oneshot.empty()) config.buffering_mode = control::BufferingMode::kOneshot;
  if (!size.empty()) {
    auto megabytes = Megabytes(size);
    if (!megabytes) return megabytes.TakeError();
    config.buffer_size_megabytes_hint = *megabytes;
  }
  if (!categories.empty()) {
    // Told here, where the hint is.
    auto parsed = capture::ParseCategories(categories);
    if (!parsed) return parsed.TakeError();
    config.categories = SplitAtCommas(categories);
  }
  return config;
}

}  // namespace tools
