// Reads elements: of closed tensors by strided or listed offsets, of tensors that depend on variables from a table.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "diagnostics/codes/index_out_of_range.h"
#include "interp/evaluator.h"
#include "ir/integer.h"
#include "ir/op.h"
#include "ir/stated_range.h"

namespace reckon::interp {

namespace {

/// A larger table is not made; instead, the elements of a scan are computed one by one.
constexpr std::int64_t max_table_values = std::int64_t{1} << 24;

struct Digit {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
};

/// The digits of a strided column; neighbouring digits are joined if one continues the other.
std::vector<Digit> joined(const IndexColumn& column, const std::vector<std::int64_t>& dims) {
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    const Digit next{dims[k], column.strides[k]};
    if (!digits.empty() && digits.back().stride == next.extent * next.stride) {
      digits.back() = {digits.back().extent * next.extent, next.stride};
    } else {
      digits.push_back(next);
    }
  }
  return digits;
}

/// The error for an integer outside of the range that its parameter states.
Diagnostic outside(SourceSpan place, const std::string& integer, std::int64_t count, const std::string& where) {
  return Diagnostic(code::index_out_of_range, place,
                    fmt::format("{}{} is outside of the stated range{}", where.empty() ? "" : where + " = ", integer,
                                count > 0 ? fmt::format(", 0 to {}", count - 1) : ", which is empty"),
                    "the range is stated here");
}

/// The error for an index that was read from data and is not below the extent. `where`: the element that it was read
/// from, in words for people; may be empty.
Diagnostic beyond(SourceSpan place, const std::string& index, std::int64_t extent, ir::Scalar type,
                  const std::string& where) {
  return Diagnostic(code::index_out_of_range, place,
                    fmt::format("index {} is out of range: the dimension has {} element{}{}", index, extent,
                                extent == 1 ? "" : "s", where.empty() ? "" : fmt::format(" ({} is {})", where, index)),
                    "the index is read from data here")
      .help(index.starts_with('-')
                ? std::string("keep it in range: `x[max(i[k], 0)]`; `select` evaluates both of its sides")
                : fmt::format("keep it in range: `x[min(i[k], {}(n - 1))]`; `select` evaluates both of its sides",
                              ir::scalar_name(type)));
}

template <class Word>
void copy_digits(const Word* in, const Digit* digit, std::size_t left, Word*& out) {
  if (left == 0) {
    *out++ = *in;
    return;
  }
  if (left == 1) {
    const std::int64_t stride = digit->stride;
    if (stride == 0) {
      out = std::fill_n(out, digit->extent, *in);
    } else if (stride == 1) {
      std::memcpy(out, in, static_cast<std::size_t>(digit->extent) * sizeof(Word));
      out += digit->extent;
    } else {
      for (std::int64_t i = 0; i < digit->extent; ++i) *out++ = in[i * stride];
    }
    return;
  }
  for (std::int64_t i = 0; i < digit->extent; ++i) copy_digits(in + i * digit->stride, digit + 1, left - 1, out);
}

struct Pair {
  std::uint64_t first, second;
};

template <class Word>
void copy_all(const std::byte* in, const std::vector<Digit>& digits, std::byte* out) {
  auto* to = reinterpret_cast<Word*>(out);
  copy_digits(reinterpret_cast<const Word*>(in), digits.data(), digits.size(), to);
}

}  // namespace

bool Evaluator::offsets(Frame& frame, ir::NodeId id, const std::vector<std::int64_t>& shape, IndexColumn& out) {
  const ir::Node& node = module_[id];
  const auto size = static_cast<std::size_t>(frame.size);
  auto out_of_range = [&](std::size_t d) {
    return fail(
        Diagnostic(code::index_out_of_range, span(id),
                   fmt::format("subscript {} is out of range: the dimension has {} elements", d + 1, shape[d])));
  };
  out = {};
  out.strides.assign(frame.dims.size(), 0);
  std::vector<std::int64_t> scratch;
  for (std::size_t d = 0; d < node.indices.size(); ++d) {
    IndexColumn subscript;
    if (!index_column(frame, node.indices[d], id, subscript)) return false;
    // ir::check_bounds has checked this symbolically; it is checked again, as no access may be out of bounds.
    if (subscript.strided) {
      std::int64_t low = subscript.base, high = subscript.base;
      for (std::size_t k = 0; k < frame.dims.size(); ++k) {
        const std::int64_t reach = subscript.strides[k] * (frame.dims[k] - 1);
        (reach < 0 ? low : high) += reach;
      }
      if (size > 0 && (low < 0 || high >= shape[d])) return out_of_range(d);
    } else {
      for (std::int64_t value : subscript.values) {
        if (value < 0 || value >= shape[d]) return out_of_range(d);
      }
    }
    if (subscript.strided && out.strided) {
      out.base = out.base * shape[d] + subscript.base;
      for (std::size_t k = 0; k < out.strides.size(); ++k)
        out.strides[k] = out.strides[k] * shape[d] + subscript.strides[k];
      continue;
    }
    if (out.strided) {
      std::vector<std::int64_t> written(size);
      write_out(out, frame.dims, frame.size, written.data());
      out.strided = false;
      out.values = std::move(written);
    }
    scratch.resize(size);
    write_out(subscript, frame.dims, frame.size, scratch.data());
    for (std::size_t e = 0; e < size; ++e) out.values[e] = out.values[e] * shape[d] + scratch[e];
  }
  return true;
}

