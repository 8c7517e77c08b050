// What circuits take and give, and tensors that the caller names.
#include <fmt/format.h>

#include <algorithm>

#include "api/implementation.h"

namespace reckon {
namespace {

std::string type_name(const ir::Type& type) {
  return type.kind == ir::TypeKind::tuple ? "tuple" : std::string(ir::scalar_name(type.scalar));
}

Parameter described(const ir::Module& module, std::string name, ir::TypeId id, bool row_major) {
  const ir::Type& type = module.types()[id];
  Parameter out{std::move(name), type_name(type), type.extents.size(), {}, row_major};
  for (ir::IndexId extent : type.extents) out.shape.push_back(ir::index_text(module, extent));
  return out;
}

void add_results(const ir::Module& module, const ir::Function& circuit, ir::TypeId id, std::vector<Parameter>& out) {
  const ir::Type& type = module.types()[id];
  if (type.kind != ir::TypeKind::tuple) {
    const bool stored = out.size() < circuit.result_storage.size() && circuit.result_storage[out.size()].has_value();
    out.push_back(described(module, {}, id, !stored));
    return;
  }
  for (ir::TypeId part : type.parts) add_results(module, circuit, part, out);
}

/// A kind of static parameter: an integer, or a format, of which two are tried.
struct StaticKind {
  const char *format, *another;
};
constexpr StaticKind integer{nullptr, nullptr}, of_floats{"f32", "f64"}, of_narrow_floats{"bf16", "f16"},
    of_integers{"i32", "i64"};
/// Which kinds are tried together. Sums on tensor cores want a narrow format beside a wide one.
const std::vector<const StaticKind*> kinds_tried[] = {
    {&integer, &of_floats}, {&integer, &of_integers}, {&integer, &of_floats, &of_narrow_floats}};
constexpr std::size_t max_tried = 6;  ///< static parameters whose kinds are found by trying

std::vector<Parameter> parameters_of(const ir::Module& module, const ir::Function& circuit) {
  std::vector<Parameter> out;
  for (const ir::Parameter& each : circuit.parameters) {
    out.push_back(described(module, std::string(module.name(each.name)), each.type, !each.storage));
  }
  return out;
}

}  // namespace

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
    if (chosen) out = parameters_of(self.session.module(), chosen->function);
    else out = self.messages(chosen.error());
  });
  return out;
}

Result<Signature> Session::signature(const std::string& circuit) {
  Result<Signature> out = Signature{};
  with_large_stack([&] {
    Implementation& self = *implementation_;
    const ir::Module& module = self.session.module();
    const std::vector<std::string> names = self.session.static_parameters(circuit);
    // A static parameter's kind shows in what the circuit accepts.
    std::vector<const StaticKind*> kinds(names.size(), &integer);
    const auto chosen = [&](std::size_t other) {
      std::map<std::string, std::int64_t> values;
      std::map<std::string, std::string> given;
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (kinds[k] == &integer) values[names[k]] = 1;
        else given[names[k]] = k == other ? kinds[k]->another : kinds[k]->format;
      }
      return self.choose(circuit, values, given, false);
    };
    auto found = chosen(names.size());
    const std::vector<Message> problems = found ? std::vector<Message>{} : self.messages(found.error());
    for (const auto& tried : kinds_tried) {
      if (found || names.empty()) break;
      std::size_t count = 1;
      for (std::size_t k = 0; k < std::min(names.size(), max_tried); ++k) count *= tried.size();
      for (std::size_t number = 1; !found && number < count; ++number) {
        std::size_t rest = number;
        for (std::size_t k = 0; k < names.size(); ++k, rest /= tried.size()) kinds[k] = tried[rest % tried.size()];
        found = chosen(names.size());
      }
    }
    if (!found) {
      out = problems;
      return;
    }
    Signature signature;
    signature.parameters = parameters_of(module, found->function);
    add_results(module, found->function, found->function.result, signature.results);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool is_format = kinds[k] != &integer;
      signature.static_parameters.emplace_back(names[k], is_format);
      if (!is_format) continue;
      // What has another type if this one is another format has the type that it says.
      const auto other = chosen(k);
      if (!other) continue;
      std::vector<Parameter> results;
      add_results(module, other->function, other->function.result, results);
      const auto rename = [&](std::vector<Parameter>& ours, const std::vector<Parameter>& theirs) {
        for (std::size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
          if (theirs[i].type == kinds[k]->another && ours[i].type == kinds[k]->format) ours[i].type = names[k];
        }
      };
      rename(signature.parameters, parameters_of(module, other->function));
      rename(signature.results, results);
    }
    out = std::move(signature);
  });
  return out;
}

std::vector<Message> Session::define(const std::string& name, const Tensor& tensor) {
  Implementation& self = *implementation_;
  auto contents = host_tensor(tensor);
  if (!contents) return self.messages(contents.error());
  // A path of its own for each definition, so that what is known of an earlier one is not taken for this one.
  const std::string path = fmt::format("memory:{}.{}", name, self.tensors.size());
  self.tensors.insert_or_assign(path, std::move(*contents));
  auto defined = load(fmt::format("let {} = load(\"{}\")", name, path), path);
  return defined ? std::vector<Message>{} : defined.messages();
}

}  // namespace reckon
