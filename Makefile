# SPDX-License-Identifier: BSD-2-Clause
# fxt-record: see README.md. `make help` lists the targets.

# SAN=address,undefined (or thread) makes a sanitizer build, in a folder of its own.
SAN     ?=
comma   := ,
BUILD   ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
PREFIX  ?= /usr/local
DESTDIR ?=
CXX     ?= g++
CC      ?= gcc
CLANG   ?= clang
LLVM_STRIP ?= $(or $(shell command -v llvm-strip),$(shell command -v llvm-strip-14),strip)
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
VERSION := $(shell cat VERSION)

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wpointer-arith -Wundef
# g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
WARNINGS += $(if $(findstring clang,$(CXX)),,-Wno-restrict)
# clang 19 sees that libstdc++ 12 has deprecated what its own std::stable_sort uses.
WARNINGS += $(if $(findstring clang,$(CXX)),-Wno-deprecated-declarations)
# Functions and lines for backtraces and profilers; what -g says of every variable and type takes a
# quarter of the compile time (OPT="-O0 -g" for a debugger).
OPT      ?= -O2 -g1
CPPFLAGS += -Iinclude -Iuserspace -I$(BUILD) -D_GNU_SOURCE \
            -DFXT_RECORD_VERSION='"$(VERSION)"'
CXXFLAGS += -std=c++20 $(OPT) $(WARNINGS) -fno-omit-frame-pointer -MMD -MP
ifeq ($(SAN),)
# One file that can be copied to another machine.
LDFLAGS_BIN := -static
else
# What sanitizers add keeps g++ from seeing that a value was set: it may say so.
CXXFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all \
            $(if $(findstring clang,$(CXX)),,-Wno-error=maybe-uninitialized)
LDFLAGS  += -fsanitize=$(SAN)
LDFLAGS_BIN :=
endif

# V=1 shows whole commands.
brief = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$@'; )
quoted = '$(subst ','\'',$(1))'

# Outermost folders of userspace/, lowest layer first.
LAYERS := $(filter-out tools,$(shell sed -n 's,^\([a-z_]*\).*:.*,\1,p' userspace/layers | awk '!seen[$$0]++'))
layer_sources = $(sort $(wildcard userspace/$(1)/*.cc userspace/$(1)/*/*.cc))
layer_objects = $(patsubst %.cc,$(BUILD)/%.o,$(call layer_sources,$(1)))
ARCHIVES := $(foreach l,$(LAYERS),$(if $(call layer_sources,$(l)),$(BUILD)/lib$(l).a))
# Linked highest layer first.
reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
ARCHIVES_LINK := $(call reverse,$(ARCHIVES))
# What SQLite takes of the mathematical and the loading library is in the C library of newer systems.
LIBS := -lbpf -ltraceevent -lelf -liberty -lsqlite3 -ldeflate -lz -lzstd -lseccomp -lm -ldl -pthread

