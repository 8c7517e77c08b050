#include "codegen/standalone/interface.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>

namespace reckon::codegen {
namespace {

/// Words of C, C++ and Python, names of the generated texts, and functions of C that every program may meet.
constexpr const char* taken_words = R"text(
    alignas alignof and as asm assert async auto await bool break case catch char class concept const continue def
    default del delete do double elif else enum except explicit export extern false finally float for friend from
    global goto if import in inline int is lambda long mutable namespace new nonlocal noexcept not nullptr operator
    or pass private protected public raise register requires restrict return short signed sizeof static struct
    switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while
    with xor yield None True False exact kernels scratch stream places parameters main abs acos acosh asin asinh
    atan atan2 atanh cbrt ceil cos cosh div erf erfc exit exp exp2 expm1 fabs floor fma fmax fmin fmod free gamma
    hypot index ldexp log log10 log1p log2 logb malloc max memcpy memset min pow printf rint round signal status
    items which device at launches met launch load unload refused scratch_bytes ptx start words count bytes arrays
    contents context needed file whole check memory library addresses len range ctypes self type str sum list tuple
    sin sinh sqrt tan tanh time trunc unix linux j0 j1 jn y0 y1 yn select read write open close link remove rename
    system puts abort labs llabs isnan isinf signbit nearbyint lround fdim lgamma tgamma remquo modf frexp scalbn
    pause sleep Kernels Launch Places Exact CUresult CUdeviceptr find_places reserve_stack NULL EOF errno stdin
    stdout stderr os sys CudaError driver_library __init__ print object pow10 exp10)text";

const std::set<std::string, std::less<>>& taken_names() {
  static const std::set<std::string, std::less<>> names = [] {
    std::istringstream words(taken_words);
    return std::set<std::string, std::less<>>(std::istream_iterator<std::string>(words), {});
  }();
  return names;
}

std::string identifier(std::string_view name) {
  std::string out(name);
  if (out.ends_with(']')) out.pop_back();  // `total[16]` becomes total_16
  for (char& letter : out) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') letter = '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out.insert(0, "_");
  return out;
}

class Names {
 public:
  std::string unique(std::string_view name) {
    std::string out = identifier(name);
    while (taken_names().contains(out) || !used_.insert(out).second) out += '_';
    return out;
  }

 private:
  std::set<std::string> used_;
};

}  // namespace

std::string Interface::name_of(const Plan& plan, ir::SymbolId dimension) const {
  const auto found = std::find(plan.dimensions.begin(), plan.dimensions.end(), dimension);
  return found == plan.dimensions.end() ? "0" : dimensions[static_cast<std::size_t>(found - plan.dimensions.begin())];
}

Interface interface_of(const ir::Module& module, const ir::Function& function, const Plan& plan) {
  Interface out;
  Names names;
  out.symbol = names.unique(module.name(function.name));
  for (const ir::SymbolId dimension : plan.dimensions) out.dimensions.push_back(names.unique(module.name(dimension)));
  std::size_t results = 0;
  for (const Buffer& buffer : plan.buffers) results += buffer.role == Buffer::Role::result ? 1 : 0;
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const Buffer& buffer = plan.buffers[k];
    auto& list = buffer.role == Buffer::Role::parameter ? out.parameters : out.results;
    if (buffer.role != Buffer::Role::parameter && buffer.role != Buffer::Role::result) continue;
    if (list.size() <= buffer.position) list.resize(buffer.position + 1);
    list[buffer.position].buffer = k;
  }
  for (Interface::Array& parameter : out.parameters) {
    parameter.name = names.unique(module.name(function.parameters[plan.buffers[parameter.buffer].position].name));
  }
  for (std::size_t k = 0; k < out.results.size(); ++k) {
    out.results[k].name = names.unique(results == 1 ? "result" : "result_" + std::to_string(k));
  }
  return out;
}

std::string c_type(ir::Scalar scalar) {
  switch (scalar) {
    case ir::Scalar::f64: return "double";
    case ir::Scalar::f32:
    case ir::Scalar::tf32: return "float";
    default: break;
  }
  const bool is_signed = ir::is_integer(scalar) && ir::integer_traits(scalar).is_signed;
  return (is_signed ? "int" : "uint") + std::to_string(8 * ir::byte_width(scalar)) + "_t";
}

std::string array_type(const ir::Module& module, const Buffer& buffer) {
  std::string out(ir::scalar_name(buffer.scalar));
  for (std::size_t k = 0; k < buffer.extents.size(); ++k) {
    out += (k == 0 ? "[" : ", ") + ir::index_text(module, buffer.extents[k]);
  }
  return buffer.extents.empty() ? out : out + "]";
}

std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out;
  while (!text.empty()) {
    const auto at = std::min(text.find('@'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const auto end = text.find('@', 1);
    const std::string_view name = end == std::string_view::npos ? std::string_view{} : text.substr(1, end - 1);
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
    if (found == values.end()) {
      out += '@';
      text.remove_prefix(1);
    } else {
      out += found->second;
      text.remove_prefix(end + 1);
    }
  }
  return out;
}

std::string commented(const std::vector<std::string>& lines, std::string_view mark) {
  std::string out;
  for (const std::string& line : lines) out += std::string(mark) + (line.empty() ? "" : " " + line) + "\n";
  return out;
}

}  // namespace reckon::codegen
