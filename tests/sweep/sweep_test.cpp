// Cells that are done in any order by any taker give what one taker gives in order; and restart files.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "sweep/job.h"

using namespace reckon::sweep;

namespace {

/// Cell k shows the text of k, so that what is seen tells the cells and their order; a cell in `ends_at` ends the sweep.
class Texts : public Sweep {
 public:
  Texts(std::int64_t from, std::int64_t to, std::vector<std::int64_t> ends_at = {})
      : Sweep(from, to), ends_at_(std::move(ends_at)) {}
  std::uint64_t key() const override { return 7; }
  Part run(std::int64_t first, std::int64_t last) override {
    Part out{first, first, false, {}};
    while (out.last < last && !out.ends && !cancelled_) {
      if (pause.count() > 0) std::this_thread::sleep_for(pause);
      ++cells_run;
      out.seen += std::to_string(out.last) + " ";
      out.ends = std::ranges::find(ends_at_, out.last) != ends_at_.end();
      ++out.last;
    }
    return out;
  }
  std::string merged(const std::string& earlier, const std::string& later) const override { return earlier + later; }
  void cancel(bool on) override { cancelled_ = on; }
  bool stopped() const override { return stopped_; }
  void abandon() override { stopped_ = true; }

  std::chrono::microseconds pause{0};
  std::atomic<std::int64_t> cells_run = 0;

 private:
  std::vector<std::int64_t> ends_at_;
  std::atomic<bool> cancelled_ = false, stopped_ = false;
};

/// A job whose other takers do blocks now and then, as ranks would: the caller's attendant plays them.
class JobOfMany : public Job {
 public:
  JobOfMany(std::size_t others, unsigned seed) : Job({"1", 2, ""}, others), random_(seed), held_(1 + others) {}

 protected:
  void attend(Dealer& dealer) override {
    auto& sweep = const_cast<Sweep&>(dealer.sweep());
    const std::size_t taker = 1 + random_() % (held_.size() - 1);
    if (!held_[taker]) {
      held_[taker] = dealer.take(taker);
    } else if (random_() % 3 == 0) {  // all of it, or what was done before someone ended it
      Texts mine(sweep.from(), sweep.to(), ends);
      const std::int64_t last = random_() % 4 == 0 ? (held_[taker]->first + held_[taker]->last) / 2 : held_[taker]->last;
      dealer.give(taker, mine.run(held_[taker]->first, last), 1e-5);
      held_[taker].reset();
    }
  }

 private:
  std::mt19937 random_;
  std::vector<std::optional<Dealer::Block>> held_;

 public:
  std::vector<std::int64_t> ends;
};

Part in_order(std::int64_t from, std::int64_t to, const std::vector<std::int64_t>& ends) {
  return Texts(from, to, ends).run(from, to);
}

void same(const Part& found, const Part& wanted) {
  CHECK(found.first == wanted.first);
  CHECK(found.last == wanted.last);
  CHECK(found.ends == wanted.ends);
  CHECK(found.seen == wanted.seen);
}

}  // namespace

TEST_CASE("parts in any order merge into what one run gives") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t from = random() % 5, to = from + 1 + random() % 40;
    std::vector<std::int64_t> ends;
    for (unsigned k = random() % 3; k > 0; --k) ends.push_back(from + random() % 45);
    const Texts sweep(from, to, ends);
    Cells cells(from, to);
    INFO("round " << round << ": " << from << " to " << to);
    for (int step = 0; !cells.finished(); ++step) {
      REQUIRE(step < 10000);
      // Overlapping and repeated parts come, too.
      const std::int64_t first = from + random() % (to - from), last = std::min<std::int64_t>(to, first + 1 + random() % 6);
      Part part = in_order(first, last, ends);
      cells.add(std::move(part), sweep);
    }
    same(cells.front(), in_order(from, to, ends));
    CHECK_FALSE(cells.add(in_order(from, from + 1, ends), sweep));
  }
}

