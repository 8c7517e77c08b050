// The stand-in driver of libcuda.cpp, as tests use it.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "runtime/cuda/resources.h"

namespace reckon::runtime::cuda {

/// A fresh log and no failures ordered, for the length of a test.
class FakeCuda {
 public:
  FakeCuda() : library_(dlopen(RECKON_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL)) { reset(); }
  FakeCuda(const FakeCuda&) = delete;
  FakeCuda& operator=(const FakeCuda&) = delete;
  ~FakeCuda() { reset(); }

  void reset() {
    unsetenv("FAKE_CUDA_FAIL");
    unsetenv("FAKE_CUDA_DEVICES");
    unsetenv("FAKE_CUDA_FAST");
    function<void()>("fake_cuda_reset")();
  }
  void fail(const std::string& orders) { setenv("FAKE_CUDA_FAIL", orders.c_str(), 1); }
  void devices(int count) { setenv("FAKE_CUDA_DEVICES", std::to_string(count).c_str(), 1); }
  void fast(int threads) { setenv("FAKE_CUDA_FAST", std::to_string(threads).c_str(), 1); }
  std::string log() const { return function<const char*()>("fake_cuda_log")(); }
  bool has_context() const { return function<int()>("fake_cuda_has_context")() != 0; }
  void forget_context() { function<void()>("fake_cuda_forget_context")(); }
  int live() const { return function<int()>("fake_cuda_live")(); }
  /// How many lines of the log start so.
  int count(const std::string& start) const {
    int found = 0;
    std::string text = "\n";
    text += log();
    for (std::size_t at = text.find("\n" + start); at != std::string::npos; at = text.find("\n" + start, at + 1))
      ++found;
    return found;
  }
  DriverOptions options() const { return {RECKON_FAKE_CUDA}; }

 private:
  template <class Type>
  Type* function(const char* name) const {
    return reinterpret_cast<Type*>(dlsym(library_, name));
  }
  void* library_;
};

}  // namespace reckon::runtime::cuda
