// Mutants of PTX files, read, decoded and launched: the reader and the emulator must answer each with a result or a
// message. Built by hand, under AddressSanitizer (tests/ptx/fuzz/run.sh):
//   mutants SECONDS SEED FILE...
// Some are launched with what floats are besides their bits (ptx/shadow/values.h).
// The mutant at work is in `mutant.ptx`, so that it is there after a crash. One that takes ten minutes is ended.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/emulate/program.h"
#include "ptx/read/read.h"
#include "ptx/shadow/ring.h"
#include "ptx/shadow/shadow.h"
#include "ptx/shadow/trace.h"

namespace {

using namespace reckon::ptx;

std::string contents(const char* file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Each kernel with what stands before the first one, so that a mutant is small.
void add_kernels(const std::string& text, std::vector<std::string>& out) {
  const std::string entry = ".visible .entry";
  const std::size_t first = text.find(entry);
  for (std::size_t at = first; at != std::string::npos;) {
    const std::size_t next = text.find(entry, at + 1);
    out.push_back(text.substr(0, first) + text.substr(at, next - at));
    at = next;
  }
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '.'; }

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  std::string next() {
    std::string text = corpus_[random_() % corpus_.size()];
    for (std::uint64_t k = 0, count = 1 + random_() % 4; k < count; ++k) mutate(text);
    return text;
  }

 private:
  std::size_t place(const std::string& text) { return text.empty() ? 0 : random_() % text.size(); }
  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    const std::size_t at = place(text), before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1, end = text.find('\n', at);
    return {begin, (end == std::string::npos ? text.size() : end + 1) - begin};
  }
  std::pair<std::size_t, std::size_t> word(const std::string& text) {
    std::size_t begin = place(text);
    while (begin < text.size() && !is_of_word(text[begin])) ++begin;
    while (begin > 0 && is_of_word(text[begin - 1])) --begin;
    std::size_t end = begin;
    while (end < text.size() && is_of_word(text[end])) ++end;
    return {begin, end - begin};
  }
  void mutate(std::string& text) {
    static const char* const numbers[] = {"0",          "1",
                                          "-1",         "31",
                                          "4096",       "65536",
                                          "2147483647", "4294967295",
                                          "-8",         "18446744073709551615",
                                          "0f7FC00000", "0d7FF0000000000000",
                                          "1e400"};
    const std::string& other = corpus_[random_() % corpus_.size()];
    switch (random_() % 9) {
      case 0: {
        const auto [at, size] = word(text);
        const auto [from, length] = word(other);
        text.replace(at, size, other, from, length);
        break;
      }
      case 1: {
        const auto [at, size] = word(text);
        const auto [from, length] = word(text);
        text.replace(at, size, text.substr(from, length));
        break;
      }
      case 2: {
        const auto [at, size] = line(text);
        text.erase(at, size);
        break;
      }
      case 3: {
        const auto [from, length] = line(other);
        text.insert(line(text).first, other, from, length);
        break;
      }
      case 4: {
        const auto [from, length] = line(text);
        text.insert(line(text).first, text.substr(from, length));
        break;
      }
      case 5:
        if (!text.empty()) text[place(text)] = static_cast<char>(random_());
        break;
      case 6: text.resize(place(text)); break;
      case 7: {
        std::size_t at = place(text);
        while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) == 0) ++at;
        std::size_t end = at;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
        text.replace(at, end - at, numbers[random_() % std::size(numbers)]);
        break;
      }
      default: {
        const auto [at, size] = line(text);
        const std::size_t from = place(text);
        const std::string moved = text.substr(at, size);
        text.erase(at, size);
        text.insert(std::min(from, text.size()), moved);
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
};

struct Counts {
  std::uint64_t mutants = 0, unread = 0, refused = 0, launched = 0, faults = 0;
};

void show(const Counts& counts) {
  std::printf("%llu mutants: %llu not read, %llu refused, %llu launched, of which %llu did what they should not\n",
              static_cast<unsigned long long>(counts.mutants), static_cast<unsigned long long>(counts.unread),
              static_cast<unsigned long long>(counts.refused), static_cast<unsigned long long>(counts.launched),
              static_cast<unsigned long long>(counts.faults));
  std::fflush(stdout);
}

/// Floats that are inputs, in the first half of the memory.
void mark(Allocation& memory, Values& values) {
  memory.tags.assign(memory.data.size(), 0);
  for (std::size_t at = 0; at < memory.data.size() / 2; at += 4)
    Shadow::put({0, values.input(0, at / 4, reckon::numerics::Format::f32)}, 4, memory.tags.data() + at);
}

/// Launches each kernel of the text; `values`: what floats are, or null.
void try_out(std::string text, Values* values, Counts& counts) {
  ReadResult made = read(std::move(text));
  if (made.mistake) {
    ++counts.unread;
    return;
  }
  Memory memory;
  Program program(std::move(made.module), memory);
  for (const Function& function : program.module().functions) {
    if (!function.is_entry || !function.is_defined) continue;
    Refused refused;
    const Kernel* kernel =
        program.kernel(function.name, {.approximates_nearest = true, .follows = values != nullptr}, refused);
    if (kernel == nullptr) {
      ++counts.refused;
      continue;
    }
    std::vector<std::uint8_t> parameters;
    for (const ParameterInfo& one : Program::parameters(*kernel)) {
      parameters.resize(one.offset + one.bytes);
      std::uint64_t word = 5;
      if (one.bytes == 8) {
        Allocation& made = memory.allocate(4096, one.name, true);
        word = made.base;
        if (values != nullptr) mark(made, *values);
      }
      if (one.bytes <= 8) std::memcpy(parameters.data() + one.offset, &word, one.bytes);
    }
    LaunchOptions options;
    options.grid = {4, 1, 1};
    options.block =
        function.required_threads[0] != 0 ? function.required_threads : std::array<std::uint32_t, 3>{64, 1, 1};
    options.dynamic_shared_bytes = 1024;
    options.most_instructions = 200000;
    options.profiles = true;
    options.values = values;
    const auto report = program.launch(*kernel, options, parameters, refused);
    ++(report ? counts.launched : counts.refused);
    if (report && !report->clean()) ++counts.faults;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::fprintf(stderr, "mutants SECONDS SEED FILE...\n"), 2;
  std::vector<std::string> corpus;
  for (int k = 3; k < count; ++k) add_kernels(contents(words[k]), corpus);
  Mutator mutator(corpus, std::strtoull(words[2], nullptr, 10));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(words[1]));
  Counts counts;
  while (std::chrono::steady_clock::now() < end) {
    std::string text = mutator.next();
    std::ofstream("mutant.ptx") << text;
    alarm(600);
    // Every third one in a ring, and every ninth one with a trace.
    const auto ring = counts.mutants % 3 == 1 ? ring_named("fpsan") : nullptr;
    const auto trace = counts.mutants % 9 == 2 ? std::make_unique<Trace>(std::size_t{1} << 20) : nullptr;
    Values* values = ring.get();
    if (trace) values = trace.get();
    try_out(std::move(text), values, counts);
    if (++counts.mutants % 10000 == 0) show(counts);
  }
  show(counts);
}
