#include <exception>
#include <iostream>

#include "cli/options.h"

int main(int argc, char** argv) {
  try {
    return reckon::cli::dispatch(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "reckon: out of memory\n";
  } catch (const std::exception& problem) {
    std::cerr << "reckon: internal error: " << problem.what() << '\n';
  }
  return reckon::cli::internal_error;
}
