// SPDX-License-Identifier: BSD-2-Clause
#include "schema/price.h"

#include "schema/price_table.h"

namespace schema {
namespace {

constexpr Price kPrices[] = {
#define FXT_PRICE(name, of, ns, bytes) {name, of, ns, bytes},
    FXT_PRICE_TABLE(FXT_PRICE)
#undef FXT_PRICE
};

}  // namespace

std::span<const Price> AllPrices() { return kPrices; }

const Price* FindPrice(std::string_view name) {
  for (const Price& each : kPrices) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace schema
