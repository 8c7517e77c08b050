# Each folder of the house is one target with only the links that it may have.
# Compiles the sources of a target together, twenty at a time, which takes less than half of the time: most of it goes
# into headers and what templates in them become. So a name in an unnamed namespace is another one's in no source of its folder. Sources
# with options of their own are compiled alone. The preset clang compiles each source alone, which shows a missing
# #include.
#   reckon_compile_together(TARGET [SOURCES AT ONCE])
function(reckon_compile_together target)
  set(at_once 20)
  if(ARGC GREATER 1)
    set(at_once ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${RECKON_UNITY} UNITY_BUILD_BATCH_SIZE ${at_once})
endfunction()

#   reckon_library(NAME SOURCES ... LINKS ... [PRECOMPILED TARGET])
add_library(reckon_options INTERFACE)
target_include_directories(reckon_options INTERFACE ${PROJECT_SOURCE_DIR} ${RECKON_GENERATED})
target_link_libraries(reckon_options INTERFACE fmt::fmt reckon::gmpxx)
# Contraction would change bits: every product and sum is rounded where the program says so.
target_compile_options(reckon_options INTERFACE -fvisibility=hidden -fvisibility-inlines-hidden -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -ffp-contract=off -fno-fast-math)
# g++ 12 sees overlaps and overruns inside of the inlined functions of std::string that are not there, and, with -O1, reads of
# the value of an empty std::optional (GCC bug 80635); precompiled, they are not silenced as a system header's. clang has
# warnings of its own for values that are not set.
target_compile_options(reckon_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized>)
# Sources that are compiled together look like headers to g++, which then warns of their unnamed namespaces.
if(RECKON_UNITY)
  target_compile_options(reckon_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
# `#pragma GCC ivdep` is for g++; clang proves or tests at run time that arrays do not overlap.
target_compile_options(reckon_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas>)
# In CI: a newer compiler's warnings are nothing that should stop somebody's build.
if(RECKON_WERROR)
  target_compile_options(reckon_options INTERFACE -Werror)
endif()
if(RECKON_SANITIZE)
  target_compile_options(reckon_options INTERFACE -fsanitize=${RECKON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_definitions(reckon_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(reckon_options INTERFACE -fsanitize=${RECKON_SANITIZE})
endif()

# The preset dev compiles with -O1, which takes two thirds of the time that -O2 takes. Folders that use many small
# templates once, as front ends and callers of LLVM do, ask for -Og, which takes a sixth less again. Code that evaluators
# call for each element asks for -O2. Loops over elements are vectorised on top of -O1; -O3 would vectorise more of them
# and take twice the time. The presets that are released compile everything with -O2 or -O3.
if(RECKON_SANITIZE)  # a list with commas, which no generator expression takes
  set(dev_build 0)
else()
  set(dev_build $<CONFIG:RelWithDebInfo>)
endif()
set(reckon_quick $<${dev_build}:-Og>)
set(reckon_fast $<${dev_build}:-O2>)
set(reckon_loops $<$<CONFIG:Release>:-O3>;$<${dev_build}:-ftree-vectorize>)

# Headers are parsed once for each target named here instead of once for each source: those of the standard library, fmt
# and GMP, and the folder's central ones, which nearly all of its sources include. Together they are half of a compilation.
# Only what is compiled with the same options may use the result: with another level of optimisation, g++ 12 crashed.
#   reckon_precompile(NAME [HEADERS ...] [OPTIONS ...] [LINKS ...])
#                                  the target NAME, for `target_precompile_headers(... REUSE_FROM NAME)`
function(reckon_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;LINKS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  list(TRANSFORM ARG_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/)
  add_library(${name} OBJECT ${source})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE reckon_options ${ARG_LINKS})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h ${ARG_HEADERS})
  # ccache has the compiler preprocess the headers, for which g++ takes the result of the build before where there is one:
  # a changed header would not be read.
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()
reckon_precompile(reckon_precompiled)
# For the folders that work on modules.
reckon_precompile(reckon_precompiled_ir HEADERS ir/module.h)

#   reckon_library(NAME SOURCES ... LINKS ... [OPTIONS ...] [PRECOMPILED TARGET | CENTRAL HEADERS...])
# PRECOMPILED: of a target with the same OPTIONS. CENTRAL: the library precompiles these headers for itself.
function(reckon_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;LINKS;OPTIONS;CENTRAL" ${ARGN})
  if(ARG_CENTRAL)
    set(ARG_PRECOMPILED ${name}_precompiled)
    reckon_precompile(${ARG_PRECOMPILED} HEADERS ${ARG_CENTRAL} OPTIONS ${ARG_OPTIONS} LINKS ${ARG_LINKS})
  elseif(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED reckon_precompiled)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PUBLIC reckon_options ${ARG_LINKS})
  target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
  reckon_compile_together(${name})
endfunction()

# Options of single sources.
function(reckon_source_options)
  cmake_parse_arguments(ARG "" "" "SOURCES;OPTIONS" ${ARGN})
  set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS "${ARG_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
