#include "cli/line_editor.h"

#include <histedit.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "cli/history_file.h"

namespace reckon::cli {
namespace {

constexpr std::size_t max_listed = 200;
constexpr int history_size = 1000;

/// libedit takes bytes for characters as the locale says, and Reckon's text is UTF-8 whatever the user's locale is. The
/// locale of this thread alone is changed, and only while libedit runs.
class Utf8Scope {
 public:
  explicit Utf8Scope(locale_t utf8) : before_(uselocale(utf8)) {}
  Utf8Scope(const Utf8Scope&) = delete;
  Utf8Scope& operator=(const Utf8Scope&) = delete;
  ~Utf8Scope() { uselocale(before_); }

 private:
  locale_t before_;
};

locale_t utf8_locale() {
  for (const char* name : {"C.UTF-8", "en_US.UTF-8", ""})
    if (const locale_t locale = newlocale(LC_CTYPE_MASK, name, nullptr)) return locale;
  return nullptr;
}

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         byte >= 0x80;
}

std::size_t word_start(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && is_word_byte(text[start - 1])) --start;
  return start == 1 && text[0] == ':' ? 0 : start;
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

}  // namespace

std::string common_prefix(const std::vector<std::string>& strings) {
  if (strings.empty()) return {};
  std::size_t size = strings[0].size();
  for (const std::string& string : strings) {
    const auto differs = std::mismatch(strings[0].begin(), strings[0].begin() + static_cast<std::ptrdiff_t>(size),
                                       string.begin(), string.end());
    size = static_cast<std::size_t>(differs.first - strings[0].begin());
  }
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(strings[0][at]) & 0xc0) == 0x80; };
  while (size > 0 && size < strings[0].size() && continues(size)) --size;
  return strings[0].substr(0, size);
}

std::string in_columns(const std::vector<std::string>& strings, std::size_t width) {
  std::size_t longest = 0;
  for (const std::string& string : strings) longest = std::max(longest, string.size());
  const std::size_t columns = std::max<std::size_t>(1, (width + 1) / (longest + 2));
  const std::size_t rows = (strings.size() + columns - 1) / columns;
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = row; i < strings.size(); i += rows) {
      text += strings[i];
      if (i + rows < strings.size()) text.append(longest + 2 - strings[i].size(), ' ');
    }
    text += "\n";
  }
  return text;
}

struct LineEditor::State {
  HistoryFile file;
  Completer completer;
  std::string prompt;
  std::string last_entry;
  bool interactive = false;
  bool interrupted = false;
  locale_t utf8 = nullptr;
  EditLine* editor = nullptr;
  History* history = nullptr;

  State(const std::string& history_path, Completer completer_)
      : file(history_path),
        completer(std::move(completer_)),
        interactive(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
    if (interactive) open();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (editor != nullptr) el_end(editor);
    if (history != nullptr) history_end(history);
    if (utf8 != nullptr) freelocale(utf8);
  }

