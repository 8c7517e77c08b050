# Tools that are used where they are present, and how a static program is linked.
find_program(RECKON_CCACHE ccache)
if(RECKON_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Work trees share what they compile alike. The sloppiness is what precompiled headers ask for (ccache's
  # manual); CCACHE_DEPEND saves a second preprocessing of what is compiled for the first time.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${RECKON_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} RECKON_HAVE_${linker})
  if(RECKON_HAVE_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

if(RECKON_STATIC OR RECKON_STATIC_LLVM)
  add_link_options(-Wl,--gc-sections)
endif()
if(RECKON_STATIC)
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--as-needed -s)
endif()
