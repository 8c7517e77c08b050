// Which values in buffers a kernel of the plan reads, before it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/plan.h"

namespace reckon::codegen {

class BufferReads {
 public:
  BufferReads(ir::Module& module, const Planned& planned) : module_(module), planned_(planned) {}

  /// Calls `visit(place, subscripts)` for every value in a buffer that the body reads, but for parameters. The result
  /// is false if `visit` returns false, or if another reduction would be computed on the way.
  bool each(const KernelBody& body,
            const std::function<bool(const Place& place, const std::vector<ir::IndexId>& subscripts)>& visit) const;
  /// Whether it computes such an operation itself: not in a value that it reads.
  bool computes(const KernelBody& body, const std::function<bool(ir::Op)>& is_one) const;
  /// A read that cannot be determined counts as a read of this buffer.
  bool reads(const KernelBody& body, std::uint32_t buffer) const;
  /// Is the buffer of any use outside of the kernels [begin, end)?
  bool needed_outside(std::uint32_t buffer, std::size_t begin, std::size_t end) const;

 private:
  using Read = std::function<bool(const Place& place, const std::vector<ir::IndexId>& subscripts)>;
  bool walk(const KernelBody& body, const Read& read, const std::function<bool(const ir::Node&)>& compute) const;
  const Place* place_of(ir::NodeId id, const KernelBody& body) const;

  ir::Module& module_;
  const Planned& planned_;
};

}  // namespace reckon::codegen
