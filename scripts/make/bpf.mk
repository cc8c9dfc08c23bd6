# SPDX-License-Identifier: BSD-2-Clause
# The BPF programs: one object file per family of events, linked into one, and its skeleton.

BPF_ARCH ?= $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x86)
BPF_SOURCES := $(sort $(wildcard bpf/*.bpf.c bpf/events/*.bpf.c))
# The definitions go first: bpftool 7.1 loses the offsets of maps that it meets as extern before.
BPF_SOURCES := bpf/maps.bpf.c $(filter-out bpf/maps.bpf.c,$(BPF_SOURCES))
# v3: 32-bit arithmetic and jumps (5.1); atomic fetches only in the programs that 5.12 and later load.
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Iinclude -Ibpf \
              -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-declarations \
              -Wno-address-of-packed-member -Wno-undef -fno-stack-protector
# The programs carry the names of their sources; the folder that they were built in is no matter.
BPF_CFLAGS += -ffile-prefix-map=$(CURDIR)=.
# libbpf's usdt.bpf.h wants <asm/errno.h>, which is where clang does not look for this target; the second
# folder is that of a cross compiler.
MULTIARCH := $(shell $(CXX) -print-multiarch)
BPF_CFLAGS += $(if $(MULTIARCH),-idirafter /usr/include/$(MULTIARCH) -idirafter /usr/$(MULTIARCH)/include)

BPF_HEADERS := $(wildcard bpf/*.h bpf/events/*.h) $(wildcard include/fxt_record/*.h)

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(BPF_HEADERS)
	@mkdir -p $(@D)
	$(call brief,BPF)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BUILD)/bpf/recorder.o: $(patsubst bpf/%.bpf.c,$(BUILD)/bpf/%.bpf.o,$(BPF_SOURCES))
	$(call brief,BPFTOOL)$(BPFTOOL) gen object $@ $^

$(BUILD)/bpf/recorder.skel.h: $(BUILD)/bpf/recorder.o
	$(call brief,BPFTOOL)(echo '// NOLINTBEGIN' && $(BPFTOOL) gen skeleton $< name recorder_bpf && \
	  echo '// NOLINTEND') > $@

# Whoever includes the skeleton waits for it.
$(call layer_objects,capture) $(call together,$(call layer_objects,capture)): $(BUILD)/bpf/recorder.skel.h
