// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/page.h"

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "unit/support/json.h"

namespace analyze {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

size_t CountOf(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

std::string PageOf(PageKind kind, const std::string& text) {
  const std::array data = {PageData{"data", text}};
  return MakePage(kind, data);
}

// The content of the element for a browser.
std::string EmbeddedIn(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(PageTest, IsOneDocumentWithItsStyleAndScript) {
  const std::string page = PageOf(PageKind::kReport, "{}");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("<title>fxt report</title>"));
  EXPECT_THAT(PageOf(PageKind::kDiff, "{}"), HasSubstr("<title>fxt diff</title>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("<script type=\"module\">"));
  for (const char* mark : {"@TITLE@", "@STYLE@", "@DATA@", "@SCRIPT@"}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST(PageTest, FetchesNothing) {
  for (const PageKind kind : {PageKind::kReport, PageKind::kDiff}) {
    const std::string page = PageOf(kind, "{}");
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    for (const char* fetch : {"src=", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
      EXPECT_THAT(page, Not(HasSubstr(fetch)));
    }
    // The name of SVG's namespace is not an address that is requested.
    EXPECT_EQ(CountOf(page, "://"), CountOf(page, "http://www.w3.org/2000/svg"));
  }
}

TEST(PageTest, MakesNoElementsOfText) {
  for (const PageKind kind : {PageKind::kReport, PageKind::kDiff}) {
    const std::string page = PageOf(kind, "{}");
    for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"}) {
      EXPECT_THAT(page, Not(HasSubstr(way)));
    }
  }
}

TEST(PageTest, NamesDoNotBreakOut) {
  const size_t ends = CountOf(PageOf(PageKind::kDiff, "{}"), "</script");
  for (const char* name : {"</script><script>alert(1)</script>", "</SCRIPT >", "<!--<script>",
                           "]]>", "@SCRIPT@", "@DATA@", "\\u003c", "\"<\\\"", "&lt;"}) {
    const json data = {{"name", name}, {std::string("key") + name, 1}};
    const std::string page = PageOf(PageKind::kDiff, data.dump());
    const std::string embedded = EmbeddedIn(page);
    EXPECT_THAT(embedded, Not(HasSubstr("<"))) << name;
    EXPECT_EQ(testing_support::ParseJson(embedded), data) << name;
    EXPECT_EQ(CountOf(page, "</script"), ends) << name;
  }
}

TEST(PageTest, HasAllDataByTheirIds) {
  const std::array data = {PageData{"data", "[1]"}, PageData{"instances", "[2]"}};
  const std::string page = MakePage(PageKind::kDiff, data);
  EXPECT_THAT(page, HasSubstr(R"(id="data">[1]</script>)"));
  EXPECT_THAT(page, HasSubstr(R"(id="instances">[2]</script>)"));
}

}  // namespace
}  // namespace analyze
