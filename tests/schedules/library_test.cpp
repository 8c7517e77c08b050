// stdlib's schedules of GPU libraries against kernels played thread by thread in kernels.py.
#include "tests/schedules/support.h"

using namespace reckon::test;

TEST_CASE("stdlib's schedules of GPU libraries are what their kernels do") {
  const auto python = python_with("re");
  if (!python) return;
  std::vector<Case> ours, kernels;
  const auto compare = [&](int n, const std::string& schedule, const std::string& kernel) {
    ours.push_back({n, schedule});
    kernels.push_back({n, kernel});
  };
  for (int n : {1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100, 128, 500, 512, 1000, 1024, 4096, 4100}) {
    compare(n, "warp_shuffle", "warp");
    for (int items : {1, 3, 4, 16}) compare(n, fmt::format("cub_block({})", items), fmt::format("cub_block {}", items));
    for (int threads : {32, 128, 256}) {
      compare(n, fmt::format("cub_turns({})", threads), fmt::format("cub_agent {} 1", threads));
      const int share = threads * 2;
      compare(n, fmt::format("cub_device({}, 1, {})", threads, share),
              fmt::format("cub_device {} 1 {}", threads, share));
      compare(n, fmt::format("torch_strided({}, 4)", threads), fmt::format("torch_strided {} 4", threads));
      if (n % 4 == 0)
        compare(n, fmt::format("torch_vectors({}, 4)", threads), fmt::format("torch_vectors {} 4", threads));
    }
    if (n < 128 || n % 4 == 0) compare(n, "torch_sum", "torch");
  }
  for (int block : {64, 128, 256, 512, 1024, 2048}) {
    const int width = std::min(4, std::max(1, block / 128));
    for (int n : {block, block - 1, block / 2 + 3}) {
      if (block > 512 && n != block) continue;  // `arrange` is for the whole block
      compare(n, fmt::format("triton_sum({})", block), fmt::format("triton {} 128 {}", block, width));
    }
    compare(block, fmt::format("triton_block({}, 64, 1)", block), fmt::format("triton {} 64 1", block));
  }
  compare(4096, "cub_tile(256, 4)", "cub_tile 256 4");
  compare(1024, "cub_tile(64, 4)", "cub_tile 64 4");
  compare(4096, "cub_device(128, 4, 1024)", "cub_device 128 4 1024");
  compare(8192, "triton_block(8192, 256, 8)", "triton 8192 256 8");
  const auto here = trees_here(ours), there = trees_there(*python, "kernels.py", kernels);
  REQUIRE(here.size() == ours.size());
  REQUIRE(there.size() == ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    INFO(ours[i].schedule << " of " << ours[i].n << " and " << kernels[i].schedule);
    if (here[i] != there[i]) FAIL_CHECK("here " << here[i].substr(0, 4000) << "\nthere " << there[i].substr(0, 4000));
    CHECK(uses_each_leaf_once(here[i], ours[i].n));
  }
}
