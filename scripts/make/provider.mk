# SPDX-License-Identifier: BSD-2-Clause
# Programs that take part in a session by libfxt-provider.

PROVIDER_PROGRAMS := $(BUILD)/tests/exercise $(BUILD)/tests/hostile $(BUILD)/examples/server

## provider-test programs that take part, die and lie: 500 killed, 1,000 corrupted buffers, the clock over 30 minutes
##               (root; FXT_PROVIDER_CLOCK_SECONDS=1800)
## provider-test-short the same within a minute
.PHONY: provider-test provider-test-short
provider-test: $(BINARIES) libfxt-provider $(PROVIDER_PROGRAMS) $(BUILD)/unit_tests
	FXT_PROVIDER_ROUNDS=1000 $(BUILD)/unit_tests --gtest_filter='*CorruptedBuffer*'
	FXT_PROVIDER_KILLS=500 FXT_PROVIDER_LIARS=16 FXT_PROVIDER_CLOCK_SECONDS=$${FXT_PROVIDER_CLOCK_SECONDS:-1800} \
	  tests/provider/provider_test.py --build $(BUILD)

provider-test-short: $(BINARIES) libfxt-provider $(PROVIDER_PROGRAMS)
	tests/provider/provider_test.py --build $(BUILD)
