# SPDX-License-Identifier: BSD-2-Clause
# The BPF programs: one object file per family of events, linked into one, and its skeleton.

BPF_ARCH ?= $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x86)
BPF_SOURCES := $(sort $(wildcard bpf/*.bpf.c))
# The definitions go first: bpftool 7.1 loses the offsets of maps that it meets as extern before.
BPF_SOURCES := bpf/maps.bpf.c $(filter-out bpf/maps.bpf.c,$(BPF_SOURCES))
# The object is built once for each place where kernels keep the preemption count, see bpf/context.h.
BPF_VARIANTS := recorder recorder_per_cpu recorder_pcpu_hot
recorder_DEFINES          :=
recorder_per_cpu_DEFINES  := -DFXR_PREEMPT_COUNT=1
recorder_pcpu_hot_DEFINES := -DFXR_PREEMPT_COUNT=2
# v3: 32-bit arithmetic and jumps (5.1); atomic fetches only in the programs that 5.12 and later load.
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Iinclude \
              -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-declarations \
              -Wno-address-of-packed-member -Wno-undef -fno-stack-protector

BPF_HEADERS := $(wildcard bpf/*.h) include/fxt_record/event.h

define bpf_variant_rules
$(BUILD)/bpf/$(1)/%.bpf.o: bpf/%.bpf.c $$(BPF_HEADERS)
	@mkdir -p $$(@D)
	$$(call brief,BPF)$$(CLANG) $$(BPF_CFLAGS) $$($(1)_DEFINES) -c $$< -o $$@

$(BUILD)/bpf/$(1).bpf.o: $$(patsubst bpf/%.bpf.c,$(BUILD)/bpf/$(1)/%.bpf.o,$$(BPF_SOURCES))
	$$(call brief,BPFTOOL)$$(BPFTOOL) gen object $$@ $$^

$(BUILD)/bpf/$(1).skel.h: $(BUILD)/bpf/$(1).bpf.o
	$$(call brief,BPFTOOL)(echo '// NOLINTBEGIN' && $$(BPFTOOL) gen skeleton $$< name $(1)_bpf && \
	  echo '// NOLINTEND') > $$@
endef
$(foreach v,$(BPF_VARIANTS),$(eval $(call bpf_variant_rules,$(v))))

# Whoever includes the skeletons waits for them.
$(call layer_objects,capture): $(patsubst %,$(BUILD)/bpf/%.skel.h,$(BPF_VARIANTS))
