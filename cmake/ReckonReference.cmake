# Writes docs/reference.md as a source, which is part of the program: `:doc` needs no file.
#   reckon_reference(OUT)   OUT: the source that defines reckon::reference_page (api/reference_page.h)
# In script mode (cmake -P) it writes SOURCE from PAGE.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${PAGE} content)
  file(WRITE ${SOURCE} "// Written by CMake from docs/reference.md.
#include \"api/reference_page.h\"

namespace reckon {

std::string_view reference_page() { return R\"page(${content})page\"; }

}  // namespace reckon
")
  return()
endif()

set(reckon_reference_script ${CMAKE_CURRENT_LIST_FILE})

function(reckon_reference out)
  set(name reference)
  set(page ${PROJECT_SOURCE_DIR}/docs/${name}.md)
  set(source ${RECKON_GENERATED}/api/reference_page.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DSOURCE=${source} -P ${reckon_reference_script}
    DEPENDS ${page} ${reckon_reference_script} VERBATIM)
  # Alone: compiled together with others, it would compile them again.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  set(${out} ${source} PARENT_SCOPE)
endfunction()
