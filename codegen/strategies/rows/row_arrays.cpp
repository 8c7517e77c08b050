#include "codegen/strategies/rows/row_arrays.h"

#include <algorithm>

#include "codegen/place/place.h"
#include "ir/module.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;
using Kind = KernelBody::Kind;

constexpr std::int64_t max_bytes = max_shared_bytes - 8 * 1024;  ///< the rest is for the reductions

/// A row's values from the step that makes them (before the first one: parameters) to the last one that reads them.
struct Life {
  std::ptrdiff_t made = 0, last = 0;
  std::uint32_t* array = nullptr;
};

class Search {
 public:
  /// `vector`: how many neighbours of a row a thread has.
  Search(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector)
      : module_(module), planned_(planned), rows_(rows), vector_(vector) {}

  /// In shared memory, elements must be floats that fit in element_bytes; registers hold anything.
  std::optional<RowArrays> arrays(bool shared) {
    RowArrays out;
    out.known = true;
    out.element_bytes = 16 / vector_;
    for (std::size_t k = 0; k < rows_.steps.size(); ++k) {
      if (planned_.plan.buffers[rows_.steps[k].output].words.has_value()) return std::nullopt;
      look_at(k);
    }
    std::vector<Life> lives;
    for (const auto& [parameter, reads] : parameters_) {
      if (reads.front().first == reads.back().first) continue;
      if (shared && !fits(module_.type(reads.front().second).scalar, out)) return std::nullopt;
      out.inputs.push_back({reads, 0});
    }
    for (const auto& [step, readers] : kept_) {
      if (shared && !fits(module_.type(rows_.steps[step].node).scalar, out)) return std::nullopt;
      out.of_step[rows_.steps[step].output] = 0;
      out.readers[rows_.steps[step].output] = readers;
    }
    for (RowArrays::Input& input : out.inputs) {
      lives.push_back({-1, static_cast<std::ptrdiff_t>(input.reads.back().first), &input.array});
    }
    for (const auto& [step, readers] : kept_) {
      lives.push_back({static_cast<std::ptrdiff_t>(step), static_cast<std::ptrdiff_t>(readers.back()),
                       &out.of_step.at(rows_.steps[step].output)});
    }
    out.count = share(lives);
    return out;
  }

 private:
  static bool fits(ir::Scalar scalar, const RowArrays& arrays) {
    return ir::is_float(scalar) && (scalar == ir::Scalar::f64 ? 8 : 4) <= arrays.element_bytes;
  }

  bool is_elements(const KernelBody& step) const {
    return step.kind == Kind::elements && step.space.size() > rows_.space.size();
  }

  /// Records what step k reads at the element that it computes itself.
  void look_at(std::size_t k) {
    const KernelBody& step = rows_.steps[k];
    if (step.kind == Kind::elements && !is_elements(step)) return;
    const bool folds = step.kind == Kind::fold;
    const ir::VariableId inner = folds ? module_[step.node].variables[0] : step.space.back().variable;
    const std::vector<NodeId> roots = folds ? module_[step.node].operands : std::vector{step.node};
    ir::walk(module_, roots, [&](NodeId id) {
      const ir::Node& node = module_[id];
      if (node.op == Op::element && module_[node.operands[0]].op == Op::parameter) {
        if (is_own(node, step, inner)) parameters_[module_[node.operands[0]].attribute].emplace_back(k, id);
        return ir::Walk::beside;
      }
      const bool is_step = id != step.node && note_step(node.op == Op::element ? node.operands[0] : id, k);
      return is_step ? ir::Walk::beside : ir::Walk::below;
    });
  }

  bool is_own(const ir::Node& element, const KernelBody& step, ir::VariableId inner) {
    ir::IndexStore& indices = module_.indices();
    const std::size_t rank = rows_.space.size();
    if (element.indices.size() != rank + 1) return false;
    for (std::size_t d = 0; d < rank; ++d) {
      if (element.indices[d] != indices.variable(step.space[d].variable)) return false;
    }
    return element.indices[rank] == indices.variable(inner);
  }

  /// Whether a buffer or an earlier step has this value: then step k computes nothing below it.
  bool note_step(NodeId value, std::size_t k) {
    bool found = false;
    for (const auto& [occurrence, place] : planned_.places) {
      if (occurrence.node != value) continue;
      found = true;
      for (std::size_t before = 0; before < k; ++before) {
        if (rows_.steps[before].output != place.buffer || !is_elements(rows_.steps[before])) continue;
        std::vector<std::size_t>& readers = kept_[before];
        if (readers.empty() || readers.back() != k) readers.push_back(k);
      }
    }
    return found;
  }

  /// Numbers the arrays. A step may write to the array that it reads if no later step reads that.
  static std::uint32_t share(std::vector<Life>& lives) {
    std::vector<std::ptrdiff_t> busy;  // for each array, the last step that reads it
    for (Life& life : lives) {
      const auto free =
          std::find_if(busy.begin(), busy.end(), [&](std::ptrdiff_t until) { return until <= life.made; });
      *life.array = static_cast<std::uint32_t>(free - busy.begin());
      if (free == busy.end()) busy.push_back(life.last);
      else *free = life.last;
    }
    return static_cast<std::uint32_t>(busy.size());
  }

  ir::Module& module_;
  const Planned& planned_;
  const KernelBody& rows_;
  std::int64_t vector_;
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, NodeId>>> parameters_;  ///< of each: by step, ascending
  std::map<std::size_t, std::vector<std::size_t>> kept_;  ///< steps whose elements are read later, and by which steps
};

}  // namespace

RowArrays rows_in_shared_memory(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector,
                                std::int64_t length) {
  const auto found = Search(module, planned, rows, vector).arrays(true);
  if (!found || found->count * found->element_bytes * length > max_bytes) {
    return rows_in_registers(module, planned, rows, vector);
  }
  return *found;
}

std::uint32_t rows_kept(ir::Module& module, const Planned& planned, const KernelBody& rows) {
  const auto found = Search(module, planned, rows, 1).arrays(false);
  return found ? std::max(found->count, 1u) : 1;
}

RowArrays rows_in_registers(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector) {
  auto found = Search(module, planned, rows, vector).arrays(false);
  if (!found) return {};
  found->count = 0;
  found->of_step.clear();
  return *std::move(found);
}

}  // namespace reckon::codegen
