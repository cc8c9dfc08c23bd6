# SPDX-License-Identifier: BSD-2-Clause
# Other machines: 64-bit ARM by a cross compiler.

CROSS       ?= aarch64-linux-gnu-
CROSS_EMULATOR ?= $(or $(shell command -v qemu-aarch64-static),$(shell command -v qemu-aarch64))
CROSS_SYSROOT ?= /usr/aarch64-linux-gnu
CROSS_BUILD := $(BUILD)/aarch64
CROSS_MAKE   = $(SUBMAKE) BUILD=$(CROSS_BUILD) BPF_ARCH=arm64 CXX=$(CROSS)g++ CC=$(CROSS)gcc \
                 AR=$(CROSS)ar STRIP=$(CROSS)strip

# The tests of libfxt as a program of their own, which needs no other library than GoogleTest; that is
# compiled from its sources, since Debian installs its library for one architecture only.
GTEST_SOURCES ?= /usr/src/googletest/googletest
FXT_TEST_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard tests/unit/fxt/*.cc tests/unit/fxt/support/*.cc)))

$(BUILD)/gtest/gtest-all.o: $(GTEST_SOURCES)/src/gtest-all.cc
	@mkdir -p $(@D)
	$(call brief,CXX)$(CXX) -std=c++20 -O1 -I$(GTEST_SOURCES) -c $< -o $@

$(BUILD)/gtest/gtest_main.o: $(GTEST_SOURCES)/src/gtest_main.cc
	@mkdir -p $(@D)
	$(call brief,CXX)$(CXX) -std=c++20 -O1 -c $< -o $@

$(BUILD)/fxt_tests: $(FXT_TEST_OBJECTS) $(BUILD)/gtest/gtest-all.o $(BUILD)/gtest/gtest_main.o $(BUILD)/libfxt.a
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $^ -pthread

## aarch64       cross compile for 64-bit ARM: libfxt, BPF objects; the programs if their libraries are there
## aarch64-test  the tests of libfxt for 64-bit ARM, under qemu-user
.PHONY: aarch64 aarch64-test
aarch64:
	@scripts/cross_check $(CROSS)g++
	@$(CROSS_MAKE) $(CROSS_BUILD)/libfxt.a $(CROSS_BUILD)/bpf/recorder.skel.h
	@if scripts/cross_check $(CROSS)g++ $(filter-out -pthread,$(LIBS)); then $(CROSS_MAKE) all; fi

# What guests of vm-test-arm64 run.
.PHONY: aarch64-vm
aarch64-vm:
	@$(CROSS_MAKE) $(VM_PROGRAMS:$(BUILD)/%=$(CROSS_BUILD)/%)

aarch64-test:
	@scripts/cross_check $(CROSS)g++
	@$(CROSS_MAKE) $(CROSS_BUILD)/fxt_tests
	@if [ -n "$(CROSS_EMULATOR)" ]; then $(CROSS_EMULATOR) -L $(CROSS_SYSROOT) $(CROSS_BUILD)/fxt_tests --gtest_brief=1; \
	  else echo "SKIPPED: no qemu-aarch64 to run $(CROSS_BUILD)/fxt_tests (make deps DEPS=cross)"; fi
