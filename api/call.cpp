// Calling circuits.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "api/call_on_ranks.h"
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

namespace {

std::vector<Shown> all_shown(std::vector<interp::Values> values, const std::shared_ptr<interp::Semantics>& semantics) {
  std::vector<Shown> out;
  for (interp::Values& each : values) out.push_back(shown(std::move(each), semantics));
  return out;
}

}  // namespace

Result<std::vector<Shown>> Session::call(const std::string& circuit, const std::vector<Tensor>& tensors,
                                         const CallOptions& options) {
  SourceSpan place;
  bool agreed = false;  // whether the other ranks know of a failure
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
    driver::Shapes shapes;
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      auto tensor = host_tensor(tensors[k]);
      if (!tensor) return tensor.error();
      if (auto problem = self.wrong_type(circuit, function.parameters[k], tensors[k].type)) return *problem;
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
    if (options.on == On::mpi) {
      agreed = true;
      auto values = call_on_ranks(self, function, *semantics, arguments, shapes, chosen->dimensions,
                                  options.explain_ranks);
      if (!values) return values.error();
      return all_shown(std::move(*values), semantics);
    }
    if (options.on == On::gpus) {
      auto values =
          call_on_gpus(self, function, *semantics, arguments, shapes, chosen->dimensions, options.explain_ranks);
      if (!values) return values.error();
      return all_shown(std::move(*values), semantics);
    }
    auto made = self.compiled(function, shapes, chosen->dimensions, *semantics, options);
    if (!made) return made.error();
    const auto& [concrete, compiled] = *made;
    auto results = options.on == On::host
                       ? runtime::run_host(module, concrete, compiled, arguments, {}, interp::generate)
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
    if (!values && options.on == On::mpi && !agreed) values = told_to_ranks(*implementation_, values.error());
    out = values ? Result<std::vector<Shown>>(std::move(*values)) : implementation_->messages(values.error());
  });
  return out;
}

}  // namespace reckon
