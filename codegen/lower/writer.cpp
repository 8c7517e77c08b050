// The function under construction: its parameters and its storage, and the refusal of what has no code.
#include "codegen/lower/writer.h"
#include "diagnostics/codes/not_compilable.h"

namespace reckon::codegen {

namespace {

/// The first chip whose default PTX version has createpolicy (PTX 7.4).
constexpr int first_chip_with_policies = 90;
constexpr int first_chip_with_overlap = 90;

}  // namespace

Writer::Writer(ir::Module& module, const Planned& planned, const Numbers& numbers, Target target, int chip)
    : module_(module), planned_(planned), numbers_(numbers), target_(target), chip_(chip), b_(program_) {
  program_.widths = numbers.widths();
}

bool Writer::has_policies() const { return chip_ >= first_chip_with_policies; }

bool Writer::overlaps_kernels() const { return chip_ >= first_chip_with_overlap; }

std::size_t Writer::make_kernel(const std::string& name) {
  const std::size_t number = program_.functions.size();
  kernel::Function& made = program_.functions.emplace_back();
  made.name = name;
  const auto parameter = [&](std::string text, Type type) {
    const kernel::Program::Definition definition{kernel::Program::Definition::Kind::parameter,
                                                 static_cast<std::uint32_t>(number)};
    made.parameters.push_back({std::move(text), program_.fresh(type, definition)});
    return made.parameters.back().value;
  };
  context_ = {};
  context_.function = number;
  for (const Buffer& buffer : planned_.plan.buffers) {
    using Role = Buffer::Role;
    Type element = Type::number(buffer.scalar);
    if (buffer.role == Role::faults) element = Type::index();
    const bool written = buffer.role == Role::intermediate || buffer.role == Role::result || buffer.role == Role::state;
    const kernel::Form form = written || buffer.words ? kernel::Form::kept : kernel::Form::given;
    context_.buffers.push_back(
        parameter(buffer_name(buffer, context_.buffers.size()), Type::memory(kernel::Space::global, element, form)));
  }
  for (const ir::SymbolId dimension : planned_.plan.sizes()) {
    context_.dimensions[dimension] = parameter(std::string(module_.name(dimension)), Type::index());
  }
  return number;
}

/// A parameter's name in the text of the kernel IR: the buffer's role and number.
std::string Writer::buffer_name(const Buffer& buffer, std::size_t number) {
  static constexpr std::string_view roles[] = {"parameter", "constant", "made", "result",
                                               "faults",    "counters", "state"};
  return std::string(roles[static_cast<std::size_t>(buffer.role)]) + "_" + std::to_string(number);
}

void Writer::fill_apart(const Context& context, Scope& root, FunctionRef<void()> body) {
  const Context outer = context_;
  Scope* outer_scope = scope_;
  context_ = context;
  begin_function(context.function, root);
  body();
  context_ = outer;
  scope_ = outer_scope;
  resume();
}

void Writer::begin_function(std::size_t which, Scope& root) {
  context_.function = which;
  root.region = &function().body;
  root.guard = true;
  root.parent = nullptr;
  scope_ = &root;
  resume();
}

Value Writer::stack_array(Type element, std::int64_t count) {
  context_.stack_bytes += count * b_.bytes_of(element);
  b_.set_region(&function().body);
  const Value array = b_.stack(element, count);
  resume();
  return array;
}

void Writer::fail(Diagnostic diagnostic) {
  if (!error_) error_ = std::move(diagnostic);
}

void Writer::fail(ir::NodeId id, const std::string& what) {
  Diagnostic diagnostic(code::not_compilable, module_.span(id),
                        what + " is not available on `" + std::string(target_name()) + "` yet; the interpreter has it",
                        "cannot be compiled");
  if (!numbers_.help().empty()) diagnostic.helps.push_back(numbers_.help());
  fail(std::move(diagnostic));
}

Values Writer::load_at(const Values& arrays, Value index) {
  Values values;
  for (std::size_t k = 0; k < arrays.size(); ++k) values.push_back(b_.load(arrays[k], index));
  return values;
}

void Writer::store_at(const Values& arrays, Value index, const Values& values) {
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    b_.store(arrays[k], index, values[k]);
  }
}

}  // namespace reckon::codegen