  void open() {
    utf8 = utf8_locale();
    const Utf8Scope scope(utf8);
    editor = el_init("reckon", stdin, stdout, stderr);
    history = history_init();
    if (editor == nullptr || history == nullptr) {
      interactive = false;
      return;
    }
    HistEvent event{};
    ::history(history, &event, H_SETSIZE, history_size);
    for (const std::string& entry : file.load()) enter(entry);

    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT, &show_prompt);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_HIST, &::history, history);
    el_set(editor, EL_SIGNAL, 1);  // keeps up with the window's size, and gives the terminal back before Ctrl-Z
    el_source(editor, nullptr);    // the user's own ~/.editrc; the keys below work whatever it says

    // The wide form: the other one copies the names and never frees them.
    el_wset(editor, EL_ADDFN, L"reckon-complete", L"Complete the name before the cursor", &complete);
    el_wset(editor, EL_ADDFN, L"reckon-interrupt", L"Give up this line", &interrupt);
    el_set(editor, EL_BIND, "^I", "reckon-complete", nullptr);
    el_set(editor, EL_BIND, "^C", "reckon-interrupt", nullptr);
    // While a line is edited (not while anything runs), Ctrl-C is a key and no signal, so that it cannot end the
    // process.
    // (`intr=` would do nothing: libedit takes the character from the terminal again; `-intr` it remembers.)
    el_set(editor, EL_SETTY, "-d", "-intr", nullptr);
    const char* mode = nullptr;
    if (el_get(editor, EL_EDITOR, &mode) == 0 && mode != nullptr && std::string_view(mode) == "emacs") {
      el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
      el_set(editor, EL_BIND, "\\e[3~", "ed-delete-next-char", nullptr);
      el_set(editor, EL_BIND, "\\e[1;5C", "em-next-word", nullptr);
      el_set(editor, EL_BIND, "\\e[1;5D", "ed-prev-word", nullptr);
    }
  }

  /// Entries that libedit could not decode when they are recalled are left out.
  void enter(const std::string& entry) {
    if (std::mbstowcs(nullptr, entry.c_str(), 0) == static_cast<std::size_t>(-1)) return;
    HistEvent event{};
    ::history(history, &event, H_ENTER, entry.c_str());
    last_entry = entry;
  }

  static State& of(EditLine* editor) {
    void* state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }

  static char* show_prompt(EditLine* editor) { return of(editor).prompt.data(); }

  static unsigned char interrupt(EditLine* editor, int) {
    of(editor).interrupted = true;
    std::fputs("^C\n", stdout);
    std::fflush(stdout);
    return CC_NEWLINE;
  }

  static unsigned char complete(EditLine* editor, int) {
    const LineInfo* line = el_line(editor);
    const std::string before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const std::size_t start = word_start(before);
    const std::string word = before.substr(start);
    // Nothing to complete: the key indents, as it does in pasted text.
    if (word.empty()) return el_insertstr(editor, "  ") == 0 ? CC_REFRESH : CC_ERROR;

    const State& state = of(editor);
    std::vector<std::string> matches;
    if (state.completer) matches = state.completer(word, std::string_view(before).substr(0, start));
    std::erase_if(matches, [&](const std::string& match) { return !match.starts_with(word); });
    std::sort(matches.begin(), matches.end());
    matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
    if (matches.empty()) return CC_REFRESH_BEEP;

    const std::string rest = common_prefix(matches).substr(word.size());
    if (!rest.empty()) return el_insertstr(editor, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    if (matches.size() == 1) return CC_REFRESH;
    const std::size_t found = matches.size();
    matches.resize(std::min(found, max_listed));
    std::fputs(("\n" + in_columns(matches, terminal_width())).c_str(), stdout);
    if (found > max_listed) std::printf("... and %zu more\n", found - max_listed);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  std::optional<std::string> read_edited() {
    const Utf8Scope scope(utf8);
    for (;;) {
      int count = 0;
      errno = 0;
      const char* text = el_gets(editor, &count);
      if (interrupted) return std::string();
      if (text == nullptr && count < 0 && errno == EINTR) continue;
      if (text == nullptr || count <= 0) return std::nullopt;
      std::string line(text);
      if (line.ends_with('\n')) line.pop_back();
      return line;
    }
  }
};

LineEditor::LineEditor(const std::string& history_path, Completer completer)
    : state_(std::make_unique<State>(history_path, std::move(completer))) {}
LineEditor::~LineEditor() = default;

bool LineEditor::interactive() const { return state_->interactive; }
bool LineEditor::interrupted() const { return state_->interrupted; }

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  state_->interrupted = false;
  if (state_->interactive) {
    state_->prompt = prompt;
    return state_->read_edited();
  }
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

void LineEditor::remember(const std::string& entry) {
  if (!state_->interactive || is_blank(entry) || entry == state_->last_entry) return;
  const Utf8Scope scope(state_->utf8);
  state_->enter(entry);
  state_->file.append(entry);
}

}  // namespace reckon::cli