RECORD_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard userspace/tools/record/*.cc userspace/tools/record/*/*.cc)))
FXT_OBJECTS    := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard userspace/tools/fxt/*.cc userspace/tools/fxt/*/*.cc)))
TOOL_COMMON    := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard userspace/tools/common/*.cc)))
MARK_OBJECTS   := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard userspace/tools/mark/*.cc)))
BINARIES := $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/fxt-mark

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help FORCE

all: $(BINARIES) $(ARCHIVES)

## all           build/fxt-record, build/fxt, build/fxt-mark and the libraries build/libfxt.a and
##               build/libfxt-provider.a and .so (TOGETHER= where one file is changed again and again: each by itself)
## help          this list; V=1 with any target shows whole commands
help:
	@sed -n 's/^## //p' Makefile scripts/make/*.mk scripts/make/bench/*.mk

# What runs once a command, not once an event or a record, is worth less of the compiler's time. Not what
# has the loops over events and records in it: these are templates, compiled where they are used, and
# tests/project/cold_test.py holds that none of them is here.
COLD_OPT  ?= -O1 -g1
COLD_ROOMS := $(foreach l,capture/bpf capture/btf capture/counters capture/probes capture/tracefs compare control http \
                serve probes output export/clickhouse analyze/diff,$(call layer_objects,$(l)))
# Of Boost's distributions, constants would be computed when a program starts.
COLD_ROOMS := $(filter-out $(call layer_objects,compare/statistics),$(COLD_ROOMS))
COLD_TEXTS := $(filter %_text.o %_json.o %_svg.o %_page.o,$(foreach r,draw flame lbr page report,$(call layer_objects,analyze/$(r)))) \
              $(patsubst %,$(BUILD)/userspace/%.o,analyze/show/overview_json analyze/show/overview_text tools/record/totals)
READ_LOOPS := $(patsubst %.cc,$(BUILD)/%.o,$(shell grep -lE '(read_loop|flame_input|fxt/reader)\.h' userspace/tools/fxt/*.cc userspace/tools/fxt/*/*.cc))
COLD_TOOLS := $(foreach r,command commands control options process,$(filter $(BUILD)/userspace/tools/record/$(r)/%,$(RECORD_OBJECTS))) \
              $(filter-out $(READ_LOOPS),$(FXT_OBJECTS)) $(MARK_OBJECTS) $(TOOL_COMMON)
COLD := $(COLD_ROOMS) $(COLD_TEXTS) $(COLD_TOOLS)
include scripts/make/compile/together.mk

# Headers that nearly every file includes, compiled once: a copy of one in scripts/prelude/, and what the
# compiler makes of it beside that, where it looks for it. PRELUDES= (empty) does without.
PRELUDES ?= yes
$(BUILD)/prelude/%.h: scripts/prelude/%.h
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/prelude/%.h.gch: $(BUILD)/prelude/%.h $(BUILD)/flags
	$(call brief,CXX)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -x c++-header $< -o $@

# g++ 12 then sees what is wrong with std::string, and is not (GCC bugs 105329 and 105651): it may say
# so, without that the build fails.
PRELUDE_WARNINGS := $(if $(findstring clang,$(CXX)),,-Wno-error=array-bounds -Wno-error=stringop-overflow)
# $(call with_prelude,NAME,OBJECTS)
define with_prelude
$(2): private CPPFLAGS += -include $(BUILD)/prelude/$(1).h
$(2): private CXXFLAGS += $(PRELUDE_WARNINGS)
$(2): $(BUILD)/prelude/$(1).h.gch
endef
ifneq ($(PRELUDES),)
# libfxt needs nothing but a compiler.
WITH_PRELUDE := $(foreach l,$(filter-out fxt,$(LAYERS)),$(call layer_objects,$(l))) \
                $(RECORD_OBJECTS) $(FXT_OBJECTS) $(MARK_OBJECTS) $(TOOL_COMMON)
$(eval $(call with_prelude,userspace,$(sort $(WITH_PRELUDE) $(call together,$(WITH_PRELUDE)))))
# What ccache has to be told before it keeps what was made with such a header.
export CCACHE_SLOPPINESS := $(CCACHE_SLOPPINESS),pch_defines,time_macros
endif

# What each event passes through. Where a function and its loops begin decides how they lie
# in the cache: the same instructions took 9% longer when other code grew before them, and 3% where
# only loops were laid out and not what is jumped to inside them.
LINES_OF_CACHE := -falign-functions=64 -falign-loops=32 -falign-labels=16
EVENT_PATH := $(foreach l,fxt model translate capture,$(call layer_objects,$(l)))
$(EVENT_PATH): private CXXFLAGS += $(LINES_OF_CACHE)

