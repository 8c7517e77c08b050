#include "cli/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace reckon::cli {
namespace {

/// The commands that help texts show.
std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

/// The options that help texts show, without positional arguments.
std::vector<const CLI::Option*> options(const CLI::App& app) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty() && !option->get_positional()) out.push_back(option);
  }
  return out;
}

std::vector<const CLI::Option*> arguments(const CLI::App& app) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) out.push_back(option);
  }
  return out;
}

/// `-q`, `--quiet`.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const std::string& name : option.get_snames()) out.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.push_back("--" + name);
  return out;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The words that an option takes, from its type's name `text|json`; none if it takes anything else.
std::vector<std::string> words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!takes_value(option) || type.find('|') == std::string::npos) return {};
  std::vector<std::string> out = CLI::detail::split(type, '|');
  const auto is_word = [](const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '_';
    });
  };
  return std::all_of(out.begin(), out.end(), is_word) ? out : std::vector<std::string>{};
}

bool takes_file(const CLI::Option& option) { return option.get_type_name().find("FILE") != std::string::npos; }

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// Text of a manual page: a backslash is written twice, a hyphen is one, and no line is a command.
std::string roff(const std::string& text) {
  std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  out = replaced(std::move(out), "\n.", "\n\\&.");
  out = replaced(std::move(out), "\n'", "\n\\&'");
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string roff_option(const CLI::Option& option) {
  std::vector<std::string> bold;
  for (const std::string& each : spellings(option)) bold.push_back("\\fB" + roff(each) + "\\fR");
  std::string out = fmt::format(".TP\n{}", fmt::join(bold, ", "));
  if (takes_value(option)) out += " \\fI" + roff(option.get_type_name()) + "\\fR";
  return out + "\n" + roff(option.get_description()) + "\n";
}

/// `reckon compile [OPTIONS] FILE`
std::string roff_usage(const CLI::App& app, const std::string& name) {
  std::string out = "\\fB" + roff(name) + "\\fR [\\fIOPTIONS\\fR]";
  for (const CLI::Option* argument : arguments(app)) {
    const std::string type = "\\fI" + roff(argument->get_type_name()) + "\\fR";
    out += argument->get_required() ? " " + type : " [" + type + "]";
  }
  return out;
}

/// Within single quotes of a shell.
std::string in_quotes(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

/// All spellings of an app's options, with spaces between them.
std::string all_spellings(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : options(app)) {
    for (const std::string& each : spellings(*option)) out.push_back(each);
  }
  return fmt::format("{}", fmt::join(out, " "));
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
  std::string out = fmt::format(".TH RECKON 1 \"\" \"reckon {}\" \"User Commands\"\n", version);
  const std::string description = app.get_description();
  const auto colon = description.find(": ");
  out += ".SH NAME\nreckon \\- " + roff(colon == std::string::npos ? description : description.substr(colon + 2)) + "\n";
  out += ".SH SYNOPSIS\n";
  out += roff_usage(app, "reckon") + "\n";
  for (const CLI::App* command : commands(app)) out += ".br\n" + roff_usage(*command, "reckon " + command->get_name()) + "\n";
  out += ".SH DESCRIPTION\n" + roff(app.get_footer()) + "\n";
  out += ".SH OPTIONS\nEvery command takes these options.\n";
  for (const CLI::Option* option : options(app)) out += roff_option(*option);
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : commands(app)) {
    out += ".SS \"reckon " + roff(command->get_name()) + "\"\n";
    std::string sentence = command->get_description();
    if (!sentence.empty()) sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    out += roff(sentence) + ".\n";
    for (const CLI::Option* argument : arguments(*command)) {
      out += ".TP\n\\fI" + roff(argument->get_type_name()) + "\\fR\n" + roff(argument->get_description()) + "\n";
    }
    // Those of every command stand above.
    for (const CLI::Option* option : options(*command)) {
      if (app.get_option_no_throw(spellings(*option).back()) != nullptr) continue;
      out += roff_option(*option);
    }
  }
  return out;
}

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands(app)) names.push_back(command->get_name());
  std::string out = "# bash completion for reckon\n_reckon() {\n";
  out += "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word\n  COMPREPLY=()\n";
  out += fmt::format("  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n    case $word in {}) command=$word; break ;; esac\n  done\n",
                     fmt::join(names, " | "));
  out += "  case $previous in\n";
  std::vector<std::string> seen;
  const auto values = [&](const CLI::App& from) {
    for (const CLI::Option* option : options(from)) {
      const std::string names_of = fmt::format("{}", fmt::join(spellings(*option), " | "));
      if (!takes_value(*option) || std::find(seen.begin(), seen.end(), names_of) != seen.end()) continue;
      const std::vector<std::string> choice = words(*option);
      if (choice.empty() && !takes_file(*option)) continue;
      seen.push_back(names_of);
      out += fmt::format("    {}) ", names_of);
      out += choice.empty() ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                            : fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\"))",
                                          in_quotes(fmt::format("{}", fmt::join(choice, " "))));
      out += "; return ;;\n";
    }
  };
  values(app);
  for (const CLI::App* command : commands(app)) values(*command);
  out += "  esac\n  case $command in\n";
  for (const CLI::App* command : commands(app)) {
    out += fmt::format("    {}) word={} ;;\n", command->get_name(), in_quotes(all_spellings(*command)));
  }
  out += fmt::format("    *) word={} ;;\n  esac\n", in_quotes(all_spellings(app) + " " + fmt::format("{}", fmt::join(names, " "))));
  out += "  COMPREPLY=($(compgen -W \"$word\" -- \"$current\"))\n";
  out += "  case $current in -*) ;; *) COMPREPLY+=($(compgen -f -- \"$current\")) ;; esac\n}\n";
  return out + "complete -o filenames -F _reckon reckon\n";
}

