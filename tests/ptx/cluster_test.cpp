// Races on the shared memory of other blocks of a cluster, which are reached by addresses of `mapa`.
#include "tests/ptx/launched.h"

namespace {

using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using Catch::Contains;

/// What two blocks of a cluster find. `%r9` is the own rank, `%r3` the thread's place in the block's shared memory,
/// `%r4` the same one in the other block. The body begins in line 12.
std::string found_in_cluster(const std::string& body, std::uint64_t seed = 0) {
  const std::string text =
      ".version 8.1\n.target sm_90\n.address_size 64\n\n.visible .entry k(.param .u64 out) .reqntid 64 "
      ".reqnctapercluster 2\n{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.shared .align 16 .b8 "
      "room[1024];\nld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, room; add.s32 "
      "%r3, "
      "%r2, %r1; mov.u32 %r9, %cluster_ctarank; xor.b32 %r8, %r9, 1; mapa.shared::cluster.u32 %r4, %r3, %r8; "
      "setp.eq.u32 %p0, %r9, 0; mov.u32 %r6, 0; mov.u32 %r7, 7;\n" +
      body + "\nret;\n}\n";
  Launcher gpu(text);
  LaunchOptions options = shape(2, 64);
  options.seed = seed;
  return Launcher::text(gpu.run("k", options, gpu.put(std::vector<int>(128, 0))));
}

const std::string all_meet = "\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

}  // namespace

TEST_CASE("blocks of a cluster that reach one's shared memory without a barrier between them race, with both lines") {
  const std::string own_write = "st.shared.u32 [%r3], %r9;", far_read = "ld.shared::cluster.u32 %r6, [%r4];",
                    far_write = "st.shared::cluster.u32 [%r4], %r7;", own_read = "ld.shared.u32 %r6, [%r3];";
  const std::string last = all_meet;  // nobody ends while others reach its memory
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    // Each block writes its own, and reads the other's.
    CHECK(found_in_cluster(own_write + all_meet + far_read + last, seed).empty());
    CHECK_THAT(found_in_cluster(own_write + "\n" + far_read + last, seed),
               Contains("race: block") && Contains("of shared memory of block") && Contains("line 12") &&
                   Contains("line 13"));
    // Each block writes the other's, and reads its own.
    CHECK(found_in_cluster(far_write + all_meet + own_read + last, seed).empty());
    CHECK_THAT(found_in_cluster(own_write + all_meet + far_write + "\n" + own_read + last, seed),
               Contains("race: block") && Contains("line 14") && Contains("line 15"));
    // A write after a read of before.
    CHECK_THAT(found_in_cluster(own_write + all_meet + far_read + "\n" + own_write + last, seed),
               Contains("race: block") && Contains("line 14") && Contains("line 15"));
    CHECK(found_in_cluster(own_write + all_meet + far_read + all_meet + own_write + last, seed).empty());
    // Both blocks write to the first one.
    CHECK_THAT(found_in_cluster("@%p0 st.shared.u32 [%r3], %r0;\n@!%p0 st.shared::cluster.u32 [%r4], %r7;" + last,
                                seed),
               Contains("race: block") && Contains("writes there, too"));
    CHECK(found_in_cluster(own_write + all_meet +
                               "@%p0 red.shared.add.u32 [%r3], 1;\n@!%p0 red.shared::cluster.add.u32 [%r4], 1;" + last,
                           seed)
              .empty());
    // The barrier orders what is in global memory, too.
    CHECK(found_in_cluster("mul.wide.u32 %rd1, %r1, 1; add.s64 %rd2, %rd0, %rd1; @%p0 st.global.u32 [%rd2], %r7;" +
                               all_meet + "@!%p0 ld.global.u32 %r6, [%rd2];",
                           seed)
              .empty());
  }
}

TEST_CASE("an mbarrier at which another block of the cluster arrives orders what that block did before") {
  // Block 1 writes to block 0 and arrives at its mbarrier, for which block 0 waits before it reads.
  const auto body = [](bool waits) {
    return "setp.eq.u32 %p1, %r0, 0; mov.u32 %r10, room; add.s32 %r10, %r10, 512; @%p1 mbarrier.init.shared.b64 "
           "[%r10], "
           "64; fence.mbarrier_init.release.cluster; mapa.shared::cluster.u32 %r11, %r10, 0;" +
           all_meet +
           "@!%p0 st.shared::cluster.u32 [%r4], %r7;\n@!%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
           "[%r11];\n" +
           (waits ? "@!%p0 bra done;\nwait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r10], 0; "
                    "@!%p2 bra wait;\n"
                  : "@!%p0 bra done;\n") +
           "ld.shared.u32 %r6, [%r3];\ndone:" + all_meet;
  };
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    CHECK(found_in_cluster(body(true), seed).empty());
    CHECK_THAT(found_in_cluster(body(false), seed), Contains("race: block"));
  }
}

TEST_CASE("an arrival that completes no phase may not be the last one that an mbarrier waits for") {
  const auto body = [](const std::string& expected) {
    return "setp.eq.u32 %p1, %r0, 0; mov.u32 %r10, room; @%p1 mbarrier.init.shared.b64 [%r10], " + expected +
           "; bar.sync 0;\nmbarrier.arrive.noComplete.shared.b64 %rd5, [%r10], 2;\nbar.sync 0; @%p1 "
           "mbarrier.arrive.shared.b64 %rd5, [%r10]; bar.sync 0;\nmbarrier.test_wait.parity.shared.b64 %p2, [%r10], 0; "
           "@!%p2 trap;";
  };
  CHECK(found_in_cluster(body("129")).empty());
  CHECK_THAT(found_in_cluster(body("128")),
             Contains("line 13") && Contains("`.noComplete` says that this completes no phase"));
}
