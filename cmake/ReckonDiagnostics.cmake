# One header for each row of diagnostics.def, `diagnostics/codes/<name>.h` with `code::<name>`. A source includes those that
# it names, so that a new row compiles the table and the sources that use it instead of all that know of diagnostics.
set(RECKON_GENERATED ${PROJECT_BINARY_DIR}/generated)
set(rows_file ${PROJECT_SOURCE_DIR}/diagnostics/diagnostics.def)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rows_file})
file(STRINGS ${rows_file} rows REGEX "^RECKON_DIAGNOSTIC\\(")
set(headers)
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^RECKON_DIAGNOSTIC\\(([a-z0-9_]+), ([0-9]+), ")
    message(FATAL_ERROR "diagnostics.def: this row is malformed: ${row}")
  endif()
  set(header ${RECKON_GENERATED}/diagnostics/codes/${CMAKE_MATCH_1}.h)
  list(APPEND headers ${header})
  # file(CONFIGURE) leaves a file alone that would not change.
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT "// Written by CMake from a row of diagnostics/diagnostics.def.
#pragma once

#include \"diagnostics/diagnostic.h\"

namespace reckon::code {
inline constexpr Code ${CMAKE_MATCH_1}{${CMAKE_MATCH_2}};
}
")
endforeach()
# The headers of rows that are gone go as well, so that a source that still names one does not compile.
file(GLOB present ${RECKON_GENERATED}/diagnostics/codes/*.h)
list(REMOVE_ITEM present ${headers})
if(present)
  file(REMOVE ${present})
endif()
