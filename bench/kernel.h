// A scalar operation over an array, compiled for the host.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "codegen/compile.h"
#include "ir/bind.h"

namespace reckon::bench {

/// for i: f(x[i]), compiled for the host.
struct Kernel {
  Kernel(ir::Op op, ir::Scalar scalar) {
    const ir::IndexId n = module.indices().dimension(module.symbol("n"));
    const ir::TypeId type = module.types().tensor(scalar, {n});
    const ir::VariableId i = module.fresh_variable();
    const ir::NodeId x = module.element(module.parameter(0, type), {module.indices().variable(i)});
    function.name = module.symbol("f");
    function.dimensions = {module.symbol("n")};
    function.parameters.push_back({module.symbol("x"), type, {}});
    function.body = module.map({i}, {n}, module.apply(op, {x}));
    function.result = module[function.body].type;
    auto made = codegen::compile(module, function, {});
    if (!made) {
      std::fprintf(stderr, "%s\n", made.error().message.c_str());
      std::exit(1);
    }
    compiled.emplace(std::move(*made));
    kernel = codegen::host_kernel(*compiled, compiled->plan.kernels[0].name);
  }
  template <class T>
  void operator()(const std::vector<T>& x, std::vector<T>& out) const {
    std::vector<void*> buffers;
    for (const codegen::Buffer& buffer : compiled->plan.buffers) {
      const bool in = buffer.role == codegen::Buffer::Role::parameter;
      buffers.push_back(in ? const_cast<T*>(x.data()) : out.data());
    }
    const auto count = static_cast<std::int64_t>(x.size());
    kernel(buffers.data(), &count, 0, count);
  }
  ir::Module module;
  ir::Function function;
  std::optional<codegen::Compiled> compiled;
  codegen::HostKernel kernel{};
};

}  // namespace reckon::bench
