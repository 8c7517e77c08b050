// What a `kernel` item states about how a GPU carries its circuit out (docs/kernels.md). It changes no bit of the
// result, and other targets ignore it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "layout/layout.h"

namespace reckon::ir {

struct KernelClauses {
  /// `tile(rows, columns, depth)`: the outputs of a block, and the leaves whose parts are in shared memory together.
  struct Tile {
    std::int64_t rows = 0, columns = 0;
    std::int64_t depth = 0;  ///< 0: not said
    SourceSpan span;
  };
  /// The outputs of a thread along one side of the tile: their number, and with a layout also their positions, counted
  /// from the first one.
  struct Side {
    std::int64_t count = 0;
    std::optional<layout::Layout> layout = std::nullopt;
  };
  /// `values(rows, columns)`.
  struct Values {
    Side rows, columns;
    SourceSpan span;
  };
  /// `threads(n)`: of a block; `threads(L)`: L takes a thread's row and column to its number.
  struct Threads {
    std::int64_t count = 0;
    std::optional<layout::Layout> layout = std::nullopt;
    SourceSpan span;
  };
  /// `blocks(n)`: the blocks that a multiprocessor runs at the same time, which bounds the registers of a thread.
  struct Blocks {
    std::int64_t count = 0;
    SourceSpan span;
  };

  std::optional<Tile> tile = std::nullopt;
  std::optional<Values> values = std::nullopt;
  std::optional<Threads> threads = std::nullopt;
  std::optional<Blocks> blocks = std::nullopt;

  bool empty() const { return !tile && !values && !threads && !blocks; }
  /// Whether some clause applies to tiles only.
  bool needs_tile() const { return tile || values || (threads && threads->layout); }
  /// The place of the first clause, in the order above.
  SourceSpan span() const;
};

/// `tile(64, 64, 16), values(8, 8)`: as printed IR has it, which is also the language's spelling.
std::string clauses_text(const KernelClauses& clauses);

/// Adds the clause of that name with its parts in order. If it is not a valid clause, the result says why.
std::optional<std::string> add_clause(KernelClauses& clauses, std::string_view name,
                                      const std::vector<KernelClauses::Side>& parts, SourceSpan span);

/// An error (E0701) at a clause that is meaningless, or that contradicts another one, on every machine; nothing if
/// there is none. Whether a given machine can follow the clauses is decided elsewhere (codegen/place/kernel_clauses.h).
std::optional<Diagnostic> contradiction(const KernelClauses& clauses);

/// E0701 with this message and this advice.
Diagnostic unmet(SourceSpan place, std::string message, std::string help);

}  // namespace reckon::ir
