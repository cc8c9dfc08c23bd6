// SPDX-License-Identifier: BSD-2-Clause
#include "web/assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace web {
namespace {

// The build makes a string literal of each file, and the list of them (CMakeLists.txt).
constexpr Asset kAssets[] = {
#include "web/assets.inc"
};

std::string_view UpTo(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}
std::string_view Behind(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

// The name that a definition after "export " defines.
std::string_view NameOf(std::string_view definition) {
  while (definition.starts_with("async ") || definition.starts_with("function ") ||
         definition.starts_with("class ") || definition.starts_with("const ")) {
    definition = Behind(definition, " ");
  }
  return definition.substr(0, definition.find_first_of(" ({"));
}

// Appends the module after those that it imports, each only once.
void AppendModule(std::string& out, std::string_view name, std::set<std::string_view>& done) {
  const Asset* module = FindAsset(name);
  if (module == nullptr || !done.insert(name).second) return;
  constexpr std::string_view kExport = "export ";
  std::string body;
  std::string exports;
  for (std::string_view rest = module->content; !rest.empty();) {
    const std::string_view line = UpTo(rest, "\n");
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with("import ")) {
      const std::string_view what = UpTo(Behind(line, "import "), " from ");
      const std::string_view from = UpTo(Behind(line, "'./"), ".js'");
      AppendModule(out, UpTo(Behind(line, "'./"), "'"), done);
      body += fmt::format("const {} = {}_js;\n", what.starts_with("* as ") ? what.substr(5) : what,
                          from);
      continue;
    }
    const bool is_exported = line.starts_with(kExport);
    const std::string_view kept = is_exported ? line.substr(kExport.size()) : line;
    if (is_exported) exports += fmt::format("{}{}", exports.empty() ? "" : ", ", NameOf(kept));
    body.append(kept) += '\n';
  }
  out += fmt::format("const {}_js = (() => {{\n{}return {{ {} }};\n}})();\n", UpTo(name, "."), body,
                     exports);
}

}  // namespace

const char* Asset::content_type() const {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return name.ends_with(".css") ? "text/css; charset=utf-8" : "text/html; charset=utf-8";
}

const Asset* FindAsset(std::string_view name) {
  const auto* found = std::find_if(std::begin(kAssets), std::end(kAssets),
                                   [&](const Asset& asset) { return asset.name == name; });
  return found == std::end(kAssets) ? nullptr : found;
}

std::string BundleOf(std::string_view main) {
  std::string out;
  std::set<std::string_view> done;
  AppendModule(out, main, done);
  return out;
}

}  // namespace web
