// Kernels of PTX as circuits: `kernel theirs = ptx("k.ptx", "entry", grid: 4, block: 256, x: f32[1000], f32[4], 1000)`.
// The circuit comes as the text of a program, which is read like an imported one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/duplicate_name.h"
#include "diagnostics/codes/no_circuit_of_ptx.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/shape_mismatch.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/unknown_name.h"
#include "diagnostics/codes/unreadable_file.h"
#include "frontend/calls.h"
#include "frontend/ptx_call.h"
#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::frontend {
namespace {

constexpr const char* form =
    "write `ptx(\"k.ptx\", \"kernel\", grid: 4, block: 256, x: f32[1000], f32[4], 1000)`: an input is memory with a "
    "name, and memory without a name is nobody's yet";
constexpr std::int64_t largest_memory = std::int64_t{1} << 26;  // elements: a trace has room for so many numbers

/// A call as it is written: its words, and the rest.
class PtxReader {
 public:
  PtxReader(Elaborator& elaborator, const Context& context, const Expr& written)
      : elaborator_(elaborator), context_(context), written_(written) {}

  /// One call for each value of the sizes that are listed.
  std::optional<std::vector<PtxCall>> read() {
    PtxCall call;
    call.span = written_.span;
    if (!read_file(call) || !sort_words()) return std::nullopt;
    const std::size_t count = sizes_.empty() ? 1 : sizes_[0].values.size();
    std::vector<PtxCall> out;
    for (std::size_t k = 0; k < count; ++k) {
      Scope scope(context_.scope);
      PtxCall& made = out.emplace_back(call);
      for (const Sizes& size : sizes_) {
        made.sizes.emplace_back(size.name, size.values[k]);
        scope.bind(size.name, {mpq_class(static_cast<long>(size.values[k]))});
      }
      const std::size_t told = elaborator_.diagnostics.size();
      if (!read_launch(context_.in(scope), made)) {
        help_with_sizes(told);
        return std::nullopt;
      }
    }
    return out;
  }

 private:
  /// `name: value`, or a value alone.
  struct Word {
    std::string name;
    ExprId value;
    SourceSpan span, name_span;
  };
  struct Sizes {
    std::string name;
    std::vector<std::int64_t> values;
    SourceSpan span;
  };
  const Expr& expr(ExprId id) const { return elaborator_.expr(context_, id); }
  bool fail(Code code, SourceSpan at, std::string message, const std::string& help = form) {
    elaborator_.report(Diagnostic(code, at, std::move(message)).help(help));
    return false;
  }

  /// The two strings. A path is relative to the file in which it stands.
  bool read_file(PtxCall& call) {
    const auto& children = written_.children;
    if (children.size() < 3)
      return fail(code::argument_count, written_.span,
                  "`ptx` takes a file, a kernel of it, and what it is launched with");
    for (std::size_t k : {1, 2}) {
      const Expr& one = expr(children[k]);
      if (one.kind != ExprKind::string)
        return fail(code::type_mismatch, one.span,
                    fmt::format("the {} of `ptx` is a string", k == 1 ? "file" : "kernel's name"));
    }
    const Expr& path = expr(children[1]);
    call.entry = expr(children[2]).text;
    call.entry_span = expr(children[2]).span;
    const std::filesystem::path folder =
        std::filesystem::path(std::string(elaborator_.sources.name(path.span.file))).parent_path();
    call.path = (folder / path.text).lexically_normal().string();
    auto text = elaborator_.files.read_source ? elaborator_.files.read_source(call.path) : std::nullopt;
    if (!text) {
      return fail(code::unreadable_file, path.span, fmt::format("`{}` cannot be read", call.path),
                  "the path is relative to the folder of the program's file");
    }
    call.file = elaborator_.sources.add(call.path, std::move(*text));
    return true;
  }

  /// Tells the words `grid`, `block`, `shared`, `approx` and the names of sizes from the arguments.
  bool sort_words() {
    std::set<std::string> seen;
    for (std::size_t k = 3; k < written_.children.size(); ++k) {
      const ExprId id = written_.children[k];
      const Expr& one = expr(id);
      if (one.kind != ExprKind::colon) {
        arguments_.push_back({"", id, one.span, one.span});
        continue;
      }
      const Expr& head = expr(one.children[0]);
      if (head.kind != ExprKind::name)
        return fail(code::type_mismatch, head.span, "a name stands before the colon in a call of `ptx`");
      if (head.text != "zeros" && !seen.insert(head.text).second)
        return fail(code::duplicate_name, head.span, fmt::format("`{}` is stated twice", head.text), "state it once");
      const Expr& value = expr(one.children[1]);
      if (head.text == "grid" || head.text == "block" || head.text == "shared" || head.text == "approx")
        words_.push_back({head.text, one.children[1], value.span, head.span});
      else if (value.kind == ExprKind::list) {
        if (!read_sizes(head.text, value, head.span)) return false;
      } else {
        arguments_.push_back({head.text, one.children[1], value.span, head.span});
      }
    }
    for (const char* needed : {"grid", "block"}) {
      if (std::none_of(words_.begin(), words_.end(), [&](const Word& word) { return word.name == needed; }))
        return fail(code::argument_count, written_.span, fmt::format("`ptx` is not told its `{}`", needed));
    }
    return true;
  }

