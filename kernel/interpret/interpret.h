// An interpreter of kernels on the host, for any kind of numbers. The threads of a block run in lock step: an operation
// is carried out for all threads that reach it, a loop as long as one of them is in it. Blocks run one after the other,
// in an order that the seed gives. What a device would do silently is an error here: a read of memory that was not
// written, a race, an access outside of an array, threads that do not meet.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/counts.h"
#include "kernel/interpret/memory.h"

namespace reckon::kernel {

/// What is wrong, and where.
struct Report {
  enum class Kind : std::uint8_t {
    malformed,       ///< the program, or a launch that does not fit it
    not_written,     ///< a read of memory that was not written, or was written as something else
    outside,         ///< an access outside of its array
    misaligned,      ///< an address that is no multiple of what is read or written at once
    race,            ///< two threads touch one place, one of them writes, and nothing orders them
    divergent,       ///< threads that do not meet at a barrier or a shuffle
    no_partner,      ///< a shuffle from a thread that is not there
    integer,         ///< an integer operation without a value, or with one that is not what `fits` says
    empty_loop,      ///< a loop whose first index is not less than its limit, or whose step is not positive
    no_value,        ///< a number operation that the semantics does not have, or has no value of
    undecided,       ///< control depends on what the semantics does not know
    missing_result,  ///< an element of a result that no thread has written
    budget,          ///< too many operations, or too many nested calls
  } kind{};
  std::uint32_t operation = Value::none;  ///< the index in Program::operations; none: the launch as a whole
  std::uint32_t block = 0, thread = 0;
  std::string text;
};
std::string_view spelling(Report::Kind kind);
/// One line: kind, operation, block and thread, text.
std::string text(const Report& report, const Program& program);

struct Argument {
  Buffer* buffer = nullptr;  ///< of a parameter that is memory
  std::int64_t index = 0;    ///< of one that is an index
  bool is_result = false;    ///< every element of the buffer must be written in the end

  static Argument memory(Buffer& buffer) { return {&buffer}; }
  static Argument result(Buffer& buffer) { return {&buffer, 0, true}; }
  static Argument number(std::int64_t index) { return {nullptr, index}; }
};

struct Launch {
  std::size_t function = 0;
  std::vector<Argument> arguments;
  std::uint32_t blocks = 1, threads = 1;
  std::uint64_t seed = 0;  ///< of the order of blocks, and of threads where they come to counters
  std::uint64_t budget = std::uint64_t{1} << 30;  ///< operations of all threads together
};

struct Outcome {
  std::optional<Report> report;   ///< the first thing that is wrong, at which the launch ended
  std::set<std::int64_t> faults;  ///< numbers of the `fault` operations that met one
  std::uint64_t operations = 0;   ///< of all threads
  Counts counts;                  ///< of all threads
};

/// Runs a kernel. What it has written is in the buffers of its arguments.
Outcome interpret(const Program& program, const Launch& launch, Numbers& numbers);

}  // namespace reckon::kernel
