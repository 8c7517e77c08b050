// Tensors that are generated or read: `random(f32[8], 42)`, `load("x.npy")`; and functions of shared libraries.
#include <fmt/format.h>

#include "diagnostics/codes/ragged_tensor.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/calls.h"

namespace reckon::frontend {

using ir::Scalar;

Maybe call_source(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                  const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  ir::Source source;
  if (name == "load") {
    const bool of_library = arguments.size() == 2;
    if (!of_library && wrong_count(elaborator, name, 1, arguments, at)) return std::nullopt;
    auto* path = arguments[0].get_if<std::string>();
    if (!path)
      return elaborator.fail(code::type_mismatch, spans[0],
                             fmt::format("a path is needed, and this is {}", elaborator.kind_text(arguments[0])));
    if (of_library) {
      auto* symbol = arguments[1].get_if<std::string>();
      if (!symbol) {
        return elaborator.report(
            Diagnostic(code::type_mismatch, spans[1],
                       fmt::format("a function's name is needed, and this is {}", elaborator.kind_text(arguments[1])))
                .help(fmt::format("write it as a string: `load(\"{}\", \"my_exp\")`", *path)));
      }
      auto function = elaborator.files.find_function(*path, *symbol, at);
      if (!function) return elaborator.report(function.error());
      return Value{LibraryValue{std::move(*function)}};
    }
    auto data = elaborator.files.read_tensor(*path, spans[0]);
    if (!data) {
      Diagnostic problem = data.error();
      if (path->find(".so") != std::string::npos) {
        problem.helps.push_back(fmt::format("a library's function: `load(\"{}\", \"my_exp\")`", *path));
      }
      return elaborator.report(std::move(problem));
    }
    source.kind = ir::Source::Kind::file;
    source.path = *path;
    std::vector<ir::IndexId> extents;
    for (std::int64_t extent : data->shape) extents.push_back(module.indices().constant(extent));
    const ir::TypeId type = module.types().tensor(data->scalar, std::move(extents));
    source.data = std::make_shared<const ir::HostTensor>(std::move(*data));
    return Value{DynamicValue{module.source(std::move(source), type)}};
  }
  if (wrong_count(elaborator, name, 2, arguments, at)) return std::nullopt;
  auto* type = arguments[0].get_if<TypeValue>();
  const bool truths = type && type->scalar == Scalar::boolean;
  if (type && (truths || ir::is_integer(type->scalar)) && name != "random") {
    const std::string_view wanted = ir::scalar_name(type->scalar);
    return elaborator.report(
        Diagnostic(code::type_mismatch, spans[0], fmt::format("`{}` makes floats, and no `{}`", name, wanted))
            .help(truths ? "`random(bool[n], seed)` is true or false, each as likely"
                         : fmt::format("`random({}[n], seed)` has any {} bits", wanted,
                                       ir::integer_traits(type->scalar).width)));
  }
  if (!type || type->scalar == Scalar::number) {
    return elaborator.fail(code::type_mismatch, spans[0],
                           fmt::format("a type such as `f32[8]` is needed, and this is {}",
                                       elaborator.kind_text(arguments[0])));
  }
  auto type_id = elaborator.type_of(*type, spans[0]);
  if (!type_id) return std::nullopt;
  // A seed is 64 bits, and may be written as any of them.
  std::optional<ir::IndexId> seed;
  const auto* number = arguments[1].get_if<mpq_class>();
  if (number && number->get_den() == 1 && mpz_sizeinbase(number->get_num_mpz_t(), 2) <= 64) {
    mpz_class low;
    mpz_fdiv_r_2exp(low.get_mpz_t(), number->get_num_mpz_t(), 64);
    seed = module.indices().constant(static_cast<std::int64_t>(mpz_get_ui(low.get_mpz_t())));
  } else {
    seed = elaborator.index_of(arguments[1], spans[1], "a seed");
  }
  if (!seed) return std::nullopt;
  if (!module.indices().variables(*seed).empty())
    return elaborator.fail(code::static_needed, spans[1], "a seed cannot depend on an index");
  for (ir::IndexId extent : module.types()[*type_id].extents) {
    if (!module.indices().variables(extent).empty()) {
      return elaborator.fail(code::ragged_tensor, spans[0], "the shape of generated data cannot depend on an index");
    }
  }
  source.kind = name == "random" ? ir::Source::Kind::uniform
                : name == "normal" ? ir::Source::Kind::normal
                                   : ir::Source::Kind::lcg;
  source.seed = *seed;
  return Value{DynamicValue{module.source(std::move(source), *type_id)}};
}

}  // namespace reckon::frontend