TEST_CASE("cells dealt to many takers show what one shows") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    JobOfMany job(1 + seed % 4, seed);
    if (seed % 3 != 0) job.ends = {400 + seed, 700};
    Texts sweep(2, 900, job.ends);
    sweep.pause = std::chrono::microseconds(20);
    INFO("seed " << seed);
    same(job.carry_out(sweep), in_order(2, 900, job.ends));
    std::int64_t done = 0;
    for (const std::int64_t each : job.done()) done += each;
    CHECK(done >= in_order(2, 900, job.ends).last - 2);
  }
}

TEST_CASE("a block that its taker never delivers is done here") {
  class Lost : public Job {
   public:
    Lost() : Job({"1", 2, ""}, 1) {}
    int taken = 0;

   protected:
    void attend(Dealer& dealer) override {
      if (taken == 0 && dealer.take(1)) ++taken;
    }
  };
  Lost job;
  Texts sweep(0, 50);
  same(job.carry_out(sweep), in_order(0, 50, {}));
  CHECK(job.taken == 1);
  CHECK(job.done()[1] == 0);
}

TEST_CASE("a failure elsewhere ends what is beyond it") {
  class Early : public Job {
   public:
    Early() : Job({"1", 2, ""}, 1) {}

   protected:
    void attend(Dealer& dealer) override {
      if (const auto block = dealer.take(1)) dealer.give(1, in_order(block->first, block->last, {0}), 1e-6);
    }
  };
  // Here a cell takes a tenth of a second, so that all of them would take minutes.
  Early job;
  Texts sweep(0, 3000, {0});
  sweep.pause = std::chrono::milliseconds(100);
  const auto start = std::chrono::steady_clock::now();
  same(job.carry_out(sweep), in_order(0, 3000, {0}));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("a restart file has what was done, and only for the same job") {
  const Identity identity{"0.1 abc", 77, "--seed 3"};
  Job before(identity);
  Texts sweep(0, 60, {50});
  before.carry_out(sweep);
  const std::string bytes = before.bytes();

  Job after(identity);
  REQUIRE_FALSE(after.read(bytes));
  CHECK(after.kept() == 51);
  Texts again(0, 60, {50});
  same(after.carry_out(again), in_order(0, 60, {50}));
  CHECK(again.cells_run == 0);
  CHECK(after.bytes() == bytes);

  const auto refused = [&](const Identity& other, const std::string& what) {
    Job job(other);
    return job.read(what).value_or("taken");
  };
  CHECK(refused({"0.2", 77, "--seed 3"}, bytes) == "is of another build of Reckon, whose results may differ");
  CHECK(refused({"0.1 abc", 78, "--seed 3"}, bytes) == "is of another program, or the program was changed since");
  CHECK(refused({"0.1 abc", 77, ""}, bytes) == "is of a job with `--seed 3`, and this one has no options");
  CHECK(refused(identity, "something else") == "is no restart file");
  // Any byte that is changed or missing is noticed.
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    std::string damaged = bytes;
    damaged[k] = static_cast<char>(damaged[k] ^ 4);
    REQUIRE(refused(identity, damaged).starts_with("is "));
    REQUIRE(refused(identity, bytes.substr(0, k)).starts_with("is "));
  }
}

TEST_CASE("a reader of bytes that are cut off says so") {
  Cells cells(0, 90);
  const Texts sweep(0, 90);
  cells.add(in_order(3, 9, {}), sweep);
  cells.add(in_order(20, 60, {}), sweep);
  Writer out;
  cells.write(out);
  for (std::size_t k = 0; k <= out.bytes.size(); ++k) {
    Reader in(std::string_view(out.bytes).substr(0, k));
    const Cells read = Cells::read(in);
    CHECK(in.good() == (k == out.bytes.size()));
    if (in.good()) CHECK(read.done() == 46);
  }
}
