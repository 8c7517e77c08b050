#include "runtime/mpi/sweeps.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <new>
#include <thread>

namespace reckon::runtime::mpi {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::microseconds between_looks{200};
constexpr std::int64_t all_steps = std::numeric_limits<std::int64_t>::max();

/// What rank 0 says.
enum class Kind : std::uint64_t {
  work,   ///< a block of the sweep
  known,  ///< what all its cells showed
  limit,  ///< cells from this one on are not needed any more
  over,   ///< a step of the program is over
};

void write(sweep::Writer& out, const sweep::Part& part) {
  out.number(part.first);
  out.number(part.last);
  out.truth(part.ends);
  out.text(part.seen);
}

sweep::Part read_part(sweep::Reader& in) {
  sweep::Part out;
  out.first = in.integer();
  out.last = in.integer();
  out.ends = in.truth();
  out.seen = in.text();
  return out;
}

std::string packed(Kind kind, std::uint64_t key, const sweep::Part& part) {
  sweep::Writer out;
  out.number(static_cast<std::uint64_t>(kind));
  out.number(key);
  write(out, part);
  return out.bytes;
}

std::string packed(const Report& report) {
  sweep::Writer out;
  out.number(report.key);
  out.truth(report.has_part);
  out.real(report.seconds);
  write(out, report.part);
  return out.bytes;
}

Report read_report(const std::string& bytes) {
  sweep::Reader in(bytes);
  Report out;
  out.key = in.number();
  out.has_part = in.truth();
  out.seconds = in.real();
  out.part = read_part(in);
  return out;
}

}  // namespace

DealtJob::DealtJob(sweep::Identity identity, World& world)
    : Job(std::move(identity), static_cast<std::size_t>(world.size()) - 1), world_(world), asked_(static_cast<std::size_t>(world.size())) {}

DealtJob::~DealtJob() {
  for (int rank = 1; rank < world_.size(); ++rank) world_.tell(rank, packed(Kind::over, 0, {all_steps, 0, false, {}}));
}

bool DealtJob::begin() {
  ++step_;
  return true;
}

void DealtJob::end(const std::string& failure) {
  for (int rank = 1; rank < world_.size(); ++rank) {
    world_.tell(rank, packed(Kind::over, 0, {step_, 0, !failure.empty(), {}}));
  }
}

void DealtJob::attend(sweep::Dealer& dealer) {
  const std::uint64_t key = dealer.sweep().key();
  for (int rank = 1; rank < world_.size(); ++rank) {
    const auto taker = static_cast<std::size_t>(rank);
    while (const auto bytes = world_.heard(rank)) {
      Report report = read_report(*bytes);
      // A part of an earlier sweep is not needed any more: rank 0 ended that sweep without it.
      if (report.has_part && report.key == key) dealer.give(taker, std::move(report.part), report.seconds);
      asked_[taker] = report.key;
    }
    if (asked_[taker]) answer(rank, dealer);
    if (const auto limit = dealer.unneeded(taker)) {
      world_.tell(rank, packed(Kind::limit, key, {*limit, 0, false, {}}));
    }
  }
}

void DealtJob::answer(int rank, sweep::Dealer& dealer) {
  const auto taker = static_cast<std::size_t>(rank);
  const std::uint64_t key = *asked_[taker];
  if (const auto part = known(key)) {
    world_.tell(rank, packed(Kind::known, key, *part));
  } else if (key == dealer.sweep().key() && !dealer.sweep().stopped()) {
    const auto block = dealer.take(taker);
    if (!block) return;  // all blocks are dealt
    world_.tell(rank, packed(Kind::work, key, {block->first, block->last, false, {}}));
  } else {
    return;  // rank 0 has not come to that sweep, or the step will soon be over
  }
  asked_[taker].reset();
}

struct HelpingRank::Answer {
  Kind kind{};
  std::uint64_t key = 0;
  sweep::Part part;
};

/// What rank 0 has said, if anything; the end of a step is noted besides.
std::optional<HelpingRank::Answer> HelpingRank::next_answer() {
  const auto bytes = world_.heard(0);
  if (!bytes) return std::nullopt;
  sweep::Reader in(*bytes);
  Answer out;
  out.kind = static_cast<Kind>(in.number());
  out.key = in.number();
  out.part = read_part(in);
  if (out.kind == Kind::over) {
    over_ = out.part.first;
    failed_ = out.part.ends;
  }
  return out;
}

HelpingRank::~HelpingRank() {
  while (over_ != all_steps) {
    if (!next_answer()) std::this_thread::sleep_for(between_looks);
  }
}

bool HelpingRank::begin() {
  ++step_;
  abandoned_ = false;
  while (next_answer()) {
  }
  return over_ < step_;
}

void HelpingRank::end(const std::string& failure) {
  while (over_ < step_) {
    if (!next_answer()) std::this_thread::sleep_for(between_looks);
  }
  if (!failure.empty() && !failed_ && !abandoned_ && over_ == step_) world_.abort(failure);
}

sweep::Part HelpingRank::carry_out(sweep::Sweep& sweep) {
  const sweep::Part nothing{sweep.from(), sweep.from(), false, {}};
  Report report{sweep.key(), false, {}, 0};
  if (over_ < step_) world_.tell(0, packed(report));
  while (over_ < step_ && !sweep.stopped()) {
    auto answer = next_answer();
    if (!answer) {
      std::this_thread::sleep_for(between_looks);
      continue;
    }
    if (answer->key != report.key) continue;  // about a sweep that this rank has left
    if (answer->kind == Kind::known) return std::move(answer->part);
    if (answer->kind != Kind::work) continue;
    const auto start = steady_clock::now();
    report.part = run(sweep, answer->part.first, answer->part.last);
    report.has_part = true;
    report.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    if (over_ < step_) world_.tell(0, packed(report));
  }
  abandoned_ = true;
  sweep.abandon();
  return nothing;
}

/// While the caller's thread computes, another one hears what rank 0 says.
sweep::Part HelpingRank::run(sweep::Sweep& sweep, std::int64_t first, std::int64_t last) {
  std::atomic<bool> done = false;
  std::thread listener([&] {
    while (!done) {
      look_out(sweep, first);
      std::this_thread::sleep_for(between_looks);
    }
  });
  sweep::Part out{first, first, false, {}};
  std::string failure;
  try {
    out = sweep.run(first, last);
  } catch (const std::bad_alloc&) {
    failure = "this needs more memory than there is";
  } catch (const std::exception& problem) {
    failure = problem.what();
  }
  done = true;
  listener.join();
  if (!failure.empty()) world_.abort(failure);
  sweep.cancel(false);
  return out;
}

void HelpingRank::look_out(sweep::Sweep& sweep, std::int64_t first) {
  while (const auto answer = next_answer()) {
    const bool beyond =
        answer->kind == Kind::limit && answer->key == sweep.key() && first >= answer->part.first;
    if (beyond || over_ >= step_) sweep.cancel(true);
  }
}

}  // namespace reckon::runtime::mpi
