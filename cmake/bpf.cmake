# SPDX-License-Identifier: BSD-2-Clause
# Compiles bpf/ into one BPF object and generates its skeleton, ${BPF_SKELETON}.

file(GLOB sources CONFIGURE_DEPENDS bpf/*.bpf.c bpf/events/*.bpf.c)
# bpftool 7.1 loses the offsets of maps that it meets as extern before their definitions.
list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/bpf/maps.bpf.c)
list(PREPEND sources ${PROJECT_SOURCE_DIR}/bpf/maps.bpf.c)

# v3: 32-bit arithmetic and jumps, Linux 5.1. Only programs for 5.12 and later use atomic fetches.
set(flags -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_${BPF_ARCH} -Iinclude -Ibpf
  -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-declarations -Wno-address-of-packed-member -Wno-undef
  -fno-stack-protector)
# libbpf's usdt.bpf.h includes <asm/errno.h>, which clang does not find for this target. The second folder is that of a
# cross compiler.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-multiarch OUTPUT_VARIABLE multiarch OUTPUT_STRIP_TRAILING_WHITESPACE)
if(multiarch)
  list(APPEND flags -idirafter /usr/include/${multiarch} -idirafter /usr/${multiarch}/include)
endif()

set(objects "")
foreach(source IN LISTS sources)
  file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
  string(REGEX REPLACE "c$" "o" object ${PROJECT_BINARY_DIR}/${source})
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  # Relative paths: the object contains the names of its sources, and the folder of the build must not change it.
  add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
    COMMAND ${CLANG} ${flags} -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -MMD -MT ${object} -MF ${object}.d
      -c ${source} -o ${object}
    # Ninja takes the names in it to be below the folder of the build.
    COMMAND sed -i -E "s#(^| )(bpf|include)/#\\1${PROJECT_SOURCE_DIR}/\\2/#g" ${object}.d
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "BPF ${source}")
  list(APPEND objects ${object})
endforeach()

set(object ${PROJECT_BINARY_DIR}/bpf/recorder.o)
set(BPF_SKELETON ${PROJECT_BINARY_DIR}/bpf/recorder.skel.h)
add_custom_command(OUTPUT ${object} DEPENDS ${objects} VERBATIM COMMAND ${BPFTOOL} gen object ${object} ${objects})
add_custom_command(OUTPUT ${BPF_SKELETON} DEPENDS ${object} VERBATIM
  COMMAND sh -c "{ echo '// NOLINTBEGIN' && $1 gen skeleton $2 name recorder_bpf && echo '// NOLINTEND'; } >$3"
    skeleton ${BPFTOOL} ${object} ${BPF_SKELETON})
