// Calling circuits.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "api/call_on_ranks.h"
#include "diagnostics/codes/division_by_zero.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/not_available.h"
#include "numerics/format.h"
#include "runtime/cuda/launch.h"
#include "runtime/host/run.h"

namespace reckon {

/// Compiled results as values of the semantics.
Expected<interp::Values> compiled_values(interp::Semantics& semantics, const codegen::Plan& plan, std::uint32_t position,
                                         const ir::HostTensor& tensor) {
  for (const codegen::Buffer& buffer : plan.buffers) {
    if (buffer.role != codegen::Buffer::Role::result || buffer.position != position ||
        !buffer.words)
      continue;
    std::vector<std::int64_t> shape = tensor.shape;
    if (buffer.scalar != ir::Scalar::boolean) shape.pop_back();
    interp::Values values(semantics, buffer.scalar, std::move(shape));
    // These bytes are the interpreter's own values: words, or a Truth.
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

namespace {

/// Values of a class may refer to its object (a counter of symbols), which each rank would have for itself.
Diagnostic own_on_ranks(const interp::Semantics& semantics) {
  return Diagnostic(code::not_available, {}, fmt::format("`{}` cannot be computed by several ranks", semantics.name()))
      .help("a semantics of the program's own is interpreted, on one machine");
}

}  // namespace

bool read_definition(std::string_view text, std::map<std::string, std::int64_t>& values,
                     std::map<std::string, std::string>& formats) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  const std::string name(text.substr(0, equals));
  const std::string_view value = text.substr(equals + 1);
  std::int64_t number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (read.ec == std::errc() && read.ptr == value.data() + value.size()) {
    values[name] = number;
    return true;
  }
  const bool is_word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
                       std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isalnum(c); });
  if (is_word) formats[name] = value;
  return is_word;
}

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

std::optional<Diagnostic> Session::Implementation::wrong_type(const std::string& circuit,
                                                             const ir::Parameter& parameter, const std::string& given) {
  const ir::Module& module = session.module();
  const ir::Type& type = module.types()[parameter.type];
  if (ir::scalar_named(given) == type.scalar) return std::nullopt;
  return bad_argument(fmt::format("argument `{}` of `{}` has elements of type `{}` and was given `{}`",
                                  module.name(parameter.name), circuit, ir::scalar_name(type.scalar), given));
}

Expected<std::vector<Shown>> Session::Implementation::called(const std::string& circuit, const std::vector<Argument>& given,
                                                             const CallOptions& options, SourceSpan& place, bool& agreed) {
  ir::Module& module = session.module();
  auto chosen = choose(circuit, options.values, options.formats);
  if (!chosen) return chosen.error();
  place = chosen->function.span;
  const ir::Function& function = chosen->function;
  if (given.size() != function.parameters.size()) {
    return bad_argument(fmt::format("`{}` takes {} arguments and was given {}", circuit, function.parameters.size(),
                                    given.size()));
  }
  auto found = this->semantics(options.semantics, {});
  if (!found) return found.error();
  const std::shared_ptr<interp::Semantics> semantics = std::move(*found);
  if (is_own(*semantics) && (options.on == On::mpi || options.on == On::gpus)) return own_on_ranks(*semantics);
  std::vector<interp::Argument> inputs;
  std::vector<ir::HostTensor> arguments;
  driver::Shapes shapes;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const ir::Parameter& parameter = function.parameters[k];
    if (const auto* own = std::get_if<OwnTensor>(&given[k])) {
      auto made = own_argument(*own, std::string(module.name(parameter.name)), module.types()[parameter.type].scalar, *semantics);
      if (!made) return made.error();
      inputs.push_back(std::move(*made));
      continue;
    }
    const Tensor& patterns = std::get<Tensor>(given[k]);
    auto tensor = host_tensor(patterns);
    if (!tensor) return tensor.error();
    if (auto problem = wrong_type(circuit, parameter, patterns.type)) return *problem;
    shapes.push_back(tensor->shape);
    if (options.on == On::interpreter) inputs.emplace_back(std::move(*tensor));
    else arguments.push_back(std::move(*tensor));
  }
  note_roundings(function, *semantics);
  if (options.on == On::interpreter) return evaluate(function, semantics, inputs, chosen->dimensions);
  std::vector<Shown> out;
  if (options.on == On::mpi || options.on == On::gpus) {
    agreed = options.on == On::mpi;
    const auto call_together = options.on == On::mpi ? call_on_ranks : call_on_gpus;
    auto values = call_together(*this, function, *semantics, arguments, shapes, chosen->dimensions, options.explain_ranks);
    if (!values) return values.error();
    for (interp::Values& each : *values) out.push_back(shown(std::move(each), semantics));
    return out;
  }
  auto made = compiled(function, shapes, chosen->dimensions, *semantics, options);
  if (!made) return made.error();
  const auto& [concrete, compiled] = *made;
  auto results = options.on == On::host
                     ? runtime::run_host(module, concrete, compiled, arguments, {}, interp::generate)
                     : runtime::run_on_gpu(module, concrete, compiled, arguments, {}, interp::generate, gpu());
  if (!results) {
    // Compiled code notes that an index from data was out of range, or a divisor 0; the interpreter says which one.
    if (results.error().code == code::index_out_of_range || results.error().code == code::division_by_zero) {
      inputs.assign(arguments.begin(), arguments.end());
      if (auto found = evaluate(function, semantics, inputs, chosen->dimensions); !found) return found.error();
    }
    return results.error();
  }
  for (std::uint32_t k = 0; k < results->size(); ++k) {
    auto values = compiled_values(*semantics, compiled.plan, k, (*results)[k]);
    if (!values) return values.error();
    out.push_back(shown(std::move(*values), semantics));
  }
  return out;
}

Result<std::vector<Shown>> Session::Implementation::call(const std::string& circuit, const std::vector<Argument>& arguments,
                                                         const CallOptions& options) {
  SourceSpan place;
  bool agreed = false;
  Result<std::vector<Shown>> out = std::vector<Shown>{};
  interrupted = false;
  with_large_stack([&] {
    auto values = within_memory(place, [&] { return called(circuit, arguments, options, place, agreed); });
    if (!values && options.on == On::mpi && !agreed) values = told_to_ranks(*this, values.error());
    out = values ? Result<std::vector<Shown>>(std::move(*values)) : messages(values.error());
  });
  return out;
}

Result<std::vector<Shown>> Session::call(const std::string& circuit, const std::vector<Tensor>& tensors,
                                         const CallOptions& options) {
  return implementation_->call(circuit, {tensors.begin(), tensors.end()}, options);
}

Result<std::vector<Shown>> Session::call_on_values(const std::string& circuit,
                                                   const std::vector<std::variant<Tensor, OwnTensor>>& arguments,
                                                   const CallOptions& options) {
  return implementation_->call(circuit, arguments, options);
}

}  // namespace reckon
