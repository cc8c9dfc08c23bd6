// SPDX-License-Identifier: BSD-2-Clause
#include "capture/python_frames.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "fxt_record/python.h"
#include "schema/script_frame.h"
#include "symbols/python_lines.h"

namespace capture {
namespace {

// Frames that a record can have.
constexpr size_t kMaxFrames = 255;

void AppendUtf8(uint32_t character, std::string* text) {
  const auto add = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xc0 | character >> 6);
    add(0x80 | (character & 0x3f));
  } else if (character < 0x1'0000) {
    add(0xe0 | character >> 12);
    add(0x80 | (character >> 6 & 0x3f));
    add(0x80 | (character & 0x3f));
  } else {
    add(0xf0 | (character >> 18 & 7));
    add(0x80 | (character >> 12 & 0x3f));
    add(0x80 | (character >> 6 & 0x3f));
    add(0x80 | (character & 0x3f));
  }
}

// The text of a str object: characters of 1, 2 or 4 bytes.
std::string TextOf(uint32_t head, std::span<const std::byte> bytes) {
  constexpr uint32_t kFirstSurrogate = 0xd800;
  constexpr uint32_t kLastSurrogate = 0xdfff;
  constexpr uint32_t kLastCharacter = 0x10'ffff;
  const size_t size = head >> 2 & 7;
  std::string text;
  if (size != 1 && size != 2 && size != 4) return text;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint32_t character = 0;
    std::memcpy(&character, bytes.data() + at, size);
    if (character == 0) break;
    if (character > kLastCharacter ||
        (character >= kFirstSurrogate && character <= kLastSurrogate)) {
      character = '?';
    }
    AppendUtf8(character, &text);
  }
  return text;
}

}  // namespace

const fxr_side_header* PythonFrames::Take(const fxr_side_header& event) {
  if (event.type != FXR_SIDE_LONG) return &event;
  const auto& sent = reinterpret_cast<const fxr_long&>(event);
  if (fxr_python_code_long code; fxr_unpack_python_code(&sent, &code) != 0) {
    AddCode(sent, code);
    return nullptr;
  }
  fxr_stack_long stack;
  if (fxr_unpack_stack(&sent, &stack) == 0 || stack.python_frames == 0) return &event;
  const auto* words = static_cast<const uint64_t*>(fxr_long_bytes(&sent));
  const std::span all(words, sent.bytes / sizeof(uint64_t));
  if (uint64_t{stack.user_frames} + stack.python_frames > all.size()) return &event;
  frames_.clear();
  Merge(stack, all, &frames_);
  const auto kernel = all.subspan(size_t{stack.user_frames} + stack.python_frames);
  const size_t room = kMaxFrames - std::min(kMaxFrames, kernel.size());
  if (frames_.size() > room) {
    frames_.resize(room);
    stack.end = FXR_STACK_END_DEEP;
  }
  stack.user_frames = static_cast<fxr_u32>(frames_.size());
  stack.python_frames = 0;
  frames_.insert(frames_.end(), kernel.begin(), kernel.end());
  const size_t bytes = frames_.size() * sizeof(uint64_t);
  const size_t size = FXR_LONG_SIZE(stack, bytes);
  merged_.resize(size / sizeof(uint64_t));
  auto* whole = reinterpret_cast<fxr_long*>(merged_.data());
  whole->header = sent.header;
  whole->header.size = static_cast<fxr_u32>(size);
  whole->category = sent.category;
  fxr_pack_stack(whole, stack, static_cast<fxr_u32>(bytes));
  std::ranges::copy(frames_, static_cast<uint64_t*>(fxr_stack_bytes(whole)));
  return &whole->header;
}

void PythonFrames::AddCode(const fxr_long& event, const fxr_python_code_long& fields) {
  const auto* first = static_cast<const std::byte*>(fxr_long_bytes(&event));
  const std::span bytes(first, event.bytes);
  constexpr size_t kLinesAt = FXR_PYTHON_NAME_BYTES + FXR_PYTHON_FILE_BYTES;
  if (bytes.size() < kLinesAt || fields.name_bytes > FXR_PYTHON_NAME_BYTES ||
      fields.file_bytes > FXR_PYTHON_FILE_BYTES || fields.lines_bytes > bytes.size() - kLinesAt) {
    return;
  }
  Code code{.function = 0,
            .minor = fields.minor,
            .first_line = fields.first_line,
            .traceable = fields.traceable,
            .lines = {}};
  std::string name = TextOf(fields.name_head, bytes.first(fields.name_bytes));
  std::string file =
      TextOf(fields.file_head, bytes.subspan(FXR_PYTHON_NAME_BYTES, fields.file_bytes));
  if (!name.empty()) {
    code.function = functions_->Add({std::move(name), std::move(file), fields.first_line});
  }
  const auto lines = bytes.subspan(kLinesAt, fields.lines_bytes);
  code.lines.assign(lines.begin(), lines.end());
  line_bytes_ += lines.size();
  codes_.insert_or_assign(fields.id, std::move(code));
}

bool PythonFrames::BeginGeneration() {
  if (codes_.size() < kMaxCodes && line_bytes_ < kMaxLineBytes) return false;
  older_ = std::exchange(codes_, {});
  line_bytes_ = 0;
  return true;
}

const PythonFrames::Code* PythonFrames::Find(uint64_t id) const {
  for (const Codes* codes : {&codes_, &older_}) {
    if (const auto found = codes->find(id); found != codes->end()) return &found->second;
  }
  return nullptr;
}

void PythonFrames::AddFrame(uint64_t sent, std::vector<uint64_t>* frames) const {
  constexpr uint64_t kUnnamed = uint64_t{1} << 62;
  const auto instruction = static_cast<uint32_t>(sent >> 1) & FXR_PYTHON_NO_INSTRUCTION;
  const Code* code = Find(sent >> FXR_PYTHON_ID_SHIFT);
  if (code == nullptr || code->function == 0) {
    frames->push_back(kUnnamed);
    return;
  }
  // As the interpreter's own tracebacks do.
  if (instruction < code->traceable) return;
  const uint32_t line =
      instruction == FXR_PYTHON_NO_INSTRUCTION
          ? 0
          : symbols::PythonLine(code->minor, code->lines, code->first_line, instruction);
  frames->push_back(schema::ScriptFrame(code->function, code->first_line, line));
}

void PythonFrames::Merge(const fxr_stack_long& stack, std::span<const uint64_t> sent,
                         std::vector<uint64_t>* frames) const {
  const auto user = sent.first(stack.user_frames);
  auto python = sent.subspan(stack.user_frames, stack.python_frames);
  const auto add_run = [&](std::vector<uint64_t>* to) {
    while (!python.empty()) {
      const uint64_t frame = python.front();
      python = python.subspan(1);
      AddFrame(frame, to);
      if ((frame & FXR_PYTHON_RUN_END) != 0) return;
    }
  };
  std::optional<size_t> after_last;
  for (const uint64_t address : user) {
    if ((address & FXR_PYTHON_MARK) == 0) {
      frames->push_back(address);
    } else if (python.empty()) {
      frames->push_back(address & ~FXR_PYTHON_MARK);
    } else {
      add_run(frames);
      after_last = frames->size();
    }
  }
  // Runs whose native frames are missing, or were not recognised.
  std::vector<uint64_t> rest;
  while (!python.empty()) add_run(&rest);
  const bool is_whole = stack.end == FXR_STACK_END_ENTRY && after_last;
  frames->insert(is_whole ? frames->begin() + static_cast<ptrdiff_t>(*after_last) : frames->end(),
                 rest.begin(), rest.end());
}

}  // namespace capture
