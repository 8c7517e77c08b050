// What tests compile for.
#pragma once

#include "semantics/float/compiled.h"
#include "semantics/fpsan/compiled.h"
#include "semantics/interval/compiled.h"
#include "semantics/padic/compiled.h"
