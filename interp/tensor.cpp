// Tensors that are computed whole, and once in their frame.
#include <algorithm>

#include "diagnostics/codes/bad_data_file.h"
#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/integer_overflow.h"
#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/too_large.h"
#include "interp/fold.h"
#include "interp/rounds.h"
#include "ir/op.h"

namespace reckon::interp {

namespace {
/// More elements than this are refused instead of exhausting the memory.
constexpr std::int64_t max_elements = std::int64_t{1} << 33;
}  // namespace

bool Evaluator::shape_of(const Frame& frame, ir::NodeId id, std::vector<std::int64_t>& out) {
  out.clear();
  std::int64_t total = 1;
  for (ir::IndexId extent : module_.type(id).extents) {
    IndexColumn column;
    if (!index_column(frame, extent, id, column)) return false;
    if (!column.constant()) {
      return fail(Diagnostic(code::internal, span(id), "the extents of a tensor depend on an index"));
    }
    const std::int64_t value = column.strided ? column.base : column.values.front();
    if (value < 0) {
      return fail(Diagnostic(code::dimension_value, span(id), "an extent of this tensor has no value"));
    }
    if (value > 0 && total > max_elements / value) {
      return fail(Diagnostic(code::too_large, span(id), "this tensor has more than 2^33 elements"));
    }
    total *= value;
    out.push_back(value);
  }
  return true;
}

/// A number as a tensor without dimensions.
Tensor Evaluator::number_of(const Column& column) {
  auto out = new_tensor(column.scalar, {});
  copy_values(semantics_, column.scalar, column.data, out->data(), 1);
  return out;
}

bool Evaluator::parts_of(Frame& frame, ir::NodeId id, std::vector<Tensor>& out) {
  const ir::Node& node = module_[id];
  const std::vector<ir::NodeId> parts = node.op == ir::Op::tuple ? node.operands : std::vector{id};
  // All that the frame owns are planned together, so that what they share is computed once.
  std::vector<ir::NodeId> own;
  for (ir::NodeId part : parts) {
    if (frame.owns(module_, part)) own.push_back(part);
  }
  if (!ensure_values(frame, own)) return false;
  for (ir::NodeId part : parts) {
    if (module_.types().has_tensor(module_[part].type)) {
      std::vector<Tensor> tensors;
      if (!whole_tensor(frame, part, tensors)) return false;
      out.insert(out.end(), tensors.begin(), tensors.end());
      continue;
    }
    const Columns* columns = nullptr;
    if (!ensure_values(frame, part, columns)) return false;
    for (const Column& column : *columns) out.push_back(number_of(column));
  }
  return true;
}

bool Evaluator::make_tensor(Frame& frame, ir::NodeId id, std::vector<Tensor>& out) {
  const ir::Node& node = module_[id];
  switch (node.op) {
    case ir::Op::parameter: return whole_tensor(frame, id, out);
    case ir::Op::map: return make_map(frame, id, out);
    case ir::Op::loop: return Rounds(*this, id).last_state(frame, out);
    case ir::Op::source: return make_source(id, out);
    case ir::Op::get: {
      std::vector<Tensor> parts;
      if (!whole_tensor(frame, node.operands[0], parts)) return false;
      const auto& types = module_.type(node.operands[0]).parts;
      std::size_t first = 0;
      for (std::uint32_t k = 0; k < node.attribute; ++k) first += component_scalars(types[k]).size();
      const std::size_t count = component_scalars(types[node.attribute]).size();
      out.assign(parts.begin() + static_cast<std::ptrdiff_t>(first),
                 parts.begin() + static_cast<std::ptrdiff_t>(first + count));
      return true;
    }
    case ir::Op::tuple: return parts_of(frame, id, out);
    case ir::Op::array: {
      std::vector<std::int64_t> shape;
      if (!shape_of(frame, id, shape) || !ensure_values(frame, node.operands)) return false;
      auto tensor = new_tensor(module_.type(id).scalar, shape);
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        Columns element;
        if (!ensure_values(frame, node.operands[i], element)) return false;
        copy_values(semantics_, tensor->scalar(), element[0].data,
                    tensor->data() + i * semantics_.size(tensor->scalar()), 1);
      }
      out = {std::move(tensor)};
      return true;
    }
    case ir::Op::scan: {
      IndexColumn extent;
      if (!index_column(frame, node.indices[0], id, extent)) return false;
      Columns columns;
      if (!Folder(*this, frame, id).scan(extent.base, columns)) return false;
      for (const Column& column : columns) {
        auto tensor = new_tensor(column.scalar, {extent.base});
        copy_values(semantics_, column.scalar, column.data, tensor->data(), static_cast<std::size_t>(extent.base));
        out.push_back(std::move(tensor));
      }
      return true;
    }
    case ir::Op::call: {
      Columns columns;
      if (!call(frame, id, columns)) return false;
      std::vector<std::vector<std::int64_t>> shapes;
      if (!shapes_of(module_.type(id), id, shapes)) return false;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        auto tensor = new_tensor(columns[k].scalar, shapes[k]);
        copy_values(semantics_, columns[k].scalar, columns[k].data, tensor->data(),
                    static_cast<std::size_t>(tensor->count()));
        out.push_back(std::move(tensor));
      }
      return true;
    }
    default: return fail(Diagnostic(code::internal, span(id), "a tensor has an unknown form"));
  }
}