  /// A name that is not defined may be meant as a size.
  void help_with_sizes(std::size_t told) {
    for (std::size_t k = told; k < elaborator_.diagnostics.size(); ++k) {
      Diagnostic& diagnostic = elaborator_.diagnostics[k];
      if (diagnostic.code != code::unknown_name || !diagnostic.helps.empty()) continue;
      const std::string name(elaborator_.sources.text(diagnostic.primary.span));
      diagnostic.helps.push_back(
          fmt::format("a size is a static parameter, `kernel theirs[{0}] = ptx(...)`, or its values are listed in the "
                      "call: `{0}: [1000, 512, 300]`",
                      name));
    }
  }

  bool read_sizes(const std::string& name, const Expr& list, SourceSpan at) {
    Sizes sizes{name, {}, at};
    for (const ExprId each : list.children) {
      auto value = elaborator_.elaborate(context_, each);
      if (!value) return false;
      const auto size = elaborator_.integer_of(*value, expr(each).span, "a size");
      if (!size) return false;
      sizes.values.push_back(*size);
    }
    const std::string help = "the circuit is made from the first two, and compared with the others";
    if (std::set<std::int64_t>(sizes.values.begin(), sizes.values.end()).size() != sizes.values.size())
      return fail(code::duplicate_name, list.span, fmt::format("a value of `{}` is there twice", name), help);
    if (sizes.values.size() < 3)
      return fail(code::argument_count, list.span,
                  fmt::format("`{}` has {} values, and at least 3 are needed to see how a circuit goes by it", name,
                              sizes.values.size()),
                  help);
    if (!sizes_.empty() && sizes_[0].values.size() != sizes.values.size())
      return fail(code::argument_count, list.span,
                  fmt::format("`{}` has {} values and `{}` has {}", name, sizes.values.size(), sizes_[0].name,
                              sizes_[0].values.size()),
                  "each launch takes one value of each");
    sizes_.push_back(std::move(sizes));
    return true;
  }

  bool read_launch(const Context& context, PtxCall& call) {
    for (const Word& word : words_) {
      const Expr& written = elaborator_.expr(context, word.value);
      if (word.name == "approx") {
        if (written.kind != ExprKind::name || written.text != "nearest")
          return fail(code::type_mismatch, word.span, "`approx` is `nearest`",
                      "`approx: nearest` takes the nearest number for what an approximate instruction gives");
        call.nearest = true;
        continue;
      }
      auto value = elaborator_.elaborate(context, word.value);
      if (!value) return false;
      if (word.name == "shared") {
        const auto bytes = elaborator_.integer_of(*value, word.span, "a number of bytes");
        if (!bytes) return false;
        if (*bytes < 0 || *bytes > (1 << 20))
          return fail(code::shape_mismatch, word.span, "no GPU has so much shared memory", "it is a number of bytes");
        call.shared_bytes = static_cast<std::uint32_t>(*bytes);
        continue;
      }
      if (!read_extents(word, *value, word.name == "grid" ? call.grid : call.block)) return false;
    }
    call.arguments_span = written_.span;
    for (const Word& word : arguments_) {
      auto value = elaborator_.elaborate(context, word.value);
      if (!value) return false;
      PtxArgument& made = call.arguments.emplace_back();
      made.span = word.name_span.to(word.span);
      if (!read_argument(word, *value, made)) return false;
    }
    return true;
  }

  /// An integer, or a tuple of at most three.
  bool read_extents(const Word& word, const Value& value, std::array<std::uint32_t, 3>& out) {
    const auto* tuple = value.get_if<TupleValue>();
    const std::vector<Value> parts = tuple ? tuple->parts : std::vector<Value>{value};
    const std::string help =
        fmt::format("`{}` has one to three extents of at least 1: `{}: (4, 2)`", word.name, word.name);
    if (parts.empty() || parts.size() > 3)
      return fail(code::argument_count, word.span, fmt::format("`{}` has {} extents", word.name, parts.size()), help);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto extent = elaborator_.integer_of(parts[k], word.span, fmt::format("an extent of `{}`", word.name));
      if (!extent) return false;
      if (*extent < 1 || *extent > 0x7fffffff)
        return fail(code::shape_mismatch, word.span, fmt::format("an extent of `{}` is {}", word.name, *extent), help);
      out[k] = static_cast<std::uint32_t>(*extent);
    }
    return true;
  }

