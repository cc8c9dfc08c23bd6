// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/unwind_table.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

namespace unwind {
namespace {

// A row as readelf prints it.
struct Printed {
  uint64_t address = 0;
  std::string cfa, bp, return_address;
};

// Runs readelf and takes the rows of the functions that return to `return_register`; empty without
// readelf.
std::vector<Printed> ReadelfRows(const std::string& path, const std::string& return_register) {
  std::vector<Printed> rows;
  const std::string command = "readelf --debug-dump=frames-interp " + path + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return rows;
  std::vector<std::string> columns;
  std::set<std::string> common;  // CIEs with that register
  bool is_function = false;
  std::array<char, 4096> text;
  while (fgets(text.data(), text.size(), pipe.get()) != nullptr) {
    const std::string line(text.data());
    std::istringstream fields(line);
    std::vector<std::string> words;
    for (std::string word; fields >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (line.find(" FDE ") != std::string::npos) {
      // "... FDE cie=00000000 pc=..."
      is_function = words.size() > 4 && common.contains(words[4]);
    } else if (line.find(" CIE ") != std::string::npos) {
      is_function = false;
      if (words.back() == "ra=" + return_register) common.insert("cie=" + words[0]);
    } else if (words[0] == "LOC") {
      columns = words;
    } else if (is_function && words.size() == columns.size() && words[0].size() == 16) {
      Printed row{.address = std::stoull(words[0], nullptr, 16),
                  .cfa = "",
                  .bp = "u",
                  .return_address = ""};
      for (size_t i = 1; i < words.size(); ++i) {
        if (columns[i] == "CFA") row.cfa = words[i];
        if (columns[i] == "rbp" || columns[i] == "x29") row.bp = words[i];
        if (columns[i] == "ra") row.return_address = words[i];
      }
      // Unless a function saves it, it stays where it is.
      if (row.return_address.empty()) row.return_address = "u";
      rows.push_back(row);
    }
  }
  return rows;
}

std::string BpText(const fxr_unwind_rule& rule) {
  if (rule.bp == FXR_UNWIND_BP_SAME) return "u";
  if (rule.bp == FXR_UNWIND_BP_AT_CFA) {
    return (rule.bp_offset < 0 ? "c" : "c+") + std::to_string(rule.bp_offset);
  }
  return "exp";
}

std::string ReturnText(const fxr_unwind_rule& rule) {
  if (rule.return_place == FXR_UNWIND_RETURN_IN_REGISTER) return "u";
  const int offset = rule.return_place == FXR_UNWIND_RETURN_AT_CFA ? rule.return_offset : -8;
  return (offset < 0 ? "c" : "c+") + std::to_string(offset);
}

std::string Text(const std::string& base, int offset) {
  return base + std::string(offset < 0 ? "" : "+") + std::to_string(offset);
}

std::string OwnPath() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

void CompareWithReadelf(const std::string& path) {
  const auto file = symbols::ElfFile::Open(path);
  if (!file) GTEST_SKIP() << path << " cannot be read";
  const bool is_arm = file->machine() == EM_AARCH64;
  if (!is_arm && file->machine() != EM_X86_64) GTEST_SKIP() << "another machine";
  const std::string sp = is_arm ? "sp" : "rsp", bp = is_arm ? "x29" : "rbp";
  const std::vector<Printed> rows = ReadelfRows(path, is_arm ? "30" : "16");
  if (rows.empty()) GTEST_SKIP() << "readelf prints no rows";
  const UnwindTable table = UnwindTable::Read(*file);
  ASSERT_FALSE(table.empty());
  size_t compared = 0, wrong = 0;
  const auto expect = [&](const Printed& row, const std::string& ours, const std::string& theirs) {
    if (ours == theirs || ++wrong > 10) return;
    ADD_FAILURE() << std::hex << row.address << ": " << ours << " instead of " << theirs;
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    const Printed& row = rows[i];
    // If an address has several rows, the last one counts.
    if (i + 1 < rows.size() && rows[i + 1].address == row.address) continue;
    std::optional<uint64_t> place;
    for (const symbols::LoadSegment& segment : file->segments()) {
      if (segment.executable && row.address - segment.address < segment.file_size) {
        place = row.address - segment.address + segment.file_offset;
      }
    }
    if (!place) continue;
    const fxr_unwind_rule rule = table.Find(*place);
    ++compared;
    // readelf prints "u" for what is undefined and for what is unchanged. Only on ARM the return
    // address may be unchanged.
    if (row.return_address == "u" && !(is_arm && rule.kind == FXR_UNWIND_SP)) {
      expect(row, std::to_string(rule.kind), std::to_string(FXR_UNWIND_END));
    } else if (rule.kind == FXR_UNWIND_SP || rule.kind == FXR_UNWIND_BP) {
      expect(row, Text(rule.kind == FXR_UNWIND_SP ? sp : bp, rule.offset), row.cfa);
      expect(row, ReturnText(rule), row.return_address);
      if (rule.bp != FXR_UNWIND_BP_LOST) expect(row, BpText(rule), row.bp);
    } else if (rule.kind != FXR_UNWIND_UNSUPPORTED) {
      expect(row, "exp", row.cfa);
    } else {
      // Unsupported rules are in neither of the two simple forms.
      const bool is_plain =
          (row.cfa.starts_with(sp) || row.cfa.starts_with(bp)) && row.return_address == "c-8";
      EXPECT_FALSE(is_plain) << std::hex << row.address;
    }
  }
  EXPECT_EQ(wrong, 0u) << "of " << compared;
  EXPECT_GT(compared, 100u);
}

TEST(UnwindTable, HasTheRowsThatReadelfPrints) { CompareWithReadelf(OwnPath()); }

TEST(UnwindTable, HasTheRowsOfTheDistributionsLibc) {
  CompareWithReadelf("/lib/x86_64-linux-gnu/libc.so.6");
}

// The files of Debian's package libc6-arm64-cross.
TEST(UnwindTable, HasTheRowsOfCodeFor64BitArm) {
  CompareWithReadelf("/usr/aarch64-linux-gnu/lib/libc.so.6");
}

// The same of libstdc++6-arm64-cross.
TEST(UnwindTable, HasTheRowsOfCPlusPlusFor64BitArm) {
  CompareWithReadelf("/usr/aarch64-linux-gnu/lib/libstdc++.so.6");
}

TEST(UnwindTable, EachPageBeginsWithARow) {
  const auto file = symbols::ElfFile::Open(OwnPath());
  ASSERT_TRUE(file);
  const UnwindTable table = UnwindTable::Read(*file);
  if (table.empty()) GTEST_SKIP() << "no table";
  const auto words = table.words();
  for (uint32_t page = 0; page < table.pages(); ++page) {
    ASSERT_LT(words[page], words[page + 1]);
    EXPECT_EQ(words[table.rows_at() + words[page]] >> FXR_UNWIND_RULE_BITS, 0u);
  }
  EXPECT_EQ(words[table.pages()], table.row_count());
  EXPECT_EQ(words.size(), table.rules_at() + table.rule_count() * FXR_UNWIND_RULE_WORDS);
}

TEST(UnwindTable, CodeBeyondTheTableHasNoRule) {
  const auto file = symbols::ElfFile::Open(OwnPath());
  ASSERT_TRUE(file);
  const UnwindTable table = UnwindTable::Read(*file);
  if (table.empty()) GTEST_SKIP() << "no table";
  const uint64_t end = table.file_offset() + uint64_t{table.pages()} * FXR_UNWIND_PAGE;
  EXPECT_EQ(table.Find(end).kind, FXR_UNWIND_NONE);
  EXPECT_EQ(table.Find(UINT64_MAX).kind, FXR_UNWIND_NONE);
}

TEST(UnwindTable, NoSectionNoTable) {
  EXPECT_TRUE(UnwindTable::Make({}, {}).empty());
  const symbols::LoadSegment code{.file_offset = 0,
                                  .file_size = 4096,
                                  .address = 4096,
                                  .memory_size = 4096,
                                  .executable = true};
  EXPECT_TRUE(UnwindTable::Make({}, {&code, 1}).empty());
}

}  // namespace
}  // namespace unwind