bool Evaluator::element(Frame& frame, ir::NodeId id, Column& out) {
  const ir::NodeId tensor = module_[id].operands[0];
  const OffsetIn offset_in = [&](const std::vector<std::int64_t>& shape, IndexColumn& offset) {
    return offsets(frame, id, shape, offset);
  };
  if (home_of(frame, tensor).whole) return whole_element(frame, tensor, offset_in, out);
  if (module_[tensor].op != ir::Op::map) return table_element(frame, tensor, offset_in, out);
  std::vector<IndexColumn> subscripts(module_[id].indices.size());
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    if (!index_column(frame, module_[id].indices[k], id, subscripts[k])) return false;
  }
  return mapped_element(frame, tensor, subscripts, out);
}

/// An element of a map that depends on a variable whose frame has many elements: the body at the subscripts.
bool Evaluator::mapped_element(Frame& frame, ir::NodeId map, const std::vector<IndexColumn>& subscripts, Column& out) {
  Frame inner;
  inner.init_tile(frame, 1);
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    inner.bind_index(module_[map].variables[k], inner.extend(subscripts[k]));
  }
  Columns columns;
  if (!ensure_values(inner, module_[map].operands[0], columns)) return false;
  out = std::move(columns[0]);
  return true;
}

bool Evaluator::element_at(Frame& frame, ir::NodeId tensor, const std::vector<std::int64_t>& subscripts, Column& out) {
  const bool whole = home_of(frame, tensor).whole;
  if (module_[tensor].op == ir::Op::map && !whole) {
    std::vector<IndexColumn> fixed;
    for (const std::int64_t subscript : subscripts) fixed.push_back(same_for_all(frame, subscript));
    return mapped_element(frame, tensor, fixed, out);
  }
  const OffsetIn offset_in = [&](const std::vector<std::int64_t>& shape, IndexColumn& offset) {
    offset = {};
    offset.strides.assign(frame.dims.size(), 0);
    for (std::size_t k = 0; k < shape.size(); ++k) offset.base = offset.base * shape[k] + subscripts[k];
    return true;
  };
  return whole ? whole_element(frame, tensor, offset_in, out) : table_element(frame, tensor, offset_in, out);
}

/// What element `e` of the frame reads: "`i[3]`" of a parameter, "element [3]" of another tensor, or nothing.
std::string Evaluator::where(const Frame& frame, ir::NodeId id, std::size_t e) const {
  const ir::Node& node = module_[id];
  if (node.op != ir::Op::element) return {};
  std::string subscripts;
  for (ir::IndexId each : node.indices) {
    IndexColumn column;
    if (interp::index_column(module_, frame, each, column)) return {};
    std::vector<std::int64_t> values(static_cast<std::size_t>(frame.size));
    write_out(column, frame.dims, frame.size, values.data());
    subscripts += (subscripts.empty() ? "" : ", ") + std::to_string(values[e]);
  }
  if (module_[node.operands[0]].op != ir::Op::parameter) return fmt::format("element [{}]", subscripts);
  const ir::SymbolId name = circuit_.function.parameters[module_[node.operands[0]].attribute].name;
  return fmt::format("`{}[{}]`", module_.name(name), subscripts);
}

bool Evaluator::index_from_data(Frame& frame, ir::NodeId id, IndexColumn& out) {
  const ir::Node& node = module_[id];
  const Columns* values = nullptr;
  if (!ensure_values(frame, node.operands[1], values)) return false;
  const Column read = (*values)[0];
  IndexColumn extent;
  if (!index_column(frame, node.indices[0], id, extent)) return false;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(frame.size));
  write_out(extent, frame.dims, frame.size, extents.data());
  const ir::Scalar type = module_.type(node.operands[1]).scalar;
  const std::size_t width = semantics_.size(type);
  out.strided = false;
  out.values.resize(extents.size());
  for (std::size_t e = 0; e < extents.size(); ++e) {
    auto value = semantics_.bits(type, read.data + e * width);
    // Where operations are counted, numbers have no values, and any element has the depth of the others.
    if (!value && semantics_.traits().counts_applications && extents[e] > 0) value = 0;
    if (!value) {
      return fail(Diagnostic(code::index_out_of_range, span(id),
                             fmt::format("an index that is read from data is not one known integer under `{}`",
                                         semantics_.name())));
    }
    // A negative index is a great number without its sign.
    const std::uint64_t index = numerics::extended(ir::integer_traits(type), *value);
    if (index >= static_cast<std::uint64_t>(extents[e])) {
      const std::string integer = ir::integer_text(type, *value), place = where(frame, node.operands[1], e);
      return fail(ir::states_range(module_, id) ? outside(span(id), integer, extents[e], place)
                                                : beyond(span(id), integer, extents[e], type, place));
    }
    out.values[e] = static_cast<std::int64_t>(index);
  }
  return true;
}

