// What stands outside of bodies: versions, variables and their initial values, the heads of functions, places.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "ptx/read/reader.h"

namespace reckon::ptx {
namespace {

constexpr std::uint64_t most_variable_bytes = std::uint64_t{1} << 32;

bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

}  // namespace

void Reader::refuse(const antlr4::Token* token, std::string message) const {
  throw Refusal{mistake_at(token, std::move(message))};
}

std::string_view Reader::text_of(const antlr4::Token* token) const {
  if (token->getType() == antlr4::Token::EOF) return {};
  return std::string_view(*module_.text)
      .substr(token->getStartIndex(), token->getStopIndex() - token->getStartIndex() + 1);
}

std::uint64_t Reader::integer(const antlr4::Token* token) const {
  std::string_view text = text_of(token);
  const std::string_view whole = text;
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse(token, fmt::format("`{}` is no integer of at most 64 bits", whole.substr(0, 60)));
  return value;
}

Space Reader::space_of(const antlr4::Token* token) const {
  const std::string_view text = text_of(token);
  if (text == ".global") return Space::global;
  if (text == ".const") return Space::constant;
  if (text == ".shared") return Space::shared;
  if (text == ".local") return Space::local;
  return Space::param;
}

void Reader::read_module(Grammar::ModuleContext* context) {
  for (Grammar::ItemContext* item : context->item()) read_item(item);
}

void Reader::read_item(Grammar::ItemContext* item) {
  if (auto* version = dynamic_cast<Grammar::VersionContext*>(item)) {
    module_.version = text_of(version->NUMBER()->getSymbol());
  } else if (auto* target = dynamic_cast<Grammar::TargetContext*>(item)) {
    module_.target = text_of(target->NAME(0)->getSymbol());
  } else if (auto* size = dynamic_cast<Grammar::AddressSizeContext*>(item)) {
    module_.address_size = static_cast<int>(integer(size->NUMBER()->getSymbol()));
    if (module_.address_size != 64) refuse(size->NUMBER()->getSymbol(), "addresses have 64 bits");
  } else if (auto* definition = dynamic_cast<Grammar::DefinitionContext*>(item)) {
    bool is_extern = false;
    for (auto* word : definition->LINKAGE()) is_extern = is_extern || text_of(word->getSymbol()) == ".extern";
    if (definition->function() != nullptr) read_function(definition->function());
    else read_variables(definition->variable(), is_extern, false);
  } else if (auto* place = dynamic_cast<Grammar::PlaceContext*>(item)) {
    read_location(place->location());
  } else if (auto* alias = dynamic_cast<Grammar::AliasContext*>(item)) {
    const auto found = functions_.find(text_of(alias->NAME(1)->getSymbol()));
    if (found == functions_.end()) refuse(alias->NAME(1)->getSymbol(), "there is no such function");
    functions_[text_of(alias->NAME(0)->getSymbol())] = found->second;
  }
}

void Reader::set_modifiers(Variable& variable, const std::vector<Grammar::ModifierContext*>& modifiers,
                           const antlr4::Token* token) {
  std::uint64_t of_vector = 1;
  bool aligned = false, points = false;
  for (Grammar::ModifierContext* modifier : modifiers) {
    if (modifier->ALIGN() != nullptr) {
      const std::uint64_t align = integer(modifier->NUMBER()->getSymbol());
      if (align == 0 || align > 65536 || (align & (align - 1)) != 0)
        refuse(modifier->NUMBER()->getSymbol(), "an alignment is a power of two");
      if (points) continue;
      variable.align = static_cast<std::uint32_t>(align);
      aligned = true;
      continue;
    }
    if (modifier->DIRECTIVE() == nullptr) continue;  // the space that a pointer is of
    const std::string_view word = text_of(modifier->DIRECTIVE()->getSymbol()).substr(1);
    if (word == "v2") of_vector = 2;
    else if (word == "v4") of_vector = 4;
    else if (const auto type = type_named(word)) variable.type = *type;
    else if (word == "ptr") points = true;  // an alignment behind it, `.ptr .align 1`, is that of what it points to
    else if (word != "attribute" && word != "volatile")
      refuse(modifier->DIRECTIVE()->getSymbol(), fmt::format("`.{}` is no type", word));
  }
  if (variable.type == Type::none || variable.type == Type::pred) refuse(token, "a variable needs a type");
  variable.elements = of_vector;
  const auto natural = static_cast<std::uint32_t>(bits_of(variable.type) / 8 * static_cast<int>(of_vector));
  if (!aligned) variable.align = natural;
}

void Reader::set_extents(Variable& variable, const std::vector<Grammar::ExtentContext*>& extents) {
  const auto element = static_cast<std::uint64_t>(bits_of(variable.type) / 8);
  for (Grammar::ExtentContext* extent : extents) {
    if (extent->NUMBER() == nullptr) {
      variable.of_launch = variable.space == Space::shared;
      variable.elements = 0;
      continue;
    }
    const std::uint64_t size = integer(extent->NUMBER()->getSymbol());
    if (size > most_variable_bytes || variable.elements * size > most_variable_bytes / element)
      refuse(extent->NUMBER()->getSymbol(), "a variable has 4 GB at most");
    variable.elements *= size;
  }
  variable.bytes = variable.elements * element;
}

void Reader::declare_variable(Variable variable, const antlr4::Token* token, bool in_body) {
  const auto index = static_cast<std::uint32_t>(module_.variables.size());
  if (in_body) {
    Scope& scope = scopes_[scope_];
    if (!scope.symbols.emplace(variable.name, Symbol{Symbol::Kind::variable, index, 0}).second)
      refuse(token, fmt::format("`{}` is declared twice", variable.name));
    function_->variables.push_back(index);
  } else if (const auto known = globals_.find(variable.name); known != globals_.end()) {
    Variable& before = module_.variables[known->second];
    if (!before.is_extern && !variable.is_extern) refuse(token, fmt::format("`{}` is declared twice", variable.name));
    if (!variable.is_extern) before = std::move(variable);
    return;
  } else {
    globals_[variable.name] = index;
    module_.globals.push_back(index);
  }
  module_.variables.push_back(std::move(variable));
}

void Reader::read_variables(Grammar::VariableContext* context, bool is_extern, bool in_body) {
  const antlr4::Token* token = context->SPACE_NAME()->getSymbol();
  Variable model;
  model.space = space_of(token);
  if (!in_body && (model.space == Space::param || model.space == Space::local))
    refuse(token, fmt::format("a variable outside of functions is not in `{}`", text_of(token)));
  model.line = static_cast<std::uint32_t>(token->getLine());
  model.is_extern = is_extern;
  set_modifiers(model, context->modifier(), token);
  for (Grammar::DeclaredContext* declared : context->declared()) {
    Variable variable = model;
    variable.name = text_of(declared->NAME()->getSymbol());
    set_extents(variable, declared->extent());
    if (variable.space == Space::shared && is_extern) variable.of_launch = true;
    if (declared->initial() != nullptr) {
      if (variable.space != Space::global && variable.space != Space::constant)
        refuse(declared->initial()->getStart(), "only variables of `.global` and `.const` have initial values");
      std::uint64_t element = 0;
      const bool unsized = variable.elements == 0;
      read_initial(declared->initial(), variable, element);
      if (unsized) {
        variable.elements = element;
        variable.bytes = element * static_cast<std::uint64_t>(bits_of(variable.type) / 8);
      } else if (element > variable.elements) {
        refuse(declared->initial()->getStart(), "there are more initial values than elements");
      }
    }
    declare_variable(std::move(variable), declared->NAME()->getSymbol(), in_body);
  }
}

void Reader::read_initial(Grammar::InitialContext* initial, Variable& variable, std::uint64_t& element) {
  const antlr4::Token* first = initial->getStart();
  if (text_of(first) == "{") {
    for (Grammar::InitialContext* part : initial->initial()) read_initial(part, variable, element);
    return;
  }
  const auto size = static_cast<std::size_t>(bits_of(variable.type) / 8);
  std::uint64_t word = 0;
  if (!initial->NAME().empty()) {
    const std::string_view name = text_of(initial->NAME().back()->getSymbol());
    const auto found = globals_.find(name);
    const auto function = functions_.find(name);
    const bool of_function = found == globals_.end() && function != functions_.end();
    if (found == globals_.end() && !of_function)
      refuse(initial->NAME().back()->getSymbol(), fmt::format("there is no variable `{}`", name));
    Variable::Address address{element * size, of_function ? function->second : found->second, 0,
                              initial->NAME().size() > 1, of_function};
    if (initial->NUMBER() != nullptr) {
      const auto offset = static_cast<std::int64_t>(integer(initial->NUMBER()->getSymbol()));
      bool minus = false;
      for (auto* child : initial->children) minus = minus || child->getText() == "-";
      address.offset = minus ? -offset : offset;
    }
    if (size != 8) refuse(first, "an address needs an element of 64 bits");
    variable.addresses.push_back(address);
  } else {
    const bool minus = text_of(first) == "-";
    const antlr4::Token* token = initial->NUMBER()->getSymbol();
    if (is_float(variable.type)) {
      const Operand number = number_operand(token, minus);
      const double whole = static_cast<double>(static_cast<std::int64_t>(number.bits));
      word = number.real ? float_in_bits(number.bits, number.real_bits, bits_of(variable.type))
                         : float_in_bits(std::bit_cast<std::uint64_t>(whole), 64, bits_of(variable.type));
    } else {
      word = integer(token);
      if (minus) word = 0 - word;
    }
  }
  if (variable.elements != 0 && element >= variable.elements)
    refuse(first, "there are more initial values than elements");
  variable.initial.resize((element + 1) * size);
  std::memcpy(variable.initial.data() + element * size, &word, std::min<std::size_t>(size, 8));
  ++element;
}

Variable Reader::read_parameter(Grammar::ParameterContext* context) {
  Variable variable;
  variable.space = space_of(context->SPACE_NAME()->getSymbol());
  if (variable.space != Space::param) refuse(context->SPACE_NAME()->getSymbol(), "a parameter is in `.param`");
  variable.line = static_cast<std::uint32_t>(context->getStart()->getLine());
  variable.name = text_of(context->NAME()->getSymbol());
  set_modifiers(variable, context->modifier(), context->NAME()->getSymbol());
  set_extents(variable, context->extent());
  return variable;
}

Function::Parameter Reader::add_parameter(Grammar::ParameterContext* context) {
  if (context->REG() != nullptr) {
    const std::string_view word = text_of(context->DIRECTIVE()->getSymbol()).substr(1);
    const auto type = type_named(word);
    if (!type) refuse(context->DIRECTIVE()->getSymbol(), fmt::format("`.{}` is no type", word));
    const auto index = static_cast<std::uint32_t>(function_->registers.size());
    add_register(context->NAME()->getSymbol(), *type, std::nullopt);
    return {true, index};
  }
  Variable variable = read_parameter(context);
  const auto index = static_cast<std::uint32_t>(module_.variables.size());
  if (!scopes_[0].symbols.emplace(variable.name, Symbol{Symbol::Kind::variable, index, 0}).second)
    refuse(context->NAME()->getSymbol(), fmt::format("`{}` is declared twice", variable.name));
  module_.variables.push_back(std::move(variable));
  return {false, index};
}

void Reader::read_attributes(Grammar::FunctionContext* context) {
  for (Grammar::AttributeContext* attribute : context->attribute()) {
    if (attribute->DIRECTIVE() == nullptr) continue;
    const std::string_view word = text_of(attribute->DIRECTIVE()->getSymbol());
    std::array<std::uint64_t, 3> numbers{1, 1, 1};
    const auto given = attribute->NUMBER();
    if (given.size() > 3) refuse(attribute->getStart(), fmt::format("`{}` has three numbers at most", word));
    for (std::size_t k = 0; k < given.size(); ++k) {
      numbers[k] = integer(given[k]->getSymbol());
      if (numbers[k] > 65536) refuse(given[k]->getSymbol(), "that is more than any block has");
    }
    const auto three = [&](std::array<std::uint32_t, 3>& out) {
      for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<std::uint32_t>(numbers[k]);
    };
    if (word == ".reqntid") three(function_->required_threads);
    else if (word == ".reqnctapercluster") three(function_->cluster);
    else if (word == ".maxntid")
      function_->most_threads = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(numbers[0] * numbers[1] * numbers[2], std::uint64_t{1} << 31));
    else if (word != ".minnctapersm" && word != ".maxnreg" && word != ".noreturn" && word != ".explicitcluster" &&
             word != ".maxclusterrank" && word != ".maxnctapersm" && word != ".blocksareclusters" && word != ".unique")
      refuse(attribute->getStart(), fmt::format("`{}` is no attribute of a function", word));
  }
}

