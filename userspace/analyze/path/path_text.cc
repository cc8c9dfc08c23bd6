// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/utf8.h"
#include "measure/waited_object.h"
#include "text/clean_text.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using Names = path::PartText::Names;

void PutText(text::JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key);
  if (value.empty()) {
    json.Null();
  } else {
    json.String(value);
  }
}

// Bytes of all lines of folded stacks, and of the node of one of them.
constexpr size_t kMaxFoldedBytes = size_t{128} << 20;
constexpr size_t kLineBytes = 96;

// A frame of a folded stack has no semicolon.
std::string Frame(std::string name) {
  std::replace(name.begin(), name.end(), ';', ',');
  return name;
}

}  // namespace

void WritePathJson(text::TextWriter& out, const PathSet& set) {
  const path::PartText text = set.text();
  text::JsonWriter json(out.buffer());
  json.BeginObject().Key("requests").BeginArray();
  for (const auto& entry : set.entries()) {
    const path::Request& request = entry.request;
    json.Line().BeginObject().String("name", request.name).Unsigned("id", request.id);
    json.Unsigned("ts", request.begin).Unsigned("dur", request.duration());
    json.Unsigned("tid", set.builder().NumberOf(request.thread)).Key("parts").BeginArray();
    for (const path::Part& part : entry.parts) {
      json.Line().BeginObject().String("kind", path::NameOf(part.kind)).Unsigned("ns", part.length);
      json.String("thread", text.Thread(part.thread, Names::kAlone)).Key("tid");
      if (part.thread == facts::kNoThread) {
        json.Null();
      } else {
        json.Unsigned(text.TidOf(part.thread));
      }
      PutText(json, "waited_for", text.WaitedFor(part, Names::kWithId));
      PutText(json, "object", text.Text(part.waited_for.object));
      PutText(json, "stack", text.Text(part.waited_for.stack));
      json.EndObject();
      out.FlushIfFull();
    }
    json.EndArray().EndObject();
    out.FlushIfFull();
  }
  json.EndArray().EndObject();
  out.Append("\n");
}

void WritePathFolded(text::TextWriter& out, const PathSet& set) {
  const path::PartText text = set.text();
  std::map<std::string, uint64_t> lines;
  size_t free = kMaxFoldedBytes;
  uint64_t left_out = 0;
  std::vector<facts::ThreadIndex> threads;  // by depth
  const auto name_of = [&](facts::ThreadIndex thread) {
    return text.Thread(thread, Names::kAlone);
  };
  for (const auto& entry : set.entries()) {
    const std::string name =
        Frame(text::CleanText(fxt::CutUtf8(entry.request.name, path::PartText::kMaxNameBytes)));
    threads.clear();
    // Backwards, as the walk went: a thread is entered by a part of its own.
    for (auto part = entry.parts.rbegin(); part != entry.parts.rend(); ++part) {
      threads.resize(part->depth + size_t{1}, part->waiter);
      threads[part->depth] = part->thread;
      std::string line = name;
      for (const facts::ThreadIndex thread : threads)
        line += ";" + Frame(text.Thread(thread, Names::kAlone));
      line += ";" +
              Frame(text.Describe(*part, name_of,
                                  measure::ComparableName("", text.Text(part->waited_for.object))));
      if (const auto known = lines.find(line); known != lines.end()) {
        known->second += part->length;
      } else if (const size_t bytes = line.size() + kLineBytes; bytes > free) {
        left_out += part->length;
      } else {
        free -= bytes;
        lines.emplace(std::move(line), part->length);
      }
    }
  }
  if (left_out != 0) lines["(left out: too many different stacks)"] = left_out;
  for (const auto& [line, ns] : lines) out.Print("{} {}\n", line, ns);
}

}  // namespace analyze
