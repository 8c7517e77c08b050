// What the subcommands that run one circuit have in common.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"

namespace reckon::cli {

/// A session with the program in the file; or nothing, and the console knows why.
std::optional<Session> loaded_session(const std::string& file, const Common& common, Console& console);

/// The tensors that `NAME=1,2,3` and `NAME=@FILE.npy` give to a circuit's parameters; or nothing.
std::optional<std::map<std::string, Tensor>> read_arguments(const std::vector<std::string>& texts,
                                                           const std::string& function, const Common& common,
                                                           Session& session, Console& console);

/// Reads `product.tile=64x64x16`, once or more; nothing, and the console knows why, if a text is none.
std::optional<std::map<std::string, std::string>> read_choices(const std::vector<std::string>& texts, Console& console);

/// What is to be measured, on the host; or nothing, and the console knows why.
std::optional<BenchOptions> measurement(const MeasuredCommand& command, const Common& common, Session& session,
                                        Console& console);

/// The place that --on names: interp, host, gpu, gpus, mpi.
On place_named(const std::string& word);

/// Carries out a command, with its status: alone, or, on `mpi`, as one rank of a job, of which rank 0 prints. `once` sets
/// `begun` when it comes to work whose failures all ranks of a job know; a failure before that ends the work of all.
int on_ranks(On place, Common common, const std::function<int(const Common&, Console&, bool& begun)>& once);

}  // namespace reckon::cli
