# SPDX-License-Identifier: BSD-2-Clause
# How often fxt diff is wrong.

DIFF_DRAWS ?= 1000
## diff-calibration  print false discoveries and power of fxt diff over simulated captures (DIFF_DRAWS=1000)
.PHONY: diff-calibration
diff-calibration: $(BUILD)/unit_tests
	FXT_DIFF_DRAWS=$(DIFF_DRAWS) $(BUILD)/unit_tests --gtest_filter='CalibrationTest.*'
