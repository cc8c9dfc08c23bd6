// SPDX-License-Identifier: BSD-2-Clause
// Finds where the arguments of a function of the kernel are when it is entered, and what their
// types are, in BTF.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/probes/kernel_functions.h"
#include "probes/argument_finder.h"
#include "probes/registers.h"
#include "util/result.h"

struct btf;

namespace capture {

class KernelArguments {
 public:
  struct FreeBtf {
    void operator()(btf* types) const;
  };
  using BtfPtr = std::unique_ptr<btf, FreeBtf>;

  // The types of the running kernel. Errors: it has none.
  static util::Result<KernelArguments> Load();
  KernelArguments(BtfPtr kernel, probes::Machine machine);

  // Values of the query for one function; its `functions` are ignored. Those of a module are loaded
  // when they are first needed.
  probes::FunctionArguments Find(const KernelFunction& function,
                                 const probes::ArgumentQuery& query);

 private:
  struct Types {
    BtfPtr types;
    std::unordered_map<std::string_view, uint32_t> functions;  // id of the prototype
  };

  static Types Index(BtfPtr types, uint32_t first);
  // The types of the module, and the id of the function's prototype in them; 0: there is none.
  std::pair<const btf*, uint32_t> PrototypeOf(const KernelFunction& function);

  std::map<std::string, Types> modules_;  // empty name: the kernel
  probes::Machine machine_;
};

}  // namespace capture
