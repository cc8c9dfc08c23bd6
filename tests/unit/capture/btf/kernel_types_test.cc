// SPDX-License-Identifier: BSD-2-Clause
#include "capture/btf/kernel_types.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>

namespace capture {
namespace {

struct BtfDeleter {
  void operator()(btf* types) const { btf__free(types); }
};
using Btf = std::unique_ptr<btf, BtfDeleter>;

// Every kind that libbpf can add, with a tracepoint of three arguments among them.
std::string MakeTypes() {
  const Btf types(btf__new_empty());
  const int integer = btf__add_int(types.get(), "int", 4, BTF_INT_SIGNED);
  btf__add_array(types.get(), integer, integer, 3);
  btf__add_struct(types.get(), "task_struct", 8);
  btf__add_field(types.get(), "pid", integer, 0, 0);
  btf__add_field(types.get(), "tgid", integer, 32, 0);
  btf__add_union(types.get(), "either", 4);
  btf__add_field(types.get(), "one", integer, 0, 0);
  btf__add_enum(types.get(), "colour", 4);
  btf__add_enum_value(types.get(), "red", 1);
  btf__add_enum64(types.get(), "large", 8, false);
  btf__add_enum64_value(types.get(), "huge", uint64_t{1} << 40);
  btf__add_fwd(types.get(), "later", BTF_FWD_STRUCT);
  const int pointer = btf__add_ptr(types.get(), 0);
  const int prototype = btf__add_func_proto(types.get(), 0);
  for (const char* name : {"data", "preempt", "prev", "next"}) {
    btf__add_func_param(types.get(), name, pointer);
  }
  const int function = btf__add_ptr(types.get(), prototype);
  btf__add_typedef(types.get(), "btf_trace_sched_switch", function);
  btf__add_typedef(types.get(), "btf_trace_odd", integer);
  btf__add_func(types.get(), "schedule", BTF_FUNC_GLOBAL, prototype);
  const int variable = btf__add_var(types.get(), "__preempt_count", BTF_VAR_STATIC, integer);
  const int queues = btf__add_var(types.get(), "runqueues", BTF_VAR_STATIC, integer);
  btf__add_var(types.get(), "jiffies", BTF_VAR_STATIC, integer);
  btf__add_datasec(types.get(), ".data..percpu", 300);
  btf__add_datasec_var_info(types.get(), variable, 64, 4);
  btf__add_datasec_var_info(types.get(), queues, 256, 4);
  btf__add_float(types.get(), "double", 8);
  btf__add_decl_tag(types.get(), "tag", variable, -1);
  btf__add_type_tag(types.get(), "user", integer);
  btf__add_volatile(types.get(), btf__add_const(types.get(), btf__add_restrict(types.get(), 1)));
  btf__add_struct(types.get(), "bpf_iter__task", 8);
  uint32_t bytes = 0;
  const void* data = btf__raw_data(types.get(), &bytes);
  return std::string(static_cast<const char*>(data), bytes);
}

class KernelTypesTest : public ::testing::Test {
 protected:
  ~KernelTypesTest() override { unlink(path_.c_str()); }
  util::Result<KernelTypes> Load(const std::string& bytes) {
    unlink(path_.c_str());  // some file systems sync what replaces a file's contents
    std::ofstream(path_, std::ios::binary) << bytes;
    return KernelTypes::Load(path_);
  }

