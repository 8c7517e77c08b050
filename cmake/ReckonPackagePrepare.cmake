# cpack runs this before it makes a package of the installed files.
file(GLOB_RECURSE objects LIST_DIRECTORIES false
  ${CPACK_TEMPORARY_DIRECTORY}/*/reckon ${CPACK_TEMPORARY_DIRECTORY}/*/libreckon.so.*.*)
list(FILTER objects INCLUDE REGEX "/bin/reckon$|/libreckon\\.so\\.[0-9]+\\.[0-9.]+$")
if(CPACK_GENERATOR STREQUAL "DEB")
  # The loader finds a distribution's libraries by itself.
  foreach(object IN LISTS objects)
    file(RPATH_REMOVE FILE ${object})
  endforeach()
  file(GLOB_RECURSE pages LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/*/reckon.1)
  foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9 -n -f ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  return()
endif()

# A tarball works where Debian's packages are not installed: the libraries that libreckon.so needs lie in lib/reckon/, where
# its RPATH finds them. glibc and the C++ runtime are the system's.
list(FILTER objects INCLUDE REGEX "libreckon\\.so")
list(GET objects 0 library)
file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${library} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so.*)$")
if(missing)
  message(FATAL_ERROR "these libraries are not found: ${missing}")
endif()
get_filename_component(folder ${library} DIRECTORY)
file(COPY ${found} DESTINATION ${folder}/reckon FOLLOW_SYMLINK_CHAIN)
# The program needs libedit, too.
file(GLOB edit /usr/lib/*/libedit.so.2 /usr/lib/*/libbsd.so.0 /usr/lib/*/libmd.so.0 /usr/lib/*/libtinfo.so.6)
file(COPY ${edit} DESTINATION ${folder}/reckon FOLLOW_SYMLINK_CHAIN)
