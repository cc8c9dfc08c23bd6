# SPDX-License-Identifier: BSD-2-Clause
# Rooms whose files go through the compiler together. Half of its time for a file by itself is spent on the
# templates of the standard library and of the room's own headers, the same ones for each file of a room. Not
# for what each event passes through, where the place of a loop counts, nor where records are read by the
# million. TOGETHER= (empty) compiles each file by itself: for one who changes a file again and again, and for
# what looks at files one by one (make lint).
TOGETHER ?= yes
TOGETHER_ROOMS := branches capture/bpf capture/btf capture/counters capture/probes capture/tracefs \
  facts http import measure/store provider query schema \
  sink tables tables/rows analyze/check analyze/diff analyze/draw analyze/flame analyze/lbr analyze/merge analyze/page \
  analyze/report analyze/rewrite analyze/show compare compare/statistics compare/values control/client \
  control/controller control/protocol control/server export export/clickhouse output perf/file perf/live \
  probes serve session session/providers session/trigger symbols text tools/common tools/fxt \
  tools/fxt/support tools/mark tools/record tools/record/command tools/record/commands tools/record/control \
  tools/record/options tools/record/process
TOGETHER_FOLDERS := $(if $(TOGETHER),$(TOGETHER_ROOMS:%=$(BUILD)/userspace/%/))
# Rooms that go with another one: every program that links one of them has the other one too. The last word
# of the name is the effort (below).
WITH_capture_btf_cold        := capture/bpf
WITH_capture_counters_cold   := capture/bpf
WITH_capture_probes_cold     := capture/bpf
WITH_capture_tracefs_cold    := capture/bpf
WITH_compare_values_cold     := compare
WITH_analyze_diff_cold       := analyze/page
WITH_analyze_draw_cold       := analyze/page
WITH_analyze_report_cold     := analyze/page
WITH_control_client_cold     := control/protocol
WITH_control_controller_cold := control/protocol
WITH_control_server_cold     := control/protocol
WITH_tools_fxt_support_cold  := tools/fxt
WITH_tools_fxt_support_warm  := tools/fxt
WITH_tools_record_command_cold  := tools/record/commands
WITH_tools_record_control_cold  := tools/record/commands
WITH_tools_record_options_cold  := tools/record/commands
WITH_tools_record_process_cold  := tools/record/commands

# $(call distinct,WORDS): each once, in the order in which they came.
distinct = $(if $(1),$(firstword $(1)) $(call distinct,$(filter-out $(firstword $(1)),$(1))))
# $(call together,OBJECTS): these, with one object in place of those of a room, or two where some of them are
# compiled with less effort (COLD in the Makefile).
effort   = $(if $(filter $(1),$(COLD)),cold,warm)
# $(call home,ROOM,EFFORT)
home     = $(or $(WITH_$(subst /,_,$(1))_$(2)),$(1))
room_of  = $(patsubst $(BUILD)/userspace/%/,%,$(dir $(1)))
whole_of = $(BUILD)/userspace/$(call home,$(call room_of,$(1)),$(2))/$(2).together.o
together = $(call distinct,$(foreach o,$(1),$(if $(filter $(dir $(o)),$(TOGETHER_FOLDERS)),$(call whole_of,$(o),$(call effort,$(o))),$(o))))
