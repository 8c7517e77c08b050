#include "interp/frame.h"

#include <algorithm>

namespace reckon::interp {

bool IndexColumn::constant() const {
  if (strided) return std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s == 0; });
  return std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == values.front(); });
}

void Frame::init_repeat(Frame& of, std::int64_t count) {
  parent = &of;
  link = Link::repeat;
  size = of.size * count;
  dims = of.dims;
  dims.push_back(count);
}

void Frame::init_tile(Frame& of, std::int64_t rows) {
  parent = &of;
  link = Link::tile;
  size = rows * of.size;
  dims.clear();
  dims.push_back(rows);
  dims.insert(dims.end(), of.dims.begin(), of.dims.end());
}

void Frame::init_choice(Frame& of, std::vector<std::int64_t> elements) {
  parent = &of;
  link = Link::choose;
  size = static_cast<std::int64_t>(elements.size());
  dims = {size};
  chosen = std::move(elements);
}

void Frame::init_round(Frame& of) {
  parent = &of;
  link = Link::round;
  dims = of.dims;
  whole = true;
}

void Frame::bind_index(ir::VariableId variable, IndexColumn column) {
  bound.insert(std::lower_bound(bound.begin(), bound.end(), variable), variable);
  indices.emplace_back(variable, std::move(column));
}

void Frame::bind_operand(ir::VariableId variable, Columns columns) {
  bound.insert(std::lower_bound(bound.begin(), bound.end(), variable), variable);
  operands.emplace_back(variable, std::move(columns));
}

bool Frame::introduces(ir::VariableId variable) const {
  return std::find(bound.begin(), bound.end(), variable) != bound.end();
}

bool Frame::owns(const std::vector<ir::VariableId>& free_variables) const {
  if (link == Link::root) return true;
  for (ir::VariableId variable : bound) {
    if (std::binary_search(free_variables.begin(), free_variables.end(), variable)) return true;
  }
  return false;
}

bool Frame::owns(const ir::Module& module, ir::NodeId node) const { return owns(module.free_variables(node)); }

std::int64_t Frame::parent_element(std::int64_t element) const {
  switch (link) {
    case Link::root:
    case Link::round: return 0;
    case Link::repeat: return element / dims.back();
    case Link::tile: return element % parent->size;
    case Link::choose: return chosen[static_cast<std::size_t>(element)];
  }
  return 0;
}

std::optional<std::vector<std::int64_t>> Frame::elements_of(const Frame& ancestor) const {
  if (this == &ancestor) return std::nullopt;
  std::vector<std::int64_t> elements(static_cast<std::size_t>(size));
  for (std::int64_t e = 0; e < size; ++e) elements[static_cast<std::size_t>(e)] = parent_element(e);
  for (const Frame* frame = parent; frame != &ancestor; frame = frame->parent) {
    for (std::int64_t& element : elements) element = frame->parent_element(element);
  }
  return elements;
}

IndexColumn Frame::extend(const IndexColumn& of_parent) const {
  IndexColumn column;
  if (of_parent.strided && link != Link::choose) {
    column.base = of_parent.base;
    column.strides = of_parent.strides;
    if (link != Link::round)
      column.strides.insert(link == Link::tile ? column.strides.begin() : column.strides.end(), 0);
    return column;
  }
  if (of_parent.strided && of_parent.constant()) {
    column.base = of_parent.base;
    column.strides.assign(dims.size(), 0);
    return column;
  }
  std::vector<std::int64_t> written(static_cast<std::size_t>(parent->size));
  write_out(of_parent, parent->dims, parent->size, written.data());
  column.strided = false;
  column.values.resize(static_cast<std::size_t>(size));
  for (std::int64_t e = 0; e < size; ++e) {
    column.values[static_cast<std::size_t>(e)] = written[static_cast<std::size_t>(parent_element(e))];
  }
  return column;
}

IndexColumn same_for_all(const Frame& frame, std::int64_t value) {
  IndexColumn out;
  out.base = value;
  out.strides.assign(frame.dims.size(), 0);
  return out;
}

void write_out(const IndexColumn& column, const std::vector<std::int64_t>& dims, std::int64_t size, std::int64_t* out) {
  if (!column.strided) {
    std::copy(column.values.begin(), column.values.end(), out);
    return;
  }
  // One digit at a time, the slowest first: each value is replaced by the values with one more digit.
  std::int64_t count = 1;
  out[0] = column.base;
  if (size == 0) return;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::int64_t extent = dims[k];
    const std::int64_t stride = column.strides[k];
    for (std::int64_t i = count - 1; i >= 0; --i) {
      const std::int64_t value = out[i];
      std::int64_t* run = out + i * extent;
      for (std::int64_t d = extent - 1; d >= 0; --d) run[d] = value + d * stride;
    }
    count *= extent;
  }
}

}  // namespace reckon::interp
