// Moves the parts of a stage's leaves from memory through registers to shared memory. Asynchronous copies (cp.async)
// are slower if a part changes its order on the way: 4 bytes at a time (on an H200, 41 TFLOP/s instead of 49).
#include "codegen/strategies/tiles/tile_writer.h"
#include "ir/op.h"

namespace reckon::codegen {

using ir::NodeId;
using ir::Op;

namespace {

constexpr std::int64_t access_bytes = 16;  ///< of one access to shared memory, at most
constexpr std::int64_t most_neighbours = 4;

}  // namespace

bool TileWriter::vectorised(Type type) const { return numbers_.is_word(type.scalar); }

void TileWriter::plan_stage() {
  for (NodeId node : tile_.of_rows) parts_.push_back(staged(node, true));
  for (NodeId node : tile_.of_columns) parts_.push_back(staged(node, false));
  group_ = most_neighbours;
  for (const Staged& part : parts_) {
    group_ = std::min(group_, vectorised(part.type) ? access_bytes / w_.bytes_of(part.type) : 1);
  }
  for (Staged& part : parts_) {
    const std::int64_t bytes = w_.bytes_of(part.type);
    // Rows of leaves start in different banks. On tensor cores a warp reads 4 numbers of each of 4 rows at a time:
    // these rows start 32 bytes apart.
    const std::int64_t gap = tile_.mma_f64 ? 2 * access_bytes : access_bytes;
    part.pitch = (part.of_rows ? tile_.rows : tile_.columns) + std::max<std::int64_t>(1, gap / bytes);
    part.offset = stage_bytes_;
    stage_bytes_ += (part.pitch * tile_.depth * bytes + access_bytes - 1) / access_bytes * access_bytes;
  }
  const std::int64_t start = reducer_.shared_bytes(2 * stage_bytes_);
  // The parts' offsets are added last, where an instruction has room for them.
  for (Staged& part : parts_) part.memory = b_.shared(start, 2 * stage_bytes_, part.type);
}

TileWriter::Staged TileWriter::staged(NodeId node, bool of_rows) {
  Staged part;
  part.node = node;
  part.of_rows = of_rows;
  part.type = Type::number(module_.type(node).scalar);
  const Binder& side = of_rows ? row_ : column_;
  // On tensor cores, where the pitch is 32 bytes more than a power of two, a thread stores 16 bytes at a time: then the
  // threads of a warp store to different banks. On an H200, storing four f64s at a time takes twice as long.
  const std::int64_t neighbours = tile_.mma_f64 ? 2 : most_neighbours;
  part.along_leaves = reads_along(node, site_.node.variables[0]) && !reads_along(node, side.variable);
  if (part.along_leaves) {
    part.vector = neighbours;
  } else if (const auto extent = module_.indices().as_constant(side.extent); extent && *extent % neighbours == 0) {
    part.vector = neighbours;
  }
  // The vectors of a part must be shared evenly by the threads.
  const std::int64_t extent = of_rows ? tile_.rows : tile_.columns, whole = part.along_leaves ? tile_.depth : extent;
  const auto is_shared = [&] {
    return whole % part.vector == 0 && extent * tile_.depth / part.vector % tile_.threads() == 0;
  };
  while (part.vector > 1 && !is_shared()) part.vector /= 2;
  return part;
}

/// Are elements that follow each other in the variable neighbours in memory, where any are read?
bool TileWriter::reads_along(NodeId root, ir::VariableId variable) const {
  ir::IndexStore& indices = module_.indices();
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const ir::Node node = module_[pending.back()];
    pending.pop_back();
    if (node.op != Op::element) {
      pending.insert(pending.end(), node.operands.begin(), node.operands.end());
      continue;
    }
    const ir::Node tensor = module_[node.operands[0]];
    const ir::IndexId offset = tensor.op == Op::parameter
                                   ? circuits_.offset_of(planned_.plan.buffers[tensor.attribute], node.indices)
                                   : circuits_.offset_of(module_.type(node.operands[0]).extents, node.indices);
    const auto affine = indices.affine_in(offset, variable);
    if (affine && indices.as_constant(affine->stride) == 1) return true;
  }
  return false;
}

