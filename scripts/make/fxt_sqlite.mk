# SPDX-License-Identifier: BSD-2-Clause
# The virtual tables as an extension of SQLite: code that can be loaded anywhere, compiled apart.

EXTENSION_SOURCES := $(foreach room,fxt schema facts facts/timeline tables/rows tables source,$(sort $(wildcard userspace/$(room)/*.cc))) \
  $(addprefix userspace/query/,trace_module.cc quantile.cc extension.cc trace_file.cc table_cursor.cc \
    row_groups.cc chunk_store.cc scan_plan.cc) \
  userspace/branches/last_branch.cc userspace/measure/histogram.cc userspace/measure/collect/session_info.cc \
  userspace/text/clean_text.cc userspace/text/json_text.cc userspace/util/format_library.cc \
  userspace/output/unnamed_file.cc
# Writers, and what asks which CPU a record is of.
EXTENSION_SOURCES := $(filter-out $(addprefix userspace/,fxt/archive_writer.cc fxt/encode%.cc \
  fxt/provider_writer.cc fxt/record_buffer.cc fxt/string_pool.cc fxt/thread_slot_policy.cc \
  facts/timeline/cpu_tracker.cc facts/cpu_continuity.cc facts/span_tracker.cc),$(EXTENSION_SOURCES))
EXTENSION_OBJECTS := $(patsubst userspace/%.cc,$(BUILD)/extension/%.o,$(EXTENSION_SOURCES))

$(BUILD)/extension/%.o: userspace/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call brief,CXX)$(CXX) $(CPPFLAGS) -DFXT_SQLITE_EXTENSION $(CXXFLAGS) -fPIC -fvisibility=hidden -c $< -o $@

$(BUILD)/fxt_sqlite.so: $(EXTENSION_OBJECTS) scripts/make/fxt_sqlite.ver
	$(call brief,LINK)$(CXX) -shared $(LDFLAGS) -static-libstdc++ -static-libgcc -Wl,--version-script=scripts/make/fxt_sqlite.ver \
	  -Wl,-z,defs -o $@ $(EXTENSION_OBJECTS) -ldeflate -lz

## fxt-sqlite    build/fxt_sqlite.so: the tables of fxt query for sqlite3 and any program with SQLite
.PHONY: fxt-sqlite
fxt-sqlite: $(BUILD)/fxt_sqlite.so
