// Circuits as the benchmarks need them: a scalar operation over an array, or a function of a program's text; compiled for
// the host, or for a GPU and timed there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "codegen/compile.h"
#include "ir/bind.h"
#include "semantics/float/compiled.h"

namespace reckon::bench {

template <class T>
T must(Expected<T> value) {
  if (value) return std::move(*value);
  std::fprintf(stderr, "%s\n", value.error().message.c_str());
  for (const std::string& note : value.error().notes) std::fprintf(stderr, "  %s\n", note.c_str());
  std::exit(1);
}

/// for i: f(x[i]).
struct Circuit {
  Circuit(ir::Op op, ir::Scalar scalar) {
    const ir::IndexId n = module.indices().dimension(module.symbol("n"));
    const ir::TypeId type = module.types().tensor(scalar, {n});
    const ir::VariableId i = module.fresh_variable();
    const ir::NodeId x = module.element(module.parameter(0, type), {module.indices().variable(i)});
    function.name = module.symbol("f");
    function.dimensions = {module.symbol("n")};
    function.parameters.push_back({module.symbol("x"), type, {}});
    function.body = module.map({i}, {n}, module.apply(op, {x}));
    function.result = module[function.body].type;
  }
  ir::Module module;
  ir::Function function;
};

/// Its host code.
struct Kernel : Circuit {
  Kernel(ir::Op op, ir::Scalar scalar, codegen::CompileOptions options = {}) : Circuit(op, scalar) {
    if (options.semantics == nullptr) options.semantics = &codegen::float_code();
    compiled = must(codegen::compile(module, function, options));
    kernel = codegen::host_kernel(compiled, compiled.plan.kernels[0].name);
  }
  /// Of intervals `out` has both ends of each element; faults are not looked at.
  template <class T>
  void operator()(const std::vector<T>& x, std::vector<T>& out) const {
    using Role = codegen::Buffer::Role;
    std::vector<std::uint64_t> faults(compiled.plan.faults.size() / 64 + 1);
    std::vector<void*> buffers;
    for (const codegen::Buffer& buffer : compiled.plan.buffers) {
      void* data = buffer.role == Role::parameter ? static_cast<void*>(const_cast<T*>(x.data())) : out.data();
      buffers.push_back(buffer.role == Role::faults ? faults.data() : data);
    }
    const auto count = static_cast<std::int64_t>(x.size());
    kernel(buffers.data(), &count, 0, count);
  }
  codegen::Compiled compiled;
  codegen::HostKernel kernel{};
};

}  // namespace reckon::bench
