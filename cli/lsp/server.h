// A server of the Language Server Protocol, version 3.17, for editors: what messages it understands and answers.
#pragma once

#include "api/reckon/reckon.h"
#include "cli/lsp/connection.h"

namespace reckon::lsp {

/// Serves until the client says `exit` or the input ends; the exit status: 0 after a `shutdown`, else 1.
int serve(Connection& connection, const SessionOptions& options);

}  // namespace reckon::lsp
