// SPDX-License-Identifier: BSD-2-Clause
#include "capture/btf/type_subset.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace capture {
namespace {

struct TypesDeleter {
  void operator()(btf* types) const { btf__free(types); }
};
using OwnedBtf = std::unique_ptr<btf, TypesDeleter>;

OwnedBtf Parse(const std::string& bytes) {
  return OwnedBtf(btf__new(bytes.data(), static_cast<uint32_t>(bytes.size())));
}

// task { int pid; state_t state; struct entity se; struct { long hidden; }; struct rq* queue;
// struct entity all[3]; unsigned bits : 5; }, each type declared behind what it takes.
std::string MakeAllTypes() {
  const OwnedBtf types(btf__new_empty());
  btf* t = types.get();
  const int integer = btf__add_int(t, "int", 4, BTF_INT_SIGNED);
  const int word = btf__add_int(t, "long", 8, BTF_INT_SIGNED);
  const int state = btf__add_enum(t, "state", 4);
  btf__add_enum_value(t, "running", 0);
  btf__add_enum_value(t, "asleep", 1);
  const int state_type = btf__add_typedef(t, "state_t", btf__add_volatile(t, state));
  const int queue = btf__add_struct(t, "rq", 4);
  btf__add_field(t, "cpu", integer, 0, 0);
  const int entity = btf__add_struct(t, "entity", 16);
  btf__add_field(t, "weight", word, 0, 0);
  btf__add_field(t, "queue", btf__add_ptr(t, queue), 64, 0);
  const int hidden = btf__add_struct(t, nullptr, 8);
  btf__add_field(t, "hidden", word, 0, 0);
  const int all = btf__add_array(t, integer, entity, 3);
  const int pointer = btf__add_ptr(t, queue);
  btf__add_struct(t, "task", 96);
  btf__add_field(t, "pid", integer, 0, 0);
  btf__add_field(t, "state", state_type, 32, 0);
  btf__add_field(t, "se", entity, 64, 0);
  btf__add_field(t, "", hidden, 192, 0);
  btf__add_field(t, "queue", pointer, 256, 0);
  btf__add_field(t, "all", all, 320, 0);
  btf__add_field(t, "bits", integer, 704, 5);
  btf__add_struct(t, "other", 4);
  btf__add_field(t, "pid", integer, 0, 0);
  uint32_t bytes = 0;
  const void* data = btf__raw_data(t, &bytes);
  return std::string(static_cast<const char*>(data), bytes);
}

class TypeSubsetTest : public ::testing::Test {
 protected:
  ~TypeSubsetTest() override { unlink(path_.c_str()); }
  util::Result<KernelTypes> Load(const std::string& bytes) {
    unlink(path_.c_str());  // some file systems sync what replaces a file's contents
    std::ofstream(path_, std::ios::binary) << bytes;
    return KernelTypes::Load(path_);
  }

