#include "runtime/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace reckon::runtime {
namespace {

#if defined(__aarch64__)
constexpr std::uint16_t here = EM_AARCH64;
#else
constexpr std::uint16_t here = EM_X86_64;
#endif

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386: return "x86";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "ARM";
    case EM_AARCH64: return "AArch64";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "PowerPC";
    case EM_S390: return "S/390";
    case EM_CUDA: return "NVIDIA CUDA";
    default: return fmt::format("machine {}", machine);
  }
}

/// A structure at an offset of the file, if it lies inside.
template <class T>
std::optional<T> at(const std::string& bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

std::string text_at(const std::string& bytes, const Elf64_Shdr& strings, std::uint32_t name) {
  if (name >= strings.sh_size || strings.sh_offset > bytes.size() || bytes.size() - strings.sh_offset <= name) return "";
  const char* first = bytes.data() + strings.sh_offset + name;
  return std::string(first, strnlen(first, std::min<std::uint64_t>(strings.sh_size - name,
                                                                   bytes.size() - strings.sh_offset - name)));
}

void read_symbols(const std::string& bytes, const Elf64_Ehdr& header, std::vector<ElfFile::Symbol>& out) {
  const auto section = [&](std::uint64_t k) { return at<Elf64_Shdr>(bytes, header.e_shoff + k * sizeof(Elf64_Shdr)); };
  for (std::uint64_t k = 0; k < header.e_shnum; ++k) {
    const auto table = section(k);
    if (!table) return;
    if (table->sh_type != SHT_DYNSYM) continue;
    const auto strings = section(table->sh_link);
    if (!strings) return;
    for (std::uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = at<Elf64_Sym>(bytes, table->sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return;
      const int type = ELF64_ST_TYPE(symbol->st_info);
      const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
      if (symbol->st_shndx == SHN_UNDEF || !(function || type == STT_OBJECT || type == STT_TLS)) continue;
      if (std::string name = text_at(bytes, *strings, symbol->st_name); !name.empty()) out.push_back({name, function});
    }
  }
}

bool loads_inside(const std::string& bytes, const Elf64_Ehdr& header) {
  for (std::uint64_t k = 0; k < header.e_phnum; ++k) {
    const auto segment = at<Elf64_Phdr>(bytes, header.e_phoff + k * sizeof(Elf64_Phdr));
    if (!segment) return false;
    if (segment->p_filesz > bytes.size() || segment->p_offset > bytes.size() - segment->p_filesz) return false;
  }
  return header.e_phnum > 0;
}

}  // namespace

std::optional<ElfFile> ElfFile::read(const std::string& path, std::string& beginning) {
  std::ifstream stream(path, std::ios::binary);
  beginning.assign(EI_NIDENT, '\0');
  stream.read(beginning.data(), EI_NIDENT);
  beginning.resize(static_cast<std::size_t>(stream.gcount()));
  if (beginning.size() < EI_NIDENT || !beginning.starts_with(ELFMAG)) return std::nullopt;
  const std::string bytes = beginning + std::string(std::istreambuf_iterator<char>(stream), {});
  ElfFile out;
  // Both classes begin alike; numbers of a machine of the other byte order read reversed.
  const bool wide = bytes[EI_CLASS] == ELFCLASS64, little = bytes[EI_DATA] == ELFDATA2LSB;
  const auto type = at<std::uint16_t>(bytes, EI_NIDENT), machine = at<std::uint16_t>(bytes, EI_NIDENT + 2);
  if (!type || !machine) return out;
  const auto ordered = [&](std::uint16_t x) { return little ? x : static_cast<std::uint16_t>(x << 8 | x >> 8); };
  out.is_library = ordered(*type) == ET_DYN;
  out.machine = machine_name(ordered(*machine)) + (wide ? "" : ", 32 bits") + (little ? "" : ", big-endian");
  out.this_machine = wide && little && *machine == here;
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  out.whole = out.this_machine && header && loads_inside(bytes, *header);
  if (out.whole) read_symbols(bytes, *header, out.symbols);
  return out;
}

}  // namespace reckon::runtime
