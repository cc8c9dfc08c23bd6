// SPDX-License-Identifier: BSD-2-Clause
// Critical paths of a trace as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "facts/read_loop.h"
#include "path/path_reader.h"

namespace path::testing {

// All spans that no kernel's category has.
inline PathOptions AllSpans() {
  PathOptions options;
  options.wants_span = [](std::string_view category, std::string_view, bool) {
    return category == "app";
  };
  return options;
}

// A line for each request, "request NAME t7 10-20", and below it one for each part:
//   "10 5 t7 running", "15 2 t8 runnable by t9 for t7", "17 3 t7 device (block read vda)"
// Expects that the parts follow one another and add up to the request.
inline std::vector<std::string> PathLines(std::span<const std::byte> bytes, PathOptions options) {
  std::vector<std::string> lines;
  const PathBuilder* owner = nullptr;
  PathReader paths(std::move(options), [&](const Request& request, std::span<const Part> parts) {
    const auto name = [&](facts::ThreadIndex thread) {
      return thread == facts::kNoThread ? "?" : fmt::format("t{}", owner->KoidOf(thread));
    };
    lines.push_back(fmt::format("request {} t{} {}-{}", request.name, request.thread, request.begin,
                                request.end));
    uint64_t at = request.begin;
    for (const Part& part : parts) {
      EXPECT_EQ(part.begin, at);
      EXPECT_GT(part.length, 0U);
      at += part.length;
      std::string& line = lines.emplace_back(fmt::format("{} {} {} {}", part.begin, part.length,
                                                         name(part.thread), NameOf(part.kind)));
      if (part.idle_cpu) line += " idle";
      if (part.holder != facts::kNoThread) line += " by " + name(part.holder);
      if (part.waiter != facts::kNoThread) line += " for " + name(part.waiter);
      std::string on;
      for (const Label label :
           {part.waited_for.what, part.waited_for.object, part.waited_for.stack}) {
        if (label == 0) continue;
        on += (on.empty() ? "" : " ") + std::string(owner->labels().TextOf(label));
      }
      if (!on.empty()) line += fmt::format(" ({})", on);
    }
    EXPECT_EQ(at, request.end) << request.name;
  });
  owner = &paths.builder();
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  facts::ReadRecords(reader, paths);
  paths.Finish();
  return lines;
}

}  // namespace path::testing
