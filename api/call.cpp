// Calling circuits.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "api/implementation.h"
#include "numerics/format.h"
#include "runtime/cuda/launch.h"

namespace reckon {
namespace {

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
    const std::map<std::string, std::string>& formats, bool clauses) {
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
  auto function = session.circuit(circuit, static_arguments, clauses);
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
    auto chosen = self.choose(circuit, ones, formats, false);
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
  SourceSpan place;
  auto work = [&]() -> Expected<std::vector<Shown>> {
    Implementation& self = *implementation_;
    ir::Module& module = self.session.module();
    auto chosen = self.choose(circuit, options.values, options.formats);
    if (!chosen) return chosen.error();
    place = chosen->function.span;
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
    auto found = self.semantics(options.semantics, {});
    if (!found) return found.error();
    const std::shared_ptr<interp::Semantics> semantics = std::move(*found);
    self.note_roundings(function, *semantics);
    if (options.on == On::interpreter) {
      std::vector<interp::Argument> inputs(arguments.begin(), arguments.end());
      return self.evaluate(function, semantics, inputs, chosen->dimensions);
    }
    auto dimensions = ir::bind_dimensions(module, function, shapes, chosen->dimensions);
    if (!dimensions) return dimensions.error();
    auto made = self.compiled(function, *dimensions, *semantics, options);
    if (!made) return made.error();
    const auto& [concrete, compiled] = *made;
    auto results = options.on == On::host
                       ? codegen::run_host(module, concrete, compiled, arguments, {}, interp::generate)
                       : runtime::run_on_gpu(module, concrete, compiled, arguments, {}, interp::generate, self.gpu());
    if (!results) return results.error();
    std::vector<Shown> out;
    for (std::uint32_t k = 0; k < results->size(); ++k) {
      auto values = compiled_values(*semantics, compiled.plan, k, (*results)[k]);
      if (!values) return values.error();
      out.push_back(shown(std::move(*values), semantics));
    }
    return out;
  };
  Result<std::vector<Shown>> out = std::vector<Shown>{};
  implementation_->interrupted = false;
  with_large_stack([&] {
    auto values = within_memory(place, work);
    out = values ? Result<std::vector<Shown>>(std::move(*values)) : implementation_->messages(values.error());
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
