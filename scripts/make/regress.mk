# SPDX-License-Identifier: BSD-2-Clause
# Planted regressions: see tests/regress/README.md.

## regress-record record the planted regressions and the programs of the distribution, base and slow interleaved
##               (root; about two hours; CAPTURES=build/regress)
## regress-test  compare what `fxt diff` finds in them with what was planted
.PHONY: regress-record regress-test
CAPTURES ?= $(BUILD)/regress
regress-record: $(BUILD)/fxt-record $(BUILD)/tests/planted
	scripts/setup regress
	tests/regress/record.py --build $(BUILD) planted $(CAPTURES)/planted
	tests/regress/record.py --build $(BUILD) programs $(CAPTURES)/programs
	tests/regress/record.py --build $(BUILD) aa $(CAPTURES)/aa

regress-test: $(BUILD)/fxt
	tests/regress/evaluate.py --build $(BUILD) $(CAPTURES)/planted $(CAPTURES)/programs --aa $(CAPTURES)/aa
