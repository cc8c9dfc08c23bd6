# SPDX-License-Identifier: BSD-2-Clause
# The program that does known things to the scheduler while a test captures it.

# Not under $(BUILD)/tests/workload/, which is the program itself.
WORKLOAD_OBJECTS := $(patsubst tests/workload/%.cc,$(BUILD)/tests/workload.objects/%.o,\
                      $(sort $(wildcard tests/workload/*.cc)))

$(BUILD)/tests/workload.objects/%.o: tests/workload/%.cc
	@mkdir -p $(@D)
	$(call brief,CXX)$(CXX) -Itests $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@

$(BUILD)/tests/workload: $(WORKLOAD_OBJECTS)
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ -pthread
