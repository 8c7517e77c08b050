// How the second-level cache treats what a kernel reads.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace reckon::codegen {

/// The first chip whose PTX has createpolicy (7.4) when it is asked for by its name alone.
constexpr int first_chip_with_policies = 90;

enum class Stream : std::uint8_t {
  none,
  /// Of a kernel that writes as much as it reads. Its lines stay (L2::evict_last), so that what goes first is what the
  /// kernel has written: it goes to memory early and in order, between the reads. On an H200 norms of 8192 rows take
  /// 126.5 us instead of 129.7, less than a copy of the same bytes, with buffers that no launch before has read.
  beside_results,
  /// What nothing reads again: its lines go first (L2::evict_first). On an H200 sums of 1 GiB take 237.9 us instead of
  /// 241.0, of f64s 239.2 instead of 244.0.
  once,
};

void mark_as_stream(llvm::LoadInst& load, Stream stream);

/// Gives marked loads their policy. LLVM knows no such loads: they become assembly. It comes after what joins
/// neighbouring loads.
struct Streams : llvm::PassInfoMixin<Streams> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace reckon::codegen
