// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/python_module.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace unwind {
namespace {

// Versions with symbols that earlier ones do not have. From 3.11 on Py_Version has the number.
constexpr std::string_view kNewIn3_9 = "PyFrame_GetCode";
constexpr std::string_view kNewIn3_10 = "Py_NewRef";
constexpr uint32_t kUnknownOld = 8;
constexpr uint32_t kDebugOffsetsSince = 13;
constexpr uint32_t kFreeThreads = 1'000;  // a minor version whose layout is not known

struct Symbols {
  Elf64_Sym runtime{};
  Elf64_Sym version{};
  Elf64_Sym loop{};
  bool is_3_9 = false;
  bool is_3_10 = false;
};

Symbols Find(std::span<const std::byte> symbols, std::string_view names) {
  Symbols found;
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + at, sizeof(symbol));
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
    std::string_view name = names.substr(symbol.st_name);
    if (!name.starts_with("Py") && !name.starts_with("_Py")) continue;
    name = name.substr(0, name.find('\0'));
    if (name == "_PyRuntime") found.runtime = symbol;
    if (name == "Py_Version") found.version = symbol;
    if (name == "_PyEval_EvalFrameDefault") found.loop = symbol;
    found.is_3_9 |= name == kNewIn3_9;
    found.is_3_10 |= name == kNewIn3_10;
  }
  return found;
}

// Bytes of the file at an address of its own.
std::vector<std::byte> BytesAt(const symbols::ElfFile& file, uint64_t address, size_t size) {
  for (const symbols::LoadSegment& segment : file.segments()) {
    if (address < segment.address || address - segment.address >= segment.file_size) continue;
    return file.ReadBytes(segment.file_offset + (address - segment.address), size);
  }
  return {};
}

template <typename Value>
Value ValueAt(std::span<const std::byte> bytes, size_t offset) {
  Value value{};
  if (offset + sizeof(value) <= bytes.size()) {
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
  }
  return value;
}

// Takes what _PyRuntime says of its own layout (_Py_DebugOffsets).
void TakeDebugOffsets(const symbols::ElfFile& file, uint64_t runtime, PythonModule* module) {
  constexpr size_t kFreeThreadsAt = 16;
  constexpr size_t kInterpretersAt = 40;
  constexpr size_t kNextAt = 64;
  constexpr size_t kThreadsAt = 72;
  constexpr std::string_view kCookie = "xdebugpy";
  const std::vector<std::byte> bytes = BytesAt(file, runtime, kThreadsAt + sizeof(uint64_t));
  const auto offset = [&](size_t at) {
    return static_cast<uint32_t>(ValueAt<uint64_t>(bytes, at));
  };
  if (bytes.size() <= kThreadsAt ||
      std::memcmp(bytes.data(), kCookie.data(), kCookie.size()) != 0 ||
      offset(kFreeThreadsAt) != 0) {
    module->minor = kFreeThreads;
    return;
  }
  module->interpreters = offset(kInterpretersAt);
  module->next_interpreter = offset(kNextAt);
  module->threads = offset(kThreadsAt);
}

// The layout of 3.9, which all versions share in part.
constexpr fxr_python_layout kLayout3_9 = {
    .interpreters = 32,
    .next_interpreter = 0,
    .threads = 8,
    .next_thread = 8,
    .thread_id = 176,
    .thread_frame = 24,
    .thread_cframe = 0,
    .cframe_frame = 0,
    .cframe_previous = 0,
    .frame_bytes = 112,
    .frame_previous = 24,
    .frame_code = 32,
    .frame_instruction = 104,
    .frame_run = 0,
    .runs = FXR_PYTHON_RUN_EACH,
    .index_bytes = 1,
    .code_instructions = 0,
    .code_traceable = 0,
    .code_first_line = 40,
    .code_file = 104,
    .code_name = 112,
    .code_lines = 120,
    .text_bytes = 48,
    .wide_text_bytes = 72,
    .minor = 9,
    .code_number = 0,
    .frames_are_adjacent = 0,
    .unused = 0,
};

constexpr fxr_python_layout Layout3_10() {
  fxr_python_layout layout = kLayout3_9;
  layout.thread_cframe = 48;
  layout.cframe_previous = 8;
  layout.frame_instruction = 96;
  layout.index_bytes = 2;
  layout.minor = 10;
  return layout;
}