bool Evaluator::make_map(Frame& frame, ir::NodeId id, std::vector<Tensor>& out) {
  const ir::Node& node = module_[id];
  std::vector<std::int64_t> extents;
  if (!shape_of(frame, id, extents)) return false;
  auto tensor = new_tensor(module_.type(id).scalar, extents);
  if (tensor->count() > 0 && !map_dimension(node, 0, frame, extents, 0, *tensor)) return false;
  out = {std::move(tensor)};
  return true;
}

// `parent` holds a batch of elements of the outer dimensions; `first` is the first element of the result under them.
bool Evaluator::map_dimension(const ir::Node& node, std::size_t dimension, Frame& parent,
                              const std::vector<std::int64_t>& extents, std::int64_t first, Values& out) {
  const std::int64_t extent = extents[dimension];
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < extents.size(); ++d) {
    if (__builtin_mul_overflow(inner, extents[d], &inner)) inner = batch_;
  }
  // Whole inner extents stay together if they fit in a batch; a dimension inside a batch of rows always does.
  const std::int64_t at_once = parent.size > 1 ? extent : std::clamp<std::int64_t>(batch_ / inner, 1, extent);
  for (std::int64_t i = 0; i < extent; i += at_once) {
    const std::int64_t count = std::min(at_once, extent - i);
    Frame frame;
    frame.init_repeat(parent, count);
    IndexColumn index;
    index.base = i;
    index.strides.assign(frame.dims.size(), 0);
    index.strides.back() = 1;
    frame.bind_index(node.variables[dimension], std::move(index));
    const std::int64_t begin = first + i * inner;
    if (dimension + 1 < extents.size()) {
      if (!map_dimension(node, dimension + 1, frame, extents, begin, out)) return false;
      continue;
    }
    Columns columns;
    if (!ensure_values(frame, node.operands[0], columns)) return false;
    copy_values(semantics_, out.scalar(), columns[0].data,
                out.data() + static_cast<std::size_t>(begin) * semantics_.size(out.scalar()),
                static_cast<std::size_t>(frame.size));
  }
  return true;
}

bool Evaluator::make_source(ir::NodeId id, std::vector<Tensor>& out) {
  const ir::Source& source = module_.source_of(id);
  std::vector<std::int64_t> shape;
  if (!shape_of(root_, id, shape)) return false;
  ir::HostTensor made;
  const ir::HostTensor* host = source.data.get();
  if (source.kind != ir::Source::Kind::file) {
    const auto seed = module_.indices().evaluate(source.seed, {});
    if (!seed) return fail(Diagnostic(code::integer_overflow, span(id), "the seed has no value"));
    made = generate(source.kind, module_.type(id).scalar, shape, *seed);
    host = &made;
  } else if (host == nullptr || host->shape != shape || host->scalar != module_.type(id).scalar) {
    return fail(
        Diagnostic(code::bad_data_file, span(id), "the file `" + source.path + "` does not hold this tensor"));
  }
  auto tensor = new_tensor(host->scalar, shape);
  if (!check(id, semantics_.load(host->scalar, host->bytes.data(), static_cast<std::size_t>(host->size()),
                                 tensor->data()))) {
    return false;
  }
  out = {std::move(tensor)};
  return true;
}

}  // namespace reckon::interp