void Reader::read_function(Grammar::FunctionContext* context) {
  const antlr4::Token* token = context->NAME()->getSymbol();
  const std::string_view name = text_of(token);
  const bool has_body = context->body() != nullptr;
  Function made;
  made.name = name;
  made.is_entry = context->ENTRY() != nullptr;
  made.is_defined = has_body;
  made.line = static_cast<std::uint32_t>(token->getLine());
  function_ = &made;
  scopes_.assign(1, Scope{});
  scope_ = 0;
  pending_.clear();
  pending_targets_.clear();
  last_label_ = nullptr;
  place_ = 0;
  for (Grammar::ParameterContext* result : context->parameter()) made.results.push_back(add_parameter(result));
  if (context->parameters() != nullptr) {
    for (Grammar::ParameterContext* parameter : context->parameters()->parameter())
      made.parameters.push_back(add_parameter(parameter));
  }
  read_attributes(context);
  const auto known = functions_.find(name);
  if (known != functions_.end() && module_.functions[known->second].is_defined && has_body)
    refuse(token, fmt::format("`{}` is defined twice", name));
  // A body may call its own function.
  const std::uint32_t index =
      known != functions_.end() ? known->second : static_cast<std::uint32_t>(module_.functions.size());
  if (known == functions_.end()) {
    functions_[name] = index;
    module_.functions.push_back(made);
  }
  if (has_body) {
    read_body(context->body());
    resolve_labels();
  }
  if (has_body || known == functions_.end()) module_.functions[index] = std::move(made);
  function_ = nullptr;
}