 private:
  const std::string path_ =
      testing::TempDir() + "type_subset_test." + std::to_string(getpid()) + ".btf";
};

struct Place {
  uint32_t bit;
  uint32_t bits;  // of a bit field; else 0
  int64_t size;   // -1 where it has none
  bool operator==(const Place&) const = default;
};

// The offset of each field of a struct, also of fields in its anonymous structs.
void FindPlaces(const btf* types, uint32_t id, uint32_t from,
                std::map<std::string, Place>* places) {
  const btf_type* type = btf__type_by_id(types, id);
  for (uint32_t i = 0; i < btf_vlen(type); ++i) {
    const btf_member& member = btf_members(type)[i];
    const std::string name = btf__name_by_offset(types, member.name_off);
    const uint32_t bit = from + btf_member_bit_offset(type, i);
    if (name.empty() && btf_is_composite(btf__type_by_id(types, member.type))) {
      FindPlaces(types, member.type, bit, places);
    } else {
      (*places)[name] = {bit, btf_member_bitfield_size(type, i),
                         btf__resolve_size(types, member.type)};
    }
  }
}

std::map<std::string, Place> PlacesIn(const btf* types, const char* name) {
  std::map<std::string, Place> places;
  const int id = btf__find_by_name_kind(types, name, BTF_KIND_STRUCT);
  if (id > 0) FindPlaces(types, static_cast<uint32_t>(id), 0, &places);
  return places;
}

TEST_F(TypeSubsetTest, CopiesMembersButNotPointees) {
  const std::string bytes = MakeAllTypes();
  const auto types = Load(bytes);
  ASSERT_TRUE(types.ok()) << types.error().message;
  const OwnedBtf whole = Parse(bytes);
  const OwnedBtf subset = Parse(SubsetOfTypes(*types, {"task", "no_such"}));
  ASSERT_TRUE(whole && subset);
  const auto places = PlacesIn(subset.get(), "task");
  EXPECT_EQ(places, PlacesIn(whole.get(), "task"));
  EXPECT_EQ(places.size(), 7u);
  EXPECT_EQ(places.at("hidden"), (Place{192, 0, 8}));
  EXPECT_EQ(places.at("all"), (Place{320, 0, 48}));
  EXPECT_EQ(places.at("bits"), (Place{704, 5, 4}));
  EXPECT_EQ(PlacesIn(subset.get(), "entity"), PlacesIn(whole.get(), "entity"));
  EXPECT_LT(btf__find_by_name_kind(subset.get(), "rq", BTF_KIND_STRUCT), 0);
  EXPECT_LT(btf__find_by_name_kind(subset.get(), "other", BTF_KIND_STRUCT), 0);
}

TEST_F(TypeSubsetTest, HoldsEveryTypeOfAName) {
  const OwnedBtf twice(btf__new_empty());
  const int integer = btf__add_int(twice.get(), "int", 4, 0);
  for (const uint32_t place : {0, 32}) {
    btf__add_struct(twice.get(), "hook", 8);
    btf__add_field(twice.get(), "call", integer, place, 0);
  }
  btf__add_typedef(twice.get(), "hook", integer);
  uint32_t bytes = 0;
  const void* data = btf__raw_data(twice.get(), &bytes);
  const auto types = Load(std::string(static_cast<const char*>(data), bytes));
  ASSERT_TRUE(types.ok()) << types.error().message;
  const OwnedBtf subset = Parse(SubsetOfTypes(*types, {"hook"}));
  ASSERT_TRUE(subset);
  int found = 0;
  for (uint32_t id = 1; id < btf__type_cnt(subset.get()); ++id) {
    const uint32_t name = btf__type_by_id(subset.get(), id)->name_off;
    if (std::string(btf__name_by_offset(subset.get(), name)) == "hook") ++found;
  }
  EXPECT_EQ(found, 3);
}

TEST_F(TypeSubsetTest, MatchesTheRunningKernel) {
  const OwnedBtf whole(btf__load_vmlinux_btf());
  if (!whole || access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    GTEST_SKIP() << "this kernel shows no type information";
  }
  const auto types = KernelTypes::Load();
  ASSERT_TRUE(types.ok()) << types.error().message;
  const std::string bytes = SubsetOfTypes(*types, {"task_struct", "cred", "pid", "kuid_t"});
  EXPECT_LT(bytes.size(), 256u << 10);
  const OwnedBtf subset = Parse(bytes);
  ASSERT_TRUE(subset);
  for (const char* name : {"task_struct", "cred", "pid", "sched_entity"}) {
    EXPECT_FALSE(PlacesIn(subset.get(), name).empty()) << name;
    EXPECT_EQ(PlacesIn(subset.get(), name), PlacesIn(whole.get(), name)) << name;
  }
  EXPECT_GT(btf__find_by_name_kind(subset.get(), "kuid_t", BTF_KIND_TYPEDEF), 0);
}

TEST_F(TypeSubsetTest, SurvivesDamage) {
  const std::string whole = MakeAllTypes();
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto types = Load(bytes);
    if (types.ok()) SubsetOfTypes(*types, {"task", "entity", "state_t"});
  }
}

}  // namespace
}  // namespace capture
