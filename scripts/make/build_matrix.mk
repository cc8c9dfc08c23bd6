# SPDX-License-Identifier: BSD-2-Clause
# Every compiler, and what finds bugs.

## build-matrix  g++ 12, clang 14, 16 and 19, BPF objects of both ends, sanitizers, valgrind, static
##               analysis, 64-bit ARM (STEPS="clang-19 thread" for some; two hours on two CPUs)
.PHONY: build-matrix
STEPS ?=
build-matrix:
	scripts/build_matrix --build $(BUILD) --make "$(MAKE)" $(STEPS)
