// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/utf8.h"
#include "measure/waited_object.h"
#include "path/trace_id.h"
#include "text/clean_text.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using Names = path::PartText::Names;

// Values of JSON by number, made when they are asked for. Bounded: some are made again.
class JsonCache {
 public:
  template <typename Make>
  const std::string& Of(uint32_t number, Make&& make) {
    Slot& slot = slots_[number % slots_.size()];
    if (slot.number != number) {
      slot.number = number;
      slot.value = make();
    }
    return slot.value;
  }

 private:
  struct Slot {
    uint64_t number = UINT64_MAX;
    std::string value;
  };
  std::vector<Slot> slots_{4096};
};

std::string Quoted(std::string_view text) {
  fmt::memory_buffer out;
  text::AppendJsonString(out, text);
  return fmt::to_string(out);
}

// The parts of paths as JSON objects.
class PartJson {
 public:
  explicit PartJson(const path::PartText& text) : text_(text) {}

  // Valid up to the next call.
  std::string_view Of(const path::Part& part) {
    out_.clear();
    out_.append(std::string_view("{\"kind\":\""));
    out_.append(std::string_view(path::NameOf(part.kind)));
    out_.append(std::string_view("\",\"ns\":"));
    if (part.length < kShort) {
      const fmt::format_int digits(part.length);
      out_.append(digits.data(), digits.data() + digits.size());
    } else {
      text::AppendJsonNumber(out_, part.length);
    }
    out_.append(threads_.Of(part.thread, [&] { return MembersOf(part.thread); }));
    out_.append(std::string_view(",\"waited_for\":"));
    if (part.kind != path::PartKind::kRunnable) {
      out_.append(TextOf(part.waited_for.what));
    } else if (part.idle_cpu || part.holder == facts::kNoThread) {
      out_.append(std::string_view(part.idle_cpu ? "\"idle CPU\"" : "null"));
    } else {
      out_.append(holders_.Of(part.holder,
                              [&] { return Quoted(text_.Thread(part.holder, Names::kWithId)); }));
    }
    out_.append(std::string_view(",\"object\":"));
    out_.append(TextOf(part.waited_for.object));
    out_.append(std::string_view(",\"stack\":"));
    out_.append(TextOf(part.waited_for.stack));
    out_.push_back('}');
    return {out_.data(), out_.size()};
  }

 private:
  static constexpr uint64_t kShort = uint64_t{1} << 53;

  std::string MembersOf(facts::ThreadIndex thread) const {
    fmt::memory_buffer out;
    out.append(std::string_view(",\"thread\":"));
    text::AppendJsonString(out, text_.Thread(thread, Names::kAlone));
    out.append(std::string_view(",\"tid\":"));
    if (thread == facts::kNoThread) {
      out.append(std::string_view("null"));
    } else {
      text::AppendJsonNumber(out, text_.TidOf(thread));
    }
    return fmt::to_string(out);
  }
  std::string_view TextOf(path::Label label) {
    if (label == 0) return "null";
    return labels_.Of(label, [&] {
      const std::string text = text_.Text(label);
      return text.empty() ? std::string("null") : Quoted(text);
    });
  }

  const path::PartText& text_;
  fmt::memory_buffer out_;
  JsonCache threads_;
  JsonCache holders_;
  JsonCache labels_;
};

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
  PartJson part_json(text);
  text::JsonWriter json(out.buffer());
  json.BeginObject().Key("requests").BeginArray();
  for (const auto& entry : set.entries()) {
    const path::Request& request = entry.request;
    json.Line().BeginObject().String("name", request.name).Unsigned("id", request.id);
    json.Unsigned("ts", request.begin).Unsigned("dur", request.duration());
    json.Unsigned("tid", set.builder().NumberOf(request.thread));
    if (const std::string id = path::TraceIdOf(request.members); !id.empty()) {
      json.String(path::kTraceIdArgument, id);
    }
    json.Key("parts").BeginArray();
    for (const path::Part& part : entry.parts()) {
      json.Line().Json(part_json.Of(part));
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
    const std::vector<path::Part> parts = entry.parts();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
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
