# SPDX-License-Identifier: BSD-2-Clause
# libfxt-provider: what other programs link to take part in a session. C, and nothing but the C library.

PROVIDER_C_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard userspace/fxt_provider/*.c)))
# Position-independent, also in the archive: it goes into shared libraries as well.
PROVIDER_CFLAGS := -std=c11 -O2 -g1 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Wshadow -Wpointer-arith -MMD -MP \
                   $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
PROVIDER_SONAME := libfxt-provider.so.0

$(PROVIDER_C_OBJECTS): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call brief,CC)$(CC) -Iinclude -Iuserspace -D_GNU_SOURCE $(PROVIDER_CFLAGS) -c $< -o $@

$(BUILD)/libfxt-provider.a: $(PROVIDER_C_OBJECTS)
	@rm -f $@
	$(call brief,AR)$(AR) rcs $@ $^

$(BUILD)/libfxt-provider.so: $(PROVIDER_C_OBJECTS)
	$(call brief,LINK)$(CC) -shared $(LDFLAGS) -Wl,-soname,$(PROVIDER_SONAME) -Wl,-z,defs -o $@ $^ -pthread

## libfxt-provider  build/libfxt-provider.a and .so alone: what programs link that add their own records
.PHONY: libfxt-provider
libfxt-provider: $(BUILD)/libfxt-provider.a $(BUILD)/libfxt-provider.so
all: libfxt-provider

# Speaks to the controller, and needs nothing of the kernel side.
MARK_ARCHIVES := $(patsubst %,$(BUILD)/lib%.a,control text output fxt util)
$(BUILD)/fxt-mark: $(MARK_OBJECTS) $(TOOL_COMMON) $(MARK_ARCHIVES)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $(MARK_OBJECTS) $(TOOL_COMMON) $(MARK_ARCHIVES) -lz -pthread

# Programs of the tests: an honest provider and a hostile one.
$(BUILD)/tests/exercise: tests/provider/exercise.cc $(BUILD)/libfxt-provider.a
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) -std=c++17 -Iinclude -D_GNU_SOURCE $(OPT) $(WARNINGS) $(if $(SAN),-fsanitize=$(SAN)) -o $@ $^ -pthread

$(BUILD)/tests/hostile: tests/provider/hostile.cc include/fxt_provider/detail/buffer.h
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) -std=c++17 -Iinclude -D_GNU_SOURCE $(OPT) $(WARNINGS) -o $@ $<

$(BUILD)/examples/server: examples/server/server.c $(BUILD)/libfxt-provider.a
	@mkdir -p $(@D)
	$(call brief,LINK)$(CC) -std=gnu11 -Iinclude -O2 -Wall -Wextra -Werror $(if $(SAN),-fsanitize=$(SAN)) -o $@ $^ -pthread

PROVIDER_PROGRAMS := $(BUILD)/tests/exercise $(BUILD)/tests/hostile $(BUILD)/examples/server

## provider-test providers that are killed (500) or hostile, 1,000 corrupted buffers, the clock over 30 minutes
##               (root; FXT_PROVIDER_CLOCK_SECONDS=1800)
## provider-test-short the same within a minute
.PHONY: provider-test provider-test-short
provider-test: $(BINARIES) libfxt-provider $(PROVIDER_PROGRAMS) $(BUILD)/unit_tests
	FXT_PROVIDER_ROUNDS=1000 $(BUILD)/unit_tests --gtest_filter='*CorruptedBuffer*'
	FXT_PROVIDER_KILLS=500 FXT_PROVIDER_LIARS=16 FXT_PROVIDER_CLOCK_SECONDS=$${FXT_PROVIDER_CLOCK_SECONDS:-1800} \
	  tests/provider/provider_test.py --build $(BUILD)

provider-test-short: $(BINARIES) libfxt-provider $(PROVIDER_PROGRAMS)
	tests/provider/provider_test.py --build $(BUILD)

## hostile-soak  hostile providers and clients of two users beside an honest session (root; HOSTILE_SOAK_SECONDS=900)
.PHONY: hostile-soak
HOSTILE_SOAK_SECONDS ?= 7200
hostile-soak: $(BINARIES) $(PROVIDER_PROGRAMS)
	tests/provider/hostile_soak.py $(BUILD) $(HOSTILE_SOAK_SECONDS)
