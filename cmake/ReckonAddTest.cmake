# For projects that have programs in Reckon: their golden tests (docs/testing.md) as a test of CTest.
#
#   reckon_add_test(NAME name
#                   [PATHS path ...]      programs and folders, from the current source folder; that folder by default
#                   [MATCHING text ...]   only programs whose paths contain one of these
#                   [TIMEOUT seconds]     for one program
#                   [JOBS number]         programs that run at a time; CTest then counts the test as so many processors
#                   [JUNIT file]          a report in JUnit's XML, from the current build folder
#                   [OPTIONS option ...]  further options of `reckon test`, for example --in=exact
#                   [LABELS label ...])
#
# The program is, in this order, what RECKON_PROGRAM names, an executable target `reckon::reckon` or `reckon`, or a
# program `reckon` that CMake finds.
include_guard(GLOBAL)

function(_reckon_program out)
  if(RECKON_PROGRAM)
    set(${out} "${RECKON_PROGRAM}" PARENT_SCOPE)
    return()
  endif()
  foreach(target reckon::reckon reckon)
    if(TARGET ${target})
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE")
        set(${out} "$<TARGET_FILE:${target}>" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  find_program(RECKON_PROGRAM reckon DOC "The program `reckon`, which runs golden tests")
  if(NOT RECKON_PROGRAM)
    message(FATAL_ERROR "reckon_add_test: there is no target and no program `reckon`; set RECKON_PROGRAM to its path")
  endif()
  set(${out} "${RECKON_PROGRAM}" PARENT_SCOPE)
endfunction()

function(reckon_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TIMEOUT;JOBS;JUNIT" "PATHS;MATCHING;OPTIONS;LABELS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "reckon_add_test: `${ARG_UNPARSED_ARGUMENTS}` belongs to no keyword")
  endif()
  if(NOT ARG_NAME)
    message(FATAL_ERROR "reckon_add_test: NAME is missing")
  endif()
  if(NOT ARG_PATHS)
    set(ARG_PATHS .)
  endif()
  foreach(path ${ARG_PATHS})
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${path}" AND NOT EXISTS "${path}")
      message(FATAL_ERROR "reckon_add_test(NAME ${ARG_NAME}): there is no file or folder `${path}`")
    endif()
  endforeach()
  set(options)
  foreach(text ${ARG_MATCHING})
    list(APPEND options -k "${text}")
  endforeach()
  if(ARG_TIMEOUT)
    list(APPEND options --timeout "${ARG_TIMEOUT}")
  endif()
  if(ARG_JOBS)
    list(APPEND options --jobs "${ARG_JOBS}")
  endif()
  if(ARG_JUNIT)
    get_filename_component(report "${ARG_JUNIT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    list(APPEND options --junit "${report}")
  endif()
  _reckon_program(program)
  add_test(NAME "${ARG_NAME}" COMMAND "${program}" test ${ARG_PATHS} ${options} ${ARG_OPTIONS}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  if(ARG_JOBS)
    set_tests_properties("${ARG_NAME}" PROPERTIES PROCESSORS "${ARG_JOBS}")
  endif()
  if(ARG_LABELS)
    set_tests_properties("${ARG_NAME}" PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()
