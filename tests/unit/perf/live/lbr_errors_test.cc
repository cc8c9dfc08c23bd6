// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_errors.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "perf/live/lbr_session.h"
#include "unit/perf/fake_root.h"
#include "unit/perf/live/fake_kernel.h"

namespace perf {
namespace {

using testing::FakeKernel;
using testing::FakeRoot;

// Opens a session on a simulated machine whose kernel returns `error`.
util::Error OpenError(const FakeRoot& root, int error, const LbrOptions& options = {}) {
  FakeKernel kernel;
  kernel.verdict = [error](const perf_event_attr&, int) { return error; };
  auto session = LbrSession::Open(options, kernel, root.path());
  EXPECT_FALSE(session.ok());
  return session.ok() ? util::Error{} : session.TakeError();
}

void ExpectSays(const util::Error& error, const std::string& message, const std::string& hint) {
  EXPECT_NE(error.message.find(message), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find(hint), std::string::npos) << error.hint;
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
}

class LbrErrorsTest : public ::testing::Test {
 protected:
  LbrErrorsTest() {
    machine_.Online("0-1").Pmu("cpu", "type", "4");
    machine_.File("/proc/sys/kernel/perf_event_paranoid", "3\n");
    machine_.File("/proc/cpuinfo", "flags\t\t: fpu\n");
    guest_.Online("0-1").File("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
  }
  FakeRoot machine_;
  FakeRoot guest_;
};

TEST_F(LbrErrorsTest, NameTheReasonAndARemedy) {
  ExpectSays(OpenError(guest_, ENOENT), "virtual machine has no hardware performance counters",
             "pmu=on");
  ExpectSays(OpenError(machine_, ENOENT), "found no hardware performance counters", "bare metal");
  ExpectSays(OpenError(machine_, EOPNOTSUPP), "(cpu) have no branch records", "Zen 4");
  ExpectSays(OpenError(machine_, EACCES), "kernel.perf_event_paranoid is 3", "CAP_PERFMON");
  ExpectSays(OpenError(guest_, EPERM), "not permitted", "seccomp");
  ExpectSays(OpenError(machine_, EBUSY), "in use by another program", "nmi_watchdog");
  ExpectSays(OpenError(machine_, EINVAL), "rejects the filter user,kernel,any", "--lbr-filter");
  ExpectSays(OpenError(machine_, EMFILE), "too many open files", "ulimit -n");
  ExpectSays(OpenError(machine_, ENOSYS), "no perf events", "CONFIG_PERF_EVENTS");
  ExpectSays(OpenError(machine_, EIO), "Input/output error", "");
  guest_.Pmu("cpu", "type", "4");
  ExpectSays(OpenError(guest_, EOPNOTSUPP), "have no branch records", "hypervisor");
  machine_.Pmu("cpu", "caps/branches", "32");
  ExpectSays(OpenError(machine_, EOPNOTSUPP), "has branch records (32 entries), but not with",
             "--lbr-filter");
}

TEST_F(LbrErrorsTest, ExplainTheLimitsOfZen3) {
  machine_.Pmu("cpu", "events/branch-brs", "event=0xc4");
  LbrOptions options;
  options.frequency = 100;
  ExpectSays(OpenError(machine_, 0, options), "fixed period", "--lbr-period");
  options.frequency.reset();
  ExpectSays(OpenError(machine_, EINVAL, options), "BRS", "--lbr-period above 16");
}

TEST_F(LbrErrorsTest, ExplainRingsThatCannotBeMapped) {
  for (const int error : {EPERM, ENOMEM}) {
    FakeKernel kernel;
    kernel.map_error = error;
    auto session = LbrSession::Open({}, kernel, machine_.path());
    ASSERT_FALSE(session.ok());
    ExpectSays(session.error(), "cannot map a ring of 512 KiB", "perf_event_mlock_kb");
  }
}

TEST_F(LbrErrorsTest, RefuseContradictions) {
  LbrOptions options;
  options.period = 1000;
  options.frequency = 1000;
  ExpectSays(OpenError(machine_, 0, options), "both a period and a frequency", "one of the two");
  FakeRoot nothing;
  ExpectSays(OpenError(nothing, 0), "online CPUs", "");
}

// The message of this machine if it has no LBR.
TEST(LbrErrorsLiveTest, ExplainThisMachine) {
  auto session = LbrSession::Open({});
  if (session.ok()) GTEST_SKIP() << "this machine has LBR";
  EXPECT_EQ(session.error().message.rfind("no LBR: ", 0), 0u) << session.error().message;
  EXPECT_FALSE(session.error().hint.empty());
}

}  // namespace
}  // namespace perf
