// Calling and compiling circuits.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/implementation.h"
#include "codegen/compile.h"
#include "ir/bind.h"
#include "ir/passes/passes.h"
#include "ir/printer.h"
#include "numerics/format.h"
#include "runtime/cuda/launch.h"

namespace reckon {
namespace {

Diagnostic bad_argument(std::string message) { return Diagnostic(Code::bad_argument, {}, std::move(message)); }

/// How code is compiled under a semantics of that name.
Expected<codegen::CompileOptions> compile_options_for(std::string_view name) {
  using codegen::CompiledSemantics;
  struct Known {
    std::string_view name;
    CompiledSemantics semantics;
    numerics::fpsan::Generation generation = numerics::fpsan::now;
  };
  const Known all[] = {{"float", CompiledSemantics::float_},
                       {"interval", CompiledSemantics::interval},
                       {"interval(f64)", CompiledSemantics::interval},
                       {"interval(f32)", CompiledSemantics::interval_f32},
                       {"padic", CompiledSemantics::padic},
                       {"fpsan", CompiledSemantics::fpsan},
                       {"fpsan(now, homomorphic)", CompiledSemantics::fpsan, numerics::fpsan::now_homomorphic},
                       {"fpsan(v38)", CompiledSemantics::fpsan, numerics::fpsan::v38},
                       {"fpsan(article)", CompiledSemantics::fpsan, numerics::fpsan::article}};
  for (const Known& known : all) {
    if (known.name != name) continue;
    codegen::CompileOptions options;
    options.semantics = known.semantics;
    options.generation = known.generation;
    return options;
  }
  if (name.starts_with("interval(")) {
    return Diagnostic(Code::not_compilable, {}, fmt::format("`{}` cannot be compiled yet", name))
        .help("`interval` and `interval(f32)` can; the interpreter has every other: `--on=interp`");
  }
  if (name.starts_with("float(")) {
    return Diagnostic(Code::not_compilable, {}, fmt::format("`{}` cannot be compiled yet", name))
        .help("other roundings than to nearest, and flushing, run in the interpreter: `--on=interp`");
  }
  return Diagnostic(Code::not_compilable, {}, fmt::format("`{}` cannot be compiled", name))
      .help("`float`, `fpsan`, `interval` and `padic` can; the interpreter has every semantics");
}

/// The laws that compiled code may use: those that change no enclosure, so that it has the interpreter's ends. (The sum
/// of two literals' enclosures is wider than the enclosure of their sum.)
ir::Laws compiled_laws(const interp::Semantics& semantics) {
  const ir::Laws laws = semantics.laws();
  // The ring's laws pass over what is undefined; compiled code has that, too, as the interpreter does.
  if (semantics.name() == "padic") return {};
  return laws.has(ir::Law::any_order_encloses) ? laws.without(ir::Law::literals_exact) : laws;
}

/// `5`, `0xff`, `u32#000000ff`.
std::optional<std::uint32_t> word_of(const std::string& text) {
  const bool pattern = text.size() == 12 && text.starts_with("u32#");
  const auto value = numerics::parse_number(pattern ? "0x" + text.substr(4) : text);
  if (!value || value->get_den() != 1 || *value < 0 || *value > 0xffffffff) return std::nullopt;
  return static_cast<std::uint32_t>(value->get_num().get_ui());
}

/// Compiled results as values of the semantics.
Expected<interp::Values> compiled_values(interp::Semantics& semantics, const codegen::Plan& plan, std::uint32_t position,
                                         const ir::HostTensor& tensor) {
  for (const codegen::Buffer& buffer : plan.buffers) {
    if (buffer.role != codegen::Buffer::Role::result || buffer.position != position || buffer.ends == codegen::Ends::none) continue;
    std::vector<std::int64_t> shape = tensor.shape;
    if (buffer.scalar != ir::Scalar::boolean) shape.pop_back();
    interp::Values values(semantics, buffer.scalar, std::move(shape));
    // The interpreter's own form: two ends, or a Truth.
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  interp::Values values(semantics, tensor.scalar, tensor.shape);
  if (auto fault = semantics.load(tensor.scalar, tensor.bytes.data(), static_cast<std::size_t>(tensor.size()),
                                  values.data())) {
    return Diagnostic(fault->code, {}, fault->message);
  }
  return values;
}

}  // namespace

Expected<Session::Implementation::Chosen> Session::Implementation::choose(
    const std::string& circuit, const std::map<std::string, std::int64_t>& values,
    const std::map<std::string, std::string>& formats) {
  std::vector<frontend::Session::StaticArgument> static_arguments;
  std::map<std::string, std::int64_t> rest = values;
  std::map<std::string, std::string> unused = formats;
  for (const std::string& name : session.static_parameters(circuit)) {
    if (const auto given = unused.find(name); given != unused.end()) {
      const auto format = ir::scalar_named(given->second);
      if (!format || !ir::has_pattern(*format)) {
        return bad_argument(fmt::format("`{}` is no format", given->second))
            .help(fmt::format("for example `-D {}=f32`", name));
      }
      static_arguments.emplace_back(*format);
      unused.erase(given);
      continue;
    }
    auto found = rest.find(name);
    if (found == rest.end()) {
      return bad_argument(fmt::format("the static parameter `{}` of `{}` has no value", name, circuit))
          .help(fmt::format("give it one: `-D {0}=64`, or `-D {0}=f32` if it is a format", name));
    }
    static_arguments.push_back(found->second);
    rest.erase(found);
  }
  auto function = session.circuit(circuit, static_arguments);
  if (!function) return function.error();
  if (!unused.empty()) {
    const auto& [name, format] = *unused.begin();
    return bad_argument(fmt::format("`{}` has no static parameter `{}` that could be `{}`", circuit, name, format));
  }
  Chosen out{std::move(*function), {}};
  for (const auto& [name, value] : rest) {
    const ir::SymbolId symbol = session.module().symbol(name);
    const auto& dimensions = out.function.dimensions;
    if (std::find(dimensions.begin(), dimensions.end(), symbol) == dimensions.end()) {
      return bad_argument(fmt::format("`{}` has no dimension or static parameter `{}`", circuit, name));
    }
    if (value < 0) return bad_argument(fmt::format("the dimension `{}` is {}, which is negative", name, value));
    out.dimensions[symbol] = value;
  }
  return out;
}

Result<std::vector<Parameter>> Session::parameters(const std::string& circuit,
                                                  const std::map<std::string, std::string>& formats) {
  Result<std::vector<Parameter>> out = std::vector<Parameter>{};
  with_large_stack([&] {
    Implementation& self = *implementation_;
    std::map<std::string, std::int64_t> ones;
    for (const std::string& name : self.session.static_parameters(circuit)) {
      if (!formats.contains(name)) ones[name] = 1;
    }
    auto chosen = self.choose(circuit, ones, formats);
    if (!chosen) {
      out = self.messages(chosen.error());
      return;
    }
    std::vector<Parameter> parameters;
    for (const ir::Parameter& parameter : chosen->function.parameters) {
      const ir::Type& type = self.session.module().types()[parameter.type];
      parameters.push_back({std::string(self.session.module().name(parameter.name)),
                            type.kind == ir::TypeKind::tuple ? "tuple" : std::string(ir::scalar_name(type.scalar)),
                            type.extents.size()});
    }
    out = std::move(parameters);
  });
  return out;
}

Result<std::vector<Shown>> Session::call(const std::string& circuit, const std::vector<Tensor>& tensors,
                                         const CallOptions& options) {
  auto work = [&]() -> Expected<std::vector<Shown>> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, options.values, options.formats);
    if (!chosen) return chosen.error();
    const ir::Function& function = chosen->function;
    if (tensors.size() != function.parameters.size()) {
      return bad_argument(fmt::format("`{}` takes {} arguments and was given {}", circuit, function.parameters.size(),
                                      tensors.size()));
    }
    std::vector<ir::HostTensor> arguments;
    std::vector<std::vector<std::int64_t>> shapes;
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      auto tensor = host_tensor(tensors[k]);
      if (!tensor) return tensor.error();
      const ir::Type& type = module.types()[function.parameters[k].type];
      if (type.scalar != tensor->scalar) {
        return bad_argument(fmt::format("argument `{}` of `{}` has elements of type `{}` and was given `{}`",
                                        module.name(function.parameters[k].name), circuit,
                                        ir::scalar_name(type.scalar), tensors[k].type));
      }
      shapes.push_back(tensor->shape);
      arguments.push_back(std::move(*tensor));
    }
    auto semantics = self.semantics(options.semantics, {});
    if (!semantics) return semantics.error();
    self.note_roundings(function, **semantics);
    if (options.on == On::interpreter) {
      std::vector<interp::Argument> inputs(arguments.begin(), arguments.end());
      return self.evaluate(function, **semantics, inputs, chosen->dimensions);
    }
    auto compile_options = compile_options_for((*semantics)->name());
    if (!compile_options) return compile_options.error();
    auto dimensions = ir::bind_dimensions(module, function, shapes, chosen->dimensions);
    if (!dimensions) return dimensions.error();
    ir::Function concrete =
        ir::settle_orders(module, ir::instantiate(module, function, *dimensions), (*semantics)->laws());
    if (auto problems = ir::check_bounds(module, concrete); !problems.empty()) return problems.front();
    auto passed = ir::run_passes(module, concrete, compiled_laws(**semantics));
    if (!passed) return passed.error();
    concrete = std::move(*passed);
    compile_options->target = options.on == On::host ? codegen::Target::host : codegen::Target::ptx;
    if (options.on != On::host && !options.arch.empty()) compile_options->arch = options.arch;
    auto compiled = codegen::compile(module, concrete, *compile_options);
    if (!compiled) return compiled.error();
    auto results = options.on == On::host
                       ? codegen::run_host(module, concrete, *compiled, arguments, {}, interp::generate)
                       : runtime::run_on_gpu(module, concrete, *compiled, arguments, {}, interp::generate);
    if (!results) return results.error();
    std::vector<Shown> out;
    for (std::uint32_t k = 0; k < results->size(); ++k) {
      auto values = compiled_values(**semantics, compiled->plan, k, (*results)[k]);
      if (!values) return values.error();
      out.push_back(shown(*values, **semantics));
    }
    return out;
  };
  Result<std::vector<Shown>> out = std::vector<Shown>{};
  implementation_->interrupted = false;
  with_large_stack([&] {
    auto values = work();
    out = values ? Result<std::vector<Shown>>(std::move(*values)) : implementation_->messages(values.error());
  });
  return out;
}

