# SPDX-License-Identifier: BSD-2-Clause
# The front door; `make help` lists the targets. CMakeLists.txt defines what is built, this file and scripts/make/ what
# is run. See README.md and docs/building.md.

# SAN=address,undefined (or thread) makes a sanitizer build, in a folder of its own.
SAN     ?=
comma   := ,
BUILD   ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
PREFIX  ?= /usr/local
DESTDIR ?=
CXX     ?= g++
CC      ?= gcc
CLANG   ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
BPF_ARCH ?= $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x86)
OPT     ?= -O2 -g1
STATIC  ?= ON
UNITY   ?= ON

# The variables as CMake calls them. Folders of the installation that are not set here have the defaults of
# cmake/install.cmake.
CMAKE_ARGUMENTS = -DCMAKE_CXX_COMPILER='$(CXX)' -DCMAKE_C_COMPILER='$(CC)' -DCLANG='$(CLANG)' -DBPFTOOL='$(BPFTOOL)' \
  -DBPF_ARCH='$(BPF_ARCH)' -DOPT='$(OPT)' -DSAN='$(SAN)' -DSTATIC='$(STATIC)' -DCMAKE_UNITY_BUILD='$(UNITY)' \
  -DCMAKE_CXX_FLAGS='$(CPPFLAGS) $(CXXFLAGS)' -DCMAKE_C_FLAGS='$(CPPFLAGS) $(CFLAGS)' \
  -DCMAKE_EXE_LINKER_FLAGS='$(LDFLAGS)' -DCMAKE_SHARED_LINKER_FLAGS='$(LDFLAGS)' -DCMAKE_MODULE_LINKER_FLAGS='$(LDFLAGS)' \
  -DCMAKE_INSTALL_PREFIX='$(PREFIX)' $(foreach name,LIBDIR SYSCONFDIR UNIT_DIR ZSH_DIR,$(if $($(name)),-D$(name)='$($(name))'))

# Compilers that run at once without -jN: one for each CPU, and for each GiB of memory.
JOBS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(shell awk -v cpus="$$(nproc)" '/^MemAvailable/ { \
  gib = int($$2 / 1048576); n = gib < cpus ? gib : cpus; print (n < 1 ? 1 : n) }' /proc/meminfo))
NINJA = ninja $(NINJAFLAGS) -C $(BUILD) -j$(JOBS) $(if $(V),-v)
# Runs make as the owner of the tree if root came by sudo.
SUBMAKE = BUILD=$(BUILD) scripts/as_owner $(MAKE) --no-print-directory
# ccache needs these to keep what is compiled with a precompiled header.
export CCACHE_SLOPPINESS := $(CCACHE_SLOPPINESS),pch_defines,time_macros

BINARIES := $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/fxt-mark

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# Two runs of Ninja in one folder would disturb each other; each uses all the jobs.
.NOTPARALLEL:
.PHONY: all files fxt libfxt libfxt-provider fxt-sqlite help FORCE

## all           build/fxt-record, build/fxt, build/fxt-mark and the libraries build/libfxt.a and
##               build/libfxt-provider.a and .so (UNITY=OFF compiles each source by itself)
## fxt           build/fxt alone: needs neither clang nor bpftool nor libbpf
## libfxt        build/libfxt.a alone: needs nothing but a C++ compiler
## libfxt-provider  build/libfxt-provider.a and .so alone: what programs link that add their own records
## fxt-sqlite    build/fxt_sqlite.so: the tables of fxt query for sqlite3 and any program with SQLite
# With BUILT set nothing is built, so that several makes can run at once: what is not there is an error.
ifdef BUILT
all fxt libfxt libfxt-provider: ;
else
all fxt libfxt libfxt-provider: $(BUILD)/cmake-arguments
	$(NINJA) $@

# Every file that CMakeLists.txt or tests/CMakeLists.txt defines, and several of them at once.
$(BUILD)/%: $(BUILD)/cmake-arguments FORCE
	$(NINJA) $*

files: $(BUILD)/cmake-arguments
	$(NINJA) $(FILES:$(BUILD)/%=%)

# Configures when the arguments differ from the last ones. Later changes of CMake's files make Ninja do it.
$(BUILD)/cmake-arguments: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$(CMAKE_ARGUMENTS)" >$@.new
	@cmp -s $@.new $@ && [ -e $(BUILD)/build.ninja ] || { \
	  command -v cmake >/dev/null && command -v ninja >/dev/null || \
	    { echo "error: cmake or ninja is not installed" >&2; echo "hint: make deps DEPS=build" >&2; exit 2; }; \
	  rm -f $@; cmake -S . -B $(BUILD) -G Ninja $(CMAKE_ARGUMENTS) $(if $(V),,--log-level=WARNING); }
	@mv $@.new $@
endif

fxt-sqlite: $(BUILD)/fxt_sqlite.so

## help          this list; V=1 with any target shows whole commands
help:
	@sed -n 's/^## //p' Makefile scripts/make/*.mk

include scripts/make/*.mk
