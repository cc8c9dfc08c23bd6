# SPDX-License-Identifier: BSD-2-Clause
# fxt_sqlite.so: the tables of `fxt query` as an extension that SQLite loads.

# The folders whose code the extension calls. The linker drops the functions that it does not call.
set(sources "")
foreach(folder fxt schema facts facts/timeline tables tables/rows source columns query branches path measure measure/collect text
               output util)
  file(GLOB found CONFIGURE_DEPENDS userspace/${folder}/*.cc)
  list(APPEND sources ${found})
endforeach()
# What the rows of stacks need; the rest of that folder reads files of programs.
list(APPEND sources userspace/symbols/address_space.cc userspace/symbols/symbol_table.cc)
add_library(fxt_sqlite MODULE EXCLUDE_FROM_ALL ${sources})
set_target_properties(fxt_sqlite PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden UNITY_BUILD_MODE GROUP
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sqlite_extension.ver)
target_compile_definitions(fxt_sqlite PRIVATE FXT_SQLITE_EXTENSION)
target_compile_options(fxt_sqlite PRIVATE -ffunction-sections -fdata-sections)
target_link_options(fxt_sqlite PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-z,defs
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/sqlite_extension.ver)
target_link_libraries(fxt_sqlite PRIVATE deflate z)
