// Reading PTX: what is declared, and mistakes with their places.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>

#include "ptx/emulate/program.h"
#include "ptx/read/read.h"
#include "tests/ptx/cuda.h"
#include "tests/support/long_run.h"

#include <catch2/catch.hpp>

namespace {

using namespace reckon;
using namespace reckon::ptx;

const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string mistake_in(const std::string& text) {
  const auto mistake = read(text).mistake;
  return mistake ? std::to_string(mistake->line) + ":" + std::to_string(mistake->column) + " " + mistake->message : "";
}
std::string in_body(const std::string& body) {
  return mistake_in(head + ".entry k(.param .u64 p) {\n.reg .b32 %r<3>; .reg .pred %p;\n" + body + "\n}\n");
}

/// Every kernel is refused, or runs to its end, to a fault or to the end of its instructions.
void launch_all(Module module) {
  Memory memory;
  Program program(std::move(module), memory);
  const std::uint64_t room = memory.allocate(4096, "memory", true).base;
  for (const Function& function : program.module().functions) {
    Refused refused;
    const Kernel* kernel = program.kernel(function.name, {.approximates_nearest = true}, refused);
    if (kernel == nullptr) continue;
    std::vector<std::uint8_t> parameters;
    for (const ParameterInfo& info : Program::parameters(*kernel)) {
      parameters.resize(info.offset + info.bytes);
      const std::uint64_t value = info.bytes == 8 ? room : 3;
      if (info.bytes <= 8) std::memcpy(parameters.data() + info.offset, &value, info.bytes);
    }
    LaunchOptions options;
    options.block = {64, 1, 1};
    options.most_instructions = 20000;
    program.launch(*kernel, options, std::move(parameters), refused);
  }
}

}  // namespace

TEST_CASE("a PTX file is read to its declarations and instructions") {
  const ReadResult made = read(head +
                               ".global .align 4 .f32 table[3] = {0f3F800000, 2.5, -1};\n.const .u64 where = "
                               "generic(table)+4;\n.extern .shared .align 16 .b8 room[];\n"
                               ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 .ptr .global .align 16 a, .param "
                               ".align 8 .b8 s[24]) .maxntid 128, 2, 1\n{\n"
                               ".reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 x;\n.loc 1 17 3\n@!%p1 ld.param.u64 x, "
                               "[a+8];\nL1: { .reg .b32 x; mov.b32 x, %r2; }\nbra.uni L1;\n}\n");
  REQUIRE(!made.mistake);
  const Module& module = made.module;
  CHECK(module.version == "8.0");
  CHECK(module.target == "sm_90");
  REQUIRE(module.variables.size() == 5);
  CHECK(module.variables[0].initial == std::vector<std::uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40, 0, 0, 0x80, 0xbf});
  REQUIRE(module.variables[1].addresses.size() == 1);
  CHECK(module.variables[1].addresses[0].offset == 4);
  CHECK(module.variables[2].of_launch);
  const Function* entry = module.entry("k");
  REQUIRE(entry != nullptr);
  CHECK(entry->most_threads == 256);
  CHECK(module.variables[entry->parameters[1].index].bytes == 24);
  CHECK(entry->registers.size() == 7);
  REQUIRE(entry->instructions.size() == 3);
  const Instruction& load = entry->instructions[0];
  CHECK(load.name == "ld");
  CHECK(load.parts == std::vector<std::string_view>{"param", "u64"});
  CHECK((load.guard && load.guard->negated && load.guard->reg == 1));
  CHECK(module.place_text(load.place) == "k.cu:17");
  CHECK(load.line == 14);
  // The inner x is another one than the outer.
  CHECK(entry->registers[load.operands[0].index].type == Type::b64);
  CHECK(entry->registers[entry->instructions[1].operands[0].index].type == Type::b32);
  CHECK(entry->instructions[2].operands[0].kind == Operand::Kind::label);
  CHECK(entry->instructions[2].operands[0].index == 1);
}

TEST_CASE("mistakes in PTX name the line and what stands there") {
  CHECK(in_body("add.u32 %r1, %r2, 1;").empty());
  CHECK(in_body("add.u32 %r1 %r2, 1;") == "6:12 `%r2` is not expected here");
  CHECK(in_body("addd.u32 %r1, %r2, 1;") == "6:0 there is no instruction `addd`");
  CHECK(in_body("add.u32.fast %r1, %r2, 1;") == "6:0 `.fast` in `add.u32.fast` is no modifier of an instruction");
  CHECK(in_body("add.u32 %r1, %r3, 1;") == "6:13 `%r3` is no register that is declared here, and no special register");
  CHECK(in_body("bra nowhere;") == "6:4 there is no label `nowhere`");
  CHECK(in_body("@%r1 bra nowhere;") == "6:1 `%r1` is no register of type `.pred`");
  CHECK(in_body("vadd.s32.u8.s32.sat %r1, %r2.b0, %r3, %r1;") ==
        "6:25 `vadd.s32.u8.s32.sat` chooses bytes of a register by `%r2.b0`, which the emulator does not know");
  CHECK(in_body("mov.b32 %r1, other;") == "6:13 `other` is not declared");
  CHECK(in_body("mov.f32 %r1, 0f3F80;") == "6:13 `0f3F80` has not 8 hexadecimal digits");
  CHECK(in_body("mov.b32 %r1, 99999999999999999999;") ==
        "6:13 `99999999999999999999` is no integer of at most 64 bits");
  CHECK(in_body("L: L: ret;") == "6:3 the label `L` stands twice");
  CHECK(in_body(".reg .b32 %r<5>;") == "6:10 `%r` is declared twice");
  CHECK(in_body(".shared .b32 huge[99999999999];") == "6:18 a variable has 4 GB at most");
  CHECK(in_body("\x01") == "6:0 the byte 0x01 has no meaning here");
  CHECK(mistake_in(head + ".entry k() {") == "4:12 the file ends too early");
  CHECK(mistake_in("").empty());
  CHECK(mistake_in(head + ".entry k() { ret; }\n.entry k() { ret; }").substr(0, 2) == "5:");
  CHECK(mistake_in(head + ".entry k() {" + std::string(100000, '{')) == "4:111 brackets are nested too deeply");
  CHECK(mistake_in(std::string(1000, '\0')).substr(0, 3) == "1:0");
}

