# The test cases of one folder: every tests/<folder>/*.cpp, in one object library that tests/CMakeLists.txt puts into
# the program `reckon_tests`. Called from tests/<folder>/CMakeLists.txt; new files need no edit.
#   reckon_tests(NAME LINKS ... [ALONE SOURCES...])
# ALONE: these use names for themselves that other sources of the folder use, too; they are not compiled with them.
function(reckon_tests name)
  cmake_parse_arguments(ARG "" "" "LINKS;ALONE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_library(reckon_tests_${name} OBJECT ${sources})
  target_link_libraries(reckon_tests_${name} PUBLIC reckon_options ${ARG_LINKS})
  reckon_compile_together(reckon_tests_${name})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
