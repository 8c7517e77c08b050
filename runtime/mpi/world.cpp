#include "runtime/mpi/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "diagnostics/codes/rank_failure.h"
#include "runtime/mpi/wire.h"

namespace reckon::runtime::mpi {
namespace {

/// Of messages that a rank waits for; of those that it may find.
constexpr int awaited = 1, told = 2;
/// MPI_THREAD_SERIALIZED, in Open MPI and MPICH: any thread calls MPI, one at a time.
constexpr int one_thread_at_a_time = 2;
constexpr std::size_t largest_message = std::size_t{1} << 30;  // a count is an int

/// What a rank says, and what rank 0 answers. All ranks run on machines of one kind.
struct Header {
  std::uint8_t kind = 0;
  std::uint8_t all = 0;
  std::int32_t from = 0;
  std::uint64_t bytes = 0;
};

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::atoi(text);
}

}  // namespace

std::optional<int> launched_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const auto rank = number_in(variable)) return rank;
  return std::nullopt;
}

World::World(Library library, bool launched) : library_(std::move(library)) {
  if (!launched) return;
  // MPI's own errors end the job with a message: MPI_ERRORS_ARE_FATAL is the default.
  int running = 0;
  library_.call.initialized(&running);
  if (running == 0) {
    int provided = 0;
    library_.call.init(nullptr, nullptr, one_thread_at_a_time, &provided);
    started_ = true;
  }
  use(library_.world);
}

void World::use(Handle communicator) {
  library_.world = communicator;
  library_.call.comm_rank(library_.world, &rank_);
  library_.call.comm_size(library_.world, &size_);
}

World::~World() {
  if (!started_) return;
  while (!exchanged(Kind::closing, {}).all) {
  }
  library_.call.finalize();
}

Expected<std::shared_ptr<World>> World::open(const std::string& library) {
  // Lives until the process ends: MPI can be started only once.
  static std::shared_ptr<World> world;
  if (world != nullptr && library.empty()) return world;
  const char* named = std::getenv("RECKON_MPI");
  auto opened = open_library(!library.empty() ? library : named != nullptr ? named : "");
  if (!opened) return opened.error();
  if (world == nullptr) world = std::shared_ptr<World>(new World(std::move(*opened), launched_rank().has_value()));
  return world;
}

void World::abort(std::string_view reason) const {
  fmt::print(stderr, "reckon: rank {} of {}: {}\n", rank_, size_, reason);
  constexpr int status = 69;
  if (started_) library_.call.abort(library_.world, status);
  std::_Exit(status);
}

void World::send_to_root(const void* bytes, std::size_t count) { send(0, awaited, bytes, count); }

void World::receive(int from, void* bytes, std::size_t count) { receive(from, awaited, bytes, count); }

void World::tell(int to, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  send(to, told, &size, sizeof size);
  send(to, told, bytes.data(), bytes.size());
}

std::optional<std::string> World::heard(int from) {
  int arrived = 0;
  library_.call.probe(from, told, library_.world, &arrived, library_.ignored_status);
  if (arrived == 0) return std::nullopt;
  std::uint64_t size = 0;
  receive(from, told, &size, sizeof size);
  std::string bytes(size, '\0');
  receive(from, told, bytes.data(), bytes.size());
  return bytes;
}

void World::send(int to, int tag, const void* bytes, std::size_t count) {
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const std::size_t some = std::min(count, largest_message);
    library_.call.send(next, static_cast<int>(some), library_.byte, to, tag, library_.world);
    next += some;
    count -= some;
  }
}

void World::receive(int from, int tag, void* bytes, std::size_t count) {
  auto* next = static_cast<char*>(bytes);
  while (count > 0) {
    const std::size_t some = std::min(count, largest_message);
    library_.call.receive(next, static_cast<int>(some), library_.byte, from, tag, library_.world,
                          library_.ignored_status);
    next += some;
    count -= some;
  }
}

void World::broadcast(void* bytes, std::size_t count) {
  if (size_ == 1) return;
  auto* next = static_cast<char*>(bytes);
  while (count > 0) {
    const std::size_t some = std::min(count, largest_message);
    library_.call.broadcast(next, static_cast<int>(some), library_.byte, 0, library_.world);
    next += some;
    count -= some;
  }
}

World::State World::exchanged(Kind kind, const std::string& text) {
  if (size_ == 1) return {kind, 0, true, text};
  Header header{static_cast<std::uint8_t>(kind), 1, rank_, text.size()};
  std::string chosen = text;
  if (!is_root()) {
    send_to_root(&header, sizeof header);
    send_to_root(text.data(), text.size());
  } else {
    for (int from = 1; from < size_; ++from) {
      Header other;
      receive(from, &other, sizeof other);
      std::string said(other.bytes, '\0');
      receive(from, said.data(), said.size());
      if (other.kind != header.kind) header.all = 0;
      if (other.kind <= header.kind) continue;
      header.kind = other.kind;
      header.from = from;
      chosen = std::move(said);
    }
    header.bytes = chosen.size();
  }
  broadcast(&header, sizeof header);
  chosen.resize(header.bytes);
  broadcast(chosen.data(), chosen.size());
  return {static_cast<Kind>(header.kind), header.from, header.all != 0, std::move(chosen)};
}

std::optional<Diagnostic> World::agree(const std::optional<Diagnostic>& mine) {
  const State state = exchanged(mine ? Kind::failed : Kind::good, mine ? packed(*mine) : std::string());
  switch (state.kind) {
    case Kind::good: return std::nullopt;
    case Kind::closing:
      return Diagnostic(code::rank_failure, {}, fmt::format("rank {} of {} ended before this call", state.from, size_))
          .help("every rank has to run the same program and make the same calls");
    case Kind::failed: break;
  }
  Diagnostic failure = unpacked(state.text);
  if (!state.all) failure.notes.push_back(fmt::format("rank {} of {} reports this", state.from, size_));
  return failure;
}

}  // namespace reckon::runtime::mpi