  bool read_argument(const Word& word, const Value& value, PtxArgument& out) {
    using Kind = PtxArgument::Kind;
    if (const auto* type = value.get_if<TypeValue>()) {
      out.kind = word.name == "zeros" ? Kind::zeros : word.name.empty() ? Kind::unwritten : Kind::input;
      out.name = word.name;
      return read_memory(*type, word.span, out);
    }
    if (!word.name.empty()) {
      return fail(code::type_mismatch, word.span,
                  fmt::format("`{}` names memory, and this is {}", word.name, elaborator_.kind_text(value)));
    }
    if (const auto* dynamic = value.get_if<DynamicValue>()) return read_data(*dynamic, word.span, out);
    out.kind = Kind::number;
    if (const auto* number = value.get_if<mpq_class>()) {
      const bool whole = number->get_den() == 1 && abs(number->get_num()) < mpz_class("18446744073709551616");
      const auto bits = numerics::round_rational(*number, numerics::Format::f64);
      out.number = whole ? number->get_str() : fmt::format("{}", std::bit_cast<double>(bits));
      return true;
    }
    if (const auto* special = value.get_if<SpecialNumber>()) {
      out.number = special->nan ? "nan" : special->negative ? "-inf" : "inf";
      return true;
    }
    const auto* text = value.get_if<std::string>();
    if (text != nullptr && text->starts_with("bytes:")) {
      out.number = *text;
      return true;
    }
    if (const auto* truth = value.get_if<bool>()) {
      out.number = *truth ? "1" : "0";
      return true;
    }
    return fail(code::type_mismatch, word.span,
                fmt::format("a kernel of PTX takes numbers and memory, and this is {}", elaborator_.kind_text(value)));
  }

  bool read_memory(const TypeValue& type, SourceSpan at, PtxArgument& out) {
    const std::string name(ir::scalar_name(type.scalar));
    if (!type.indexed || type.extents.empty()) {
      return fail(code::type_mismatch, at, fmt::format("memory of a kernel has a shape, and `{}` has none", name),
                  fmt::format("memory of one element is `{}[1]`; a number is written as such", name));
    }
    if (!ir::is_float(type.scalar) && !ir::is_integer(type.scalar))
      return fail(code::type_mismatch, at, fmt::format("memory of a kernel has no elements `{}`", name));
    if (out.kind == PtxArgument::Kind::input && !ir::is_float(type.scalar)) {
      return fail(code::no_circuit_of_ptx, at,
                  fmt::format("integers are no inputs of a circuit that is read off: `{}` has `{}`", out.name, name),
                  "addresses and control flow may depend on them; known ones are given as `load(\"indices.npy\")`");
    }
    out.scalar = type.scalar;
    std::int64_t elements = 1;
    for (const Value& each : type.extents) {
      const auto extent = elaborator_.integer_of(each, at, "an extent of a kernel's memory");
      if (!extent) return false;
      if (*extent < 1 || __builtin_mul_overflow(elements, *extent, &elements) || elements > largest_memory)
        return fail(code::shape_mismatch, at, "memory of a kernel has at least one element, and 2^26 at most",
                    fmt::format("an extent is {}", *extent));
      out.shape.push_back(*extent);
    }
    return true;
  }

  /// `load("indices.npy")`
  bool read_data(const DynamicValue& value, SourceSpan at, PtxArgument& out) {
    const ir::Node& node = elaborator_.module[value.node];
    const ir::Source* source = node.op == ir::Op::source ? &elaborator_.module.source_of(node) : nullptr;
    if (source == nullptr || source->kind != ir::Source::Kind::file)
      return fail(code::no_circuit_of_ptx, at, "a kernel's memory is stated by its type, or loaded from a file");
    if (ir::is_float(source->data->scalar)) {
      return fail(code::no_circuit_of_ptx, at,
                  "a circuit is read off for all values of its inputs, and these are known",
                  "name the memory, `x: f32[4]`, and call the kernel with the loaded tensor");
    }
    out.kind = PtxArgument::Kind::integers;
    out.scalar = source->data->scalar;
    out.shape = source->data->shape;
    out.data = source->data;
    return true;
  }

