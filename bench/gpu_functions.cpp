// On a machine with a GPU: every f32 argument of the elementary functions, PTX beside the interpreter, and the time that
// the kernel takes beside a copy's. What bench/exhaustive.cpp shows of the interpreter holds for the GPU then.
//
//   bench_gpu_functions RECKON [FUNCTION ...]      all functions, if none is named
//     RECKON_EVERY=1     one argument of so many, a power of 2
//     RECKON_THREADS=2   for the interpreter
#include <atomic>
#include <bit>
#include <cstring>
#include <thread>

#include "bench/gpu.h"
#include "ir/op.h"
#include "numerics/arrays.h"

namespace {

using namespace reckon;
using numerics::Function;

struct Row {
  const char* name;
  Function function;
  ir::Op op;
};
const Row rows[] = {
#define RECKON_FUNCTION(name) {#name, Function::name, ir::Op::name},
#include "numerics/functions.def"
    {"sqrt", Function::sqrt, ir::Op::sqrt}};

constexpr std::int64_t block = 1 << 24;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Elements whose results differ, NaNs being equal.
std::uint64_t compare(const Row& row, const ir::HostTensor& x, const ir::HostTensor& result) {
  const auto* in = reinterpret_cast<const float*>(x.bytes.data());
  const auto* out = reinterpret_cast<const float*>(result.bytes.data());
  std::atomic<std::uint64_t> different = 0;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    constexpr std::size_t piece = 1 << 14;
    std::vector<float> expected(piece);
    for (std::size_t start; (start = next.fetch_add(piece)) < block;) {
      numerics::elementary_array(row.function, numerics::Format::f32, in + start, expected.data(), piece);
      for (std::size_t i = 0; i < piece; ++i) {
        const float a = expected[i], b = out[start + i];
        if (std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (a != a && b != b)) continue;
        if (different++ == 0) {
          std::printf("  %s(%a): %a interpreted, %a on the GPU\n", row.name, static_cast<double>(in[start + i]),
                      static_cast<double>(a), static_cast<double>(b));
        }
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t t = setting("RECKON_THREADS", 2); t-- > 0;) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return different;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const auto copy_microseconds = [] {
    bench::Circuit copy(ir::Op::neg, ir::Scalar::f32);
    const ir::Dimensions sizes{{copy.module.symbol("n"), 4 * block}};
    auto program = bench::on_gpu(copy.module, copy.function, sizes);
    bench::check(program.upload(copy.module, {ir::HostTensor(ir::Scalar::f32, {4 * block})}));
    return bench::microseconds(program) / 4;
  }();
  std::printf("%s: arguments in blocks of 2^24; a negation takes %.1f us a block\n", bench::gpu()->device().name.c_str(),
              copy_microseconds);
  const auto every = static_cast<std::int64_t>(setting("RECKON_EVERY", 1));
  std::uint64_t total = 0;
  for (const Row& row : rows) {
    bool wanted = argument_count <= 2;
    for (int k = 2; k < argument_count; ++k) wanted |= std::strcmp(arguments[k], row.name) == 0;
    if (!wanted) continue;
    bench::Circuit circuit(row.op, ir::Scalar::f32);
    const ir::SymbolId n = circuit.module.symbol("n");
    auto large = bench::on_gpu(circuit.module, circuit.function, {{n, 4 * block}});
    ir::HostTensor x;
    x.scalar = ir::Scalar::f32;
    x.shape = {4 * block};
    x.bytes.resize(16 * block);
    // Ordinary arguments for the time: 2^-7 and above.
    for (std::int64_t i = 0; i < 4 * block; ++i) {
      const std::uint32_t bits = 0x3c000000u + static_cast<std::uint32_t>(i);
      std::memcpy(x.bytes.data() + 4 * i, &bits, 4);
    }
    bench::check(large.upload(circuit.module, {x}));
    const double time = bench::microseconds(large) / 4;

    auto program = bench::on_gpu(circuit.module, circuit.function, {{n, block}});
    x.shape = {block};
    x.bytes.resize(4 * block);
    std::uint64_t different = 0, checked = 0;
    for (std::int64_t start = 0; start < std::int64_t{1} << 32; start += every * block) {
      for (std::int64_t i = 0; i < block; ++i) {
        // One of each `every` neighbours, not always the same.
        const auto bits = static_cast<std::uint32_t>(start + i * every + (i * 2654435761 >> 16) % every);
        std::memcpy(x.bytes.data() + 4 * i, &bits, 4);
      }
      bench::check(program.upload(circuit.module, {x}));
      bench::check(program.launch());
      const auto results = bench::must(program.results());
      different += compare(row, x, results[0]);
      checked += block;
    }
    std::printf("%-6s %11llu arguments, %llu differ; %7.1f us a block, %.2f of a negation\n", row.name,
                static_cast<unsigned long long>(checked), static_cast<unsigned long long>(different), time,
                time / copy_microseconds);
    std::fflush(stdout);
    total += different;
  }
  return total == 0 ? 0 : 1;
}
