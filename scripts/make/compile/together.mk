# SPDX-License-Identifier: BSD-2-Clause
# Rooms whose files go through the compiler together. Half of its time for a file by itself is spent on the
# templates of the standard library and of the room's own headers, the same ones for each file of a room. Not
# for what each event passes through, where the place of a loop counts, nor where records are read by the
# million. TOGETHER= (empty) compiles each file by itself: for one who changes a file again and again, and for
# what looks at files one by one (make lint).
TOGETHER ?= yes
TOGETHER_ROOMS := branches import measure/store provider query raw_log schema sink tables \
  tables/rows analyze/check analyze/diff analyze/draw analyze/flame analyze/lbr analyze/merge analyze/page \
  analyze/report analyze/rewrite analyze/show compare compare/statistics compare/values control/client \
  control/controller control/protocol control/server export export/clickhouse output perf/file perf/live \
  probes serve session session/guests session/trigger symbols text tools/common tools/fxt \
  tools/fxt/support tools/mark tools/record tools/record/command tools/record/commands tools/record/control \
  tools/record/options tools/record/process
TOGETHER_FOLDERS := $(if $(TOGETHER),$(TOGETHER_ROOMS:%=$(BUILD)/userspace/%/))

# $(call distinct,WORDS): each once, in the order in which they came.
distinct = $(if $(1),$(firstword $(1)) $(call distinct,$(filter-out $(firstword $(1)),$(1))))
# $(call together,OBJECTS): these, with one object in place of those of a room, or two where some of them are
# compiled with less effort (COLD in the Makefile).
effort   = $(if $(filter $(1),$(COLD)),cold,warm)
together = $(call distinct,$(foreach o,$(1),$(if $(filter $(dir $(o)),$(TOGETHER_FOLDERS)),$(dir $(o))$(call effort,$(o)).together.o,$(o))))