void Reader::read_location(Grammar::LocationContext* context) {
  const auto numbers = context->NUMBER();
  if (context->FILE() != nullptr) {
    std::string_view name = text_of(context->STRING()->getSymbol());
    name.remove_prefix(1);
    name.remove_suffix(1);
    module_.files[static_cast<std::uint32_t>(integer(numbers[0]->getSymbol()))] = std::string(name);
    return;
  }
  Place place;
  place.file = static_cast<std::uint32_t>(integer(numbers[0]->getSymbol()));
  place.line = static_cast<std::uint32_t>(integer(numbers[1]->getSymbol()));
  place.column = static_cast<std::uint32_t>(integer(numbers[2]->getSymbol()));
  place_ = static_cast<std::uint32_t>(module_.places.size());
  if (numbers.size() >= 6) {
    Place caller;
    caller.file = static_cast<std::uint32_t>(integer(numbers[numbers.size() - 3]->getSymbol()));
    caller.line = static_cast<std::uint32_t>(integer(numbers[numbers.size() - 2]->getSymbol()));
    caller.column = static_cast<std::uint32_t>(integer(numbers[numbers.size() - 1]->getSymbol()));
    // A caller that was itself put in place has been named before, with its own caller.
    const auto known = in_place_.find({caller.file, caller.line, caller.column});
    if (known != in_place_.end()) {
      place.caller = known->second;
    } else {
      place.caller = place_++;
      module_.places.push_back(caller);
    }
    in_place_[{place.file, place.line, place.column}] = place.caller;
  }
  module_.places.push_back(place);
}

}  // namespace reckon::ptx
