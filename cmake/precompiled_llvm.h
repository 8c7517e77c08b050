// For the sources of codegen/, besides.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
