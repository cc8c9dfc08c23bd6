# SPDX-License-Identifier: BSD-2-Clause
# What a person types: set up, record, test, install.

# Compilers that run at once when nobody said -j: one for each CPU, and for each GiB of memory.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell \
  awk -v cpus="$$(nproc)" '/^MemAvailable/ { gib = int($$2 / 1048576) } \
    END { n = gib < cpus ? gib : cpus; print (n < 1 ? 1 : n) }' /proc/meminfo))
SUBMAKE = BUILD=$(BUILD) scripts/as_owner $(MAKE) --no-print-directory $(PARALLEL)

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

## test          build and run the tests that show a working build, within six minutes (SUITES="unit-test" for some)
## check         test, then everything else that runs unattended within 25 minutes: captures beside ftrace, fuzzing,
##               browsers, virtual machines (make help lists the longer tests)
SUITES ?= unit-test project-test query-test json-test record-test
# What check adds to test.
MORE_SUITES ?= install-test extension-test capture-test session-test provider-test-short open-test pages-test import-test vm-test-short fuzz-test
TEST_PROGRAMS = $(BUILD)/unit_tests $(BUILD)/tests/call_chains $(BUILD)/tests/odd_stacks $(BUILD)/tests/probed \
                $(BUILD)/bench/make_switches
MORE_PROGRAMS = $(BUILD)/fxt_sqlite.so $(BUILD)/capture_tests $(BUILD)/tests/odd_tasks $(BUILD)/tests/planted $(VM_PROGRAMS) $(PROVIDER_PROGRAMS)
RUN_TESTS = scripts/run_tests --build $(BUILD) --make "$(MAKE)"
.PHONY: test check check-rest
test:
	@rm -f $(BUILD)/test-logs/totals.json
	@scripts/setup build test
	@$(SUBMAKE) all $(TEST_PROGRAMS)
	@$(RUN_TESTS) $(SUITES)

check:
	@status=0; $(MAKE) --no-print-directory test || status=1; \
	  [ -e $(BUILD)/test-logs/totals.json ] || exit 1; \
	  $(MAKE) --no-print-directory check-rest || status=1; exit $$status

# The rest of check, for after test: its closing line counts the tests of both.
check-rest:
	@$(SUBMAKE) all $(MORE_PROGRAMS)
	@$(RUN_TESTS) --add-to-last $(MORE_SUITES)

## project-test  the documents, the layers of the code and the scripts
## install-test  what make install installs, and a new event as docs/adding-an-event.md describes
.PHONY: project-test install-test
project-test: $(BINARIES)
	@scripts/setup --try documentation
	tests/project/documentation_test.py --build $(BUILD)
	tests/project/layers_test.py
	tests/project/tree_test.py
	tests/project/cold_test.py --build $(BUILD)
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
	@scripts/lint $(BUILD) $(CPPFLAGS) -Itests -std=c++20

STRIP ?= strip
BIN_DIR  := $(DESTDIR)$(PREFIX)/bin
MAN_DIR  := $(DESTDIR)$(PREFIX)/share/man/man1
BASH_DIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR  := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_DIR := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# LIBDIR=/usr/lib/x86_64-linux-gnu for a distribution that wants it there.
LIBDIR      ?= $(PREFIX)/lib
LIB_DIR     := $(DESTDIR)$(LIBDIR)
PKG_DIR     := $(LIB_DIR)/pkgconfig
INCLUDE_DIR := $(DESTDIR)$(PREFIX)/include/fxt
PROVIDER_INCLUDE_DIR := $(DESTDIR)$(PREFIX)/include/fxt_provider
PYTHON_DIR  := $(DESTDIR)$(PREFIX)/lib/python3/dist-packages
PROGRAMS    := $(notdir $(BINARIES))

