# Writes the pages of docs/errors/ as one source, which is part of the program: `reckon explain E0300` needs no file.
#   reckon_error_pages(OUT)   OUT: the source that defines reckon::page_of (diagnostics/pages.h)
# A changed page is written anew and compiles that source alone. In script mode (cmake -P) it writes SOURCE from FOLDER.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB pages ${FOLDER}/E*.md)
  set(text "// Written by CMake from the pages of docs/errors/.
#include \"diagnostics/pages.h\"

namespace reckon {

std::string_view page_of(Code code) {
  switch (static_cast<unsigned>(code)) {
")
  foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME_WE)
    if(NOT name MATCHES "^E0*([1-9][0-9]*)$")
      message(FATAL_ERROR "docs/errors: `${name}.md` is not named like a code")
    endif()
    set(number ${CMAKE_MATCH_1})
    file(READ ${page} content)
    string(APPEND text "    case ${number}:\n      return R\"page(${content})page\";\n")
  endforeach()
  string(APPEND text "    default: return {};\n  }\n}\n\n}  // namespace reckon\n")
  file(WRITE ${SOURCE} "${text}")
  return()
endif()

set(reckon_error_pages_script ${CMAKE_CURRENT_LIST_FILE})

function(reckon_error_pages out)
  set(folder ${PROJECT_SOURCE_DIR}/docs/errors)
  file(GLOB pages CONFIGURE_DEPENDS ${folder}/E*.md)
  set(source ${RECKON_GENERATED}/diagnostics/pages.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DSOURCE=${source} -P ${reckon_error_pages_script}
    DEPENDS ${pages} ${reckon_error_pages_script} VERBATIM)
  # Alone: compiled together with others, it would compile them again.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  set(${out} ${source} PARENT_SCOPE)
endfunction()
