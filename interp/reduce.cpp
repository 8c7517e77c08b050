// Reductions inside frames: of one length for all elements in lockstep, otherwise one length at a time.
#include <map>

#include "diagnostics/codes/empty_reduction.h"
#include "interp/keyed.h"
#include "ir/op.h"

namespace reckon::interp {

bool Evaluator::reduce(Frame& frame, ir::NodeId id, Columns& out) {
  IndexColumn extent;
  if (!index_column(frame, module_[id].indices[0], id, extent)) return false;
  if (!extent.constant()) return reduce_ragged(frame, id, extent, out);
  const std::int64_t length = extent.strided ? extent.base : extent.values.front();
  if (length < 1) {
    if (!module_.reduction_of(id).has_otherwise) {
      return fail(Diagnostic(code::empty_reduction, span(id), "this reduction has no elements"));
    }
    return ensure_values(frame, module_[id].operands.back(), out);
  }
  bool done = false;
  if (!reduce_by_key(frame, id, length, out, done)) return false;
  if (done) return true;
  return Folder(*this, frame, id).reduce(length, out);
}

bool Evaluator::reduce_by_key(Frame& frame, ir::NodeId id, std::int64_t length, Columns& out, bool& done) {
  std::unique_ptr<KeyedFold>& keyed = keyed_[id];
  if (keyed == nullptr || keyed->length() != length) keyed = std::make_unique<KeyedFold>(*this, id, length);
  return keyed->reduce(frame, out, done);
}

bool Evaluator::reduce_ragged(Frame& frame, ir::NodeId id, const IndexColumn& extent, Columns& out) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(frame.size));
  write_out(extent, frame.dims, frame.size, lengths.data());
  std::map<std::int64_t, std::vector<std::int64_t>> groups;
  for (std::int64_t e = 0; e < frame.size; ++e)
    groups[std::max<std::int64_t>(lengths[static_cast<std::size_t>(e)], 0)].push_back(e);

  // The groups' results are put end to end; then every element takes its own.
  const bool is_reduce = module_[id].op == ir::Op::reduce;
  Columns together;
  for (ir::Scalar scalar : component_scalars(module_[module_[id].operands[0]].type)) {
    together.push_back(column(scalar, frame.size));
  }
  std::vector<std::int64_t> place(static_cast<std::size_t>(frame.size));
  std::int64_t done = 0;
  for (auto& [length, elements] : groups) {
    const auto count = static_cast<std::int64_t>(elements.size());
    for (std::int64_t k = 0; k < count; ++k)
      place[static_cast<std::size_t>(elements[static_cast<std::size_t>(k)])] = done + k;
    Frame some;
    some.init_choice(frame, std::move(elements));
    Columns columns;
    if (length > 0) {
      if (!Folder(*this, some, id).reduce(length, columns)) return false;
    } else {
      if (!is_reduce || !module_.reduction_of(id).has_otherwise) {
        return fail(
            Diagnostic(code::empty_reduction, span(id), "this reduction has no elements for some index"));
      }
      if (!ensure_values(some, module_[id].operands.back(), columns)) return false;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t bytes = semantics_.size(columns[c].scalar);
      copy_values(semantics_, columns[c].scalar, columns[c].data,
                  together[c].writable() + static_cast<std::size_t>(done) * bytes, static_cast<std::size_t>(count));
    }
    done += count;
  }
  for (Column& column : together) out.push_back(gathered(*this, column, place));
  return true;
}

}  // namespace reckon::interp
