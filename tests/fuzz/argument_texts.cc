// SPDX-License-Identifier: BSD-2-Clause
#include "fuzz/argument_texts.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probes/argument_finder.h"
#include "probes/dwarf_arguments.h"
#include "probes/probe_text.h"

namespace fuzz {
namespace {

constexpr size_t kMaxFunctions = 24;
constexpr std::string_view kHas = "it has: ";

std::vector<probes::ValueText> Parse(const std::string& list) {
  const auto parsed = probes::ParseProbe("f(" + list + ")");
  return parsed ? parsed->arguments : std::vector<probes::ValueText>();
}

// The parameters, and what members of them might be.
std::string TextsOf(std::string_view names) {
  std::string texts;
  for (size_t count = 0; count < 4 && !names.empty(); ++count) {
    const std::string name(names.substr(0, names.find(", ")));
    names.remove_prefix(std::min(names.size(), name.size() + 2));
    for (const char* rest : {"", ":str", "[1]", "->size", "->next->path:str", ".header.tag:str",
                             "->price", "->high", ".values[1]"}) {
      texts += (texts.empty() ? "" : ", ") + name + rest;
    }
  }
  return texts;
}

std::vector<uint64_t> AddressesOf(const symbols::ElfFile& file) {
  std::vector<uint64_t> addresses;
  for (const char* section : {".symtab", ".dynsym"}) {
    const std::vector<std::byte> bytes = file.ReadSection(section);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + at, sizeof(symbol));
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
        addresses.push_back(symbol.st_value);
    }
  }
  return addresses;
}

}  // namespace

size_t ReadArguments(symbols::ElfFile file) {
  const std::vector<uint64_t> addresses = AddressesOf(file);
  const auto arguments =
      probes::DwarfArguments::Open(std::move(file), std::nullopt, probes::HostMachine());
  if (!arguments) return 0;
  size_t found = 0;
  const size_t stride = std::max<size_t>(1, addresses.size() / kMaxFunctions);
  for (size_t i = 0; i < addresses.size(); i += stride) {
    probes::ArgumentQuery query;
    query.functions.push_back({addresses[i], i % 7 == 1});
    // The refusal of an unknown name has the names that are known.
    const std::string known =
        arguments->Find(query.functions[0], Parse("no_such_parameter"))[0].error;
    const size_t at = known.find(kHas);
    if (at == std::string::npos) continue;
    query.values = Parse(TextsOf(std::string_view(known).substr(at + kHas.size())));
    query.wants_result = true;
    std::vector<probes::FunctionArguments> values(1);
    values[0].values = arguments->Find(query.functions[0], query.values);
    values[0].result = arguments->FindResult(query.functions[0], i % 2 == 0 ? "" : "str");
    if (!probes::DecodeArguments(probes::EncodeArguments(values), query)) std::abort();
    found += static_cast<size_t>(std::ranges::count_if(
        values[0].values, [](const auto& each) { return each.error.empty(); }));
  }
  return found;
}

}  // namespace fuzz
