// Every f32, f16 and bf16 argument of the elementary functions: the evidence for numerics/functions/.
//
//   bench_exhaustive RECKON [FUNCTION ...]        all functions, if none is named
//     RECKON_SLICES=64          of 2^26 f32 arguments each; every function's slices that the log lacks are checked
//     RECKON_EVERY=1            one argument of so many
//     RECKON_THREADS=2
//     RECKON_LOG=exhaustive.log a line for each slice done: what is there is not done again
//
// `mpirun -n N bench_exhaustive RECKON ...` deals the slices to N ranks. What is done is kept in RECKON_LOG.done while it
// runs, from which a job that was killed goes on; the lines are added to the log at the end, in order.
//
// Checked is the code compiled for the host, and the interpreter's against it. The reference shares nothing with them:
// glibc's x87 functions, whose documented errors are a few units in the 64th bit, decide unless they are within 2^9 such
// units of a rounding boundary; what they leave open, subnormal results and the 16-bit formats are MPFR's, which rounds
// correctly.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/arguments.h"
#include "bench/kernel.h"
#include "numerics/arrays.h"
#include "numerics/format.h"
#include "runtime/file.h"
#include "runtime/mpi/sweeps.h"

namespace {

using namespace reckon;
using namespace reckon::bench;

float reference(const Row& row, float x, Mpfr& mpfr, Tally& tally) {
  const long double value = row.wide(static_cast<long double>(x));
  if (value != value) return std::numeric_limits<float>::quiet_NaN();
  if (value == 0 || std::isinf(value)) return static_cast<float>(value);
  if (std::fabs(value) > 0x1p-120L && std::fabs(value) < 0x1.fffffep127L) {
    int exponent = 0;
    const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 64));
    const auto dropped = static_cast<std::int64_t>(significand & ((std::uint64_t{1} << 40) - 1));
    const std::int64_t from_boundary = dropped - (std::int64_t{1} << 39);
    if (from_boundary > 512 || from_boundary < -512) return static_cast<float>(value);
  }
  ++tally.by_mpfr;
  return static_cast<float>(mpfr(row, static_cast<double>(x)));
}

constexpr std::uint64_t block = 1 << 16;

Tally check_f32(const Row& row, const bench::Kernel& kernel, std::uint64_t begin, std::uint64_t end, std::uint64_t every,
                std::string& examples) {
  Tally total;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{begin};
  auto work = [&] {
    Tally tally;
    Mpfr mpfr(Format::f32);
    std::vector<float> x, compiled, interpreted;
    for (std::uint64_t start; (start = next.fetch_add(block * every)) < end;) {
      x.clear();
      for (std::uint64_t i = start; i < start + block * every && i < end; i += every) {
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(i)));
      }
      compiled.resize(x.size());
      interpreted.resize(x.size());
      kernel(x, compiled);
      numerics::elementary_array(row.function, Format::f32, x.data(), interpreted.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float expected = reference(row, x[i], mpfr, tally);
        const auto bits = std::bit_cast<std::uint32_t>(expected);
        ++tally.arguments;
        tally.checksum += (bits ^ 0x9e3779b97f4a7c15u) * (2 * (start + i * every) + 1);
        auto same = [&](float result) {
          return std::bit_cast<std::uint32_t>(result) == bits || (expected != expected && result != result);
        };
        if (same(compiled[i]) && same(interpreted[i])) continue;
        if (++tally.mismatches <= 3) {
          const std::scoped_lock lock(mutex);
          examples += fmt::format("  {}({:a}): {:a} compiled, {:a} interpreted, should be {:a}\n", row.name, x[i], compiled[i],
                                  interpreted[i], expected);
        }
      }
    }
    const std::scoped_lock lock(mutex);
    total.add(tally);
  };
  std::vector<std::thread> threads;
  for (std::uint64_t t = setting("RECKON_THREADS", 2); t-- > 0;) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return total;
}

