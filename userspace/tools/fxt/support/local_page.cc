// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/local_page.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/support/desktop.h"
#include "tools/fxt/support/failure.h"
#include "util/machine_info.h"

namespace tools {

util::Result<std::string> SecretName() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return util::Error{fmt::format("cannot read random numbers: {}", std::strerror(errno)), ""};
  }
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

util::Status PrintPage(const std::string& address, uint16_t port, bool for_others) {
  text::TextWriter out(STDOUT_FILENO, "standard output");
  out.Print("{}\n", address);
  if (for_others) {
    const std::string host = util::ReadMachineInfo().host;
    out.Print("from another machine: ssh -N -L {0}:127.0.0.1:{0} {1}\n", port,
              host.empty() ? "HOST" : text::CleanText(host));
  }
  return out.Finish();
}

void ShowPage(const std::string& address) {
  const util::Status opened =
      HasDesktop() ? OpenInBrowser(address) : util::Error{"there is no display here", ""};
  if (opened) return;
  PrintNote(kProgram, fmt::format("note: {}; open the address above, or see --print",
                                  opened.error().message));
}

}  // namespace tools
