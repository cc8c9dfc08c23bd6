# SPDX-License-Identifier: BSD-2-Clause
# Planted regressions: see tests/regress/README.md.

## regress-record record every planted regression and some real programs, base and slow in turns
##               (root; about an hour; CAPTURES=build/regress)
## regress-test  hold what `fxt diff` finds in them against what was planted
.PHONY: regress-record regress-test
CAPTURES ?= $(BUILD)/regress
regress-record: $(BUILD)/fxt-record $(BUILD)/tests/planted
	tests/regress/record.py --build $(BUILD) planted $(CAPTURES)/planted
	tests/regress/record.py --build $(BUILD) further $(CAPTURES)/further
	tests/regress/record.py --build $(BUILD) others $(CAPTURES)/others
	tests/regress/record.py --build $(BUILD) real $(CAPTURES)/real
	tests/regress/record.py --build $(BUILD) aa $(CAPTURES)/aa

regress-test: $(BUILD)/fxt
	tests/regress/evaluate.py --build $(BUILD) $(CAPTURES)/planted $(CAPTURES)/further $(CAPTURES)/others \
	  $(CAPTURES)/real --aa $(CAPTURES)/aa
