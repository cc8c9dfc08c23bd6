// SPDX-License-Identifier: BSD-2-Clause
// Restores fields of Trace Event JSON that records cannot hold and that `fxt import` kept as
// arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "analyze/show/frame_table.h"
#include "fxt/id_map.h"
#include "fxt/reader.h"
#include "text/json_writer.h"

namespace analyze {

// The fields of one event that stand among its arguments (schema/names.h, kFieldMark).
class ImportedFields {
 public:
  explicit ImportedFields(std::span<const fxt::Argument> arguments);

  // The phase of the event; empty if its record has it.
  std::string_view phase() const { return phase_; }
  bool has_id() const { return has_id_; }
  bool has_scope() const { return has_scope_; }
  // An element of "samples", and whether that names its process.
  bool is_sample() const { return is_sample_ || is_process_sample_; }
  bool is_process_sample() const { return is_process_sample_; }
  // No event of the JSON: another one says it.
  bool is_made() const { return is_made_; }
  // ns by which it is later than in the JSON.
  std::optional<uint64_t> late() const { return late_; }
  // ns of a complete event that is an async span in the trace.
  std::optional<uint64_t> duration() const { return duration_; }
  // The value of "args" if it is not an object; null: it is one.
  const fxt::Argument* whole_arguments() const { return whole_arguments_; }

  static bool IsField(const fxt::Argument& argument);
  // Whether the text of this argument is JSON: it is said to be, and is.
  bool IsJson(const fxt::Argument& argument) const;
  // As it stood in the JSON.
  void WriteValue(const fxt::Argument& argument, text::JsonWriter& json) const;
  // The fields other than those above, to an object that is open.
  void Write(text::JsonWriter& json, FrameTable& frames) const;

 private:
  std::span<const fxt::Argument> arguments_;
  std::string_view phase_;
  std::string_view json_names_;
  bool has_id_ = false;
  bool has_scope_ = false;
  bool is_sample_ = false;
  bool is_process_sample_ = false;
  bool is_made_ = false;
  std::optional<uint64_t> late_;
  std::optional<uint64_t> duration_;
  const fxt::Argument* whole_arguments_ = nullptr;
};

// The numbers that tasks had in the JSON, where their koids are others.
class ImportedNumbers {
 public:
  // A kernel object of an imported file.
  void Note(const fxt::KernelObject& object);

  // The koid where there is no other number.
  void WritePid(fxt::Koid process, text::JsonWriter& json) const { Write(pids_, process, json); }
  void WriteTid(fxt::Koid thread, text::JsonWriter& json) const { Write(tids_, thread, json); }
  // For ftrace text, which has unsigned numbers only: the koid replaces others.
  uint64_t Pid(fxt::Koid process) const { return Unsigned(pids_, process); }
  uint64_t Tid(fxt::Koid thread) const { return Unsigned(tids_, thread); }

 private:
  using Numbers = fxt::IdMap<std::variant<int64_t, std::string>>;
  static constexpr size_t kMost = size_t{1} << 20;
  static uint64_t Unsigned(const Numbers& numbers, fxt::Koid koid);
  static void Write(const Numbers& numbers, fxt::Koid koid, text::JsonWriter& json);

  Numbers pids_;
  Numbers tids_;
};

// Whether the record that `reader` stands at comes from Trace Event JSON.
bool IsImported(const fxt::Reader& reader);
// The instant that says so, and has the properties of the file.
bool IsImportHead(const fxt::Event& event);

}  // namespace analyze