TEST_CASE("files of 250 KB are read in a fifth of a second") {
  const std::string one = ptx::testing::cuda_text("kernels", "sm_90");
  std::string text = one;
  for (int k = 0; text.size() < 250000; ++k) {
    std::string more = one.substr(one.find(".visible .entry"));
    // Names once more; labels belong to their functions.
    for (std::size_t at = 0; (at = more.find(".entry ", at)) != std::string::npos; at += 8)
      more.insert(at + 7, "again_" + std::to_string(k) + "_");
    text += more;
  }
  const auto begin = std::chrono::steady_clock::now();
  const ReadResult made = read(text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  INFO((made.mistake ? made.mistake->message : ""));
  CHECK(!made.mistake);
  CHECK(seconds < 0.2 * 5);  // a machine that does other things, too
}

TEST_CASE("changed files of PTX are refused, or their kernels end") {
  const std::string whole = test::read_file(test::data_folder() / "ptx" / "kernels_sm_80.ptx");
  const std::string text = whole.substr(0, whole.find("\n}\n", 30000) + 3);
  std::mt19937 random(static_cast<unsigned>(test::stream(5)));
  const std::string pieces[] = {"{",    "}",    "[", "]", ";", ",",  "%r1", "-", "0x",
                                ".reg", ".b32", "@", "!", ":", "\"", "/*",  "(", "99999999999999999999",
                                "\xff", "|",    "_"};
  int refused = 0;
  const int count = test::trials(200);
  for (int k = 0; k < count; ++k) {
    std::string changed = text;
    const bool only_digits = k % 2 == 0;  // other registers, offsets and numbers, which most often can be read
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      std::size_t at = random() % changed.size();
      if (only_digits) {
        at = std::min(changed.find_first_of("0123456789", at), changed.size() - 1);
        changed[at] = static_cast<char>('0' + random() % 10);
        continue;
      }
      switch (random() % 4) {
        case 0: changed[at] = static_cast<char>(random()); break;
        case 1: changed.erase(at, random() % 40); break;
        case 2: changed.insert(at, pieces[random() % std::size(pieces)]); break;
        default: changed.insert(at, changed.substr(random() % changed.size(), random() % 200)); break;
      }
    }
    if (!only_digits && random() % 10 == 0) changed.resize(random() % changed.size());
    ReadResult made = read(changed);
    if (made.mistake) {
      ++refused;
      CHECK(made.mistake->line > 0);
      continue;
    }
    launch_all(std::move(made.module));
  }
  CHECK(refused > count / 4);
  CHECK(refused < count);
}

TEST_CASE("places in functions that were put in place lead to the outermost caller") {
  using namespace reckon;
  const auto made = ptx::read(
      ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n.file 2 \"sync.h\"\n.entry k()\n{\n"
      ".loc 1 30 1\nret;\n"
      ".loc 2 10 5, function_name $L__info_string0, inlined_at 1 31 3\nret;\n"
      ".loc 2 20 7, function_name $L__info_string1, inlined_at 2 10 5\nret;\n"
      ".loc 2 20 7, function_name $L__info_string1, inlined_at 1 40 3\nret;\n}\n");
  REQUIRE(!made.mistake);
  std::vector<std::string> places;
  for (const auto& one : made.module.functions[0].instructions) places.push_back(made.module.place_text(one.place));
  CHECK(places ==
        std::vector<std::string>{"k.cu:30", "k.cu:31, in sync.h:10", "k.cu:31, in sync.h:20", "k.cu:40, in sync.h:20"});
}

TEST_CASE("an alignment behind `.ptr` is that of what a parameter points to") {
  // As nvcc writes it for sm_100.
  testing::Launcher gpu(
      ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 .ptr .align 1 a, .param "
      ".u32 n, .param .u64 .ptr .global .align 1 b, .param .align 16 .b8 s[4], .param .u8 c)\n{\nret;\n}\n");
  std::vector<std::uint32_t> offsets;
  for (const ParameterInfo& each : Program::parameters(gpu.kernel("k", testing::shape(1, 1))))
    offsets.push_back(each.offset);
  CHECK(offsets == std::vector<std::uint32_t>{0, 8, 16, 32, 36});
}
