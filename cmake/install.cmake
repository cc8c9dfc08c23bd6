# SPDX-License-Identifier: BSD-2-Clause
# The folders that `make install` copies files to; relative ones are below CMAKE_INSTALL_PREFIX.

include(CMakePackageConfigHelpers)
set(LIBDIR lib CACHE STRING "Libraries")
set(UNIT_DIR lib/systemd/system CACHE STRING "systemd units")
set(ZSH_DIR share/zsh/site-functions CACHE STRING "Completions of zsh")
set(SYSCONFDIR /etc CACHE STRING "Configuration of the service, an absolute path")

# CMake packages find their files relative to their own place only if the libraries are below the prefix.
if(IS_ABSOLUTE ${LIBDIR})
  file(RELATIVE_PATH libdir ${CMAKE_INSTALL_PREFIX} ${LIBDIR})
else()
  set(libdir ${LIBDIR})
endif()

# --- Programs, with manual pages, completions and the service ---
install(TARGETS fxt-record fxt fxt-mark DESTINATION bin)
file(GLOB manuals CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${manuals} DESTINATION share/man/man1)
file(GLOB bash_completions CONFIGURE_DEPENDS completions/*.bash)
foreach(file IN LISTS bash_completions)
  get_filename_component(program ${file} NAME_WE)
  install(FILES ${file} DESTINATION share/bash-completion/completions RENAME ${program})
endforeach()
file(GLOB zsh_completions CONFIGURE_DEPENDS completions/_*)
install(FILES ${zsh_completions} DESTINATION ${ZSH_DIR})
file(GLOB fish_completions CONFIGURE_DEPENDS completions/*.fish)
install(FILES ${fish_completions} DESTINATION share/fish/vendor_completions.d)

set(PREFIX ${CMAKE_INSTALL_PREFIX})
foreach(unit fxt-record.service fxt-record.socket)
  configure_file(service/${unit} service/${unit} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/service/${unit} DESTINATION ${UNIT_DIR})
endforeach()
# A configuration that exists stays as it is.
install(CODE "if(NOT EXISTS \"\$ENV{DESTDIR}${SYSCONFDIR}/fxt-record.conf\")
  file(INSTALL \"${PROJECT_SOURCE_DIR}/service/fxt-record.conf\" DESTINATION \"${SYSCONFDIR}\")
endif()")

# --- Libraries, for pkg-config and CMake ---
target_include_directories(libfxt INTERFACE $<INSTALL_INTERFACE:include>)
target_compile_features(libfxt INTERFACE cxx_std_20)
set_target_properties(libfxt PROPERTIES EXPORT_NAME fxt)
set_target_properties(fxt-provider PROPERTIES EXPORT_NAME provider)
set_target_properties(fxt-provider-static PROPERTIES EXPORT_NAME provider-static)
foreach(target fxt-provider fxt-provider-static)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
endforeach()
install(TARGETS libfxt EXPORT fxt DESTINATION ${libdir})
install(TARGETS fxt-provider fxt-provider-static EXPORT fxt-provider DESTINATION ${libdir})
install(DIRECTORY include/fxt include/fxt_provider DESTINATION include FILES_MATCHING PATTERN "*.h")
install(FILES bindings/fxt_provider.py DESTINATION lib/python3/dist-packages)
foreach(package fxt fxt-provider)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${libdir}/pkgconfig)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake DESTINATION ${libdir}/cmake/${package})
  install(EXPORT ${package} FILE ${package}Config.cmake NAMESPACE fxt:: DESTINATION ${libdir}/cmake/${package})
endforeach()

install(TARGETS fxt_sqlite DESTINATION ${libdir})
