// All of the ring `padic`.
#pragma once

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/embed.h"
#include "numerics/padic/functions.h"
#include "numerics/padic/order.h"
#include "numerics/padic/random.h"
#include "numerics/padic/steps.h"