Result<std::string> Session::compile(const std::string& circuit, const std::string& target) {
  CompileOptions options;
  options.host = target == "host";
  options.emit = options.host ? Emit::assembly : Emit::ptx;
  if (!options.host && target != "ptx") options.arch = target;
  return compile(circuit, options);
}

Result<std::string> Session::compile(const std::string& circuit, const CompileOptions& options) {
  auto work = [&]() -> Expected<std::string> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, options.values, options.formats);
    if (!chosen) return chosen.error();
    ir::Function function = chosen->function;
    if (!chosen->dimensions.empty()) function = ir::instantiate(module, function, chosen->dimensions);
    auto semantics = self.semantics(options.semantics, {});
    if (!semantics) return semantics.error();
    self.note_roundings(function, **semantics);
    function = ir::settle_orders(module, function, (*semantics)->laws());
    if (function.dimensions.empty()) {
      if (auto problems = ir::check_bounds(module, function); !problems.empty()) return problems.front();
    }
    std::string dumps;
    ir::PassOptions passes;
    passes.disabled.insert(options.without_passes.begin(), options.without_passes.end());
    // The pass to dump after has to exist as well.
    ir::PassOptions named = passes;
    if (!options.dump_after.empty() && options.dump_after != "all") named.disabled.insert(options.dump_after);
    if (auto unknown = ir::unknown_passes(named); !unknown.empty()) {
      return bad_argument(fmt::format("there is no pass `{}`", unknown.front()));
    }
    passes.dump = [&](std::string_view name, const ir::Function& now) {
      if (options.dump_after != "all" && options.dump_after != name) return;
      dumps += fmt::format("; after {}\n{}\n", name, ir::print(module, now));
    };
    if (options.emit == Emit::ir && options.dump_after.empty()) return ir::print(module, function);
    auto passed = ir::run_passes(module, function, compiled_laws(**semantics), passes);
    if (!passed) return passed.error();
    function = std::move(*passed);
    if (options.emit == Emit::ir) return dumps;
    auto compile_options = compile_options_for((*semantics)->name());
    if (!compile_options) return compile_options.error();
    compile_options->arch = options.arch;
    compile_options->target = options.host ? codegen::Target::host : codegen::Target::ptx;
    if (options.host && options.emit == Emit::assembly) return codegen::host_assembly(module, function, *compile_options);
    auto compiled = codegen::compile(module, function, *compile_options);
    if (!compiled) return compiled.error();
    if (options.emit == Emit::llvm) return compiled->llvm_ir;
    if (options.emit != Emit::cubin) return compiled->assembly;
    std::error_code failure;
    std::string path = (std::filesystem::temp_directory_path(failure) / "reckon-XXXXXX").string();
    const int file = failure ? -1 : mkstemp(path.data());
    if (file < 0) {
      return Diagnostic(Code::unreadable_file, {}, "no temporary file can be made")
          .help("name a folder that can be written to in the environment variable `TMPDIR`");
    }
    close(file);
    const auto result = codegen::check_with_ptxas(compiled->assembly, options.arch, path);
    std::ifstream stream(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(path);
    if (result.status == codegen::PtxasResult::Status::missing) {
      return Diagnostic(Code::tool_missing, {}, "`ptxas` was not found, and a cubin needs it")
          .help("install the CUDA toolkit, or emit PTX");
    }
    if (result.status == codegen::PtxasResult::Status::rejected) {
      return Diagnostic(Code::internal, {}, "ptxas rejects the PTX: " + result.message);
    }
    return bytes;
  };
  Result<std::string> out = std::string();
  with_large_stack([&] {
    auto text = work();
    out = text ? Result<std::string>(std::move(*text)) : implementation_->messages(text.error());
  });
  return out;
}