COLD_TOGETHER := $(call together,$(COLD))
$(COLD) $(COLD_TOGETHER): private OPT := $(COLD_OPT)
RECORD_OBJECTS := $(call together,$(RECORD_OBJECTS))
FXT_OBJECTS    := $(call together,$(FXT_OBJECTS))
TOOL_COMMON    := $(call together,$(TOOL_COMMON))
MARK_OBJECTS   := $(call together,$(MARK_OBJECTS))
# $(call linked,OBJECTS,ARCHIVES): of what several of them have of a header the linker takes the first, which is
# none of those that were compiled with less effort.
linked = $(filter-out $(COLD_TOGETHER),$(1)) $(2) $(filter $(COLD_TOGETHER),$(1)) $(2)

.PHONY: cold-objects
cold-objects:
	@printf '%s\n' $(COLD_TOGETHER)

include scripts/make/bench/*.mk scripts/make/*.mk

# Objects made with other flags are not these objects.
FLAGS := $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(LINES_OF_CACHE) $(COLD_OPT) $(TEST_OPT) $(PRELUDES) $(if $(TOGETHER),$(TOGETHER_ROOMS))
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(call quoted,$(FLAGS)) | cmp -s - $@ || printf '%s\n' $(call quoted,$(FLAGS)) >$@

$(BUILD)/%.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call brief,CXX)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@

# $(call together_rule,OBJECT,ITS FILES)
define together_rule
$(1:%.o=%.cc): FORCE
	@mkdir -p $$(@D)
	@printf '#include "%s"\n' $(2) | cmp -s - $$@ || printf '#include "%s"\n' $(2) >$$@
$(1): $(1:%.o=%.cc) $(BUILD)/flags
	$$(call brief,CXX)$(CXX) $$(CPPFLAGS) -iquote . $$(CXXFLAGS) -c $$< -o $$@
endef
# Every object that can be compiled with its room, by the folder's name and its effort.
ALL_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(foreach r,$(if $(TOGETHER),$(TOGETHER_ROOMS)),$(sort $(wildcard userspace/$(r)/*.cc))))
$(foreach o,$(ALL_OBJECTS),$(eval FILES_OF_$(call together,$(o)) += $(o:$(BUILD)/%.o=%.cc)))
$(foreach t,$(sort $(call together,$(ALL_OBJECTS))),$(eval $(call together_rule,$(t),$(FILES_OF_$(t)))))

define archive_rule
$(BUILD)/lib$(1).a: $(call together,$(call layer_objects,$(1)))
	@rm -f $$@
	$$(call brief,AR)$(AR) rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(if $(call layer_sources,$(l)),$(eval $(call archive_rule,$(l)))))

# See userspace/tools/common/no_libraries.cc.
NO_DLOPEN = $(if $(LDFLAGS_BIN),-Wl$(comma)--wrap=dlopen)

$(BUILD)/fxt-record: $(RECORD_OBJECTS) $(TOOL_COMMON) $(ARCHIVES)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) $(NO_DLOPEN) -o $@ $(call linked,$(RECORD_OBJECTS) $(TOOL_COMMON),$(ARCHIVES_LINK)) $(LIBS)

# What reads files has nothing of the kernel side in it.
FXT_ARCHIVES := $(filter-out $(BUILD)/libcapture.a,$(ARCHIVES_LINK))
$(BUILD)/fxt: $(FXT_OBJECTS) $(TOOL_COMMON) $(FXT_ARCHIVES)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) $(NO_DLOPEN) -o $@ $(call linked,$(FXT_OBJECTS) $(TOOL_COMMON),$(FXT_ARCHIVES)) $(filter-out -lbpf -ltraceevent,$(LIBS))

## fxt           build/fxt alone: needs neither clang nor bpftool nor libbpf
## libfxt        build/libfxt.a alone: needs nothing but a C++ compiler
.PHONY: fxt libfxt
fxt: $(BUILD)/fxt
libfxt: $(BUILD)/libfxt.a

-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -type f -name '*.d' -print 2>/dev/null)
