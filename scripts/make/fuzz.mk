# SPDX-License-Identifier: BSD-2-Clause
# Coverage-guided fuzzing of everything that reads a trace, with clang's libFuzzer.

# clang-14 has clang++-14 beside it.
FUZZ_CXX     ?= $(subst clang,clang++,$(CLANG))
FUZZ_BUILD   := $(BUILD)/fuzz
FUZZ_SECONDS ?= 600
# What reads, rewrites and compares traces and summaries; branch reports and pages stand on layers of
# their own. Few files, since all are compiled for this alone.
FUZZ_SOURCES := $(foreach l,fxt schema output text source symbols facts sort measure compare,$(call layer_sources,$(l))) \
                userspace/analyze/lbr/lbr_places.cc \
                $(filter-out userspace/analyze/lbr/% userspace/analyze/page/% userspace/analyze/draw/%,$(call layer_sources,analyze)) userspace/branches/last_branch.cc \
                $(filter userspace/import/json/% userspace/import/trace_event/%,$(call layer_sources,import)) \
                userspace/util/quantity.cc userspace/util/format_library.cc tests/fuzz/reader_fuzzer.cc
FUZZ_OBJECTS := $(patsubst %.cc,$(FUZZ_BUILD)/%.o,$(FUZZ_SOURCES))
FUZZ_CPPFLAGS = $(CPPFLAGS)
FUZZ_FLAGS   := -std=c++20 -O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=address,undefined \
                -fno-sanitize-recover=all -fsanitize-ignorelist=tests/fuzz/not_ours.txt -MMD -MP
# Whether clang is here and has libFuzzer; looked at when a fuzzing target is made.
FUZZ_MISSING = $(shell f=$$(mktemp) && \
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' | \
  $(FUZZ_CXX) -x c++ - -fsanitize=fuzzer,address -o $$f >/dev/null 2>&1 || \
  echo "$(FUZZ_CXX) cannot build with -fsanitize=fuzzer"; rm -f $$f)

# As for the programs, see the Makefile.
FUZZ_PRELUDE := $(if $(PRELUDES),$(FUZZ_BUILD)/prelude.h)
$(FUZZ_BUILD)/prelude.h: scripts/prelude/userspace.h
	@mkdir -p $(@D)
	@cp $< $@

$(FUZZ_BUILD)/prelude.h.gch: $(FUZZ_BUILD)/prelude.h
	$(call brief,CXX)$(FUZZ_CXX) $(FUZZ_CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -x c++-header $< -o $@

$(FUZZ_BUILD)/%.o: %.cc $(FUZZ_PRELUDE:%=%.gch)
	@mkdir -p $(@D)
	$(call brief,CXX)$(FUZZ_CXX) $(FUZZ_CPPFLAGS) $(FUZZ_PRELUDE:%=-include %) $(FUZZ_FLAGS) \
	  -fsanitize=fuzzer-no-link -c $< -o $@

$(FUZZ_BUILD)/reader_fuzzer: $(FUZZ_OBJECTS)
	$(call brief,LINK)$(FUZZ_CXX) -fsanitize=fuzzer,address,undefined -o $@ $^ -lelf -liberty -ldeflate -lz

FUZZ_CORPUS_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,tests/fuzz/make_corpus.cc \
  tests/unit/analyze/recording_parts.cc tests/unit/fxt/support/random_records.cc tests/unit/fxt/support/vectors.cc)
$(BUILD)/tests/fuzz/%.o: CPPFLAGS += -Itests
FUZZ_CORPUS_ARCHIVES := $(foreach l,measure source facts branches schema fxt util,$(BUILD)/lib$(l).a)
$(BUILD)/fuzz/make_corpus: $(FUZZ_CORPUS_OBJECTS) $(FUZZ_CORPUS_ARCHIVES)
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $(FUZZ_CORPUS_OBJECTS) $(FUZZ_CORPUS_ARCHIVES) -lgtest $(LIBS)

# Seeds are made anew; what a long run found beside them stays in corpus/.
.PHONY: fuzz-seeds
fuzz-seeds: $(BUILD)/fuzz/make_corpus
	@rm -rf $(FUZZ_BUILD)/seeds
	$(BUILD)/fuzz/make_corpus $(FUZZ_BUILD)/seeds
	@mkdir -p $(FUZZ_BUILD)/corpus

FUZZ_RUN = $(FUZZ_BUILD)/reader_fuzzer -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
           -artifact_prefix=$(FUZZ_BUILD)/ -print_final_stats=1

## fuzz          fuzz the reading side (FUZZ_SECONDS=600)
## fuzz-test     the same for twenty seconds, always with the same seeds
.PHONY: fuzz
fuzz: fuzz-seeds $(FUZZ_BUILD)/reader_fuzzer
	$(FUZZ_RUN) -max_total_time=$(FUZZ_SECONDS) $(FUZZ_BUILD)/corpus $(FUZZ_BUILD)/seeds

# A fixed short run for the tests: the seeds, and the same inputs made of them each time, as many as
# the time allows.
FUZZ_TEST_SECONDS := 20
.PHONY: fuzz-test fuzz-test-run
fuzz-test:
	@missing="$(FUZZ_MISSING)"; \
	if [ -n "$$missing" ]; then echo "SKIPPED fuzz-test: $$missing"; \
	else $(SUBMAKE) fuzz-test-run; fi

fuzz-test-run: fuzz-seeds $(FUZZ_BUILD)/reader_fuzzer
	@$(FUZZ_RUN) -seed=1 -max_total_time=$(FUZZ_TEST_SECONDS) $(FUZZ_BUILD)/seeds >$(FUZZ_BUILD)/test.log 2>&1 || \
	  { status=$$?; cat $(FUZZ_BUILD)/test.log; exit $$status; }
	@sed -n 's/^stat::/fuzz-test: /p' $(FUZZ_BUILD)/test.log

-include $(shell find $(FUZZ_BUILD) -name '*.d' 2>/dev/null)
