// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/kernel_probe_resolver.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "capture/probes/kernel_arguments.h"
#include "capture/probes/kernel_functions.h"
#include "capture/probes/probe_links.h"
#include "probes/function_finder.h"
#include "probes/probe_arguments.h"
#include "probes/probe_resolver.h"
#include "probes/probe_text.h"

namespace capture {
namespace {

util::Status AddKernelProbe(const std::string& text, const KernelFunctions& functions,
                            std::optional<KernelArguments>* arguments,
                            std::vector<probes::Probe>* probes, probes::SkippedProbes* skipped) {
  const std::string option = "--kprobe " + text;
  const auto refuse = [&](const util::Error& error) {
    return util::Error{fmt::format("{}: {}", option, error.message), error.hint};
  };
  auto parsed = probes::ParseProbe(text);
  if (!parsed) return refuse(parsed.error());
  if (parsed->arguments_error) return refuse(*parsed->arguments_error);
  if (parsed->symbol.empty())
    return refuse(
        {"no function", "write it like --kprobe 'vfs_fsync_range(file, start, end)+retval'"});
  auto found = functions.Find(parsed->symbol);
  if (!found) return refuse(found.error());
  probes::ArgumentQuery query;
  query.values = probes::NamedValues(*parsed);
  query.wants_result = parsed->return_value;
  query.result_type = parsed->result_type;
  const bool is_pattern = probes::IsPattern(parsed->symbol);
  const bool needs_types = !query.values.empty() || query.wants_result;
  if (needs_types && !*arguments) {
    auto loaded = KernelArguments::Load();
    if (!loaded && !query.values.empty()) return refuse(loaded.error());
    if (loaded) *arguments = std::move(*loaded);
  }
  for (const KernelFunction& function : *found) {
    probes::Probe probe;
    probe.kind = probes::Probe::Kind::kKernel;
    probe.name = function.name;
    probe.address = function.address;
    probe.return_value = parsed->return_value;
    probe.entry_only = parsed->entry_only;
    if (is_pattern) probe.pattern = option;
    std::optional<probes::FunctionArguments> values;
    if (needs_types && *arguments) values = (*arguments)->Find(function, query);
    util::Status status = probes::SetArguments(*parsed, values ? &*values : nullptr,
                                               "the kernel has no types", &probe);
    if (status) {
      status = probes::AddProbe(option, std::move(probe), probes);
      if (!status) return status;
    } else if (is_pattern) {
      skipped->Add(option, function.name, status.error().message);
    } else {
      return refuse(
          {fmt::format("{}: {}", function.name, status.error().message), status.error().hint});
    }
  }
  return util::Ok();
}

}  // namespace

util::Status AddKernelProbes(const std::vector<std::string>& texts, bool has_fprobes,
                             std::vector<probes::Probe>* probes, probes::SkippedProbes* skipped) {
  auto functions = KernelFunctions::Read();
  if (!functions) return functions.TakeError();
  std::optional<KernelArguments> arguments;
  for (const std::string& text : texts) {
    if (auto status = AddKernelProbe(text, *functions, &arguments, probes, skipped); !status)
      return status;
  }
  if (auto status = skipped->CheckPatterns(*probes); !status) return status;
  const std::string why_not = WhyNoKernelProbes(has_fprobes);
  if (why_not.empty()) return util::Ok();
  return util::Error{fmt::format("--kprobe {}: {}", texts.front(), why_not),
                     "--uprobe and -e need none of that"};
}

}  // namespace capture
