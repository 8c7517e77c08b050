#include "api/kept_choices.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <numeric>

#include "codegen/kernel_cache.h"
#include "ir/printer.h"

namespace reckon {
namespace {

constexpr std::string_view magic = "reckon choices 1\n";
constexpr std::int64_t exact = 64;

std::string class_of(std::int64_t size) {
  if (size <= exact) return std::to_string(size);
  return fmt::format("{}+/{}", std::bit_floor(static_cast<std::uint64_t>(size)), std::gcd(size, exact));
}

}  // namespace

std::string choices_key(const ir::Module& module, const ir::Function& function, const std::string& semantics,
                        const std::string& device, const ir::Dimensions& sizes) {
  std::string out = fmt::format("{}, semantics {}, sizes", device, semantics);
  std::map<std::string_view, std::int64_t> by_name;
  for (const auto& [symbol, size] : sizes) by_name[module.name(symbol)] = size;
  for (const auto& [name, size] : by_name) out += fmt::format(" {} {}", name, class_of(size));
  return out + "\n" + ir::print(module, function);
}

std::optional<codegen::StatedChoices> kept_choices(codegen::KernelStore& store, const std::string& key) {
  const auto entry = store.find(codegen::entry_name(key));
  if (!entry) return std::nullopt;
  std::string_view text = *entry;
  const std::string begin = std::string(magic) + std::to_string(key.size()) + "\n" + key;
  if (!text.starts_with(begin)) return std::nullopt;
  text.remove_prefix(begin.size());
  codegen::StatedChoices out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !codegen::add_choice(out, text.substr(0, end))) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return out;
}

void keep_choices(codegen::KernelStore& store, const std::string& key, const codegen::StatedChoices& choices) {
  std::string entry = std::string(magic) + std::to_string(key.size()) + "\n" + key;
  for (const auto& [of, way] : choices) entry += of + "=" + way + "\n";
  store.keep(codegen::entry_name(key), entry);
}

}  // namespace reckon
