// What other tools read of the command line: the manual page, and the completions of shells. All of them come from the
// same table as the help texts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace reckon::cli {

/// A manual page in roff, with all commands.
std::string man_page(const CLI::App& app, const std::string& version);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace reckon::cli
