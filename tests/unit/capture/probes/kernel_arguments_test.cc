// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/kernel_arguments.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probes/probe_text.h"

namespace capture {
namespace {

using probes::ArgumentType;
using probes::Machine;
using probes::ResolvedValue;

// int handle(struct request *request, const char *path, struct wide wide, short last, ...), and
// void ends(void)
KernelArguments Types(Machine machine = Machine::kX86) {
  btf* const types = btf__new_empty();
  const int integer = btf__add_int(types, "int", 4, BTF_INT_SIGNED);
  const int character = btf__add_int(types, "char", 1, 0);
  const int short_number = btf__add_int(types, "short", 2, BTF_INT_SIGNED);
  const int truth = btf__add_int(types, "_Bool", 1, BTF_INT_BOOL);
  const int unsigned_number = btf__add_int(types, "unsigned int", 4, 0);
  const int long_number = btf__add_int(types, "u64", 8, 0);
  const int text = btf__add_ptr(types, btf__add_const(types, character));
  const int characters = btf__add_array(types, integer, character, 16);
  const int color = btf__add_enum(types, "color", 4);
  btf__add_enum_value(types, "RED", -1);
  const int fields = btf__add_struct(types, "", 8);
  btf__add_field(types, "low", unsigned_number, 0, 3);
  btf__add_field(types, "high", unsigned_number, 3, 9);
  btf__add_field(types, "color", color, 32, 0);
  const int unknown = btf__add_ptr(types, btf__add_fwd(types, "unknown", BTF_FWD_STRUCT));
  const int request = btf__add_struct(types, "request", 64);
  btf__add_field(types, "next", request + 1, 0, 0);
  btf__add_field(types, "comm", characters, 64, 0);
  btf__add_field(types, "", fields, 192, 0);
  btf__add_field(types, "is_open", truth, 256, 0);
  btf__add_field(types, "unknown", unknown, 320, 0);
  const int to_request = btf__add_ptr(types, request);
  EXPECT_EQ(to_request, request + 1);
  const int wide = btf__add_struct(types, "wide", 16);
  btf__add_field(types, "first", long_number, 0, 0);
  btf__add_field(types, "second", long_number, 64, 0);
  const int last = btf__add_typedef(types, "last_t", short_number);
  const int prototype = btf__add_func_proto(types, integer);
  btf__add_func_param(types, "request", to_request);
  btf__add_func_param(types, "path", text);
  btf__add_func_param(types, "wide", wide);
  btf__add_func_param(types, "last", last);
  btf__add_func_param(types, "many", wide);
  btf__add_func_param(types, "sixth", integer);
  btf__add_func_param(types, "", 0);
  btf__add_func(types, "handle", BTF_FUNC_STATIC, prototype);
  btf__add_func(types, "ends", BTF_FUNC_STATIC, btf__add_func_proto(types, 0));
  return KernelArguments(KernelArguments::BtfPtr(types), machine);
}

ResolvedValue FindValue(const std::string& value, const std::string& function = "handle",
                        Machine machine = Machine::kX86) {
  const auto parsed = probes::ParseProbe(function + "(" + value + ")");
  EXPECT_TRUE(parsed);
  probes::ArgumentQuery query;
  query.values = parsed->arguments;
  return Types(machine).Find({function, 0, ""}, query).values.at(0);
}

constexpr fxr_u16 kDi = 8 * 14, kSi = 8 * 13, kCx = 8 * 11, kR8 = 8 * 9, kR9 = 8 * 8, kSp = 8 * 19;

TEST(KernelArgumentsTest, ParametersAreInRegistersAndThenOnTheStack) {
  const ResolvedValue path = FindValue("path:str");
  EXPECT_EQ(path.error, "");
  EXPECT_EQ(path.argument.type.form, ArgumentType::Form::kText);
  EXPECT_EQ(path.argument.operand.source, kSi);
  EXPECT_EQ(path.argument.operand.steps, 0);
  EXPECT_EQ(FindValue("wide.second").argument.operand.source, kCx);
  const ResolvedValue last = FindValue("last");
  EXPECT_EQ(last.argument.operand.source, kR8);
  EXPECT_EQ(last.argument.operand.bits, 16);
  EXPECT_TRUE(last.argument.type.is_signed);
  EXPECT_EQ(last.argument.type.bytes, 2u);
  // A structure that does not fit is on the stack; the next parameter takes the last register.
  const ResolvedValue many = FindValue("many.second");
  EXPECT_EQ(many.argument.operand.source, kSp);
  EXPECT_EQ(many.argument.operand.offsets[0], 8 + 8);
  EXPECT_EQ(FindValue("sixth").argument.operand.source, kR9);
}

TEST(KernelArgumentsTest, MembersAreFollowedThroughPointers) {
  const ResolvedValue high = FindValue("request->next->high");
  EXPECT_EQ(high.error, "");
  EXPECT_EQ(high.argument.operand.source, kDi);
  EXPECT_EQ(high.argument.operand.steps, 2);
  EXPECT_EQ(high.argument.operand.offsets[0], 0);
  EXPECT_EQ(high.argument.operand.offsets[1], 24);
  EXPECT_EQ(high.argument.operand.shift, 3);
  EXPECT_EQ(high.argument.operand.bits, 9);
  EXPECT_EQ(high.argument.operand.bytes, 2);
  EXPECT_FALSE(high.argument.type.is_signed);
  EXPECT_TRUE(FindValue("request->color").argument.type.is_signed);
  EXPECT_EQ(FindValue("request->is_open").argument.type.form, ArgumentType::Form::kBool);
  EXPECT_EQ(FindValue("request->unknown").argument.type.form, ArgumentType::Form::kPointer);
  EXPECT_EQ(FindValue("request[2].is_open").argument.operand.offsets[0], 2 * 64 + 32);
  EXPECT_EQ(FindValue("request->comm[3]").argument.operand.offsets[0], 8 + 3);
  const ResolvedValue comm = FindValue("request->comm:str");
  EXPECT_EQ(comm.argument.operand.addend, 8);
  EXPECT_EQ(comm.argument.operand.text_bytes, 17u);
}

TEST(KernelArgumentsTest, RefusalsNameTheReason) {
  EXPECT_EQ(FindValue("length").error,
            "the function has no such parameter; it has: request, path, wide, last, many, sixth");
  EXPECT_EQ(FindValue("request->nxt").error, "request has no member 'nxt'; did you mean 'next'?");
  EXPECT_EQ(FindValue("request->unknown->x").error,
            "the members of unknown are not in the kernel's BTF");
  EXPECT_EQ(FindValue("wide").error, "it is a structure: write a member of it, as in value.member");
  EXPECT_EQ(FindValue("last.x").error, "it is not a structure");
  EXPECT_EQ(FindValue("last[1]").error, "it is neither a pointer nor an array");
  EXPECT_EQ(FindValue("last:str").error, "it is not a string");
  EXPECT_EQ(FindValue("request:str").error, "it points to no characters");
  EXPECT_EQ(FindValue("request->high.x").error, "a bit field has no members");
  EXPECT_EQ(FindValue("x", "ends").error, "the function has no parameters");
  EXPECT_NE(FindValue("x", "other").error.find("BTF does not have the function"),
            std::string::npos);
  std::string deep = "request";
  for (int i = 0; i <= FXR_PROBE_STEPS; ++i) deep += "->next";
  EXPECT_EQ(FindValue(deep).error, "more than 5 pointers would have to be followed");
}

TEST(KernelArgumentsTest, ArmHasEightRegisters) {
  EXPECT_EQ(FindValue("many.second", "handle", Machine::kArm).argument.operand.source, 8 * 6);
  EXPECT_EQ(FindValue("sixth", "handle", Machine::kArm).argument.operand.source, 8 * 7);
}

TEST(KernelArgumentsTest, ReturnedValuesHaveTheirType) {
  KernelArguments types = Types();
  probes::ArgumentQuery query;
  query.wants_result = true;
  const ResolvedValue result = types.Find({"handle", 0, ""}, query).result;
  EXPECT_EQ(result.argument.name, "retval");
  EXPECT_EQ(result.argument.type.bytes, 4u);
  EXPECT_TRUE(result.argument.type.is_signed);
  EXPECT_EQ(types.Find({"ends", 0, ""}, query).result.error, "the function returns nothing");
}

}  // namespace
}  // namespace capture
