# SPDX-License-Identifier: BSD-2-Clause
# What a person types: set up, record, test, install.

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

## test          set up, build, and run every test (SUITES="unit-test" for some of them)
SUITES ?= unit-test fuzz-test project-test json-test query-test open-test capture-test provider-test-short vm-test-short
TEST_PROGRAMS = $(BUILD)/unit_tests $(BUILD)/capture_tests $(BUILD)/tests/ftrace_compare \
                $(BUILD)/tests/odd_tasks $(BUILD)/tests/planted $(VM_PROGRAMS) \
                $(BUILD)/fxt_sqlite.so $(BUILD)/bench/make_switches $(PROVIDER_PROGRAMS)
.PHONY: test
test:
	@scripts/setup build test
	@$(SUBMAKE) all $(TEST_PROGRAMS)
	@scripts/run_tests --build $(BUILD) --make "$(MAKE)" $(SUITES)

## project-test  whether what is said of the project is true of it
.PHONY: project-test
project-test: $(BINARIES) $(BUILD)/libfxt.a libfxt-provider
	tests/project/documentation_test.py --build $(BUILD)
	tests/project/layers_test.py
	tests/project/tree_test.py
	tests/project/capture_ab_test.py
	tests/project/ci_recipe_test.py
	tests/project/diff_method_test.py
	tests/regress/judging_test.py
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
