# SPDX-License-Identifier: BSD-2-Clause
# Other machines: 64-bit ARM by a cross compiler.

CROSS       ?= aarch64-linux-gnu-
CROSS_EMULATOR ?= $(or $(shell command -v qemu-aarch64-static),$(shell command -v qemu-aarch64))
CROSS_SYSROOT ?= /usr/aarch64-linux-gnu
CROSS_BUILD := $(BUILD)/aarch64
CROSS_MAKE   = $(SUBMAKE) BUILD=$(CROSS_BUILD) BPF_ARCH=arm64 CXX=$(CROSS)g++ CC=$(CROSS)gcc
CROSS_NEEDS := -lbpf -ltraceevent -lelf -liberty -lsqlite3 -ldeflate -lz -lzstd -lseccomp

## aarch64       cross compile for 64-bit ARM: libfxt, BPF objects; the programs if their libraries are there
## aarch64-test  the tests of libfxt for 64-bit ARM, under qemu-user
.PHONY: aarch64 aarch64-test
aarch64:
	@scripts/cross_check $(CROSS)g++
	@$(CROSS_MAKE) $(CROSS_BUILD)/libfxt.a $(CROSS_BUILD)/bpf/recorder.skel.h
	@if scripts/cross_check $(CROSS)g++ $(CROSS_NEEDS); then $(CROSS_MAKE) all; fi

# What guests of vm-test-arm64 run.
.PHONY: aarch64-vm
aarch64-vm:
	@$(CROSS_MAKE) $(VM_PROGRAMS:$(BUILD)/%=$(CROSS_BUILD)/%)

aarch64-test:
	@scripts/cross_check $(CROSS)g++
	@$(CROSS_MAKE) $(CROSS_BUILD)/fxt_tests
	@if [ -n "$(CROSS_EMULATOR)" ]; then $(CROSS_EMULATOR) -L $(CROSS_SYSROOT) $(CROSS_BUILD)/fxt_tests --gtest_brief=1; \
	  else echo "SKIPPED: no qemu-aarch64 to run $(CROSS_BUILD)/fxt_tests (make deps DEPS=cross)"; fi
