// Reads the header of an ELF file: its machine, and the symbols that it exports.
// Source: Tool Interface Standard (TIS), "Executable and Linking Format", and <elf.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reckon::runtime {

struct ElfFile {
  struct Symbol {
    std::string name;
    bool function = false;
  };
  bool is_library = false;      ///< a loader accepts it; otherwise it is an object file, for example
  std::string machine;          ///< `x86-64`, `AArch64`, ...; with `, 32 bits` where that is so
  bool this_machine = false;    ///< whether that is the machine that this program runs on
  bool whole = false;           ///< all loaded segments lie inside the file; otherwise a loader would crash
  std::vector<Symbol> symbols;  ///< the symbols that it exports; empty if they cannot be read

  /// Nothing if the file cannot be read or is not an ELF file; `beginning` then has its first bytes.
  static std::optional<ElfFile> read(const std::string& path, std::string& beginning);
};

}  // namespace reckon::runtime
