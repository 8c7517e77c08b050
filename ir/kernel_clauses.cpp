#include "ir/kernel_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "diagnostics/codes/kernel_unmet.h"
#include "layout/complement.h"

namespace reckon::ir {
namespace {

using layout::IntTuple;
using layout::Layout;

/// Small enough that no product of a few such counts overflows.
constexpr std::int64_t max_stated_count = 1 << 16;

std::string side_text(const KernelClauses::Side& side) {
  return side.layout ? side.layout->text() : std::to_string(side.count);
}

/// Whether shifted copies of the layout cover every place once.
bool has_copies(const Layout& layout) {
  const auto shape = layout.shape().leaves(), stride = layout.stride().leaves();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] > 1 && stride[k] < 1) return false;
  }
  return bool(layout::complement(layout, IntTuple(layout.cosize())));
}

/// Is the layout a bijection onto 0 .. size - 1?
bool is_numbering(const Layout& layout) {
  std::vector<std::pair<std::int64_t, std::int64_t>> modes;  // by stride
  const auto shape = layout.shape().leaves(), stride = layout.stride().leaves();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] > 1) modes.emplace_back(stride[k], shape[k]);
  }
  std::sort(modes.begin(), modes.end());
  std::int64_t next = 1;
  for (const auto& [d, s] : modes) {
    if (d != next) return false;
    next *= s;
  }
  return true;
}

class Contradictions {
 public:
  explicit Contradictions(const KernelClauses& clauses) : clauses_(clauses) {}

  std::optional<Diagnostic> first() {
    if (clauses_.tile) check(*clauses_.tile);
    if (clauses_.values) check(*clauses_.values);
    if (clauses_.threads) check(*clauses_.threads);
    if (clauses_.blocks && clauses_.blocks->count < 1) {
      refuse(clauses_.blocks->span, "a multiprocessor has at least one block", "for example `blocks(2)`");
    }
    if (!problem_) check_together();
    return std::move(problem_);
  }

 private:
  void refuse(SourceSpan place, std::string message, std::string help) {
    if (!problem_) problem_ = unmet(place, std::move(message), std::move(help));
  }

  void check(const KernelClauses::Tile& tile) {
    const bool positive = tile.rows >= 1 && tile.columns >= 1 && tile.depth >= 0;
    const bool large = std::max({tile.rows, tile.columns, tile.depth}) > max_stated_count;
    if (positive && !large) return;
    refuse(tile.span, large ? "no block has so large a tile" : "a tile has rows, columns and a depth of at least 1",
           "for example `tile(128, 128, 16)`");
  }

  void check(const KernelClauses::Values& values) {
    for (const KernelClauses::Side* side : {&values.rows, &values.columns}) {
      if (side->count < 1) {
        refuse(values.span, "a thread has at least one row and one column of outputs", "for example `values(8, 8)`");
      } else if (side->count > max_stated_count) {
        refuse(values.span, "no thread has so many outputs", "for example `values(8, 8)`");
      } else if (side->layout && !has_copies(*side->layout)) {
        refuse(values.span, fmt::format("other threads cannot have what `{}` leaves out", side->layout->text()),
               "its copies must fill the tile: `(4, 2):(1, 32)` has 4 neighbours, and 4 more 32 further on");
      } else if (side->layout && side->layout->cosize() > max_stated_count) {
        refuse(values.span, "no block has so large a tile", "for example `values((4, 2):(1, 32), 8)`");
      }
    }
  }

  void check(const KernelClauses::Threads& threads) {
    const std::int64_t count = threads.count;
    if (count < 1 || count > max_stated_count) {
      refuse(threads.span, fmt::format("no block has {} threads", count), "for example `threads(256)`");
    } else if (threads.layout && threads.layout->rank() != 2) {
      refuse(threads.span, fmt::format("`{}` takes no row and column of a tile's threads", threads.layout->text()),
             "for example `threads((8, 16):(16, 1))`: thread 16 * i + j has row i and column j");
    } else if (threads.layout && !is_numbering(*threads.layout)) {
      refuse(threads.span,
             fmt::format("`{}` does not give every thread from 0 to {} one place", threads.layout->text(), count - 1),
             "for example `threads((8, 16):(16, 1))`: thread 16 * i + j has row i and column j");
    }
  }