std::string zsh_completion(const CLI::App& app) {
  const auto specification = [](const CLI::Option& option) {
    const std::string text = replaced(replaced(replaced(option.get_description(), "[", "("), "]", ")"), ":", "\\:");
    std::string out;
    for (const std::string& each : spellings(option)) {
      std::string one = each + "[" + text + "]";
      if (takes_value(option)) {
        const std::vector<std::string> choice = words(option);
        one += choice.empty() ? takes_file(option) ? ":file:_files" : ":value: "
                              : fmt::format(":word:({})", fmt::join(choice, " "));
      }
      out += " \\\n        " + in_quotes(one);
    }
    return out;
  };
  std::string out = "#compdef reckon\n_reckon() {\n  local context state line\n  _arguments -C \\\n";
  out += "    '1:command:->command' '*::argument:->argument'\n  case $state in\n    command)\n      local commands=(";
  for (const CLI::App* command : commands(app)) {
    out += "\n        " + in_quotes(command->get_name() + ":" + replaced(command->get_description(), ":", "\\:"));
  }
  out += ")\n      _describe command commands\n      _files -g '*.rk'\n      ;;\n    argument)\n      case $words[1] in\n";
  for (const CLI::App* command : commands(app)) {
    out += fmt::format("        {}) _arguments", command->get_name());
    for (const CLI::Option* option : options(*command)) out += specification(*option);
    out += " \\\n        '*:file:_files' ;;\n";
  }
  return out + "        *) _files ;;\n      esac\n      ;;\n  esac\n}\n_reckon \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string out = "# fish completion for reckon\n";
  const auto lines = [&](const CLI::App& from, const std::string& condition) {
    for (const CLI::Option* option : options(from)) {
      out += "complete -c reckon -n " + in_quotes(condition);
      for (const std::string& name : option->get_snames()) out += " -s " + name;
      for (const std::string& name : option->get_lnames()) out += " -l " + name;
      if (takes_value(*option)) {
        const std::vector<std::string> choice = words(*option);
        out += choice.empty() ? " -r" : " -x -a " + in_quotes(fmt::format("{}", fmt::join(choice, " ")));
      }
      out += " -d " + in_quotes(option->get_description()) + "\n";
    }
  };
  for (const CLI::App* command : commands(app)) {
    out += fmt::format("complete -c reckon -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                       in_quotes(command->get_description()));
  }
  lines(app, "__fish_use_subcommand");
  for (const CLI::App* command : commands(app)) lines(*command, "__fish_seen_subcommand_from " + command->get_name());
  return out;
}

}  // namespace reckon::cli
