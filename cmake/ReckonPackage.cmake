# `cpack` in a build folder makes Debian packages and a tarball of what `cmake --install` installs: reckon (the program),
# libreckon0 (the library and the standard library) and libreckon-dev (headers).
set(CPACK_PACKAGE_NAME reckon)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "arithmetic circuits with stated orders of reductions")
set(RECKON_PACKAGE_CONTACT "Reckon maintainers <reckon@localhost.localdomain>" CACHE STRING
  "Who makes the packages: a name and an address")
set(CPACK_PACKAGE_CONTACT "${RECKON_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_FILE_NAME reckon-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_THREADS 0)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/ReckonPackagePrepare.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The program needs libreckon.so, which is a package of these.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/capi)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME reckon)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libreckon${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libreckon${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libflint-arb2")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libreckon-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libreckon${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Reckon interprets arithmetic circuits under IEEE-float, interval, exact and
other semantics, checks whether two circuits are the same algebra, and
compiles them to PTX or for the host, with the same bits.
This package has the program.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The library that programs in C and C++ and the Python package use, with the
standard library of schedules.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The headers for C and C++, and what CMake and pkg-config need to find them.")

# What Debian asks of every package: a copyright file and a changelog.
find_program(GZIP gzip)
set(documents ${PROJECT_BINARY_DIR}/package/documents)
# What dpkg-shlibdeps reads for packages that need the library, and the loader's cache, by a trigger.
file(CONFIGURE OUTPUT ${documents}/shlibs @ONLY
  CONTENT "libreckon @PROJECT_VERSION_MAJOR@ libreckon@PROJECT_VERSION_MAJOR@ (>= @PROJECT_VERSION@)\n")
file(CONFIGURE OUTPUT ${documents}/triggers @ONLY CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${documents}/shlibs ${documents}/triggers)
file(CONFIGURE OUTPUT ${documents}/copyright @ONLY CONTENT "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: reckon

Files: *
Copyright: 2026 The Reckon authors
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in the
 file /usr/share/common-licenses/Apache-2.0.
Comment:
 libreckon has LLVM inside, under the Apache License, version 2.0, with LLVM
 exceptions.
")
file(CONFIGURE OUTPUT ${documents}/changelog @ONLY CONTENT "reckon (@PROJECT_VERSION@) unstable; urgency=medium

  * The changes stand in the documentation of the package reckon.

 -- @CPACK_PACKAGE_CONTACT@  Wed, 25 Nov 2026 12:00:00 +0000
")
execute_process(COMMAND ${GZIP} -9 -n -k -f ${documents}/changelog)
set(changes CHANGELOG.md)
configure_file(${PROJECT_SOURCE_DIR}/${changes} ${documents}/${changes} COPYONLY)
execute_process(COMMAND ${GZIP} -9 -n -k -f ${documents}/${changes})
foreach(component program library development)
  string(TOUPPER ${component} upper)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES ${documents}/copyright DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${documents}/changelog.gz DESTINATION ${folder} COMPONENT ${component})
endforeach()
install(FILES ${documents}/${changes}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/reckon COMPONENT program)
include(CPack)
