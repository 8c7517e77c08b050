# Each folder of the house is one target with only the links that it may have.
#   reckon_library(NAME SOURCES ... LINKS ...)
add_library(reckon_options INTERFACE)
target_include_directories(reckon_options INTERFACE ${PROJECT_SOURCE_DIR})
# Contraction would change bits: every product and sum is rounded where the program says so.
target_compile_options(reckon_options INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Wno-restrict -ffp-contract=off -fno-fast-math)
if(RECKON_SANITIZE)
  target_compile_options(reckon_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_definitions(reckon_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(reckon_options INTERFACE -fsanitize=address,undefined)
endif()

function(reckon_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC reckon_options ${ARG_LINKS})
endfunction()