bool Evaluator::at(Frame& frame, ir::NodeId id, Column& out) {
  const ir::Node& node = module_[id];
  Frame inner;
  inner.init_tile(frame, 1);
  IndexColumn index;
  if (!index_from_data(frame, id, index)) return false;
  inner.bind_index(node.variables[0], std::move(index));
  Columns columns;
  if (!ensure_values(inner, node.operands[0], columns)) return false;
  out = std::move(columns[0]);
  return true;
}

bool Evaluator::whole_element(Frame& frame, ir::NodeId tensor, const OffsetIn& offset_in, Column& out) {
  std::vector<Tensor> parts;
  if (!whole_tensor(frame, tensor, parts)) return false;
  IndexColumn offset;
  if (!offset_in(parts[0]->shape(), offset)) return false;
  const Values& values = *parts[0];
  if (offset.strided) {
    const std::vector<Digit> digits = joined(offset, frame.dims);
    if (digits.empty() || (digits.size() == 1 && digits[0].stride == 1)) {
      out.scalar = values.scalar();
      out.data = values.at(offset.base);
      out.tensor = parts[0];
      return true;
    }
  }
  return read(frame, values, offset, out);
}

bool Evaluator::read(Frame& frame, const Values& tensor, const IndexColumn& offset, Column& out) {
  out = column(tensor.scalar(), frame.size);
  const std::size_t width = semantics_.size(tensor.scalar());
  if (offset.strided && semantics_.trivial() && (width == 1 || width == 2 || width == 4 || width == 8 || width == 16)) {
    const std::vector<Digit> digits = joined(offset, frame.dims);
    const std::byte* in = tensor.at(offset.base);
    switch (width) {
      case 1: copy_all<std::uint8_t>(in, digits, out.writable()); break;
      case 2: copy_all<std::uint16_t>(in, digits, out.writable()); break;
      case 4: copy_all<std::uint32_t>(in, digits, out.writable()); break;
      case 8: copy_all<std::uint64_t>(in, digits, out.writable()); break;
      default: copy_all<Pair>(in, digits, out.writable()); break;
    }
    return true;
  }
  const std::int64_t* index = offset.values.data();
  std::vector<std::int64_t> written;
  if (offset.strided) {
    written.resize(static_cast<std::size_t>(frame.size));
    write_out(offset, frame.dims, frame.size, written.data());
    index = written.data();
  }
  semantics_.gather(tensor.scalar(), tensor.data(), index, out.writable(), static_cast<std::size_t>(frame.size));
  return true;
}

bool Evaluator::table_element(Frame& frame, ir::NodeId whole, const OffsetIn& offset_in, Column& out) {
  ir::NodeId tensor = whole;
  std::size_t part = 0;
  if (module_[tensor].op == ir::Op::get) {
    const ir::Node& get = module_[tensor];
    tensor = get.operands[0];
    for (std::uint32_t k = 0; k < get.attribute; ++k) part += component_scalars(module_.type(tensor).parts[k]).size();
  }
  Frame* home = &home_of(frame, tensor);
  std::vector<std::int64_t> shape;
  const ir::Node& tensor_node = module_[tensor];
  if (tensor_node.op == ir::Op::scan) {
    IndexColumn extent;
    if (!index_column(*home, tensor_node.indices[0], tensor, extent)) return false;
    const bool uniform = extent.constant();
    const std::int64_t length = uniform ? (extent.strided ? extent.base : extent.values.front()) : 0;
    if (!uniform || length * home->size > max_table_values) {
      IndexColumn offset;
      if (!offset_in({uniform ? length : INT64_MAX}, offset)) return false;
      return scan_element_by_definition(frame, tensor, static_cast<std::uint32_t>(part), offset, out);
    }
    shape = {length};
  } else if (!shape_of(*home, whole, shape)) {
    return false;
  }

  IndexColumn offset;
  if (!offset_in(shape, offset)) return false;
  const Table* made = nullptr;
  if (!table(*home, tensor, made)) return false;
  std::vector<std::int64_t> index(static_cast<std::size_t>(frame.size));
  write_out(offset, frame.dims, frame.size, index.data());
  const auto elements = frame.elements_of(*home);
  for (std::size_t e = 0; e < index.size(); ++e) {
    index[e] = index[e] * home->size + (elements ? (*elements)[e] : static_cast<std::int64_t>(e));
  }
  out = gathered(*this, made->columns[part], index);
  return true;
}

}  // namespace reckon::interp
