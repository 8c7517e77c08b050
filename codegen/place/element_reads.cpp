#include "codegen/place/element_reads.h"

#include <algorithm>
#include <limits>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;

constexpr std::int64_t operations_of_function = 24;

class ReadsSearch {
 public:
  ReadsSearch(const Placing& placing, const KernelBody& body, const Kernel& kernel)
      : placing_(placing),
        module_(placing.module),
        buffers_(placing.planned.plan.buffers),
        body_(body),
        kernel_(kernel) {
    out_.least_bytes = std::numeric_limits<std::int64_t>::max();
  }

  std::optional<ElementReads> find() {
    if (body_.kind != KernelBody::Kind::elements || body_.placed || body_.joined || body_.space.empty() ||
        buffers_[kernel_.output].storage || !takes_word(buffers_[kernel_.output].scalar, kernel::Form::kept)) {
      return std::nullopt;
    }
    if (module_.type(body_.node).kind == ir::TypeKind::tuple || module_[body_.node].op == Op::reduce || !reads())
      return std::nullopt;
    return out_;
  }

 private:
  bool takes_word(ir::Scalar scalar, kernel::Form form) {
    if (scalar == ir::Scalar::number || scalar == ir::Scalar::boolean || !placing_.code.is_word(scalar)) return false;
    out_.least_bytes = std::min<std::int64_t>(out_.least_bytes, placing_.code.widths().of(scalar, form));
    return true;
  }

  bool reads() {
    bool good = true;
    ir::walk(module_, {body_.node}, [&](NodeId id) {
      const ir::Node& node = module_[id];
      out_.operations += ir::is_elementary(node.op) ? operations_of_function : 1;
      switch (node.op) {
        case Op::reduce:
        case Op::scan:
        case Op::get: good = false; return ir::Walk::beside;
        case Op::index_value:
        case Op::index_condition:
          if (!module_.free_variables(id).empty()) out_.is_uniform = false;
          return ir::Walk::beside;
        case Op::element: good = good && is_good(id); return ir::Walk::beside;
        case Op::at:  // an index that is data is the same for all neighbours
          good = good && !module_.depends_on(node.operands[1], last());
          return ir::Walk::below;
        default: return ir::Walk::below;
      }
    });
    return good;
  }

  bool is_good(NodeId id) {
    if (!module_.depends_on(id, last())) {
      out_.is_uniform = out_.is_uniform && module_.free_variables(id).empty();
      return true;
    }
    const NodeId tensor = module_[id].operands[0];
    const ir::Node& node = module_[tensor];
    const bool is_given = node.op == Op::parameter;
    if (!is_given && !module_.free_variables(tensor).empty()) return false;
    if (is_given && buffers_[node.attribute].storage) return false;
    if (std::ranges::find(out_.along, id) == out_.along.end()) out_.along.push_back(id);
    return takes_word(module_.type(id).scalar, is_given ? kernel::Form::given : kernel::Form::kept);
  }

  ir::VariableId last() const { return body_.space.back().variable; }

  const Placing& placing_;
  ir::Module& module_;
  const std::vector<Buffer>& buffers_;
  const KernelBody& body_;
  const Kernel& kernel_;
  ElementReads out_;
};

}  // namespace

std::optional<ElementReads> element_reads(const Placing& placing, const KernelBody& body, const Kernel& kernel) {
  return ReadsSearch(placing, body, kernel).find();
}

}  // namespace reckon::codegen
