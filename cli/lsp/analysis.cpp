#include "cli/lsp/analysis.h"

#include <algorithm>
#include <utility>

#include "cli/lsp/parts.h"

namespace reckon::lsp {
namespace {

/// Moves the lines of a place that is about the text.
void move(SourcePlace& place, std::uint32_t by) {
  if (place.line == 0) return;
  place.line += by;
  place.end_line += by;
}

/// Calls `change` with each object of a message that has a place in the file.
template <class Change>
void for_places(Json& message, const std::string& path, Change&& change) {
  const auto visit = [&](Json& object) {
    if (object.value("file", "") == path && object.contains("line")) change(object);
  };
  visit(message);
  if (message.contains("suggestion")) visit(message["suggestion"]);
  if (message.contains("labels")) {
    for (Json& label : message["labels"]) visit(label);
  }
}

std::uint32_t lines_in(std::string_view text) { return static_cast<std::uint32_t>(std::ranges::count(text, '\n')); }

}  // namespace

void Analysis::update(const std::string& text) {
  const std::vector<std::string_view> texts = parts_of(text);
  complete_outlines();
  std::vector<Part> before = std::move(parts_);
  const std::size_t shorter = std::min(before.size(), texts.size());
  std::size_t same_begin = 0, same_end = 0;
  while (same_begin < shorter && before[same_begin].text == texts[same_begin]) ++same_begin;
  while (same_end < shorter - same_begin && before[before.size() - 1 - same_end].text == texts[texts.size() - 1 - same_end]) ++same_end;

  parts_.clear();
  std::set<std::string> names;  // of definitions that came, went or changed
  const bool all = before.empty();
  bool imports = false;
  const auto note = [&](Part& part) {
    if (all) return;
    for (const SourceDefinition& each : outline_of(part).definitions) {
      if (is_global(each)) names.insert(each.name);
    }
    imports = imports || !part.outline->imports.empty();
  };
  for (std::size_t k = same_begin; k < before.size() - same_end; ++k) note(before[k]);
  for (const std::string& name : names) known_.erase(name);
  Parts changed;
  std::uint32_t line = 1;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const bool at_begin = k < same_begin, at_end = k >= texts.size() - same_end;
    if (at_begin || at_end) {
      parts_.push_back(std::move(before[at_begin ? k : before.size() - (texts.size() - k)]));
    } else {
      parts_.push_back({++last_number_, 0, lines_in(texts[k]), std::string(texts[k]), {}, {}});
      note(parts_.back());
      changed.insert(k);
    }
    parts_.back().first_line = line;
    line += parts_.back().lines;
  }
  for (const std::size_t k : changed) {
    if (all) break;
    for (const SourceDefinition& each : outline_of(parts_[k]).definitions) {
      if (is_global(each)) known_.insert(each.name);
    }
  }
  outline_.reset();
  if (all || imports) return read({}, true);
  // A message whose labels point at a part that is gone is out of date.
  std::set<std::uint64_t> numbers;
  for (const Part& part : parts_) numbers.insert(part.number);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (Json& message : parts_[k].messages) {
      for_places(message, path_, [&](Json& place) {
        if (!numbers.contains(place.value("part", std::uint64_t{0}))) changed.insert(k);
      });
    }
  }
  add_users(changed, std::move(names));
  if (!changed.empty()) read(changed, false);
}

const SourceOutline& Analysis::outline_of(Part& part) {
  if (!part.outline) {
    part.outline = outline_source(part.text, [this](const std::string& name) { return known_.contains(name); });
  }
  return *part.outline;
}

void Analysis::complete_outlines() {
  if (has_all_) take_outlines(outline_source(*session_));
  has_all_ = false;
  for (Part& part : parts_) outline_of(part);
}

void Analysis::take_outlines(SourceOutline whole) {
  for (Part& part : parts_) part.outline.emplace();
  const auto home = [&](SourcePlace& place) -> std::pair<std::size_t, Part&> {
    const std::size_t k = part_at(place.line);
    move(place, 1 - parts_[k].first_line);
    return {k, parts_[k]};
  };
  std::vector<std::pair<std::size_t, std::size_t>> numbers;  // of each definition: its part's, and its own there
  for (SourceDefinition& each : whole.definitions) {
    const auto [k, part] = home(each.place);
    move(each.whole, 1 - part.first_line);
    move(each.scope, 1 - part.first_line);
    numbers.emplace_back(k, part.outline->definitions.size());
    part.outline->definitions.push_back(std::move(each));
  }
  for (SourceUse& each : whole.uses) {
    const auto [k, part] = home(each.place);
    const auto definition = std::exchange(each.definition, {});
    if (definition && numbers[*definition].first == k) each.definition = numbers[*definition].second;
    part.outline->uses.push_back(std::move(each));
  }
  for (SourceImport& each : whole.imports) home(each.place).second.outline->imports.push_back(std::move(each));
}

std::size_t Analysis::part_at(std::uint32_t line) const {
  const auto next = std::ranges::upper_bound(parts_, line, {}, &Part::first_line);
  return next == parts_.begin() ? 0 : static_cast<std::size_t>(next - parts_.begin()) - 1;
}

void Analysis::add_users(Parts& parts, std::set<std::string> names) {
  complete_outlines();
  std::map<std::string, std::vector<std::size_t>> users;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (const SourceUse& use : outline_of(parts_[k]).uses) {
      if (!use.definition) users[use.name].push_back(k);
    }
  }
  while (!names.empty()) {
    const std::string name = std::move(names.extract(names.begin()).value());
    for (const std::size_t k : users[name]) {
      if (!parts.insert(k).second) continue;
      for (const SourceDefinition& each : outline_of(parts_[k]).definitions) {
        if (is_global(each)) names.insert(each.name);
      }
    }
  }
}

