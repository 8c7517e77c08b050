# What Reckon stands on: Debian 12 packages only; nothing is downloaded. `./dev` installs them.
#   shared (the default)  every library as Debian's shared object
#   RECKON_STATIC_LLVM    LLVM alone from its component archives: a process starts in 3 ms where libLLVM-22.so takes 13
#   RECKON_STATIC         everything but libc and libm inside the program; FLINT and Arb exist in Debian as shared
#                         objects only, and are opened at run time
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_program(ANTLR4 antlr4 REQUIRED)

# reckon_find(NAME HEADER LIBRARY): the target reckon::NAME.
function(reckon_find name header library)
  find_path(${name}_INCLUDE ${header} REQUIRED)
  if(RECKON_STATIC)
    find_library(${name}_LIBRARY NAMES lib${library}.a ${library} REQUIRED)
  else()
    find_library(${name}_LIBRARY NAMES ${library} REQUIRED)
  endif()
  add_library(reckon::${name} INTERFACE IMPORTED)
  target_include_directories(reckon::${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(reckon::${name} INTERFACE ${${name}_LIBRARY})
endfunction()

reckon_find(gmp gmp.h gmp)
reckon_find(gmpxx gmpxx.h gmpxx)
target_link_libraries(reckon::gmpxx INTERFACE reckon::gmp)
reckon_find(mpfr mpfr.h mpfr)
target_link_libraries(reckon::mpfr INTERFACE reckon::gmp)
find_path(antlr4_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)

# fmt: Debian has no archive of it, so a static program takes the headers alone.
if(RECKON_STATIC)
  find_path(fmt_INCLUDE fmt/format.h REQUIRED)
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_include_directories(fmt::fmt SYSTEM INTERFACE ${fmt_INCLUDE})
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
else()
  find_package(fmt REQUIRED)
endif()

# libedit, for the REPL.
reckon_find(libedit histedit.h edit)
if(RECKON_STATIC)
  foreach(library bsd md tinfo)
    find_library(${library}_ARCHIVE NAMES lib${library}.a REQUIRED)
    target_link_libraries(reckon::libedit INTERFACE ${${library}_ARCHIVE})
  endforeach()
endif()

# FLINT and Arb, for `exact` (numerics/reals/ball.cpp). The static presets see the headers only, with RECKON_OPEN_FLINT
# defined: Debian has no archives of them, and a process that does not need them starts 3 ms sooner without.
find_path(flint_INCLUDE flint/flint.h)
find_path(arb_INCLUDE arb.h)
find_library(flint_LIBRARY NAMES flint)
find_library(arb_LIBRARY NAMES flint-arb arb)
if(flint_INCLUDE AND arb_INCLUDE AND flint_LIBRARY AND arb_LIBRARY)
  add_library(reckon::flint INTERFACE IMPORTED)
  add_library(reckon::arb INTERFACE IMPORTED)
  target_include_directories(reckon::flint SYSTEM INTERFACE ${flint_INCLUDE} ${flint_INCLUDE}/flint)
  target_include_directories(reckon::arb SYSTEM INTERFACE ${arb_INCLUDE})
  target_link_libraries(reckon::flint INTERFACE reckon::mpfr)
  target_link_libraries(reckon::arb INTERFACE reckon::flint)
  # For tests, which call both themselves.
  add_library(reckon::arb_itself INTERFACE IMPORTED)
  target_link_libraries(reckon::arb_itself INTERFACE reckon::arb ${arb_LIBRARY} ${flint_LIBRARY})
  if(RECKON_STATIC OR RECKON_STATIC_LLVM)
    target_compile_definitions(reckon::flint INTERFACE RECKON_OPEN_FLINT=1)
  else()
    target_link_libraries(reckon::flint INTERFACE ${flint_LIBRARY})
    target_link_libraries(reckon::arb INTERFACE ${arb_LIBRARY})
  endif()
endif()

# LLVM with the NVPTX and native targets, the JIT and the pass pipelines. Debian's config refuses a bare `22`.
find_package(LLVM 22.1 CONFIG REQUIRED HINTS /usr/lib/llvm-22/lib/cmake/llvm)
add_library(reckon_llvm INTERFACE)
add_library(reckon::llvm ALIAS reckon_llvm)
target_include_directories(reckon_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM llvm_definitions REPLACE "^-D" "")
list(FILTER llvm_definitions EXCLUDE REGEX "^_GNU_SOURCE")
target_compile_definitions(reckon_llvm INTERFACE ${llvm_definitions})
if(RECKON_STATIC OR RECKON_STATIC_LLVM)
  # LLVM's own lists name shared libraries for Z3 and libxml2, which nothing here calls, and a shared zstd.
  if(RECKON_STATIC)
    set(archive .a)
  else()
    set(archive .so)
  endif()
  find_library(zlib_LIBRARY NAMES libz${archive} REQUIRED)
  find_library(zstd_LIBRARY NAMES libzstd${archive} REQUIRED)
  set_target_properties(LLVMSupport PROPERTIES
    INTERFACE_LINK_LIBRARIES "dl;m;${zlib_LIBRARY};${zstd_LIBRARY};LLVMDemangle")
  set_target_properties(LLVMWindowsManifest PROPERTIES INTERFACE_LINK_LIBRARIES LLVMSupport)
  llvm_map_components_to_libnames(llvm_libraries
    nvptxcodegen nvptxdesc nvptxinfo ${LLVM_NATIVE_ARCH}codegen ${LLVM_NATIVE_ARCH}desc ${LLVM_NATIVE_ARCH}info
    orcjit passes)
  target_link_libraries(reckon_llvm INTERFACE ${llvm_libraries})
else()
  target_link_libraries(reckon_llvm INTERFACE LLVM)
endif()
