// `reckon call --in=padic`: what tests/gpu/rings.rk and examples/algebra/ compute, compiled as interpreted.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

void check_both(const TemporaryFolder& folder, const std::string& file, const std::string& function,
                const std::vector<std::string>& arguments) {
  INFO(file << ", " << function);
  std::vector<std::string> call{"call",         (source_folder() / file).string(), "--fn", function, "--in=padic",
                                "--format=json"};
  for (const std::string& argument : arguments) call.push_back("--arg"), call.push_back(argument);
  call.push_back("--on=interp");
  const RunResult interpreted = reckon_in(folder.path(), call);
  call.back() = "--on=host";
  const RunResult compiled = reckon_in(folder.path(), call);
  CHECK(interpreted.status == 0);
  CHECK(compiled.status == 0);
  CHECK(interpreted.out.find("\"digits\"") != std::string::npos);
  CHECK(compiled.out == interpreted.out);
}

}  // namespace

TEST_CASE("padic: circuits compiled for the host show what the interpreter shows") {
  const TemporaryFolder folder;
  for (const char* function : {"field", "exponentials", "logarithms", "roots", "circles", "order", "steps", "sums"}) {
    check_both(folder, "tests/gpu/rings.rk", function, {"x=0.3,2,-0.7,-inf,0,11,1e-30", "y=0.2,3,0.5,1,0,-4,39119"});
  }
}

TEST_CASE("padic: softmax, products, attention compiled for the host") {
  const TemporaryFolder folder;
  std::string inputs;
  for (const char* each : {"x f32[9]", "a f32[5, 12]", "b f32[12, 7]", "q f32[6, 4]", "k f32[6, 4]", "v f32[6, 4]"}) {
    const std::string text = each;
    inputs +=
        "save \"" + text.substr(0, 1) + ".npy\" = normal(" + text.substr(2) + ", " + std::to_string(text[0]) + ")\n";
  }
  REQUIRE(reckon_in(folder.path(), {"run", "-"}, inputs).status == 0);
  for (const char* function : {"softmax", "shifted", "online", "parallel"}) {
    check_both(folder, "examples/algebra/online_softmax.rk", function, {"x=@x.npy"});
  }
  for (const char* function : {"matmul", "split_k"}) {
    check_both(folder, "examples/algebra/split_k.rk", function, {"a=@a.npy", "b=@b.npy"});
  }
  for (const char* file : {"examples/algebra/flash_attention.rk", "examples/algebra/causal_attention.rk"}) {
    for (const char* function : {"naive", "flash"})
      check_both(folder, file, function, {"q=@q.npy", "k=@k.npy", "v=@v.npy"});
  }
}