 private:
  const std::string path_ =
      testing::TempDir() + "kernel_types_test." + std::to_string(getpid()) + ".btf";
};

void ExpectSameAsLibbpf(const KernelTypes& types, const btf* expected) {
  using Kind = KernelTypes::Kind;
  const auto id_of = [&](const char* name, uint32_t kind) {
    const int id = btf__find_by_name_kind(expected, name, kind);
    return id < 0 ? 0u : static_cast<uint32_t>(id);
  };
  for (const char* name : {"task_struct", "bpf_iter__task", "task", "task_structs", "no_such"}) {
    EXPECT_EQ(types.Find(Kind::kStruct, name), id_of(name, BTF_KIND_STRUCT)) << name;
  }
  for (const char* name : {"btf_trace_sched_switch", "btf_trace_sched_waking", "no_such"}) {
    EXPECT_EQ(types.Find(Kind::kTypedef, name), id_of(name, BTF_KIND_TYPEDEF)) << name;
  }
  for (const char* name : {"__preempt_count", "pcpu_hot"}) {
    EXPECT_EQ(types.Find(Kind::kVariable, name), id_of(name, BTF_KIND_VAR)) << name;
  }
  for (const char* name : {"schedule", "bpf_rdonly_cast", "no_such"}) {
    EXPECT_EQ(types.Find(Kind::kFunction, name), id_of(name, BTF_KIND_FUNC)) << name;
  }
  const btf_type* section = btf__type_by_id(expected, id_of(".data..percpu", BTF_KIND_DATASEC));
  for (int i = 0; section && i < btf_vlen(section); ++i) {
    const btf_var_secinfo& info = btf_var_secinfos(section)[i];
    const char* name =
        btf__name_by_offset(expected, btf__type_by_id(expected, info.type)->name_off);
    // Not every name is that of one variable.
    if (types.Find(Kind::kVariable, name) != info.type) continue;
    EXPECT_EQ(types.PerCpuOffset(name), info.offset) << name;
  }
}

TEST_F(KernelTypesTest, AgreesWithLibbpf) {
  const std::string bytes = MakeTypes();
  const auto types = Load(bytes);
  ASSERT_TRUE(types.ok()) << types.error().message;
  const Btf expected(btf__new(bytes.data(), static_cast<uint32_t>(bytes.size())));
  ASSERT_TRUE(expected);
  ExpectSameAsLibbpf(*types, expected.get());
  EXPECT_EQ(types->PerCpuOffset("__preempt_count"), 64u);
  EXPECT_EQ(types->PerCpuOffset("runqueues"), 256u);
  EXPECT_EQ(types->PerCpuOffset("jiffies"), std::nullopt);
  EXPECT_EQ(types->PerCpuOffset("no_such"), std::nullopt);
  EXPECT_EQ(types->TracepointArguments("sched_switch"), 3);
  EXPECT_EQ(types->TracepointArguments("odd"), -1);
  EXPECT_EQ(types->TracepointArguments("sched_waking"), -1);
}

TEST_F(KernelTypesTest, ReadsThisMachinesKernel) {
  const Btf expected(btf__load_vmlinux_btf());
  if (!expected || access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    GTEST_SKIP() << "this kernel shows no type information";
  }
  const auto types = KernelTypes::Load();
  ASSERT_TRUE(types.ok()) << types.error().message;
  ExpectSameAsLibbpf(*types, expected.get());
  EXPECT_GE(types->TracepointArguments("sched_switch"), 3);
  EXPECT_EQ(types->TracepointArguments("sched_waking"), 1);
}

TEST_F(KernelTypesTest, RefusesDataThatIsNotBtf) {
  EXPECT_FALSE(KernelTypes::Load("/no/such/file").ok());
  EXPECT_FALSE(Load("").ok());
  EXPECT_FALSE(Load("abc").ok());
  EXPECT_FALSE(Load(std::string(4096, '\0')).ok());
}

TEST_F(KernelTypesTest, SurvivesDamage) {
  const std::string whole = MakeTypes();
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole.substr(0, round % 2 == 0 ? whole.size() : random() % whole.size());
    for (int i = 0; i < 3 && !bytes.empty(); ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const auto types = Load(bytes);
    if (!types.ok()) continue;
    types->Find(KernelTypes::Kind::kStruct, "task_struct");
    types->TracepointArguments("sched_switch");
    types->TracepointArguments("odd");
    types->PerCpuOffset("runqueues");
  }
}

}  // namespace
}  // namespace capture