  Elaborator& elaborator_;
  const Context& context_;
  const Expr& written_;
  std::vector<Word> words_, arguments_;
  std::vector<Sizes> sizes_;
};

/// The name of the item whose value the call is, or the kernel's, as a name of the language.
std::string circuit_name(const Elaborator& elaborator, const Context& context, const Expr& written,
                         const std::string& entry) {
  const Program& tree = elaborator.programs[context.program].tree;
  for (const Item& item : tree.items) {
    const bool names = item.kind == ItemKind::kernel || item.kind == ItemKind::let;
    if (names && item.body.valid() && &tree[item.body] == &written) return item.name;
  }
  std::string out;
  for (const char c : entry.substr(0, 40)) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return "kernel_" + out;
}

/// All that the circuit depends on.
std::string key_of(const Elaborator& elaborator, const std::vector<PtxCall>& calls) {
  std::string out;
  for (const PtxCall& call : calls) {
    out += fmt::format("{} {} {}x{}x{} {}x{}x{} {} {}\n", call.name, call.entry, call.grid[0], call.grid[1],
                       call.grid[2], call.block[0], call.block[1], call.block[2], call.shared_bytes, call.nearest);
    for (const auto& [name, value] : call.sizes) out += fmt::format("{}={}\n", name, value);
    for (const PtxArgument& one : call.arguments) {
      out += fmt::format("{} {} {} {}", static_cast<int>(one.kind), one.name, one.number, static_cast<int>(one.scalar));
      for (const std::int64_t extent : one.shape) out += fmt::format(" {}", extent);
      if (one.data) out.append(one.data->bytes.begin(), one.data->bytes.end());
      out += '\n';
    }
  }
  return out + std::string(elaborator.sources.text(calls[0].file));
}

/// No two inputs have one name, or that of a function or format of the language, which the circuit may need.
bool names_are_sound(Elaborator& elaborator, const PtxCall& call) {
  std::set<std::string> names;
  for (const PtxArgument& one : call.arguments) {
    const auto known = elaborator.predefined.find(one.name);
    const bool is_taken =
        known != elaborator.predefined.end() &&
        (known->second.is<BuiltinValue>() || known->second.is<TypeValue>() || known->second.is<ScheduleValue>());
    if (is_taken) {
      elaborator.report(Diagnostic(code::duplicate_name, one.span,
                                   fmt::format("`{}` is a name of the language, and none of an input", one.name)));
      return false;
    }
    if (one.kind != PtxArgument::Kind::input || names.insert(one.name).second) continue;
    elaborator.report(Diagnostic(code::duplicate_name, one.span, fmt::format("two inputs are named `{}`", one.name)));
    return false;
  }
  return true;
}

/// `rows at m = 4, n = 256; m = 2, n = 128`
std::string where_read_off(const std::vector<PtxCall>& calls) {
  std::vector<std::string> launches;
  for (const PtxCall& call : calls) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : call.sizes) sizes.push_back(fmt::format("{} = {}", name, value));
    launches.push_back(fmt::format("{}", fmt::join(sizes, ", ")));
  }
  return fmt::format("{} at {}", calls[0].name, fmt::join(launches, "; "));
}

}  // namespace

Maybe elaborate_ptx(Elaborator& elaborator, const Context& context, const Expr& written) {
  if (!elaborator.back_end.circuit_of_ptx)
    return elaborator.report(Diagnostic(code::not_available, written.span, "kernels of PTX cannot be read here")
                                 .help("`reckon run` and the interfaces for C++ and Python read them"));
  auto calls = PtxReader(elaborator, context, written).read();
  if (!calls || !names_are_sound(elaborator, calls->front())) return std::nullopt;
  const std::string name = circuit_name(elaborator, context, written, calls->front().entry);
  for (PtxCall& call : *calls) call.name = name;
  const auto [known, is_new] = elaborator.ptx_circuits.try_emplace(key_of(elaborator, *calls));
  if (is_new) {
    auto text = elaborator.back_end.circuit_of_ptx(*calls);
    if (!text) {
      elaborator.ptx_circuits.erase(known);
      return elaborator.report(std::move(text.error()));
    }
    known->second = std::move(*text);
  }
  const std::string path = fmt::format("{}, `{}` as a circuit", calls->front().path, calls->front().entry);
  const auto environment = declare_program(elaborator, path, known->second);
  const auto found = environment->definitions.find(name);
  if (found == environment->definitions.end()) return std::nullopt;  // its mistakes are reported
  if (calls->size() > 1) elaborator.declarations[found->second].read_off = {where_read_off(*calls)};
  return Value{CircuitValue{found->second, {}, false}};
}

}  // namespace reckon::frontend
