// Files for editors that name the words of the language. They come from the tables that the language is read with.
#pragma once

#include <string>

namespace reckon::cli {

/// A TextMate grammar, in JSON: editors/vscode/syntaxes/reckon.tmLanguage.json.
std::string textmate_grammar();
/// A syntax file of Vim: editors/vim/syntax/reckon.vim.
std::string vim_syntax();

}  // namespace reckon::cli
