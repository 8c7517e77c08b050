#include "codegen/lower/neighbours.h"

#include <fmt/format.h>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"
#include "codegen/placed_kernel.h"

namespace reckon::codegen {
namespace {

struct PlacedNeighbours {
  Neighbours neighbours;
  ir::IndexId elements;  ///< that there are for the last coordinate, or, flat, in all
  bool are_whole = false;  ///< every thread has as many
};

/// Writes such a kernel.
class NeighbourWriter : LoweringParts {
 public:
  NeighbourWriter(KernelParts& parts, const KernelBody& body, const PlacedNeighbours& placed, Kernel& kernel)
      : LoweringParts(parts.folds(), parts.folds().joins()),
        items_(parts.items()),
        body_(body),
        placed_(placed),
        kernel_(kernel) {}

  void write() {
    KernelBody rows = body_;
    if (placed_.neighbours.flat) rows.space.clear();
    else rows.space.pop_back();
    items_.of_ptx(rows, kernel_, [&](Value item, Value last) {
      if (placed_.neighbours.flat) {
        for (const Binder& binder : body_.space) {
          w_.scope()->variables.push_back({binder.variable, binder.extent, w_.i64(0)});
        }
      }
      const Value width = w_.i64(count());
      const Value first = w_.multiply(last, width), begin = w_.multiply(item, width);
      if (placed_.are_whole) {
        whole(first, begin);
        return;
      }
      const Value limit = w_.index(placed_.elements);
      w_.branch(
          b_.less_equal(w_.add(first, width), limit),
          [&] {
            whole(first, begin);
            return Values{};
          },
          [&] {
            w_.for_range(
                w_.i64(0), b_.sub(limit, first),
                [&](Value k) { circuits_.store_at_offset(kernel_.output, w_.add(begin, k), value(w_.add(first, k))); },
                false);
            return Values{};
          });
    });
  }

 private:
  std::int64_t count() const { return placed_.neighbours.count; }

  /// All are read before the first one is written, so that neighbours are read together.
  void whole(Value first, Value begin) {
    Values values;
    for (std::int64_t k = 0; k < count(); ++k) values.push_back(value(w_.add(first, w_.i64(k))));
    for (std::int64_t k = 0; k < count(); ++k) {
      circuits_.store_at_offset(kernel_.output, w_.add(begin, w_.i64(k)), values[static_cast<std::size_t>(k)]);
    }
  }

  Value value(Value last) {
    Scope scope;
    scope.variables.push_back({body_.space.back().variable, body_.space.back().extent, last});
    return w_.in_scope(scope, [&] {
      const Value out = circuits_.scalar(body_.node);
      w_.resume();
      return Values{out};
    })[0];
  }

  Items& items_;
  const KernelBody& body_;
  const PlacedNeighbours& placed_;
  Kernel& kernel_;
};

class NeighbourKernel : public PlacedKernel {
 public:
  explicit NeighbourKernel(const PlacedNeighbours& placed) : placed_(placed) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    NeighbourWriter(parts, body, placed_, kernel).write();
  }

  std::string who(const KernelBody&, const Kernel&) const override {
    return fmt::format("A thread computes {} neighbours.", placed_.neighbours.count);
  }

 private:
  PlacedNeighbours placed_;
};

}  // namespace

void compute_neighbours(ir::IndexStore& indices, KernelBody& body, Kernel& kernel, Neighbours neighbours) {
  const ir::IndexId count = indices.constant(neighbours.count);
  PlacedNeighbours placed{neighbours, body.space.back().extent};
  if (neighbours.flat) {
    placed.elements = indices.constant(1);
    for (const Binder& binder : body.space) placed.elements = indices.multiply(placed.elements, binder.extent);
    kernel.items.clear();
  } else {
    kernel.items.pop_back();
  }
  placed.are_whole = indices.as_constant(indices.floor_mod(placed.elements, count)) == 0;
  const ir::IndexId more = indices.constant(placed.are_whole ? 0 : neighbours.count - 1);
  kernel.items.push_back(indices.floor_div(indices.add(placed.elements, more), count));
  body.placed = std::make_shared<NeighbourKernel>(placed);
}

}  // namespace reckon::codegen
