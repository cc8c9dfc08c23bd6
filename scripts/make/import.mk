# SPDX-License-Identifier: BSD-2-Clause
# Trace Event JSON of other programs.

IMPORT_ROUNDS ?= 100000

## import-test   import random Trace Event JSON and that of clang, ninja, Node, Chromium and perf, and convert it back
## import-damage 100,000 damaged files into fxt import (IMPORT_ROUNDS=100000)
## bench-import  a gigabyte of JSON: MB/s of one core beside the JSON parser alone, and memory (IMPORT_MB=1000)
.PHONY: import-test import-damage bench-import
import-test: $(BINARIES)
	tests/import/import_test.py --build $(BUILD)

import-damage: $(BUILD)/unit_tests
	FXT_DAMAGE_ROUNDS=$(IMPORT_ROUNDS) $(BUILD)/unit_tests --gtest_filter='DamagedTextTest.*'

IMPORT_MB ?= 1000
bench-import: $(BUILD)/fxt $(BUILD)/bench/json_parser
	scripts/bench_import --build $(BUILD) --mb $(IMPORT_MB)