Result<std::string> Session::tree(const std::string& circuit, std::int64_t n,
                                  const std::map<std::string, std::int64_t>& values,
                                  const std::map<std::string, std::string>& formats) {
  auto work = [&]() -> Expected<std::string> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, values, formats);
    if (!chosen) return chosen.error();
    // The first reduction in the order of evaluation.
    std::vector<ir::NodeId> stack{chosen->function.body};
    while (!stack.empty()) {
      const ir::NodeId id = stack.back();
      stack.pop_back();
      const ir::Node node = module[id];
      if (node.op == ir::Op::reduce || node.op == ir::Op::scan) {
        const ir::ScheduleId schedule = module.reduction_of(node).schedule;
        if (n < 1 || n > 100'000) return bad_argument("a tree is shown for 1 to 100,000 leaves");
        auto [tree, problem] = module.schedules().expand(schedule, n);
        if (problem) return ir::schedule_diagnostic(module, schedule, *problem, module.span(id));
        return module.schedules().trees().text(tree);
      }
      stack.insert(stack.end(), node.operands.rbegin(), node.operands.rend());
    }
    return bad_argument(fmt::format("`{}` has no reduction", circuit));
  };
  Result<std::string> out = std::string();
  with_large_stack([&] {
    auto text = work();
    out = text ? Result<std::string>(std::move(*text)) : implementation_->messages(text.error());
  });
  return out;
}

