# SPDX-License-Identifier: BSD-2-Clause
# Targets for users: set up, record, test, install.

## deps          install the Debian packages that are missing (DEPS="build test varlink bench lint vm viewer regress cross package")
DEPS ?= build test
.PHONY: deps
deps:
	@scripts/setup $(DEPS)

## record        set up, build, and record this machine for ten seconds (ARGS="-d 2s -c all")
ARGS ?= --duration 10s
.PHONY: record
record:
	@scripts/setup build
	@$(SUBMAKE) all
	$(BUILD)/fxt-record $(ARGS)

## test          build and run the tests that show a working build, within six minutes (SUITES="query-test" for some)
## check         test, then everything else that runs unattended, in about 25 minutes on two CPUs: captures beside ftrace, fuzzing,
##               browsers, virtual machines (make help lists the longer tests)
# The unit tests are compiled while the others run, which wait for what they record.
SUITES ?= unit-test
BESIDE  = $(if $(filter file,$(origin SUITES)),record-test project-test query-test json-test view-test-short)
# Rows of suites that check adds to test. Most tests wait for what they record, so the rows run at once.
FIRST_ROW  ?= capture-test vm-test-run
SECOND_ROW ?= causes-test session-test provider-test-short
THIRD_ROW  ?= typed-test cache-test extension-test open-test view-test pages-test perfetto-test import-test install-test
FOURTH_ROW ?= fuzz-test
TEST_PROGRAMS = $(BUILD)/tests/call_chains $(BUILD)/tests/odd_stacks $(BUILD)/tests/probed \
                $(BUILD)/tests/unwound $(BUILD)/tests/unwound_static \
                $(BUILD)/bench/make_switches
MORE_PROGRAMS = $(BUILD)/tests/waiting $(BUILD)/tests/unwound $(BUILD)/tests/unwound_static \
                $(BUILD)/tests/burners $(BUILD)/tests/burners_static $(BUILD)/tests/hostile_stacks $(BUILD)/tests/segments $(BUILD)/tests/requests $(BUILD)/fxt_sqlite.so $(BUILD)/capture_tests $(BUILD)/tests/odd_tasks $(BUILD)/tests/planted $(BUILD)/tests/make_corpus $(VM_PROGRAMS) $(PROVIDER_PROGRAMS)
RUN_TESTS = scripts/run_tests --build $(BUILD) --make "$(MAKE)"
.PHONY: test check check-rest
test:
	@rm -f $(BUILD)/test-logs/totals.json
	@scripts/setup build test
	@$(SUBMAKE) files FILES="all $(TEST_PROGRAMS)"
	@$(RUN_TESTS) $(if $(BESIDE),--beside "$(BESIDE)") $(SUITES)

check:
	@status=0; $(MAKE) --no-print-directory test || status=1; \
	  [ -e $(BUILD)/test-logs/totals.json ] || exit 1; \
	  $(MAKE) --no-print-directory check-rest || status=1; exit $$status

# The rest of check, for after test: its closing line counts the tests of both.
check-rest:
	@scripts/setup --try vm
	@$(SUBMAKE) files FILES="all $(MORE_PROGRAMS)"
	@$(RUN_TESTS) --add-to-last --beside "$(SECOND_ROW)" --beside "$(THIRD_ROW)" --beside "$(FOURTH_ROW)" $(FIRST_ROW)

## project-test  the documents, the layers of the code and the scripts
## install-test  what make install installs, and a new event as docs/adding-an-event.md describes
.PHONY: project-test install-test
project-test: $(BINARIES)
	@scripts/setup --try documentation
	tests/project/documentation_test.py --build $(BUILD)
	tests/project/layers_test.py
	tests/project/tree_test.py
	tests/project/capture_ab_test.py
	tests/project/ci_recipe_test.py
	tests/project/diff_method_test.py
	tests/regress/judging_test.py
	tests/vm/matrix_test.py

install-test: $(BINARIES) $(BUILD)/libfxt.a libfxt-provider
	CLANG="$(CLANG)" CXX="$(CXX)" tests/project/one_more_event_test.py
	tests/project/install_test.py --build $(BUILD) --make "$(MAKE)"

## format        clang-format over the whole tree
## lint          check formatting, clang-tidy, cppcheck, shellcheck (make deps DEPS=lint)
.PHONY: format lint
format:
	git ls-files '*.cc' '*.h' '*.c' | xargs clang-format -i

lint:
	@$(SUBMAKE) $(BUILD)/bpf/recorder.skel.h
	@scripts/lint $(BUILD)

## completions   generate completions/ from what the programs print with --help
.PHONY: completions
completions: $(BUILD)/fxt $(BUILD)/fxt-record
	for program in fxt fxt-record; do \
	  scripts/completions bash $(BUILD)/$$program >completions/$$program.bash && \
	  scripts/completions zsh $(BUILD)/$$program >completions/_$$program && \
	  scripts/completions fish $(BUILD)/$$program >completions/$$program.fish || exit 1; \
	done

## install       the programs, their manual pages and completions, the systemd units of the service
##               with /etc/fxt-record.conf, fxt_sqlite.so, and libfxt and libfxt-provider with headers, for pkg-config
##               and CMake
##               (PREFIX=/usr/local, LIBDIR=PREFIX/lib, SYSCONFDIR=/etc, DESTDIR=)
## uninstall     remove what install installed
.PHONY: install uninstall
install:
	@$(SUBMAKE) all $(BUILD)/fxt_sqlite.so
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --strip

uninstall:
	DESTDIR=$(DESTDIR) cmake -DBUILD=$(BUILD) -P cmake/uninstall.cmake

## clean         remove what was built; kernels fetched for virtual machines stay
## distclean     remove them too
.PHONY: clean distclean
clean:
	@test ! -d $(BUILD) || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name vm-cache -exec rm -rf {} +

distclean:
	rm -rf $(BUILD)
