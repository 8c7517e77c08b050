// What an ELF file says of itself: its machine, and the names that it gives to others.
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
  bool is_library = false;      ///< what a loader takes; otherwise an object file, say
  std::string machine;          ///< `x86-64`, `AArch64`, ...; with `, 32 bits` where that is so
  bool this_machine = false;    ///< the one that this program runs on
  bool whole = false;           ///< what is to be loaded lies inside the file: a loader would fault otherwise
  std::vector<Symbol> symbols;  ///< that it defines for others; empty where they cannot be read

  /// Nothing if the file cannot be read, or is none of this kind; `beginning` has its first bytes, then.
  static std::optional<ElfFile> read(const std::string& path, std::string& beginning);
};

}  // namespace reckon::runtime
