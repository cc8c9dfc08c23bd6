// SPDX-License-Identifier: BSD-2-Clause
// The same for C++: methods, overloads, references and strings. Functions with names as rustc
// mangles them are declared with their linkage names.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#define NOT_INLINED __attribute__((noinline, noclone, noipa))

volatile long sink = 0;

// &str as Rust passes it.
struct Str {
  const char* data_ptr;
  uint64_t length;
};
extern "C" {
NOT_INLINED long rust_open(Str path, uint32_t flags) __asm__("_ZN5store4open17h0123456789abcdefE");
NOT_INLINED long rust_v0(uint32_t count) __asm__("_RNvCs1234_5store5flush");
NOT_INLINED long rust_open(Str path, uint32_t flags) {
  sink = sink + static_cast<long>(path.length);
  return flags;
}
NOT_INLINED long rust_v0(uint32_t count) {
  sink = sink + count;
  return count;
}
}

namespace shop {

struct Base {
  int id = 0;
};
struct Item : Base {
  std::string label;
  std::unique_ptr<int> owned;
};

class Basket {
 public:
  NOT_INLINED int Add(const Item& item, int count) {
    total_ += count;
    sink = sink + item.id;
    return total_;
  }
  NOT_INLINED int Add(std::string_view name) {
    sink = sink + static_cast<long>(name.size());
    return 1;
  }
  // Both the result and the parameter are passed by address.
  NOT_INLINED Item Make(std::string label, int id) {
    Item item;
    item.label = std::move(label);
    item.id = id;
    return item;
  }

 private:
  int total_ = 100;
};

namespace detail {
NOT_INLINED void Log(const std::string& text) { sink = sink + static_cast<long>(text.size()); }
}  // namespace detail

template <typename T>
NOT_INLINED T Twice(T value) {
  sink = sink + 1;
  return value + value;
}

}  // namespace shop

int main() {
  shop::Basket basket;
  int total = 100;
  for (int i = 0; i < 10; ++i) {
    const std::string label =
        i % 2 ? "short" : "a label that does not fit into the string itself, " + std::to_string(i);
    const shop::Item item = basket.Make(label, i);
    std::printf("{\"f\": \"Make\", \"label\": \"%s\", \"id\": %d}\n", label.c_str(), i);
    const int before = total;
    total += 3 * i;
    basket.Add(item, 3 * i);
    std::printf(
        "{\"f\": \"Add\", \"label\": \"%s\", \"id\": %d, \"count\": %d, \"total\": %d, \"ret\": "
        "%d}\n",
        label.c_str(), i, 3 * i, before, total);
    basket.Add(std::string_view(label).substr(0, 4));
    std::printf("{\"f\": \"AddName\", \"name\": \"%.4s\"}\n", label.c_str());
    shop::detail::Log(label);
    std::printf("{\"f\": \"Log\", \"text\": \"%s\"}\n", label.c_str());
    rust_open({label.data(), 5}, 40u + static_cast<unsigned>(i));
    std::printf("{\"f\": \"open\", \"path\": \"%.5s\", \"flags\": %d}\n", label.c_str(), 40 + i);
    rust_v0(static_cast<uint32_t>(i));
  }
  shop::Twice(4);
  shop::Twice(5L);
  return 0;
}
