# SPDX-License-Identifier: BSD-2-Clause
# Packages, and programs for other machines.

# --- 64-bit ARM by a cross compiler ----------------------------------------------------------------------------

CROSS       ?= aarch64-linux-gnu-
CROSS_EMULATOR ?= $(or $(shell command -v qemu-aarch64-static),$(shell command -v qemu-aarch64))
CROSS_SYSROOT ?= /usr/aarch64-linux-gnu
CROSS_BUILD := $(BUILD)/aarch64
CROSS_MAKE   = $(SUBMAKE) BUILD=$(CROSS_BUILD) BPF_ARCH=arm64 CXX=$(CROSS)g++ CC=$(CROSS)gcc
CROSS_NEEDS := -lbpf -ltraceevent -ldw -lelf -llzma -liberty -lsqlite3 -ldeflate -lz -lzstd -lseccomp

## aarch64       cross compile for 64-bit ARM: libfxt, BPF objects; the programs if static libraries are installed
## aarch64-test  the tests of libfxt for 64-bit ARM, under qemu-user
.PHONY: aarch64 aarch64-test
aarch64:
	@scripts/cross_check $(CROSS)g++
	@$(CROSS_MAKE) $(CROSS_BUILD)/libfxt.a $(CROSS_BUILD)/bpf/recorder.skel.h
	@if scripts/cross_check $(CROSS)g++ $(CROSS_NEEDS); then $(CROSS_MAKE) all; fi

# The programs that the virtual machines of vm-test-arm64 run.
.PHONY: aarch64-vm
aarch64-vm:
	@$(CROSS_MAKE) $(VM_PROGRAMS:$(BUILD)/%=$(CROSS_BUILD)/%)

aarch64-test:
	@scripts/cross_check $(CROSS)g++
	@$(CROSS_MAKE) $(CROSS_BUILD)/fxt_tests
	@if [ -n "$(CROSS_EMULATOR)" ]; then $(CROSS_EMULATOR) -L $(CROSS_SYSROOT) $(CROSS_BUILD)/fxt_tests --gtest_brief=1; \
	  else echo "SKIPPED: no qemu-aarch64 to run $(CROSS_BUILD)/fxt_tests (make deps DEPS=cross)"; fi

# --- Debian packages (scripts/debian/) and tarballs ------------------------------------------------------------

DEB_FOLDER := $(BUILD)/deb

## deb           Debian packages in build/deb: fxt-record, libfxt-dev, libfxt-provider, fxt-sqlite (make deps DEPS=package)
## deb-test      install, use and remove them in a fresh Debian; lintian (root, needs a mirror)
## deb-reproducible  build them in another folder and compare the bytes (compiles everything twice)
.PHONY: deb deb-test deb-reproducible
deb:
	@scripts/build_deb $(DEB_FOLDER)

deb-test: deb
	tests/package/deb_test.py --packages $(DEB_FOLDER)

deb-reproducible: deb
	tests/package/reproducible_test.py --packages $(DEB_FOLDER)

TARBALL_FOLDER := $(BUILD)/tarball
CROSS_LIBRARIES := $(BUILD)/aarch64-libraries
CROSS_TRIPLET   := aarch64-linux-gnu-

## tarball       static programs for machines of any distribution, in build/tarball: TARBALLS="amd64 arm64"
##               (arm64 by the cross compiler with libraries that scripts/cross_libraries fetches, make deps DEPS=cross)
TARBALLS ?= amd64 arm64
.PHONY: tarball tarball-amd64 tarball-arm64
tarball: $(TARBALLS:%=tarball-%)

tarball-amd64:
	@$(SUBMAKE) all
	@scripts/build_tarball $(BUILD) amd64 $(TARBALL_FOLDER)

tarball-arm64:
	@scripts/cross_libraries $(CROSS_LIBRARIES)
	@$(MAKE) --no-print-directory aarch64 CROSS=$(abspath $(CROSS_LIBRARIES))/bin/$(CROSS_TRIPLET)
	@STRIP=$(CROSS_TRIPLET)strip scripts/build_tarball $(CROSS_BUILD) arm64 $(TARBALL_FOLDER)
	@if [ -z "$(CROSS_EMULATOR)" ]; then echo "SKIPPED: no qemu-aarch64 to run $(CROSS_BUILD)/fxt"; \
	  else tests/package/arm64_test.py --emulator "$(CROSS_EMULATOR)" --build $(BUILD) --cross-build $(CROSS_BUILD); fi
