// SPDX-License-Identifier: BSD-2-Clause
#include "web/assets.h"

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace web {
namespace {

using ::testing::HasSubstr;

TEST(AssetsTest, FindsFilesByName) {
  ASSERT_NE(FindAsset("index.html"), nullptr);
  EXPECT_THAT(FindAsset("index.html")->content_type(), HasSubstr("text/html"));
  EXPECT_THAT(FindAsset("theme.css")->content_type(), HasSubstr("text/css"));
  EXPECT_THAT(FindAsset("main.js")->content_type(), HasSubstr("text/javascript"));
  for (const char* name : {"", "missing.js", "../web/main.js", "main"}) {
    EXPECT_EQ(FindAsset(name), nullptr) << name;
  }
}

TEST(AssetsTest, ABundleHasEachModuleOnceBehindThoseThatItImports) {
  for (const char* main : {"report.js", "diff.js", "path.js", "flame_page.js", "main.js"}) {
    const std::string bundle = BundleOf(main);
    const std::regex statement("(^|\n)(import|export) ");
    EXPECT_FALSE(std::regex_search(bundle, statement)) << main;
    const std::regex use("\nconst [^\n=]* = (\\w+_js);");
    for (std::sregex_iterator at(bundle.begin(), bundle.end(), use), end; at != end; ++at) {
      const std::string definition = "const " + (*at)[1].str() + " = (() => {\n";
      const size_t found = bundle.find(definition);
      EXPECT_LT(found, static_cast<size_t>(at->position())) << main << ": " << definition;
      EXPECT_EQ(bundle.find(definition, found + 1), std::string::npos) << definition;
    }
  }
}

TEST(AssetsTest, ABundleReturnsTheExportsOfItsModules) {
  const std::string bundle = BundleOf("dom.js");
  EXPECT_THAT(bundle, HasSubstr("\nfunction element(tag, attributes, ...children) {\n"));
  EXPECT_THAT(
      bundle,
      HasSubstr(
          "return { element, svg, button, definitions, table, filter, legend, tip };\n})();\n"));
  EXPECT_THAT(BundleOf("questions.js"), HasSubstr("\nconst api = api_js;\n"));
}

// A page that fails in a browser because of this is found by tests/viewer only.
TEST(AssetsTest, ModulesImportExportsOfOthers) {
  for (const char* main : {"report.js", "diff.js", "path.js", "flame_page.js", "main.js"}) {
    const std::string bundle = BundleOf(main);
    const std::regex use("\nconst \\{ ([^\n]*) \\} = (\\w+)_js;");
    for (std::sregex_iterator at(bundle.begin(), bundle.end(), use), end; at != end; ++at) {
      const std::string module(FindAsset((*at)[2].str() + ".js")->content);
      const std::string names = (*at)[1].str();
      const std::regex word("\\w+");
      for (std::sregex_iterator name(names.begin(), names.end(), word); name != end; ++name) {
        const std::regex definition("\nexport (async )?(function|class|const) " + name->str() +
                                    "\\b");
        EXPECT_TRUE(std::regex_search(module, definition)) << name->str() << " of " << (*at)[2];
      }
    }
  }
}

}  // namespace
}  // namespace web
