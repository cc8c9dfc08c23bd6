# SPDX-License-Identifier: BSD-2-Clause
# Unit tests: tests/unit/ in one program.

## unit-test     build and run the unit tests alone
.PHONY: unit-test
unit-test: $(BUILD)/unit_tests
	scripts/run_shards $(BUILD)/unit_tests --gtest_brief=1

# Two recordings, small and large damage: four times as many.
RECOVER_ROUNDS ?= 2500
## recover-test  fxt recover after 10,000 cuts and overwrites (FXT_DAMAGE_TRACE=FILE: of that too)
.PHONY: recover-test
recover-test: $(BUILD)/unit_tests
	FXT_DAMAGE_ROUNDS=$(RECOVER_ROUNDS) $(BUILD)/unit_tests --gtest_filter='RecoverDamageTest.*'