  /// Checks one side: the tile's extent, a thread's outputs and the threads, as far as they are stated.
  void check_side(bool of_rows) {
    const char* name = of_rows ? "rows" : "columns";
    const auto& values = clauses_.values;
    const KernelClauses::Side* side = !values ? nullptr : of_rows ? &values->rows : &values->columns;
    const bool arranged = clauses_.threads && clauses_.threads->layout;
    const std::int64_t threads = arranged ? clauses_.threads->layout->mode(of_rows ? 0 : 1).size() : 0;
    if (!clauses_.tile) return;
    const std::int64_t extent = of_rows ? clauses_.tile->rows : clauses_.tile->columns;
    if (side && extent % side->count != 0) {
      refuse(clauses_.tile->span, fmt::format("{} {} are no multiple of the {} of a thread", extent, name, side->count),
             fmt::format("for example {}", extent / side->count * side->count + side->count));
    } else if (side && side->layout && !fills(*side->layout, extent)) {
      refuse(values->span, fmt::format("copies of `{}` do not fill {} {}", side->layout->text(), extent, name),
             fmt::format("a thread's part, with what lies between, must divide the {}", name));
    } else if (side && arranged && side->count * threads != extent) {
      refuse(clauses_.threads->span,
             fmt::format("{} threads with {} {} each are not the tile's {}", threads, side->count, name, extent),
             "leave out one of `tile`, `threads` and `values`: it follows from the other two");
    } else if (!side && arranged && extent % threads != 0) {
      refuse(clauses_.tile->span, fmt::format("{} {} cannot be shared out among {} threads", extent, name, threads),
             fmt::format("for example {}", extent / threads * threads + threads));
    }
  }

  static bool fills(const Layout& side, std::int64_t extent) {
    const auto rest = layout::complement(side, IntTuple(extent));
    return rest && rest->size() * side.size() == extent;
  }

  void check_together() {
    check_side(true);
    check_side(false);
    const auto& [tile, values, threads, blocks] = clauses_;
    if (problem_ || !tile || !values || !threads) return;
    const std::int64_t down = tile->rows / values->rows.count, across = tile->columns / values->columns.count;
    if (down * across == threads->count) return;
    refuse(threads->span,
           fmt::format("{} x {} parts of a tile are not one for each of {} threads", down, across, threads->count),
           "leave out one of `tile`, `threads` and `values`: it follows from the other two");
  }

  const KernelClauses& clauses_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

SourceSpan KernelClauses::span() const {
  return tile ? tile->span : values ? values->span : threads ? threads->span : blocks ? blocks->span : SourceSpan{};
}

std::string clauses_text(const KernelClauses& clauses) {
  std::string out;
  const auto add = [&](const std::string& clause) { out += (out.empty() ? "" : ", ") + clause; };
  if (const auto& tile = clauses.tile) {
    const std::string depth = tile->depth > 0 ? fmt::format(", {}", tile->depth) : "";
    add(fmt::format("tile({}, {}{})", tile->rows, tile->columns, depth));
  }
  if (const auto& values = clauses.values) {
    add(fmt::format("values({}, {})", side_text(values->rows), side_text(values->columns)));
  }
  if (const auto& threads = clauses.threads) {
    add(fmt::format("threads({})", threads->layout ? threads->layout->text() : std::to_string(threads->count)));
  }
  if (const auto& blocks = clauses.blocks) add(fmt::format("blocks({})", blocks->count));
  return out;
}

std::optional<std::string> add_clause(KernelClauses& clauses, std::string_view name,
                                      const std::vector<KernelClauses::Side>& parts, SourceSpan span) {
  const auto has = [&](std::size_t least, std::size_t most, std::string_view usage) -> std::optional<std::string> {
    if (parts.size() >= least && parts.size() <= most) return std::nullopt;
    return fmt::format("`{}` is given {} part{}, and is written `{}`", name, parts.size(), parts.size() == 1 ? "" : "s",
                       usage);
  };
  const auto twice = fmt::format("`{}` is given twice", name);
  const auto numbers = [&]() -> std::optional<std::string> {
    for (const KernelClauses::Side& part : parts) {
      if (part.layout) return fmt::format("`{}` takes numbers, and `{}` is a layout", name, part.layout->text());
    }
    return std::nullopt;
  };
  if (name == "tile") {
    if (clauses.tile) return twice;
    if (auto problem = has(2, 3, "tile(rows, columns)` or `tile(rows, columns, depth)")) return problem;
    if (auto problem = numbers()) return problem;
    clauses.tile = {parts[0].count, parts[1].count, parts.size() > 2 ? parts[2].count : 0, span};
    if (parts.size() > 2 && parts[2].count < 1) clauses.tile->depth = -1;  // refused later, not left to the compiler
  } else if (name == "values") {
    if (clauses.values) return twice;
    if (auto problem = has(2, 2, "values(rows, columns)")) return problem;
    clauses.values = {parts[0], parts[1], span};
  } else if (name == "threads") {
    if (clauses.threads) return twice;
    if (auto problem = has(1, 1, "threads(n)` or `threads((m, n):(n, 1))")) return problem;
    clauses.threads = {parts[0].count, parts[0].layout, span};
  } else if (name == "blocks") {
    if (clauses.blocks) return twice;
    if (auto problem = has(1, 1, "blocks(n)")) return problem;
    if (auto problem = numbers()) return problem;
    clauses.blocks = {parts[0].count, span};
  } else {
    return fmt::format("`{}` is nothing that a kernel could state", name);
  }
  return std::nullopt;
}

std::optional<Diagnostic> contradiction(const KernelClauses& clauses) { return Contradictions(clauses).first(); }

Diagnostic unmet(SourceSpan place, std::string message, std::string help) {
  return Diagnostic(code::kernel_unmet, place, std::move(message)).help(std::move(help));
}

}  // namespace reckon::ir
