// `--explain-rounding`: what became of the numbers in the text that their format does not hold.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/implementation.h"
#include "driver/closed_numbers.h"
#include "interp/algebra/real_constant.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "numerics/wide_float.h"

namespace reckon {
namespace {

/// A real constant is computed to so many bits. A distance needs few of them: no format has more than 53.
constexpr int constant_bits = 400;
constexpr std::size_t longest_text = 40;

/// The number that was meant; nothing for literals that are no numbers, or are patterns.
std::optional<mpq_class> meant(const ir::Literal& literal) {
  if (literal.kind == ir::Literal::Kind::rational) return literal.value;
  if (literal.kind != ir::Literal::Kind::real) return std::nullopt;
  const auto constant = interp::real_constant(literal.constant);
  if (!constant) return literal.value;
  return numerics::wide_real(literal.value, *constant, constant_bits, numerics::Toward::below).rational();
}

/// The literal of a float format that the node is, or that stands for it (driver/closed_numbers.h).
std::optional<ir::Literal> literal_for(ir::Module& module, ir::NodeId id, const driver::Traits& traits) {
  if (!ir::is_float(module.type(id).scalar)) return std::nullopt;
  if (module[id].op == ir::Op::literal) return module.literal_of(id);
  if (module[id].op != ir::Op::convert || traits.closed_numbers == nullptr) return std::nullopt;
  const ir::NodeId operand = module[id].operands[0];
  const bool closed = module.type(operand).scalar == ir::Scalar::number && driver::is_closed(module, operand);
  if (!closed) return std::nullopt;
  const auto number = traits.closed_numbers->number(module, operand, module.type(id).scalar);
  if (!number) return std::nullopt;
  ir::Literal out;
  out.kind = ir::Literal::Kind::rational;
  out.value = number->value;
  return out;
}

/// `0.1` as the text has it, or with the value if the text computes it: `c` = 1/10.
std::string as_written(std::string_view text, const ir::Literal& literal) {
  std::string out = text.size() > longest_text || text.find('\n') != std::string_view::npos
                        ? "this number"
                        : fmt::format("`{}`", text);
  if (literal.kind != ir::Literal::Kind::rational) return out;
  const bool negative = text.starts_with('-');
  const auto read = numerics::parse_number(text.substr(negative ? 1 : 0));
  if (read && (negative ? mpq_class(-*read) : *read) == literal.value) return out;
  const std::string value = numerics::rational_text(literal.value);
  return value.size() > longest_text || value == text ? out : fmt::format("{} = {}", out, value);
}

/// How far the pattern lies from the number, in units of its last place: `+0.200 ulp`.
std::string distance(const mpq_class& value, std::uint64_t bits, numerics::Format format) {
  const mpq_class difference = *numerics::exact_value(bits, format) - value;
  const double ulps = mpq_class(difference / numerics::ulp(bits, format)).get_d();
  if (ulps == 0) return difference > 0 ? "less than +1e-300 ulp" : "less than -1e-300 ulp";
  return fmt::format("{:+#.3g} ulp", ulps);
}

std::string sentence(const std::string& written, const interp::Semantics& with, const mpq_class& value,
                     std::uint64_t bits, numerics::Format format) {
  std::string name(numerics::traits(format).name);
  if (const driver::Traits traits = with.traits(); traits.floats && !traits.rounds_to_nearest) {
    name += fmt::format(" under `{}`", with.name());
  }
  const auto largest = numerics::largest_finite(format);
  std::string out = fmt::format("{} is rounded to {}: {}", written, name, numerics::shortest_decimal(bits, format));
  if (numerics::is_infinite(bits, format)) {
    return out + fmt::format(", beyond the largest, {}", numerics::shortest_decimal(largest, format));
  }
  out += fmt::format(" ({}), {}", numerics::hexadecimal(bits, format), distance(value, bits, format));
  if (abs(value) > *numerics::exact_value(largest, format)) return out + ", the largest there is";
  if (numerics::magnitude_bits(bits, format) == 0) {
    const std::uint64_t least = std::uint64_t{1} << numerics::traits(format).unused;
    return out + fmt::format(", below the least, {}", numerics::shortest_decimal(least, format));
  }
  return numerics::is_subnormal(bits, format) ? out + ", a subnormal number" : out;
}

}  // namespace

void Session::Implementation::about_to_run(const std::vector<frontend::ElaboratedItem>& items) {
  if (!options.explain_rounding) return;
  for (const auto& item : items) item_ends[{item.span.file, item.span.begin}] = item.span.end;
}

/// One node may occur at several places of the text. Places inside another show, check or save belong to that item.
bool Session::Implementation::stands_elsewhere(SourceSpan place, SourceSpan item) const {
  auto found = item_ends.upper_bound({place.file, place.begin});
  if (found == item_ends.begin()) return false;
  --found;
  const auto& [file, begin] = found->first;
  return file == place.file && place.begin < found->second && !(file == item.file && begin == item.begin);
}

void Session::Implementation::note_roundings(const ir::Function& given, const interp::Semantics& with,
                                             SourceSpan item) {
  if (!options.explain_rounding) return;
  ir::Module& module = session.module();
  const ir::Function function = driver::settled_calls(module, given, with.traits());
  std::vector<Diagnostic> found;
  ir::visit_nodes(module, {function.body}, [&](ir::NodeId id) {
    const auto number = literal_for(module, id, with.traits());
    if (!number) return;
    const ir::Scalar scalar = module.type(id).scalar;
    const numerics::Format format = ir::format_of(scalar);
    const auto value = meant(*number);
    if (!value) return;
    // The semantics says what it makes of the number; under `exact` and others it has no bits, and is not rounded.
    interp::Values literal(with, scalar, {});
    if (with.literal(*number, scalar, literal.data())) return;
    const auto bits = with.bits(scalar, literal.data());
    if (!bits || numerics::is_nan(*bits, format)) return;
    if (const auto is = numerics::exact_value(*bits, format); is && *is == *value) return;
    for (const SourceSpan place : session.literal_places(id)) {
      if (stands_elsewhere(place, item)) continue;
      Diagnostic note({}, place,
                      sentence(as_written(sources.text(place), *number), with, *value, *bits, format));
      if (!noted.insert({{place.file, place.begin, place.end}, note.message}).second) continue;
      note.severity = Severity::note;
      found.push_back(std::move(note));
    }
  });
  std::sort(found.begin(), found.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(a.primary.span.file, a.primary.span.begin) < std::tuple(b.primary.span.file, b.primary.span.begin);
  });
  notes.insert(notes.end(), found.begin(), found.end());
}

std::vector<Message> Session::Implementation::take_notes() {
  auto out = messages(notes);
  notes.clear();
  return out;
}

}  // namespace reckon