Result<Tensor> Session::parse_tensor(const std::string& text, const std::string& type, std::size_t rank) {
  auto work = [&]() -> Expected<Tensor> {
    const auto scalar = ir::scalar_named(type);
    if (!scalar || *scalar == ir::Scalar::number) return bad_argument(fmt::format("`{}` is not an element type", type));
    std::vector<std::uint64_t> values;
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const auto comma = std::min(text.find(',', begin), text.size());
      std::string part = text.substr(begin, comma - begin);
      std::erase_if(part, [](char c) { return c == ' ' || c == '[' || c == ']'; });
      begin = comma + 1;
      if (*scalar == ir::Scalar::boolean) {
        if (part != "true" && part != "false") return bad_argument(fmt::format("`{}` is not `true` or `false`", part));
        values.push_back(part == "true");
        continue;
      }
      if (*scalar == ir::Scalar::u32) {
        const auto word = word_of(part);
        if (!word) {
          return bad_argument(fmt::format("`{}` is not a u32", part)).help("a u32 is an integer from 0 to 4294967295");
        }
        values.push_back(*word);
        continue;
      }
      const ir::Format format = ir::format_of(*scalar);
      const bool negative = !part.empty() && part[0] == '-';
      const std::string magnitude = part.substr(negative || (!part.empty() && part[0] == '+') ? 1 : 0);
      std::optional<std::uint64_t> bits;
      if (magnitude == "inf" && numerics::has_infinity(format)) bits = numerics::infinity_bits(format);
      else if (magnitude == "nan") bits = numerics::canonical_nan(format);
      else if (auto hash = magnitude.find('#'); hash != std::string::npos) {
        const std::string digits = magnitude.substr(hash + 1);
        const bool sound = magnitude.substr(0, hash) == type &&
                           digits.size() == static_cast<std::size_t>(numerics::traits(format).width / 4) &&
                           digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
        if (sound) bits = std::stoull(digits, nullptr, 16);
        if (bits && (*bits & ~numerics::storage_mask(format)) != 0) bits.reset();
      } else if (auto value = numerics::parse_number(magnitude)) {
        bits = numerics::round_rational(*value, format);
      }
      if (!bits) {
        return bad_argument(part.empty() ? std::string("a number is missing between commas")
                                         : fmt::format("`{}` is not a number", part));
      }
      values.push_back(negative ? *bits ^ numerics::sign_bit(format) : *bits);
    }
    ir::HostTensor tensor(*scalar, rank == 0 ? std::vector<std::int64_t>{}
                                             : std::vector<std::int64_t>{static_cast<std::int64_t>(values.size())});
    if (rank == 0 && values.size() != 1) return bad_argument("a single number is needed here");
    if (rank > 1) {
      return bad_argument(fmt::format("a tensor of {} dimensions cannot be written on the command line", rank))
          .help("give it as a file: `--arg a=@a.npy`");
    }
    for (std::size_t i = 0; i < values.size(); ++i) tensor.set_bits(static_cast<std::int64_t>(i), values[i]);
    return public_tensor(tensor);
  };
  auto tensor = work();
  if (!tensor) return implementation_->messages(tensor.error());
  return std::move(*tensor);
}

}  // namespace reckon
