# SPDX-License-Identifier: BSD-2-Clause
# Tests on other kernels, in virtual machines.

VM_PROGRAMS := $(BINARIES) $(BUILD)/tests/workload $(BUILD)/tests/vm_probe $(BUILD)/tests/as_user \
               $(BUILD)/tests/in_namespace $(BUILD)/tests/ftrace_compare $(BUILD)/tests/probed \
               $(BUILD)/bench/prices_load

## vm-test       the matrix of kernels in virtual machines (SKIPPED without qemu)
## vm-test-short three kernels of it, within 3 minutes
.PHONY: vm-test vm-test-short
vm-test: $(VM_PROGRAMS)
	@scripts/setup --try vm
	scripts/vm_matrix --build $(BUILD)

## vm-test-arm64 64-bit ARM: cross builds the programs, records in guests of it, held against ftrace
##               (make deps DEPS="cross vm"; minutes for each of three kernels)
VM_ARM64_MODES ?= probe,truth,categories,wakers,one_cpu
.PHONY: vm-test-arm64
vm-test-arm64:
	@scripts/cross_libraries $(CROSS_LIBRARIES)
	@$(MAKE) --no-print-directory aarch64-vm CROSS=$(abspath $(CROSS_LIBRARIES))/bin/$(CROSS_TRIPLET)
	scripts/vm_matrix --architecture arm64 --build $(CROSS_BUILD) --modes $(VM_ARM64_MODES) --patience 4 \
	  $(if $(VM_CACHE),--cache $(VM_CACHE))

vm-test-short: $(VM_PROGRAMS)
	@scripts/setup --try vm
	scripts/vm_matrix --build $(BUILD) --short
