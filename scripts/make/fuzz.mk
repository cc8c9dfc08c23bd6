# SPDX-License-Identifier: BSD-2-Clause
# Coverage-guided fuzzing of everything that reads a trace, with clang's libFuzzer.

# clang-14 has clang++-14 beside it.
FUZZ_CXX     ?= $(subst clang,clang++,$(CLANG))
FUZZ_BUILD   := $(BUILD)/fuzz
FUZZ_SECONDS ?= 600
FUZZ_MAKE    = $(SUBMAKE) BUILD=$(FUZZ_BUILD) CXX='$(FUZZ_CXX)' OPT='-O1 -gline-tables-only' \
                 SAN=address,undefined,fuzzer-no-link CXXFLAGS='-fsanitize-ignorelist=$(CURDIR)/tests/fuzz/not_ours.txt'
# Whether clang is here and has libFuzzer; looked at when a fuzzing target is made.
FUZZ_MISSING = $(shell f=$$(mktemp) && \
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' | \
  $(FUZZ_CXX) -x c++ - -fsanitize=fuzzer,address -o $$f >/dev/null 2>&1 || \
  echo "$(FUZZ_CXX) cannot build with -fsanitize=fuzzer"; rm -f $$f)

# Seeds are made anew; what a long run found beside them stays in corpus/.
.PHONY: fuzz-seeds
fuzz-seeds: $(BUILD)/tests/make_corpus
	@rm -rf $(FUZZ_BUILD)/seeds
	$(BUILD)/tests/make_corpus $(FUZZ_BUILD)/seeds
	@mkdir -p $(FUZZ_BUILD)/corpus

FUZZ_RUN = $(FUZZ_BUILD)/reader_fuzzer -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
           -artifact_prefix=$(FUZZ_BUILD)/ -print_final_stats=1

## fuzz          fuzz the reading side (FUZZ_SECONDS=600)
## fuzz-test     the same for twenty seconds, always with the same seeds
.PHONY: fuzz
fuzz: fuzz-seeds
	$(FUZZ_MAKE) $(FUZZ_BUILD)/reader_fuzzer
	$(FUZZ_RUN) -max_total_time=$(FUZZ_SECONDS) $(FUZZ_BUILD)/corpus $(FUZZ_BUILD)/seeds

# A fixed short run for the tests: the seeds, and the same inputs made of them each time, as many as
# the time allows.
FUZZ_TEST_SECONDS := 20
.PHONY: fuzz-test fuzz-test-run
fuzz-test:
	@missing="$(FUZZ_MISSING)"; \
	if [ -n "$$missing" ]; then echo "SKIPPED fuzz-test: $$missing"; \
	else $(SUBMAKE) fuzz-test-run; fi

fuzz-test-run: fuzz-seeds
	@$(FUZZ_MAKE) $(FUZZ_BUILD)/reader_fuzzer
	@$(FUZZ_RUN) -seed=1 -max_total_time=$(FUZZ_TEST_SECONDS) $(FUZZ_BUILD)/seeds >$(FUZZ_BUILD)/test.log 2>&1 || \
	  { status=$$?; cat $(FUZZ_BUILD)/test.log; exit $$status; }
	@sed -n 's/^stat::/fuzz-test: /p' $(FUZZ_BUILD)/test.log
