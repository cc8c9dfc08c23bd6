// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/interface_text.h"

namespace control {
namespace {

// The build makes a string literal of each file (add_literals in CMakeLists.txt).
constexpr std::string_view kServiceText =
#include "control/protocol/org.varlink.service.varlink.inc"
    ;
constexpr std::string_view kControllerText =
#include "control/protocol/fuchsia.tracing.controller.varlink.inc"
    ;

}  // namespace

std::string_view DescribeInterface(std::string_view interface) {
  if (interface == kServiceInterface) return kServiceText;
  if (interface == kControllerInterface) return kControllerText;
  return {};
}

}  // namespace control