Tally check_16(const Row& row, Format format, std::string& examples) {
  const bench::Kernel kernel(row.op, format == Format::f16 ? ir::Scalar::f16 : ir::Scalar::bf16);
  Tally tally;
  Mpfr mpfr(format);
  std::vector<std::uint16_t> x(65536), compiled(x.size()), interpreted(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  kernel(x, compiled);
  numerics::elementary_array(row.function, format, x.data(), interpreted.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t expected = numerics::round_f64(mpfr(row, numerics::widen(i, format)), format);
    ++tally.arguments;
    ++tally.by_mpfr;
    tally.checksum += (expected ^ 0x9e3779b97f4a7c15u) * (2 * i + 1);
    auto same = [&](std::uint64_t bits) {
      return bits == expected || (numerics::is_nan(bits, format) && numerics::is_nan(expected, format));
    };
    if (same(compiled[i]) && same(interpreted[i])) continue;
    if (++tally.mismatches <= 3) {
      examples += fmt::format("  {} of {:04x}: {:04x} compiled, {:04x} interpreted, should be {:04x}\n", row.name, i,
                              compiled[i], interpreted[i], expected);
    }
  }
  return tally;
}

/// A format of 16 bits, or a slice of f32.
struct Task {
  const Row* row = nullptr;
  std::optional<Format> format;
  std::uint64_t slice = 0;
  std::string name;
};

/// What a task showed.
struct Done {
  std::string name;
  Tally tally;
  std::string examples;
};

/// All tasks, of which the log's are passed over.
class Tasks : public sweep::Sweep {
 public:
  Tasks(std::vector<Task> tasks, std::uint64_t slices, std::uint64_t every, std::set<std::string> logged)
      : Sweep(0, static_cast<std::int64_t>(tasks.size())), tasks_(std::move(tasks)), slices_(slices), every_(every),
        logged_(std::move(logged)) {}

  std::uint64_t key() const override {
    std::uint64_t out = sweep::empty_hash;
    for (const Task& task : tasks_) out = sweep::hashed(task.name + (logged_.contains(task.name) ? " logged" : "\n"), out);
    return out;
  }
  sweep::Part run(std::int64_t first, std::int64_t last) override {
    sweep::Part out{first, first, false, {}};
    for (; out.last < last && !stop_; ++out.last) {
      const Task& task = tasks_[static_cast<std::size_t>(out.last)];
      if (!logged_.contains(task.name)) out.seen += packed(carried_out(task));
    }
    return out;
  }
  std::string merged(const std::string& earlier, const std::string& later) const override { return earlier + later; }
  void cancel(bool on) override { stop_ = on; }
  bool stopped() const override { return false; }
  void abandon() override { stop_ = true; }

  static std::vector<Done> unpacked(const std::string& bytes) {
    std::vector<Done> out;
    for (sweep::Reader in(bytes); in.good() && !in.at_end();) {
      Done& done = out.emplace_back();
      done.name = in.text();
      for (std::uint64_t* each : members(done.tally)) *each = in.number();
      done.examples = in.text();
    }
    return out;
  }

 private:
  static std::array<std::uint64_t*, 4> members(Tally& tally) {
    return {&tally.arguments, &tally.by_mpfr, &tally.mismatches, &tally.checksum};
  }
  static std::string packed(Done done) {
    sweep::Writer out;
    out.text(done.name);
    for (const std::uint64_t* each : members(done.tally)) out.number(*each);
    out.text(done.examples);
    return out.bytes;
  }
  Done carried_out(const Task& task) {
    Done out{task.name, {}, {}};
    if (task.format) {
      out.tally = check_16(*task.row, *task.format, out.examples);
      return out;
    }
    if (compiled_ != task.row) kernel_.emplace(task.row->op, ir::Scalar::f32);
    compiled_ = task.row;
    const std::uint64_t all = std::uint64_t{1} << 32, size = all / slices_;
    out.tally = check_f32(*task.row, *kernel_, task.slice * size, task.slice + 1 == slices_ ? all : (task.slice + 1) * size,
                          every_, out.examples);
    return out;
  }

  std::vector<Task> tasks_;
  std::uint64_t slices_, every_;
  std::set<std::string> logged_;
  std::atomic<bool> stop_ = false;
  std::optional<bench::Kernel> kernel_;
  const Row* compiled_ = nullptr;
};

std::string name_of(const Row& row, std::uint64_t every, std::uint64_t slice, std::uint64_t slices) {
  return fmt::format("{} f32 1/{} slice {} of {}", row.name, every, slice, slices);
}

/// All tasks' results, at rank 0; nothing at others, or if the restart file is another job's.
std::optional<std::vector<Done>> carried_out(Tasks& tasks, const std::string& restart_path) {
  namespace mpi = runtime::mpi;
  std::shared_ptr<mpi::World> world;
  if (mpi::launched_rank()) {
    auto opened = mpi::World::open();
    if (!opened) {
      fmt::print(stderr, "{}\n", opened.error().message);
      return std::nullopt;
    }
    world = *opened;
    if (!world->is_root()) {
      mpi::HelpingRank helping(*world);
      if (!helping.begin()) return std::nullopt;
      helping.carry_out(tasks);
      helping.end({});
      return std::nullopt;
    }
  }
  const sweep::Identity identity{"exhaustive", tasks.key(), {}};
  const std::unique_ptr<sweep::Job> job =
      world ? std::make_unique<mpi::DealtJob>(identity, *world) : std::make_unique<sweep::Job>(identity);
  std::ifstream stream(restart_path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (const auto problem = bytes.empty() ? std::nullopt : job->read(bytes)) {
    fmt::print(stderr, "`{}` {}: delete it, or name another log\n", restart_path, *problem);
    return std::nullopt;
  }
  job->keep([&](const std::string& done) { return runtime::write_file(restart_path, {done}); });
  job->begin();
  const sweep::Part all = job->carry_out(tasks);
  job->end({});
  return Tasks::unpacked(all.seen);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::uint64_t slices = setting("RECKON_SLICES", 64), every = setting("RECKON_EVERY", 1);
  const char* log_name = std::getenv("RECKON_LOG");
  const std::string log_path = log_name ? log_name : "exhaustive.log", restart_path = log_path + ".done";
  std::set<std::string> logged;
  std::ifstream log(log_path);
  for (std::string line; std::getline(log, line);) logged.insert(line.substr(0, line.find(':')));
  std::vector<Task> tasks;
  std::vector<const Row*> wanted_rows;
  for (const Row& row : rows) {
    bool wanted = argument_count <= 2;
    for (int k = 2; k < argument_count; ++k) wanted |= std::strcmp(arguments[k], row.name) == 0;
    if (!wanted) continue;
    wanted_rows.push_back(&row);
    for (const Format format : {Format::f16, Format::bf16}) {
      tasks.push_back({&row, format, 0, fmt::format("{} {}", row.name, numerics::traits(format).name)});
    }
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      tasks.push_back({&row, std::nullopt, slice, name_of(row, every, slice, slices)});
    }
  }
  Tasks sweep(std::move(tasks), slices, every, std::move(logged));
  const auto all = carried_out(sweep, restart_path);
  if (!all) return runtime::mpi::launched_rank().value_or(0) == 0 ? 2 : 0;
  std::ofstream lines(log_path, std::ios::app);
  std::uint64_t mismatches = 0;
  for (const Row* row : wanted_rows) {
    Tally total;
    for (const Done& done : *all) {
      if (!done.name.starts_with(std::string(row->name) + " ")) continue;
      total.add(done.tally);
      fmt::print("{}", done.examples);
      lines << fmt::format("{}: {} arguments, {} by MPFR, {} mismatches, checksum {:x}\n", done.name, done.tally.arguments,
                           done.tally.by_mpfr, done.tally.mismatches, done.tally.checksum);
    }
    fmt::print("{:<6} {:11} arguments, {:9} of them by MPFR, {} mismatches, checksum {:016x}\n", row->name, total.arguments,
               total.by_mpfr, total.mismatches, total.checksum);
    mismatches += total.mismatches;
  }
  lines.close();
  std::remove(restart_path.c_str());
  return mismatches == 0 ? 0 : 1;
}
