// What no kernel should do is found, with its line; what cannot be run is refused.
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using Catch::Contains;

/// A kernel `k(out)` of this body, which begins in line 12.
std::string kernel(const std::string& body, const std::string& before = {}) {
  return ".version 8.1\n.target sm_90\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>; .reg .b16 "
         "%h<9>;\n.shared .align 16 .b8 room[1024];\nld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, "
         "%r0, 4; add.s64 %rd2, %rd0, %rd1; shl.b32 %r1, %r0, 2; mov.u32 %r2, room; add.s32 %r3, %r2, %r1;\n" +
         body + "\nret;\n}\n";
}

/// What a launch of the kernel finds, with memory for 64 numbers.
std::string found(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1,
                  std::uint64_t budget = 1000000) {
  Launcher gpu(kernel(body));
  LaunchOptions options = shape(blocks, threads);
  options.most_instructions = budget;
  return Launcher::text(gpu.run("k", options, gpu.put(std::vector<int>(64, 0))));
}

std::string edited(std::string text, const std::string& what, const std::string& by, std::size_t number = 0) {
  std::size_t at = text.find(what);
  for (std::size_t k = 0; k < number; ++k) at = text.find(what, at + 1);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

/// From a kernel of tests/data/ptx/ on.
std::string part_of(const std::string& entry) {
  const std::string text = cuda_text("kernels", "sm_90");
  const std::size_t begin = text.find(".visible .entry " + entry + "("), end = text.find(".visible .entry", begin + 1);
  return text.substr(0, text.find(".visible .entry")) + text.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("the emulator finds accesses that lead nowhere") {
  CHECK(found("st.global.u32 [%rd2], %r0;").empty());
  CHECK_THAT(found("st.global.u32 [%rd2+4], %r0;"),
             Contains("line 12: stores 4 bytes at") && Contains("that is 0 bytes after the 256 bytes of memory 1"));
  CHECK_THAT(found("\nld.global.u32 %r4, [%rd0+-8];"),
             Contains("line 13: loads 4 bytes at") && Contains("8 bytes before the 256 bytes"));
  CHECK_THAT(found("st.global.u32 [%rd2+2], %r0;"), Contains("is no multiple of 4"));
  CHECK_THAT(found("mov.u64 %rd3, 12345; st.u32 [%rd3+3], %r0;"), Contains("no memory of the launch is near"));
  CHECK_THAT(found("st.shared.u32 [%r3+1000], %r0;"), Contains("are beyond the 1024 that the block has"));
  CHECK_THAT(found(".local .b32 own[4]; st.local.u32 [own+16], %r0;"),
             Contains("offset 16 is beyond the 16 bytes of local memory"));
  // The end of such an access is address 0.
  CHECK_THAT(found("ld.global.u64 %rd3, [%rd0]; mov.u64 %rd4, -8; st.global.u64 [%rd4], %rd3;"),
             Contains("stores 8 bytes at 0xfffffffffffffff8"));
  CHECK_THAT(found("mov.u64 %rd4, -8; ld.param.u64 %rd3, [%rd4]; st.global.u64 [%rd0], %rd3;"),
             Contains("is beyond the 8 bytes of parameters"));
  CHECK_THAT(found("trap;"), Contains("the kernel traps"));
}

TEST_CASE("a division by 0 is found where its result is used, and compilers may divide before they know the divisor") {
  const std::string by_zero = "div.u32 %r4, %r0, 0;\n";
  const auto is_found = [&](const std::string& use) {
    INFO(use);
    const std::string text = found(by_zero + use);
    const bool is_there = text.find("line 12: an integer is divided by 0") != std::string::npos;
    CHECK((is_there || text.empty()));
    return is_there;
  };
  CHECK_FALSE(is_found(""));
  CHECK_FALSE(is_found(
      "add.u32 %r4, %r4, 1; setp.eq.u32 %p0, %r0, %r0; selp.b32 %r4, %r0, %r4, %p0; st.global.u32 [%rd2], %r4;"));
  CHECK_FALSE(is_found("mov.u32 %r4, 1; st.global.u32 [%rd2], %r4;"));
  CHECK(is_found("st.global.u32 [%rd2], %r4;"));
  CHECK(is_found("add.u32 %r4, %r4, 1; st.global.u32 [%rd2], %r4;"));
  CHECK(is_found("setp.eq.u32 %p0, %r0, %r0; selp.b32 %r4, %r4, %r0, %p0; st.global.u32 [%rd2], %r4;"));
  CHECK(is_found("setp.eq.u32 %p0, %r4, 3; @%p0 st.global.u32 [%rd2], %r0;"));
  CHECK(is_found("setp.eq.u32 %p0, %r4, 3; @%p0 bra over; st.global.u32 [%rd2], %r0; over:"));
  CHECK(is_found("st.shared.u32 [%r3], %r4;"));
  CHECK(is_found("cvt.u64.u32 %rd3, %r4; and.b64 %rd3, %rd3, 0; add.u64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r0;"));
  CHECK(is_found("shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1; st.global.u32 [%rd2], %r4;"));
}

TEST_CASE("a thread takes local memory by alloca until it returns, and not more than there is") {
  const std::string takes =
      "mov.u64 %rd5, 64; alloca.u64 %rd4, %rd5; st.local.u32 [%rd4+60], %r0; ld.local.u32 %r4, [%rd4+60]; "
      "st.global.u32 [%rd2], %r4;\n";
  CHECK(found(takes).empty());
  CHECK_THAT(found(takes + "st.local.u32 [%rd4+64], %r0;"),
             Contains("line 13") && Contains("is beyond the 64 bytes of local memory"));
  CHECK_THAT(found("mov.u64 %rd5, 600000; alloca.u64 %rd4, %rd5;"),
             Contains("600000 bytes are more than the 524288 that are left"));
  // A loop that takes without giving back, and one that gives back.
  const std::string loop =
      "mov.u32 %r5, 0;\nagain: GAVE mov.u64 %rd5, 4096; alloca.u64 %rd4, %rd5; st.local.u32 [%rd4], %r5; BACK add.u32 "
      "%r5, %r5, 1; setp.lt.u32 %p1, %r5, 200; @%p1 bra again;";
  CHECK_THAT(found(edited(edited(loop, "GAVE", ""), "BACK", ""), 32),
             Contains("4096 bytes are more than the 0 that are left"));
  CHECK(found(edited(edited(loop, "GAVE", "stacksave.u64 %rd6;"), "BACK", "stackrestore.u64 %rd6;"), 32).empty());
  CHECK_THAT(found("mov.u64 %rd6, 32; stackrestore.u64 %rd6;"),
             Contains("to what no `stacksave` of this function gave"));
}

TEST_CASE("a function's local variables lie at multiples of their alignment, whatever its callers have") {
  const std::string inner =
      ".func (.param .b64 r) inner (.param .b64 a)\n{\n.reg .b64 %rd<9>;\n.local .align 64 .b8 mine[64];\n"
      "mov.u64 %rd0, mine; and.b64 %rd1, %rd0, 63; ld.param.u64 %rd2, [a]; st.local.u64 [mine+56], %rd2;\n"
      "ld.local.u64 %rd3, [mine+56]; add.u64 %rd3, %rd3, %rd1; st.param.b64 [r], %rd3; ret;\n}\n";
  Launcher gpu(kernel(
      ".local .align 8 .b8 own[24]; st.local.u64 [own+16], %rd0;\n"
      "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 640; call.uni (r), inner, (a); ld.param.b64 %rd4, [r]; }\n"
      "ld.local.u64 %rd5, [own+16]; cvt.u32.u64 %r4, %rd4; st.global.u32 [%rd2], %r4;\n"
      "setp.ne.u64 %p0, %rd5, %rd0; @%p0 trap;",
      inner));
  const std::uint64_t out = gpu.put(std::vector<int>(40, 0));
  gpu.clean("k", shape(1, 40), out);
  CHECK(gpu.get<int>(out, 40) == std::vector<int>(40, 640));
}

TEST_CASE("the emulator finds memory of the heap that is used after it was freed, freed twice, or never given") {
  const std::string heap =
      ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n";
  const auto launched = [&](const std::string& body) {
    const std::string text = kernel(
        "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call.uni (r), malloc, (a); ld.param.b64 %rd4, [r]; }\n" +
            body,
        heap);
    Launcher gpu(text);
    return Launcher::text(gpu.run("k", shape(1, 1), gpu.put(std::vector<int>(64, 0))));
  };
  const std::string give_back = "{ .param .b64 a; st.param.b64 [a], %rd4; call.uni free, (a); }\n";
  const std::string uses = "st.global.u32 [%rd4+60], %r0; ld.u32 %r4, [%rd4+60]; st.global.u32 [%rd0], %r4;\n";
  CHECK(launched(uses + give_back).empty());
  CHECK(launched("mov.u64 %rd4, 0;" + give_back).empty());
  CHECK_THAT(launched("st.global.u32 [%rd4+64], %r0;"),
             Contains("stores 4 bytes") && Contains("0 bytes after the 64 bytes of memory of `malloc`"));
  CHECK_THAT(launched("ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd0], %r4;"), Contains("nobody"));
  CHECK_THAT(launched(uses + give_back + uses), Contains("line 17") && Contains("`free` has taken that memory back"));
  CHECK_THAT(launched(give_back + give_back), Contains("which `malloc` did not give or which was freed before"));
  CHECK_THAT(launched("mov.u64 %rd4, %rd0;" + give_back), Contains("which `malloc` did not give"));
  // A heap of 8 MB: 129 pieces of 64 KB are too many, and the last ones are told so.
  Launcher gpu(kernel(
      "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 65536; call.uni (r), malloc, (a); ld.param.b64 %rd4, [r]; }\n"
      "setp.ne.u64 %p0, %rd4, 0; selp.u32 %r4, 1, 0, %p0; st.global.u32 [%rd2], %r4;",
      heap));
  const std::uint64_t out = gpu.put(std::vector<int>(160, 0));
  gpu.clean("k", shape(1, 160), out);
  const auto given = gpu.get<int>(out, 160);
  CHECK(std::count(given.begin(), given.end(), 1) == 128);
}

TEST_CASE("the emulator finds races, with both lines") {
  const std::string exchange =
      "st.shared.u32 [%r3], %r0;\nbar.sync 0;\nxor.b32 %r4, %r1, 128; add.s32 %r4, %r4, %r2; ld.shared.u32 %r5, [%r4]; "
      "st.global.u32 [%rd2], %r5;";
  CHECK(found(exchange).empty());
  CHECK_THAT(found(edited(exchange, "bar.sync 0;", "")), Contains("race: warp") &&
                                                             Contains("byte 128 of shared memory") &&
                                                             Contains("line 12") && Contains("line 14"));
  // Lanes of one warp that store different values to one place, and the same value.
  CHECK_THAT(found("st.shared.u32 [room], %r0;", 32),
             Contains("race: lanes 0 and 1 of a warp store different values to one place"));
  CHECK(found("st.shared.u32 [room], 7;", 32).empty());
  // Local variables of the lanes have one generic address, and are many places.
  CHECK(found(".local .b32 own[4]; mov.u64 %rd4, own; cvta.local.u64 %rd4, %rd4; st.u32 [%rd4], %r0;", 32).empty());
  // Blocks, with and without an atomic operation that orders them.
  CHECK_THAT(found("mov.u32 %r4, %ctaid.x; st.global.u32 [%rd0], %r4;", 1, 2),
             Contains("race: block 1 writes byte 0 of memory 1 here, and block 0 writes there, too"));
  // The same value by two blocks, and by two warps, as Triton stores what several warps have: which is last does not
  // matter.
  CHECK(found("st.global.u32 [%rd0], 7;", 1, 2).empty());
  CHECK(found("st.shared.u32 [room], 7;").empty());
  CHECK(found("red.global.add.u32 [%rd0], 7;", 1, 2).empty());
  CHECK_THAT(found("mov.u32 %r4, %ctaid.x; setp.eq.u32 %p0, %r4, 0; @%p0 st.global.u32 [%rd0], 7; @%p0 membar.gl; "
                   "atom.global.add.u32 %r5, [%rd0+4], 1;\n@!%p0 ld.global.u32 %r6, [%rd0];",
                   1, 2),
             Catch::Equals(""));
  CHECK_THAT(found("mov.u32 %r4, %ctaid.x; setp.eq.u32 %p0, %r4, 0; @%p0 st.global.u32 [%rd0], 7; atom.global.add.u32 "
                   "%r5, [%rd0+4], 1;\n@!%p0 ld.global.u32 %r6, [%rd0];",
                   1, 2),
             Contains("race"));
  // A copy that nobody waits for lands too late.
  const std::string copy =
      "add.s64 %rd3, %rd0, %rd1; cp.async.ca.shared.global [%r3], [%rd3], 4; "
      "cp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 %r5, [%r3]; st.global.u32 [%rd2], %r5;";
  CHECK(found(copy, 32).empty());
  CHECK_THAT(found(edited(copy, "cp.async.wait_group 0;", ""), 32), Contains("comes from memory nobody wrote"));
}

TEST_CASE("the emulator finds values that nobody wrote where they are used") {
  CHECK_THAT(found("ld.shared.u32 %r5, [%r3]; add.u32 %r6, %r5, 1;\nst.global.u32 [%rd2], %r6;"),
             Contains("line 13: a value is stored that comes from memory nobody wrote"));
  CHECK_THAT(found(
                 "ld.shared.u32 %r5, [%r3]; setp.eq.u32 %p0, %r5, 1;\n@%p0 bra done; st.global.u32 [%rd2], %r0; done:"),
             Contains("a value decides here"));
  CHECK(found("ld.shared.u32 %r5, [%r3];").empty());
  CHECK(
      found(
          "ld.shared.u32 %r5, [%r3]; setp.lt.u32 %p0, %r0, 99; selp.u32 %r6, %r0, %r5, %p0; st.global.u32 [%rd2], %r6;")
          .empty());
}

TEST_CASE("the emulator finds threads that wait for ever") {
  CHECK_THAT(found("setp.lt.u32 %p0, %r0, 32;\n@%p0 bar.sync 0;\n@!%p0 bar.sync 1;"),
             Contains("deadlock: threads wait here for others that do not come") && Contains("line 14"));
  CHECK_THAT(found("setp.lt.u32 %p0, %r0, 16;\n@%p0 bra other; bar.warp.sync -1; ret;\nother: bar.warp.sync -1;", 32),
             Contains("deadlock"));
  CHECK_THAT(found("mbarrier.init.shared.b64 [room], 1; again: mbarrier.try_wait.parity.shared.b64 %p0, [room], "
                   "0;\n@!%p0 bra again;",
                   1, 1, 1u << 30),
             Contains("deadlock"));
  CHECK_THAT(found("again:\nbra again;"), Contains("line 13: endless loop: threads come here again and again"));
  // One that counts, in a register or in memory, ends some day.
  for (const char* body :
       {"again:\nadd.u64 %rd3, %rd3, 1; bra again;", "again:\natom.global.add.u32 %r4, [%rd0], 1; bra again;",
        "again:\nmov.u64 %rd3, %clock64; bra again;"}) {
    INFO(body);
    CHECK_THAT(found(body), Contains("did not end within 1000000 instructions"));
  }
  // Threads of one warp that wait for a word which another warp writes late.
  CHECK(found(".reg .b32 %k; mov.u32 %k, 30000; setp.lt.u32 %p0, %r0, 32; @%p0 bra wait;\nlong: sub.u32 %k, %k, 1; "
              "setp.ne.u32 %p1, %k, 0; @%p1 bra long; st.volatile.global.u32 [%rd0], 1; bra done;\nwait: "
              "ld.volatile.global.u32 %r4, [%rd0]; setp.eq.u32 %p1, %r4, 0; @%p1 bra wait;\ndone:",
              64, 1, 100000000)
            .empty());
  CHECK_THAT(found("setp.lt.u32 %p0, %r0, 32; @%p0 bra wait;\nbra done;\nwait: ld.volatile.global.u32 %r4, [%rd0]; "
                   "setp.eq.u32 %p1, %r4, 0; @%p1 bra wait;\ndone:"),
             Contains("line 14: endless loop"));
  CHECK_THAT(found("setp.lt.u32 %p0, %r0, 32; @%p0 bra a;\nbar.sync 0; bra b;\na: bar.sync 0; b:"),
             Contains("divergent barrier: threads wait here while others of their block wait at line"));
  CHECK_THAT(found("mbarrier.arrive.shared.b64 _, [room];", 1), Contains("none was initialised there"));
  CHECK_THAT(found("setp.lt.u32 %p0, %r0, 8;\n@%p0 shfl.sync.idx.b32 %r4, %r0, 0, 31, 0xfffffff0;", 32),
             Contains("does not name it"));
}

TEST_CASE("what is planted in a user's kernel is found") {
  const std::string reduction = part_of("sum_by_halves");
  std::vector<float> x(1000, 1.0f);
  const auto sums = [&](const std::string& text, int n) {
    Launcher gpu(text);
    const std::uint64_t in = gpu.put(x), out = gpu.room(8);
    const LaunchReport report = gpu.run("sum_by_halves", shape(2, 256), in, out, n);
    return std::pair{Launcher::text(report), report.fault ? std::vector<float>{} : gpu.get<float>(out, 2)};
  };
  CHECK(sums(reduction, 1000).first.empty());
  CHECK(sums(reduction, 1000).second == std::vector<float>{512, 488});
  // A barrier less, wherever it was.
  std::size_t barriers = 0;
  while (true) {
    std::size_t at = 0;
    for (std::size_t k = 0; k <= barriers && at != std::string::npos; ++k) at = reduction.find("bar.sync", at + 1);
    if (at == std::string::npos) break;
    INFO("barrier " << barriers);
    CHECK_THAT(sums(edited(reduction, "bar.sync", "// bar.sync", barriers), 1000).first, Contains("race: warp"));
    ++barriers;
  }
  CHECK(barriers >= 2);
  // A tail that is not masked.
  CHECK_THAT(sums(reduction, 1001).first, Contains("that is 0 bytes after the 4000 bytes of memory 1"));
}

TEST_CASE("launches that no GPU carries out are refused") {
  Launcher gpu(kernel(""));
  CHECK_THAT(gpu.launch_refusal("k", shape(1, 100000)), Contains("a block has 1 to 1024 threads, not 100000"));
  CHECK_THAT(gpu.launch_refusal("k", shape(0, 32)), Contains("a grid has 1 to 2^31 blocks"));
  LaunchOptions options = shape(1, 32);
  options.dynamic_shared_bytes = 300000;
  CHECK_THAT(gpu.launch_refusal("k", options), Contains("more than the 232448 that a block may have"));
  std::uint32_t line = 0;
  CHECK_THAT(Launcher(kernel("\ntex.1d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [room, {%r5}];")).refusal("k", &line),
             Contains("the emulator does not know `tex.1d.v4.f32.f32`: it has no textures"));
  CHECK(line == 13);
  for (const auto& [body, what] :
       {std::pair{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, "
                  "{%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, %r5, 0;",
                  "it has no sparse products"},
        std::pair{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r1,%r2,%r3,%r4}, %rd1, %rd2, %r1, 0, 1, 1, "
                  "1, 0, 0;",
                  "it has no sparse products"},
        std::pair{"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 "
                  "{%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4}, %r5, {%h0,%h1}, %r6, {%h0,%h1};",
                  "it has no block-scaled products"},
        std::pair{"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1,%r2}, {%r3}, {%r4}, {%r1,%r2};",
                  "it has no products of integers of 1 and 4 bits"},
        std::pair{"suld.b.2d.b32.trap {%r1}, [%rd1, {%r2,%r3}];", "it has no surfaces"},
        std::pair{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;", "it has no tensor memory"},
        std::pair{"cvt.rn.satfinite.e2m1x2.f32 %h1, %r1, %r2;", "it has no floats of 4 and 6 bits"},
        std::pair{"multimem.ld_reduce.relaxed.sys.global.add.f32 %r1, [%rd0];",
                  "it has no memory that several GPUs share"}}) {
    INFO(body);
    CHECK_THAT(Launcher(kernel(std::string("\n") + body)).refusal("k", &line), Contains(what));
    CHECK(line == 13);
  }
  CHECK_THAT(Launcher(kernel("\nadd.u32 %r1, %r2, %rd1;")).refusal("k"),
             Contains("`%rd1` has 64 bits, but `add.u32` needs 32"));
  CHECK_THAT(Launcher(kernel("\nwmma.load.b.sync.aligned.col.m2147483647n8k16.s8 {%r4}, [%rd0], %r2;")).refusal("k"),
             Contains("the emulator does not know `wmma.load.b"));
  CHECK_THAT(Launcher(kernel("\nadd.u32 %r1, %r2;")).refusal("k"), Contains("`add.u32` has 3 operands, not 2"));
  for (const char* body : {"and.b32 _, %r1, 1;", "selp.b32 _, %r1, %r2, %p1;", "cvt.u64.u32 _, %r1;", "mov.u32 _, %r1;",
                           "add.f32 _, %r1, %r2;", "add.s32 _, %r1, %r2;", "brev.b32 _, %r1;"}) {
    INFO(body);
    CHECK_THAT(Launcher(kernel(body)).refusal("k"), Contains("needs a register for its result"));
  }
  CHECK(found("atom.global.add.u32 _, [%rd2], 1;").empty());
  CHECK(found("mov.b64 {_, %r4}, %rd2; xor.b32 %r4, %r4, %r4; st.global.u32 [%rd2], %r4;").empty());
  for (const char* variable : {".shared .b8 large[20000000];", ".local .b8 large[20000000];"}) {
    INFO(variable);
    CHECK_THAT(Launcher(kernel(std::string(variable) + " mov.u32 %r4, large;")).refusal("k"),
               Contains("with `large` there are more than 16777216 bytes of such variables"));
  }
  CHECK_THAT(Launcher(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b8 p[2000000]) { ret; }\n")
                 .refusal("k"),
             Contains("with `p` there are more than 1048576 bytes of such variables"));
  CHECK_THAT(Launcher(kernel("")).refusal("nothing"), Contains("there is no kernel `nothing`: the file has `k`"));
}

TEST_CASE("vectors of atomics add to each element") {
  Launcher gpu(kernel(
      ".reg .f32 %f<2>; mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000;\nred.global.add.v2.f32 [%rd0], {%f0, %f1};"));
  const std::uint64_t at = gpu.put(std::vector<float>{10, 20});
  gpu.clean("k", shape(1, 32), at);
  CHECK(gpu.get<float>(at, 2) == std::vector<float>{42, 84});
}
