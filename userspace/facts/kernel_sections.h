// SPDX-License-Identifier: BSD-2-Clause
// Decides which sections of a trace have the kernel's facts.
#pragma once

#include <cstdint>

#include "fxt/reader.h"
#include "schema/names.h"

namespace facts {

// Finds the sections with facts of the kernel. Providers may write any event, so only sections of
// fxt-record and of `fxt import` count. In a trace of another recorder, which has neither, all
// sections count. Call Has() for every record, in file order.
class KernelSections {
 public:
  // True if records of this provider may be facts of the kernel.
  bool Has(const fxt::ReaderProvider& provider) {
    if (&provider != last_ || provider.definitions() != definitions_) [[unlikely]] {
      last_ = &provider;
      definitions_ = provider.definitions();
      last_is_kernels_ = schema::IsKernelProvider(provider.name());
      found_ = found_ || last_is_kernels_;
    }
    return last_is_kernels_ || !found_;
  }
  bool Has(const fxt::Reader& reader) { return Has(reader.provider()); }
  // The owner of the spans and flows of a section: ids are a provider's own. The recorder writes as
  // several providers, which are one owner, and so are all of a trace that another recorder made.
  uint64_t OwnerOf(const fxt::ReaderProvider& provider) {
    return Has(provider) ? 0 : uint64_t{provider.id()} + 1;
  }

 private:
  const fxt::ReaderProvider* last_ = nullptr;
  uint64_t definitions_ = 0;
  bool last_is_kernels_ = false;
  bool found_ = false;
};

}  // namespace facts
