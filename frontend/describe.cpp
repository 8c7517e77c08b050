// Values as text: for results, and for messages.
#include <fmt/format.h>

#include "frontend/elaborator.h"
#include "frontend/items.h"

namespace reckon::frontend {

namespace {

std::string join(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

}  // namespace

std::string Elaborator::key_text(const Value& value) {
  const std::vector<Value>* parts = nullptr;
  if (auto* tuple = value.get_if<TupleValue>()) parts = &tuple->parts;
  if (auto* list = value.get_if<ListValue>()) parts = &list->elements;
  if (auto* circuit = value.get_if<CircuitValue>(); circuit && circuit->given) parts = &circuit->static_arguments;
  if (parts == nullptr) return value.negative_zero ? "-0" : value_text(value);
  std::string out = value.is<TupleValue>() ? "(" : value.is<ListValue>() ? "[" : value_text(value) + "[";
  for (const Value& part : *parts) out += key_text(part) + ",";
  return out;
}

std::string Elaborator::index_text(ir::IndexId index) {
  std::string out = ir::index_text(module, index);
  for (const ir::VariableId variable : module.indices().variables(index)) {
    const auto range = ranges.find(variable);
    if (range == ranges.end()) continue;
    const std::string printed = ir::index_text(module, module.indices().variable(variable));
    for (std::size_t at = out.find(printed); at != std::string::npos; at = out.find(printed, at)) {
      const std::size_t end = at + printed.size();
      if (end < out.size() && std::isdigit(static_cast<unsigned char>(out[end]))) at = end;
      else out.replace(at, printed.size(), range->second.name);
    }
  }
  return out;
}

std::string Elaborator::value_text(const Value& value) {
  auto all = [&](const std::vector<Value>& values) {
    std::vector<std::string> parts;
    for (const Value& each : values) parts.push_back(value_text(each));
    return join(parts);
  };
  struct Visitor {
    Elaborator& self;
    decltype(all)& list;
    std::string operator()(const mpq_class& number) const { return number.get_str(); }
    std::string operator()(const SymbolicInteger& integer) const { return self.index_text(integer.index); }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(const SymbolicCondition& c) const { return self.index_text(c.condition); }
    std::string operator()(const RealMultiple& real) const {
      const char* names[] = {"1", "pi", "e", "ln2", "log2e"};
      const std::string name = names[static_cast<int>(real.constant)];
      return real.factor == 1 ? name : real.factor.get_str() + "*" + name;
    }
    std::string operator()(const SpecialNumber& special) const {
      return special.nan ? "nan" : special.negative ? "-inf" : "inf";
    }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const TupleValue& tuple) const {
      return "(" + list(tuple.parts) + (tuple.parts.size() == 1 ? ",)" : ")");
    }
    std::string operator()(const ListValue& values) const { return "[" + list(values.elements) + "]"; }
    std::string operator()(const TypeValue& type) const {
      const std::string name(ir::scalar_name(type.scalar));
      return type.indexed ? name + "[" + list(type.extents) + "]" : name;
    }
    std::string operator()(const layout::Layout& layout) const { return layout.text(); }
    std::string operator()(const ir::IndexLayout& layout) const { return ir::layout_text(self.module, layout); }
    std::string operator()(const LayoutObject& object) const { return object.text(); }
    std::string operator()(const OpenExtent&) const { return "_"; }
    std::string operator()(const OpenLayout& layout) const { return layout.text; }
    std::string operator()(const ScheduleValue& schedule) const {
      return ir::schedule_text(self.module, schedule.schedule);
    }
    std::string operator()(const TreeValue& tree) const { return self.module.schedules().trees().text(tree.tree); }
    std::string operator()(const CircuitValue& circuit) const {
      const std::string name = self.item_of(self.declarations[circuit.declaration]).name;
      return circuit.given ? name + "[" + list(circuit.static_arguments) + "]" : name;
    }
    std::string operator()(const ClosureValue& closure) const {
      return self.item_of(self.declarations[closure.declaration]).name;
    }
    std::string operator()(const BuiltinValue& builtin) const { return builtin.name; }
    std::string operator()(const ProfileValue& value) const { return value.profile->name; }
    std::string operator()(const LibraryValue& value) const { return value.function->symbol; }
    std::string operator()(const RecordValue& value) const {
      const std::string& name = value.record->name;
      return value.static_arguments.empty() ? name : name + "[" + list(value.static_arguments) + "]";
    }
    std::string operator()(const DecimalValue& number) const { return number.text; }
    std::string operator()(const DynamicValue& dynamic) const {
      return ir::type_text(self.module, self.module[dynamic.node].type);
    }
    std::string operator()(const QuestionValue& question) const { return question.name; }
  };
  return std::visit(Visitor{*this, all}, value.data);
}

std::string Elaborator::kind_text(const Value& value) {
  const std::string text = value_text(value);
  if (value.is<mpq_class>() || value.is<DecimalValue>()) return fmt::format("the number {}", text);
  if (value.is<SymbolicInteger>()) return "a size or index";
  if (value.is<bool>() || value.is<SymbolicCondition>()) return "a condition";
  if (value.is<RealMultiple>() || value.is<SpecialNumber>()) return fmt::format("the number `{}`", text);
  if (value.is<std::string>()) return "a string";
  if (value.is<TupleValue>()) return "a tuple";
  if (value.is<ListValue>()) return "a list";
  if (value.is<TypeValue>() || value.is<RecordValue>()) return fmt::format("the type `{}`", text);
  if (value.is<layout::Layout>() || value.is<ir::IndexLayout>()) return fmt::format("the layout `{}`", text);
  if (auto* object = value.get_if<LayoutObject>()) return fmt::format("the {} `{}`", object->kind(), text);
  if (value.is<OpenExtent>()) return "the open extent `_`";
  if (value.is<OpenLayout>()) return fmt::format("the layout `{}`", text);
  if (auto* schedule = value.get_if<ScheduleValue>()) {
    const bool stage = ir::is_stage(module.schedules()[schedule->schedule].op);
    return fmt::format("the {} `{}`", stage ? "stage" : "schedule", text);
  }
  if (value.is<TreeValue>()) return "a tree";
  if (value.is<ProfileValue>()) return fmt::format("the profile `{}`", text);
  if (auto* library = value.get_if<LibraryValue>()) {
    return fmt::format("the function `{}` of the library `{}`", text, library->function->path);
  }
  if (value.is<CircuitValue>()) return fmt::format("the circuit `{}`", text);
  if (value.is<QuestionValue>()) return fmt::format("a question (`{}`), to be shown", text);
  if (value.is<ClosureValue>() || value.is<BuiltinValue>()) return fmt::format("the function `{}`", text);
  return fmt::format("a value of type `{}`", text);
}

std::optional<StaticResult> Elaborator::static_result(const Value& value) {
  if (value.is<DynamicValue>() || value.is<QuestionValue>()) return std::nullopt;
  if (value.is<RealMultiple>() || value.is<SymbolicInteger>() || value.is<ir::IndexLayout>() || value.is<SymbolicCondition>()) return std::nullopt;
  auto holds_dynamic = [](auto&& self, const Value& each) -> bool {
    if (auto* list = each.get_if<ListValue>()) {
      for (const Value& element : list->elements) {
        if (self(self, element)) return true;
      }
    }
    if (auto* tuple = each.get_if<TupleValue>()) {
      for (const Value& part : tuple->parts) {
        if (self(self, part)) return true;
      }
    }
    return each.is<DynamicValue>() || each.is<RealMultiple>() || each.is<QuestionValue>();
  };
  if (holds_dynamic(holds_dynamic, value)) return std::nullopt;
  StaticResult out{"", value_text(value)};
  if (auto* number = value.get_if<mpq_class>()) out.type = number->get_den() == 1 ? "integer" : "rational";
  else if (value.is<DecimalValue>()) out.type = "rational";
  else if (value.is<bool>()) out.type = "bool";
  else if (value.is<SpecialNumber>()) out.type = "number";
  else if (value.is<std::string>()) out.type = "string";
  else if (value.is<TupleValue>()) out.type = "tuple";
  else if (value.is<ListValue>()) out.type = "list";
  else if (value.is<TypeValue>()) out.type = "type";
  else if (auto* record = value.get_if<RecordValue>()) {
    out.type = "type";
    out.text = one_line(sources.text(item_of(declarations[record->record->declaration]).span));
  }
  else if (value.is<layout::Layout>() || value.is<OpenLayout>()) out.type = "layout";
  else if (auto* object = value.get_if<LayoutObject>()) out.type = object->kind();
  else if (auto* schedule = value.get_if<ScheduleValue>()) {
    out.type = ir::is_stage(module.schedules()[schedule->schedule].op) ? "stage" : "schedule";
  } else if (value.is<TreeValue>()) out.type = "tree";
  else if (auto* profile = value.get_if<ProfileValue>()) {
    out.type = "profile";
    std::vector<std::string> formats;
    for (ir::Scalar format : profile->profile->formats) formats.emplace_back(ir::scalar_name(format));
    out.text = fmt::format("profile {}: {} ({} rules)", profile->profile->name, join(formats),
                           profile->profile->rules.size());
  }
  else if (auto* library = value.get_if<LibraryValue>()) {
    out.type = "library function";
    out.text = fmt::format("{} of {}", out.text, library->function->path);
  } else {
    out.type = "fn";
    if (auto* circuit = value.get_if<CircuitValue>()) {
      const Item& item = item_of(declarations[circuit->declaration]);
      const std::size_t errors = diagnostics.size();
      auto function = item.static_parameters.size() == circuit->static_arguments.size()
                          ? instance(circuit->declaration, circuit->static_arguments, item.name_span)
                          : std::nullopt;
      diagnostics.resize(errors);
      out.text = "fn " + out.text;
      if (function) {
        std::vector<std::string> parameters;
        for (const ir::Parameter& parameter : function->parameters) {
          parameters.push_back(fmt::format("{}: {}", module.name(parameter.name), ir::type_text(module, parameter.type)));
        }
        out.text += fmt::format("({}) -> {}", join(parameters), ir::type_text(module, function->result));
      } else if (!item.static_parameters.empty()) {
        out.text += fmt::format("[{}](...)", join(item.static_parameters));
      }
    } else if (auto* closure = value.get_if<ClosureValue>()) {
      const Item& item = item_of(declarations[closure->declaration]);
      out.text = fmt::format("let {}({})", item.name, join(item.static_parameters));
    } else {
      out.text = "built-in " + out.text;
    }
  }
  return out;
}

}  // namespace reckon::frontend
