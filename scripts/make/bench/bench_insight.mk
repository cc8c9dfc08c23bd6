# SPDX-License-Identifier: BSD-2-Clause
# How long a report and a comparison of large recordings take.

## bench-insight time and memory of fxt info, report, summarize and diff for 10 million switches (MILLIONS=)
.PHONY: bench-insight
MILLIONS ?= 10
bench-insight: $(BUILD)/fxt $(BUILD)/bench/make_switches
	scripts/bench_insight --build $(BUILD) --millions $(MILLIONS)