/// Which elements of a part a thread reads and writes. Along the leaves, pairs of threads read what lies together, and
/// the threads of a warp write to different banks; otherwise a warp reads and writes what lies together. Where a side
/// and the threads do not divide each other, the vectors are assigned to threads one after the other.
std::vector<TileWriter::LoadPosition> TileWriter::load_positions(const Staged& part) const {
  const std::int64_t side = part.of_rows ? tile_.rows : tile_.columns, threads = tile_.threads();
  const std::int64_t count = side * tile_.depth / part.vector / threads;
  Value thread = reducer_.thread();
  auto scaled = [&](Value x, std::int64_t factor) { return factor == 1 ? x : b_.mul(x, w_.i64(factor), Fits::always); };
  std::vector<LoadPosition> out;
  if (part.along_leaves) {
    const std::int64_t together = std::max<std::int64_t>(2, threads / side);
    const std::int64_t round = threads / together, rounds = side / round;
    if (threads % together != 0 || side % round != 0 || tile_.depth % (together * part.vector) != 0) {
      const std::int64_t of_row = tile_.depth / part.vector;
      for (std::int64_t k = 0; k < count; ++k) {
        Value number = b_.add(thread, w_.i64(k * threads), Fits::always);
        out.push_back({b_.udiv(number, w_.i64(of_row)), scaled(b_.urem(number, w_.i64(of_row)), part.vector)});
      }
      return out;
    }
    const LoadPosition first{b_.udiv(thread, w_.i64(together)), scaled(b_.urem(thread, w_.i64(together)), part.vector)};
    for (std::int64_t k = 0; k < count; ++k) {
      out.push_back(first);
      out.back().more_side = k % rounds * round;
      out.back().more_leaf = k / rounds * together * part.vector;
    }
    return out;
  }
  const std::int64_t groups = side / part.vector, leaves = std::max<std::int64_t>(1, threads / groups);
  const std::int64_t rounds = std::max<std::int64_t>(1, groups / threads);
  if (groups % threads != 0 && threads % groups != 0) {
    for (std::int64_t k = 0; k < count; ++k) {
      Value number = b_.add(thread, w_.i64(k * threads), Fits::always);
      out.push_back({scaled(b_.urem(number, w_.i64(groups)), part.vector), b_.udiv(number, w_.i64(groups))});
    }
    return out;
  }
  const LoadPosition first{scaled(b_.urem(thread, w_.i64(groups)), part.vector), b_.udiv(thread, w_.i64(groups))};
  for (std::int64_t k = 0; k < count; ++k) {
    out.push_back(first);
    out.back().more_side = k % rounds * threads * part.vector;
    out.back().more_leaf = k / rounds * leaves;
  }
  return out;
}

/// The row or column, moved down so far that it and the next ones, `count` in all, are in range.
Value TileWriter::bounded(bool of_rows, Value position, std::int64_t count) const {
  Value size = w_.index(of_rows ? row_.extent : column_.extent);
  const auto known = w_.known(size);
  if (known && *known % (of_rows ? tile_.rows : tile_.columns) == 0) return position;
  return w_.smaller(position, b_.sub(size, w_.i64(count)));
}

std::vector<Values> TileWriter::read(Value first, Value end) {
  auto plus = [&](Value x, Value y) { return b_.add(x, y, Fits::always); };
  std::vector<Values> out;
  for (const Staged& part : parts_) {
    const Binder& side = part.of_rows ? row_ : column_;
    Value side_first = part.of_rows ? first_row_ : first_column_;
    Values elements;
    for (const LoadPosition& position_of_load : load_positions(part)) {
      Value position = plus(plus(side_first, position_of_load.side), w_.i64(position_of_load.more_side));
      position = bounded(part.of_rows, position, part.along_leaves ? 1 : part.vector);
      Value leaf = plus(plus(first, position_of_load.leaf), w_.i64(position_of_load.more_leaf));
      for (std::int64_t k = 0; k < part.vector; ++k) {
        Value one = k > 0 && part.along_leaves ? plus(leaf, w_.i64(k)) : leaf;
        if (end) one = w_.smaller(one, b_.sub(end, w_.i64(1)));
        Scope scope;
        scope.variables.push_back(
            {side.variable, side.extent, k > 0 && !part.along_leaves ? plus(position, w_.i64(k)) : position});
        scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], one});
        elements.push_back(w_.in_scope(scope, [&] { return Values{circuits_.scalar(part.node)}; })[0]);
      }
    }
    out.push_back(std::move(elements));
  }
  return out;
}

/// The place in shared memory of one of the neighbours at a load position.
TileWriter::SharedPlace TileWriter::shared_address(const Staged& part, const LoadPosition& position_of_load,
                                                   std::int64_t number, Value stage) {
  Value element = w_.add(b_.mul(position_of_load.leaf, w_.i64(part.pitch), Fits::always), position_of_load.side);
  const std::int64_t more = part.along_leaves
                                ? (position_of_load.more_leaf + number) * part.pitch + position_of_load.more_side
                                : position_of_load.more_leaf * part.pitch + position_of_load.more_side + number;
  return {b_.advance(part.memory, stage), element, more + part.offset / w_.bytes_of(part.type)};
}

void TileWriter::write(const std::vector<Values>& elements, Value stage) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Staged& part = parts_[p];
    const std::int64_t bytes = w_.bytes_of(part.type);
    const bool one_by_one = part.along_leaves || !vectorised(part.type);
    const std::int64_t run = one_by_one ? 1 : std::min(part.vector, access_bytes / bytes);
    std::size_t next = 0;
    for (const LoadPosition& position_of_load : load_positions(part)) {
      for (std::int64_t k = 0; k < part.vector; k += run) {
        const auto [memory, element, more] = shared_address(part, position_of_load, k, stage);
        if (run == 1) {
          b_.store(memory, element, elements[p][next++], more);
          continue;
        }
        b_.store_vector(memory, element, std::span(elements[p]).subspan(next, static_cast<std::size_t>(run)), more);
        next += static_cast<std::size_t>(run);
      }
    }
  }
  reducer_.barrier();
}

}  // namespace reckon::codegen
