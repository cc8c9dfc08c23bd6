#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Adds a category with one tracepoint as docs/adding-an-event.md describes, and builds the code that the table generates."""

import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import ROOT  # noqa: E402

TABLE = """
#define FXR_MORE_CATEGORIES(X) X(SENT, "sent", "signals that are sent", 0)
#define FXR_MORE_TRACEPOINTS(X) X(SENT, signal_generate, "generate", SLOT, GENERATE)
#define FXR_MORE_SLOTS(X) X(GENERATE, generate, INSTANT, FXR_GENERATE_BODY)
#define FXR_GENERATE_BODY(F, body)               \\
	F(body, fxr_u32, tid, 22, HIDDEN)        \\
	F(body, fxr_s32, signal, 10, SHOWN)
#define FXR_MORE_LONGS(X) X(TEXT, text, FXR_TEXT_LONG)
#define FXR_TEXT_LONG(F, body)                   \\
	F(body, fxr_u32, tid)                    \\
	F(body, fxr_s64, offset)
"""

PROGRAM = """
#include "common.h"
#include "filter.h"
#include "ring.h"

static __always_inline int on_generate(enum claim claim, int signal)
{
	struct fxr_generate_body body = {.signal = signal};

	if (!current_selected())
		return 0;
	body.tid = bpf_get_current_pid_tgid();
	emit_slot(claim, FXR_CATEGORY_SENT, FXR_SLOT_GENERATE, fxr_pack_generate(body));
	return 0;
}

SLOT_PROGRAM(signal_generate, on_generate(claim, signal), int signal)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
"""

LONG_PROGRAM = """
#include "common.h"
#include "filter.h"
#include "ring.h"
#include "fxt_record/long_event.h"

SEC("tp_btf/signal_generate")
int BPF_PROG(signal_generate, int signal)
{
	struct fxr_long *event = long_reserve(FXR_LONG_SIZE(text, 32), FXR_CATEGORY_SENT);
	struct fxr_text_long fields = {.tid = bpf_get_current_pid_tgid(), .offset = -signal};

	if (!event)
		return 0;
	fxr_pack_text(event, fields, 32);
	bpf_get_current_comm(fxr_text_bytes(event), 16);
	side_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
"""

ASKS = """
#include <cstdio>

#include "capture/bpf/category.h"
#include "fxt_record/long_event.h"
#include "fxt_record/slot_body.h"
#include "schema/event_info.h"

static_assert(int{FXR_LONG_TEXT} > int{FXR_LONG_NONE} && FXR_LONG_SIZE(text, 32) == 72);
static_assert(int{FXR_CATEGORY_SENT} != int{FXR_CATEGORY_OTHER});
static_assert(sizeof(fxr_ring_control) == 960);
static_assert(fxr_unpack_generate(fxr_pack_generate({100, -9}).body, 0).signal == -9);

int main() {
  const capture::Category* category = capture::FindCategory("sent");
  if (!category || category->tracepoints.size() != 1) return 1;
  const schema::SlotInfo& slot = schema::SlotInfoOf(FXR_SLOT_GENERATE);
  std::printf("%s %s %s %s %d %s %s\\n", category->name.data(), category->tracepoints[0].tracepoint.data(),
              schema::CategoryName(slot.category).data(), slot.name.data(), slot.is_instant,
              slot.fields[1].name.data(), schema::CategoryName(FXR_CATEGORY_OTHER).data());
}
"""


class OneMoreEvent(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.more = f'-DFXR_MORE_EVENTS="{self.write("more.h", TABLE)}"'

    def build(self, *command):
        harness.run(*command, cwd=ROOT, ok=(0,))

    def build_program(self, text):
        wanted = os.path.join(self.folder, "signal.o")
        self.build(os.environ.get("CLANG", "clang"), "-g", "-O2", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_x86",
                   "-Wall", "-Werror", "-Iinclude", "-Ibpf", self.more, "-c",
                   self.write("signal.bpf.c", text), "-o", wanted)
        with open(wanted, "rb") as file:
            return file.read()

    def test_the_program_has_both_forms(self):
        names = self.build_program(PROGRAM)
        self.assertIn(b"\0signal_generate\0", names)
        self.assertIn(b"\0signal_generate_flag\0", names)

    def test_an_event_longer_than_a_slot_can_be_sent(self):
        self.assertIn(b"\0signal_generate\0", self.build_program(LONG_PROGRAM))

    def test_the_tables_have_the_event(self):
        program = os.path.join(self.folder, "ask")
        sources = ["userspace/schema/event_info.cc", "userspace/capture/bpf/category.cc", "userspace/util/nearest.cc"]
        self.build(*shlex.split(os.environ.get("CXX", "g++")), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Iinclude",
                   "-Iuserspace", self.more, self.write("ask.cc", ASKS), *sources, "-lfmt", "-o", program)
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, "sent signal_generate sent generate 1 signal other\n")


if __name__ == "__main__":
    harness.main()