## install       the programs, their manual pages and completions, the systemd units of the service
##               with /etc/fxt-record.conf, fxt_sqlite.so, and libfxt and libfxt-provider with headers, fxt.pc and
##               fxt-provider.pc
##               (PREFIX=/usr/local, LIBDIR=PREFIX/lib, SYSCONFDIR=/etc, DESTDIR=)
## uninstall     remove what install installed
.PHONY: install uninstall
install: install-service
	@$(SUBMAKE) all $(BUILD)/fxt_sqlite.so
	install -d $(BIN_DIR) $(MAN_DIR) $(BASH_DIR) $(ZSH_DIR) $(FISH_DIR) $(PKG_DIR) $(INCLUDE_DIR)/detail
	install -d $(PROVIDER_INCLUDE_DIR)/detail $(PYTHON_DIR)
	install -m 644 $(BUILD)/libfxt.a $(BUILD)/libfxt-provider.a $(LIB_DIR)
	install -s --strip-program=$(STRIP) -m 644 $(BUILD)/fxt_sqlite.so $(LIB_DIR)
	install -m 755 $(BUILD)/libfxt-provider.so $(LIB_DIR)/$(PROVIDER_SONAME)
	ln -sf $(PROVIDER_SONAME) $(LIB_DIR)/libfxt-provider.so
	install -m 644 $(wildcard include/fxt_provider/*.h) $(PROVIDER_INCLUDE_DIR)
	install -m 644 $(wildcard include/fxt_provider/detail/*.h) $(PROVIDER_INCLUDE_DIR)/detail
	install -m 644 bindings/fxt_provider.py $(PYTHON_DIR)
	for name in fxt fxt-provider; do \
	  sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' scripts/make/$$name.pc.in >$(PKG_DIR)/$$name.pc && \
	  chmod 644 $(PKG_DIR)/$$name.pc || exit 1; \
	done
	install -m 644 $(wildcard include/fxt/*.h) $(INCLUDE_DIR)
	install -m 644 $(wildcard include/fxt/detail/*.h) $(INCLUDE_DIR)/detail
	install -s --strip-program=$(STRIP) -m 755 $(BINARIES) $(BIN_DIR)
	install -m 644 $(wildcard docs/man/*.1) $(MAN_DIR)
	for file in $(wildcard completions/*.bash); do \
	  install -m 644 $$file $(BASH_DIR)/$$(basename $$file .bash) || exit 1; \
	done
	install -m 644 $(wildcard completions/_*) $(ZSH_DIR)
	install -m 644 $(wildcard completions/*.fish) $(FISH_DIR)

uninstall: uninstall-service
	rm -f $(PROGRAMS:%=$(BIN_DIR)/%) $(patsubst docs/man/%,$(MAN_DIR)/%,$(wildcard docs/man/*.1)) $(PROGRAMS:%=$(BASH_DIR)/%) \
	  $(PROGRAMS:%=$(ZSH_DIR)/_%) $(PROGRAMS:%=$(FISH_DIR)/%.fish) \
	  $(LIB_DIR)/fxt_sqlite.so $(LIB_DIR)/libfxt.a $(PKG_DIR)/fxt.pc \
	  $(patsubst include/fxt/%,$(INCLUDE_DIR)/%,$(wildcard include/fxt/*.h include/fxt/detail/*.h))
	rm -f $(LIB_DIR)/libfxt-provider.a $(LIB_DIR)/libfxt-provider.so $(LIB_DIR)/$(PROVIDER_SONAME) $(PKG_DIR)/fxt-provider.pc \
	  $(PYTHON_DIR)/fxt_provider.py \
	  $(patsubst include/fxt_provider/%,$(PROVIDER_INCLUDE_DIR)/%,$(wildcard include/fxt_provider/*.h include/fxt_provider/detail/*.h))
	test ! -d $(PROVIDER_INCLUDE_DIR)/detail || rmdir --ignore-fail-on-non-empty $(PROVIDER_INCLUDE_DIR)/detail
	test ! -d $(PROVIDER_INCLUDE_DIR) || rmdir --ignore-fail-on-non-empty $(PROVIDER_INCLUDE_DIR)
	test ! -d $(INCLUDE_DIR)/detail || rmdir --ignore-fail-on-non-empty $(INCLUDE_DIR)/detail
	test ! -d $(INCLUDE_DIR) || rmdir --ignore-fail-on-non-empty $(INCLUDE_DIR)

## clean         remove what was built; kernels fetched for virtual machines stay
## distclean     remove them too
.PHONY: clean distclean
clean:
	@test ! -d $(BUILD) || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name vm-cache -exec rm -rf {} +

distclean:
	rm -rf $(BUILD)
