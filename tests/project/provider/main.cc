// SPDX-License-Identifier: BSD-2-Clause
// A provider in C++.
#include <fxt_provider/event.h>
#include <fxt_provider/span.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

const char fxt_provider_name[] = "another-program";

namespace {

enum class Kind : unsigned char { kOne = 1 };
fxt_provider::Site site("app", "span");

template <typename T>
bool Work(T n) {
  TRACE_DURATION("app", "work", "n", n, "string", std::string("s") + "t", "view",
                 std::string_view("v"));
  const fxt_provider::Span span(site);
  fxt_provider::AsyncSpan async(site);
  std::thread([&async] { async.End(); }).join();
  TRACE_INSTANT("app", "values", TRACE_SCOPE_THREAD, "kind", Kind::kOne, "null", nullptr, "b", true,
                "c", 'c', "f", 1.5f, "p", &n);
  TRACE_COUNTER("app", "counter", 0, "n", n);
  TRACE_ALERT("app", "alert");
  return TRACE_CATEGORY_ENABLED("app") || TRACE_ENABLED();
}

}  // namespace

int main() {
  if (Work(3) || Work(4ul)) return 1;
  puts("another program");
  return 0;
}
