// SPDX-License-Identifier: BSD-2-Clause
#include "probes/argument_finder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/isolated_worker.h"
#include "util/unique_fd.h"

namespace probes {
namespace {

constexpr uint32_t kMaxErrorBytes = 2000;

// A value as it stands in the reply; the error's bytes follow.
struct EncodedValue {
  uint32_t error_bytes;
  uint32_t bytes;
  uint8_t is_signed;
  uint8_t is_float;
  uint8_t form;
  uint8_t has_length;
  fxr_probe_operand operand;
  fxr_probe_operand length;
};

void Encode(const ResolvedValue& value, std::vector<std::byte>* bytes) {
  EncodedValue encoded{};
  const ArgumentType& type = value.argument.type;
  encoded.error_bytes = static_cast<uint32_t>(std::min<size_t>(value.error.size(), kMaxErrorBytes));
  encoded.bytes = type.bytes;
  encoded.is_signed = type.is_signed;
  encoded.is_float = type.is_float;
  encoded.form = static_cast<uint8_t>(type.form);
  encoded.operand = value.argument.operand;
  encoded.has_length = value.argument.length.has_value();
  if (value.argument.length) encoded.length = *value.argument.length;
  const auto* begin = reinterpret_cast<const std::byte*>(&encoded);
  bytes->insert(bytes->end(), begin, begin + sizeof(encoded));
  const auto* text = reinterpret_cast<const std::byte*>(value.error.data());
  bytes->insert(bytes->end(), text, text + encoded.error_bytes);
}

bool IsValid(const fxr_probe_operand& operand) {
  // A larger source would read the kernel's memory behind the registers.
  return operand.source % 8 == 0 && operand.source + 8 <= ContextBytes(HostMachine()) &&
         operand.kind <= FXR_PROBE_SLICE && operand.steps <= FXR_PROBE_STEPS &&
         operand.bytes <= 8 && operand.shift < 64 && operand.bits >= 1 && operand.bits <= 64 &&
         operand.is_signed <= 1 && operand.text_bytes <= FXR_PROBE_TEXT_BYTES;
}

bool Decode(std::span<const std::byte>* bytes, ResolvedValue* value) {
  EncodedValue encoded;
  if (bytes->size() < sizeof(encoded)) return false;
  std::memcpy(&encoded, bytes->data(), sizeof(encoded));
  *bytes = bytes->subspan(sizeof(encoded));
  if (encoded.error_bytes > kMaxErrorBytes || encoded.error_bytes > bytes->size()) return false;
  value->error.assign(reinterpret_cast<const char*>(bytes->data()), encoded.error_bytes);
  std::ranges::replace_if(
      value->error, [](char c) { return c < ' ' || c > '~'; }, '?');
  *bytes = bytes->subspan(encoded.error_bytes);
  if (!value->error.empty()) return true;
  if (encoded.bytes == 0 || encoded.bytes > 8 ||
      encoded.form > static_cast<uint8_t>(ArgumentType::Form::kText) || !IsValid(encoded.operand) ||
      (encoded.has_length != 0 && !IsValid(encoded.length))) {
    return false;
  }
  const auto form = static_cast<ArgumentType::Form>(encoded.form);
  if ((form == ArgumentType::Form::kText) != (encoded.operand.kind != FXR_PROBE_NUMBER))
    return false;
  if ((encoded.operand.kind == FXR_PROBE_SLICE) != (encoded.has_length != 0)) return false;
  value->argument.type = {encoded.bytes, encoded.is_signed != 0, encoded.is_float != 0, form};
  value->argument.operand = encoded.operand;
  if (encoded.has_length != 0) {
    value->argument.length = encoded.length;
    value->argument.length->kind = FXR_PROBE_NUMBER;
  }
  return true;
}

bool HasDebugInformation(const symbols::ElfFile& file) { return file.HasSection(".debug_info"); }

// The file itself, or its separate debug file; empty if none has debug information.
std::string FindDebugFile(const std::string& path, const symbols::ElfFile& file,
                          const symbols::DebugFileOptions& options) {
  if (HasDebugInformation(file)) return path;
  for (const std::string& each :
       symbols::DebugFileCandidates(path, file.build_id(), file.debug_link(), options)) {
    auto debug = symbols::ElfFile::Open(each);
    if (debug && debug->build_id() == file.build_id() && HasDebugInformation(*debug)) return each;
  }
  return {};
}

}  // namespace

std::vector<std::byte> EncodeArguments(std::span<const FunctionArguments> functions) {
  std::vector<std::byte> bytes;
  for (const FunctionArguments& each : functions) {
    for (const ResolvedValue& value : each.values) Encode(value, &bytes);
    Encode(each.result, &bytes);
  }
  return bytes;
}

std::optional<std::vector<FunctionArguments>> DecodeArguments(std::span<const std::byte> bytes,
                                                              const ArgumentQuery& query) {
  std::vector<FunctionArguments> functions(query.functions.size());
  for (FunctionArguments& each : functions) {
    each.values.resize(query.values.size());
    for (size_t i = 0; i < query.values.size(); ++i) {
      if (!Decode(&bytes, &each.values[i])) return std::nullopt;
      each.values[i].argument.name = query.values[i].name;
    }
    if (!Decode(&bytes, &each.result)) return std::nullopt;
  }
  if (!bytes.empty()) return std::nullopt;
  return functions;
}

util::Result<std::optional<std::vector<FunctionArguments>>> FindArguments(
    const std::string& path, const symbols::ElfFile& file, const symbols::DebugFileOptions& options,
    ArgumentQuery query) {
  using Found = std::optional<std::vector<FunctionArguments>>;
  const std::string debug_path = FindDebugFile(path, file, options);
  if (debug_path.empty()) return Found();
  const util::UniqueFd debug_file(open(debug_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!debug_file) return util::Error{fmt::format("cannot open {}", debug_path), ""};
  const auto work = [&query](int opened, util::IsolatedWorker::Bytes* reply) {
    auto elf = symbols::ElfFile::FromDescriptor(util::UniqueFd(fcntl(opened, F_DUPFD_CLOEXEC, 0)));
    if (!elf) return false;
    const auto arguments = DwarfArguments::Open(std::move(*elf), std::nullopt, HostMachine());
    if (!arguments) return false;
    std::vector<FunctionArguments> functions;
    for (const DwarfArguments::Function& function : query.functions) {
      FunctionArguments found;
      found.values = arguments->Find(function, query.values);
      if (query.wants_result) {
        found.result = arguments->FindResult(function, query.result_type);
      } else {
        found.result.error = "-";
      }
      functions.push_back(std::move(found));
    }
    *reply = EncodeArguments(functions);
    return true;
  };
  auto worker = util::IsolatedWorker::Start(work, {.reply_bytes = size_t{16} << 20, .crashes = 0});
  if (!worker) return worker.TakeError();
  const auto reply = (*worker)->Call(debug_file.get());
  auto functions = reply ? DecodeArguments(*reply, query) : std::nullopt;
  if (!functions) {
    return util::Error{fmt::format("the debug information of {} cannot be read", debug_path),
                       "it is damaged, or takes more than 10 s or 1 GiB to read; arguments by "
                       "position need none: arg1, arg2:str"};
  }
  return Found(std::move(functions));
}

}  // namespace probes
