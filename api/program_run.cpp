#include "api/program_run.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/reckon/ranks.h"
#include "codegen/kernel_cache.h"
#include "diagnostics/codes/bad_data_file.h"
#include "diagnostics/codes/rank_failure.h"
#include "runtime/file.h"
#include "runtime/mpi/sweeps.h"

namespace reckon {

namespace mpi = runtime::mpi;

namespace {

constexpr int wrong_usage = 2;  // an exit status

/// Whether the item may have sweeps.
bool has_trials(const frontend::ElaboratedItem& item) {
  return item.kind == frontend::ItemKind::check && !item.value && !item.static_truth;
}

std::string failure_in(const Event& event) {
  const auto* messages = std::get_if<std::vector<Message>>(&event);
  return messages != nullptr && !messages->empty() ? messages->front().message : std::string();
}

}  // namespace

ProgramRun::~ProgramRun() { self_.carrier.reset(); }

sweep::Identity ProgramRun::identity() const {
  sweep::Identity out;
  out.version = Session::version() + " " + codegen::own_build();
  out.program = sweep::empty_hash;
  for (std::uint32_t file = 0; file < self_.sources.file_count(); ++file) {
    out.program = sweep::hashed(self_.sources.text(file), sweep::hashed("\n--\n", out.program));
  }
  std::vector<std::string> settings;
  if (!self_.options.semantics.empty()) settings.push_back("--in=" + self_.options.semantics);
  for (const auto& [name, value] : self_.options.values) settings.push_back(fmt::format("-D {}={}", name, value));
  if (self_.options.seed) settings.push_back(fmt::format("--seed {}", *self_.options.seed));
  out.settings = fmt::format("{}", fmt::join(settings, " "));
  return out;
}

std::vector<Message> ProgramRun::begin(std::vector<Message> failures) {
  const bool on_ranks = self_.options.on == On::mpi;
  if (!on_ranks) return failures.empty() ? make_carrier() : failures;
  auto world = mpi::World::open(self_.options.mpi_library);
  if (!world) return self_.messages(world.error());
  rank_ = (*world)->rank();
  // Rank 0 tells all of its own failures, and the first one of another rank.
  const auto agreed = [](std::vector<Message> mine) {
    auto all = agree_on(mine);
    return mine.empty() ? all : mine;
  };
  failures = agreed(std::move(failures));
  if (!failures.empty()) return failures;
  const sweep::Identity mine = identity();
  std::uint64_t hash = sweep::hashed(mine.settings, sweep::hashed(mine.version, mine.program));
  const std::uint64_t own = hash;
  (*world)->broadcast(&hash, sizeof hash);
  if (hash != own) {
    failures = self_.messages(Diagnostic(code::rank_failure, {}, "the ranks do not have the same program and options")
                                  .help("start every rank with the same files, options and build of Reckon; `mpirun` "
                                        "gives standard input to rank 0 alone"));
  }
  failures = agreed(std::move(failures));
  if (!failures.empty()) return failures;
  return agreed(make_carrier());
}

std::vector<Message> ProgramRun::make_carrier() {
  std::shared_ptr<mpi::World> world;
  if (self_.options.on == On::mpi) {
    if (auto opened = mpi::World::open(self_.options.mpi_library)) world = *opened;
  }
  if (!is_root()) {
    self_.carrier = std::make_unique<mpi::HelpingRank>(*world);
    return {};
  }
  if (world == nullptr && self_.options.resume.empty()) return {};
  std::unique_ptr<sweep::Job> job;
  if (world != nullptr) job = std::make_unique<mpi::DealtJob>(identity(), *world);
  else job = std::make_unique<sweep::Job>(identity());
  job_ = job.get();
  self_.carrier = std::move(job);
  return self_.options.resume.empty() ? std::vector<Message>() : read_restart_file(*job_);
}

std::vector<Message> ProgramRun::about_restart_file(const std::string& problem, const std::string& help) {
  Diagnostic diagnostic(code::bad_data_file, {}, fmt::format("the restart file `{}` {}", self_.options.resume, problem));
  diagnostic.helps.push_back(help);
  std::vector<Message> out = self_.messages(diagnostic);
  out.front().status = wrong_usage;  // it is not a mistake of the program
  return out;
}

std::vector<Message> ProgramRun::read_restart_file(sweep::Job& job) {
  const std::string& path = self_.options.resume;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream || std::filesystem::is_directory(path, error)) {
      return about_restart_file("cannot be read", "name a file, or one that is not there yet");
    }
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (const auto problem = bytes.empty() ? std::nullopt : job.read(bytes)) {
      return about_restart_file(*problem, "it is left as it is: name another file, or one that is not there yet");
    }
  }
  job.keep([path](const std::string& bytes) { return runtime::write_file(path, {bytes}); });
  return saved();  // tells at once if the file cannot be written
}

std::optional<Event> ProgramRun::carry_out(const frontend::ElaboratedItem& item) {
  sweep::Carrier* carrier = has_trials(item) ? self_.carrier.get() : nullptr;
  if (carrier == nullptr) return is_root() ? std::optional(self_.carry_out(item)) : std::nullopt;
  if (!carrier->begin()) return std::nullopt;
  Event event = self_.carry_out(item);
  carrier->end(failure_in(event));
  return is_root() ? std::optional(std::move(event)) : std::nullopt;
}

std::vector<Message> ProgramRun::finish() {
  std::vector<Message> out = saved();
  if (job_ == nullptr || !self_.options.explain_sweeps) return out;
  std::vector<std::string> shares;
  if (!self_.options.resume.empty()) shares.push_back(fmt::format("{} were done before", job_->kept()));
  for (std::size_t rank = 0; rank < job_->done().size(); ++rank) {
    shares.push_back(fmt::format("{} by rank {}", job_->done()[rank], rank));
  }
  Diagnostic note(Code{}, {}, fmt::format("trials of sweeps: {}", fmt::join(shares, ", ")));
  note.severity = Severity::note;
  out.push_back(self_.message(note));
  return out;
}

std::vector<Message> ProgramRun::saved() {
  if (job_ == nullptr) return {};
  const std::string problem = job_->save();
  if (problem.empty()) return {};
  return about_restart_file("cannot be written: " + problem, "name a file in a folder that can be written to");
}

}  // namespace reckon
