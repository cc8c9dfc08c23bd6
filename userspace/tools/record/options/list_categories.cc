// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/list_categories.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "capture/bpf/bpf_programs.h"
#include "capture/bpf/category.h"
#include "capture/bpf/kernel_features.h"
#include "capture/branch_recorder.h"
#include "schema/price.h"
#include "tools/common/message.h"
#include "tools/record/options/record_options.h"
#include "util/cpu_list.h"

namespace tools {
namespace {

int Print(const std::string& list) {
  if (std::fputs(list.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    PrintError("fxt-record",
               {fmt::format("cannot write standard output: {}", strerror(errno)), ""});
    return kExitFailure;
  }
  return 0;
}

// "240"; "-" if it is unknown.
std::string Figure(int value) { return value < 0 ? "-" : fmt::format("{}", value); }

// The lines of prices that are not those of a category: its parts, and options.
std::string PricesOfOptions() {
  std::string list =
      fmt::format("\n{:<18} {:<63} {:>7} {:>7}\n", "OPTION", "ONE EVENT IS A", "NS", "BYTES");
  for (const schema::Price& price : schema::AllPrices()) {
    if (capture::FindCategory(price.name) != nullptr) continue;
    list += fmt::format("{:<18} {:<63} {:>7} {:>7}\n", price.name, price.of, Figure(price.added_ns),
                        Figure(price.bytes));
  }
  return list +
         "\nNS: added to the thread that causes an event; BYTES: in the file. One machine's "
         "medians (make "
         "bench-prices): to "
         "compare with\neach other. 0: less than what the load itself varies by; -: not known. "
         "fxt-record --list-categories=prices\nsays what one event is.\n";
}

}  // namespace

int ListCategories() {
  auto features = capture::ProbeKernel();
  if (!features) {
    PrintError("fxt-record", features.error());
    return kExitFailure;
  }
  // Known only to programs that run.
  capture::ProgramOptions smallest;
  smallest.ring_bytes = capture::kMinRingBytes;
  auto programs = capture::BpfPrograms::Load(smallest, *features);
  if (!programs) {
    PrintError("fxt-record", programs.error());
    return kExitFailure;
  }
  const std::string wakers = capture::DescribeInterruptWakers(
      (*programs)->contextless_cpus(), static_cast<uint32_t>(util::ReadCpuList("online").size()));
  std::string list = fmt::format("{:<10} {:<63} {:<8} {:>6} {:>6}  {}\n", "NAME", "DESCRIPTION",
                                 "DEFAULT", "NS", "BYTES", "THIS KERNEL");
  for (const capture::Category& category : capture::AllCategories()) {
    std::string why_not = features->WhyNot(category);
    if (category.id == FXR_CATEGORY_LBR) {
      if (auto branches = capture::BranchRecorder::Open({}); !branches) {
        why_not = branches.error().message;
      }
    }
    std::string available = "available";
    if (category.id == FXR_CATEGORY_SCHED) available += "; wakers in interrupts are " + wakers;
    if (const auto without = features->Without(category); !without.empty()) {
      available += fmt::format("; without {}", fmt::join(without, ", "));
    }
    const schema::Price* const price = schema::FindPrice(category.name);
    list += fmt::format("{:<10} {:<63} {:<8} {:>6} {:>6}  {}\n", category.name,
                        category.description, category.by_default ? "yes" : "no",
                        Figure(price ? price->added_ns : -1), Figure(price ? price->bytes : -1),
                        why_not.empty() ? available : "not available: " + why_not);
  }
  return Print(list + PricesOfOptions());
}

int ListPrices() {
  std::string list;
  for (const schema::Price& price : schema::AllPrices()) {
    list += fmt::format("{}\t{}\t{}\t{}\n", price.name, Figure(price.added_ns), Figure(price.bytes),
                        price.of);
  }
  return Print(list);
}

int ListCategoryNames() {
  std::string list;
  for (const capture::Category& category : capture::AllCategories()) {
    list += fmt::format("{}\t{}\n", category.name, category.description);
  }
  return Print(list);
}

}  // namespace tools