constexpr fxr_python_layout Layout3_11() {
  fxr_python_layout layout = kLayout3_9;
  layout.interpreters = 40;
  layout.threads = 16;
  layout.thread_id = 152;
  layout.thread_frame = 0;
  layout.thread_cframe = 56;
  layout.cframe_frame = 8;
  layout.cframe_previous = 16;
  layout.frame_bytes = 72;
  layout.frame_previous = 48;
  layout.frame_code = 32;
  layout.frame_instruction = 56;
  layout.frame_run = 68;
  layout.runs = FXR_PYTHON_RUN_BY_FLAG;
  layout.code_instructions = 184;
  layout.code_traceable = 168;
  layout.code_first_line = 72;
  layout.code_file = 112;
  layout.code_name = 128;
  layout.code_lines = 136;
  layout.frames_are_adjacent = 1;
  layout.minor = 11;
  return layout;
}

constexpr fxr_python_layout Layout3_12() {
  fxr_python_layout layout = Layout3_11();
  layout.threads = 72;
  layout.thread_id = 136;
  layout.cframe_frame = 0;
  layout.cframe_previous = 0;
  layout.frame_previous = 8;
  layout.frame_code = 0;
  layout.frame_run = 70;
  layout.runs = FXR_PYTHON_RUN_BY_OWNER;
  layout.code_instructions = 192;
  layout.code_traceable = 176;
  layout.code_first_line = 68;
  layout.text_bytes = 40;
  layout.wide_text_bytes = 56;
  layout.code_number = 92;
  layout.minor = 12;
  return layout;
}

constexpr fxr_python_layout Layout3_13() {
  fxr_python_layout layout = Layout3_12();
  layout.interpreters = 632;
  layout.next_interpreter = 7264;
  layout.threads = 7344;
  layout.thread_id = 152;
  layout.thread_frame = 72;
  layout.thread_cframe = 0;
  layout.code_instructions = 200;
  layout.code_traceable = 184;
  layout.minor = 13;
  return layout;
}

constexpr fxr_python_layout kLayouts[] = {kLayout3_9, Layout3_10(), Layout3_11(), Layout3_12(),
                                          Layout3_13()};

}  // namespace

PythonModule FindPython(const symbols::ElfFile& file) {
  constexpr std::string_view kRuntime = "_PyRuntime";
  PythonModule module;
  if (file.machine() != EM_X86_64) return module;
  const std::vector<std::byte> text = file.ReadSection(".dynstr");
  const std::string_view names(reinterpret_cast<const char*>(text.data()), text.size());
  if (names.find(kRuntime) == std::string_view::npos) return module;
  const std::vector<std::byte> symbols = file.ReadSection(".dynsym");
  const Symbols found = Find(symbols, names);
  const auto code = std::ranges::find_if(file.segments(), &symbols::LoadSegment::executable);
  if (found.runtime.st_value == 0 || code == file.segments().end()) return module;
  module.minor = found.is_3_10 ? 10 : found.is_3_9 ? 9 : kUnknownOld;
  if (found.version.st_value != 0) {
    const std::vector<std::byte> bytes = BytesAt(file, found.version.st_value, sizeof(uint32_t));
    module.minor = ValueAt<uint32_t>(bytes, 0) >> 16 & 0xff;
  }
  if (module.minor >= kDebugOffsetsSince) {
    TakeDebugOffsets(file, found.runtime.st_value, &module);
  }
  const uint64_t to_place = code->file_offset - code->address;
  module.runtime = found.runtime.st_value + to_place;
  if (found.loop.st_value != 0) {
    module.loop = found.loop.st_value + to_place;
    module.loop_bytes = found.loop.st_size;
  }
  return module;
}

std::optional<fxr_python_layout> PythonLayout(const PythonModule& module) {
  const auto* known = std::ranges::find(kLayouts, module.minor, &fxr_python_layout::minor);
  if (known == std::end(kLayouts)) return std::nullopt;
  fxr_python_layout layout = *known;
  if (module.threads != 0) {
    layout.interpreters = module.interpreters;
    layout.next_interpreter = module.next_interpreter;
    layout.threads = module.threads;
  }
  return layout;
}

}  // namespace unwind