void Analysis::add_needed(Parts& parts) {
  complete_outlines();
  std::map<std::string, std::vector<std::size_t>> definitions;
  std::vector<std::string> all;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const SourceOutline& outline = outline_of(parts_[k]);
    if (!outline.imports.empty()) parts.insert(k);
    for (const SourceDefinition& each : outline.definitions) {
      if (!is_global(each)) continue;
      definitions[each.name].push_back(k);
      all.push_back(each.name);
    }
  }
  std::vector<std::size_t> left(parts.begin(), parts.end());
  const auto need = [&](const std::string& name) {
    for (const std::size_t k : definitions[name]) {
      if (parts.insert(k).second) left.push_back(k);
    }
  };
  while (!left.empty()) {
    const SourceOutline& outline = outline_of(parts_[left.back()]);
    left.pop_back();
    // Two definitions of one name are a mistake, and both are shown.
    for (const SourceDefinition& each : outline.definitions) {
      if (is_global(each)) need(each.name);
    }
    for (const SourceUse& use : outline.uses) {
      if (use.definition) continue;
      need(use.name);
      if (!definitions[use.name].empty() || known_.contains(use.name)) continue;
      // A misspelt name: the message proposes the one that is meant.
      if (const auto near = Session::nearest(use.name, all)) need(*near);
    }
  }
}

std::string Analysis::text_of(const Parts& parts) const {
  std::string out;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts.contains(k)) out += parts_[k].text;
    else out.append(parts_[k].lines, '\n');
  }
  return out;
}

void Analysis::read(const Parts& parts, bool all) {
  Parts needed = parts;
  if (all) {
    for (std::size_t k = 0; k < parts_.size(); ++k) needed.insert(k);
  } else {
    add_needed(needed);
  }
  session_ = std::make_shared<Session>(options_);
  has_all_ = all;
  std::vector<Message> messages;
  auto loaded = session_->load(text_of(needed), path_);
  if (!loaded) messages = loaded.messages();
  for (Message& note : session_->notes()) messages.push_back(std::move(note));
  if (all) {
    const auto names = session_->names();
    known_ = {names.begin(), names.end()};
  }
  in_session_ = std::move(needed);
  take_messages(messages, in_session_);
}

void Analysis::take_messages(const std::vector<Message>& messages, const Parts& of) {
  for (const std::size_t k : of) parts_[k].messages.clear();
  elsewhere_.clear();
  for (const Message& message : messages) {
    Json read = Json::parse(message.json, nullptr, false);
    if (!read.is_object()) continue;
    const bool here = read.value("file", "") == path_ && read.contains("line") && !parts_.empty();
    const std::size_t home = here ? part_at(read["line"]) : 0;
    for_places(read, path_, [&](Json& place) {
      const Part& part = parts_[part_at(place["line"])];
      place["part"] = part.number;
      place["line"] = place["line"].get<std::uint32_t>() - part.first_line;
      if (place.contains("end_line")) place["end_line"] = place["end_line"].get<std::uint32_t>() - part.first_line;
    });
    (here ? parts_[home].messages : elsewhere_).push_back(std::move(read));
  }
}

std::vector<Json> Analysis::messages() const {
  std::map<std::uint64_t, std::uint32_t> first_lines;
  for (const Part& part : parts_) first_lines[part.number] = part.first_line;
  std::vector<Json> out = elsewhere_;
  for (const Part& part : parts_) {
    for (Json message : part.messages) {
      for_places(message, path_, [&](Json& place) {
        const std::uint32_t first = first_lines[place["part"].get<std::uint64_t>()];
        place["line"] = place["line"].get<std::uint32_t>() + first;
        if (place.contains("end_line")) place["end_line"] = place["end_line"].get<std::uint32_t>() + first;
        place.erase("part");
      });
      out.push_back(std::move(message));
    }
  }
  return out;
}

const SourceOutline& Analysis::outline() {
  if (outline_) return *outline_;
  complete_outlines();
  SourceOutline whole;
  std::map<std::string, std::size_t> globals;
  for (Part& part : parts_) {
    const std::size_t first = whole.definitions.size();
    const std::uint32_t moved = part.first_line - 1;
    const SourceOutline& outline = outline_of(part);
    for (SourceDefinition each : outline.definitions) {
      if (is_global(each)) globals[each.name] = whole.definitions.size();
      move(each.place, moved);
      move(each.whole, moved);
      move(each.scope, moved);
      whole.definitions.push_back(std::move(each));
    }
    for (SourceUse each : outline.uses) {
      move(each.place, moved);
      if (each.definition) *each.definition += first;
      whole.uses.push_back(std::move(each));
    }
    for (SourceImport each : outline.imports) {
      move(each.place, moved);
      whole.imports.push_back(std::move(each));
    }
  }
  // What one part defines and another uses.
  for (SourceUse& use : whole.uses) {
    const auto global = use.definition ? globals.end() : globals.find(use.name);
    if (global != globals.end()) use.definition = global->second;
  }
  return outline_.emplace(std::move(whole));
}

Session& Analysis::session_with(const std::string& name) {
  complete_outlines();
  Parts wanted;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const bool defines = std::ranges::any_of(outline_of(parts_[k]).definitions, [&](const SourceDefinition& each) {
      return is_global(each) && each.name == name;
    });
    if (defines) wanted.insert(k);
  }
  const bool there = session_ && std::ranges::includes(in_session_, wanted);
  if (!there) {
    add_needed(wanted);
    session_ = std::make_shared<Session>(options_);
    (void)session_->load(text_of(wanted), path_);
    in_session_ = std::move(wanted);
  }
  return *session_;
}

}  // namespace reckon::lsp
