#include "codegen/kernel_cache.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <llvm/Support/BLAKE3.h>

#include <charconv>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "ir/printer.h"

namespace reckon::codegen {
namespace {

constexpr std::string_view magic = "reckon kernels 1\n";

struct Sought {
  std::uintptr_t address;  ///< any address within the object
  std::string identity;
};

/// The linker's own hash of an object's contents (the note NT_GNU_BUILD_ID), in hexadecimal.
int find_build_id(dl_phdr_info* object, std::size_t, void* data) {
  auto& sought = *static_cast<Sought*>(data);
  bool is_it = false;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const auto& part = object->dlpi_phdr[k];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    is_it = is_it || (part.p_type == PT_LOAD && sought.address - begin < part.p_memsz);
  }
  if (!is_it) return 0;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const auto& part = object->dlpi_phdr[k];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
    const auto* const end = at + part.p_memsz;
    while (end - at > static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const auto* name = at + sizeof note;
      const auto* contents = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        for (unsigned byte = 0; byte < note.n_descsz; ++byte) sought.identity += fmt::format("{:02x}", contents[byte]);
        return 1;
      }
      at = contents + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

/// The members that lowering fills in; all others are the plan's. A new member of Kernel has to be added to this list.
auto figures(auto& kernel) {
  auto& [name, output, outputs, items, loop, whole, threads, block_items, resident, one_item, shared_bytes, overlaps,
         recursive] = kernel;
  return std::tie(threads, block_items, resident, one_item, shared_bytes, overlaps, recursive);
}

std::string build_id(const void* address) {
  Sought sought{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(find_build_id, &sought);
  return sought.identity;
}

/// Takes a line with a number off the text; nothing if it is none.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end == text.data() + text.size() || *end != '\n') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

/// Takes a number, and as many bytes as it says, off the text.
std::optional<std::string_view> take_text(std::string_view& text) {
  const auto size = take_number(text);
  if (!size || *size > text.size()) return std::nullopt;
  const std::string_view out = text.substr(0, *size);
  text.remove_prefix(*size);
  return out;
}

}  // namespace

const std::string& own_build() {
  static const std::string ours = build_id(&magic);
  return ours;
}

std::string cache_key(const ir::Module& module, const ir::Function& function, const CompileOptions& options) {
  const std::string& ours = own_build();
  // If LLVM is linked into our own object, the object's hash covers it.
  static const void* const in_llvm = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
  static const std::string llvm = in_llvm != nullptr ? build_id(in_llvm) : ours;
  if (ours.empty() || llvm.empty()) return {};
  return fmt::format("builds {} {}\n{}, semantics {}, optimised {}, choices {}\n{}", ours, llvm, options.arch,
                     options.semantics->name(), options.optimise, text_of(options.choices),
                     ir::print(module, function));
}

std::string entry_name(const std::string& key) {
  llvm::BLAKE3 hasher;
  hasher.update(key);
  std::string out;
  for (std::uint8_t byte : hasher.final<32>()) out += fmt::format("{:02x}", byte);
  return out;
}

std::string make_entry(const std::string& key, const Plan& plan, const std::string& assembly) {
  std::string out = fmt::format("{}{}\n{}{}\n", magic, key.size(), key, plan.kernels.size());
  for (const Kernel& kernel : plan.kernels) {
    const auto add = [&](const auto&... figure) { ((out += fmt::format("{}\n", std::uint64_t{figure})), ...); };
    std::apply(add, figures(kernel));
  }
  return out + fmt::format("{}\n{}", assembly.size(), assembly);
}

std::optional<std::string> read_entry(const std::string& entry, const std::string& key, Plan& plan) {
  std::string_view text = entry;
  if (!text.starts_with(magic)) return std::nullopt;
  text.remove_prefix(magic.size());
  if (take_text(text) != key || take_number(text) != plan.kernels.size()) return std::nullopt;
  std::vector<Kernel> kernels = plan.kernels;
  for (Kernel& kernel : kernels) {
    bool complete = true;
    const auto take = [&](auto& figure) {
      const auto number = take_number(text);
      complete = complete && number && *number <= UINT32_MAX;
      if (complete) figure = static_cast<std::remove_reference_t<decltype(figure)>>(*number);
    };
    std::apply([&](auto&... figure) { (take(figure), ...); }, figures(kernel));
    if (!complete) return std::nullopt;
  }
  const auto assembly = take_text(text);
  if (!assembly || !text.empty()) return std::nullopt;
  plan.kernels = std::move(kernels);
  return std::string(*assembly);
}

}  // namespace reckon::codegen
