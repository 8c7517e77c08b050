# What `cmake --install` installs: the program, libreckon.so with its headers, the standard library, and the descriptions by
# which others find them (find_package(reckon), pkg-config). Everything is found relative to what is installed, so that the
# tree can be moved.
include(CMakePackageConfigHelpers)

set(reckon_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/reckon)

install(TARGETS reckon_shared EXPORT reckon
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS reckon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/stdlib/ DESTINATION ${CMAKE_INSTALL_DATADIR}/reckon/stdlib COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/api/reckon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN *.h PATTERN operations.def)
# In the tree a link has this name.
install(FILES ${PROJECT_SOURCE_DIR}/numerics/functions.def DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/reckon
  COMPONENT development)

install(EXPORT reckon NAMESPACE reckon:: DESTINATION ${reckon_cmake_folder} FILE reckonTargets.cmake
  COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/reckonConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/reckonConfig.cmake INSTALL_DESTINATION ${reckon_cmake_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/reckonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/reckonConfig.cmake ${PROJECT_BINARY_DIR}/package/reckonConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/ReckonAddTest.cmake
  DESTINATION ${reckon_cmake_folder} COMPONENT development)

file(RELATIVE_PATH reckon_pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/reckon.pc.in ${PROJECT_BINARY_DIR}/package/reckon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/reckon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

# The manual page and the completions come from the command line's own table.
set(reckon_generated ${PROJECT_BINARY_DIR}/package)
function(reckon_generate what file destination)
  add_custom_command(OUTPUT ${reckon_generated}/${file}
    COMMAND $<TARGET_FILE:reckon> generate ${what} > ${reckon_generated}/${file} DEPENDS reckon VERBATIM)
  list(APPEND reckon_generated_files ${reckon_generated}/${file})
  set(reckon_generated_files ${reckon_generated_files} PARENT_SCOPE)
  install(FILES ${reckon_generated}/${file} DESTINATION ${destination} COMPONENT program)
endfunction()
reckon_generate(man reckon.1 ${CMAKE_INSTALL_MANDIR}/man1)
reckon_generate(bash reckon ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
reckon_generate(zsh _reckon ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
reckon_generate(fish reckon.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
add_custom_target(reckon_generated_files ALL DEPENDS ${reckon_generated_files})
