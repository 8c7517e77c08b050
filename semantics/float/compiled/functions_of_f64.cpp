#include "semantics/float/compiled/functions_of_f64.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <utility>

#include "numerics/functions64/quick.h"
#include "numerics/wide_functions.h"

namespace reckon::codegen {
namespace {

using llvm::Value;
using numerics::BinaryFunction;
using numerics::Function;

constexpr std::size_t operands_of(Function) { return 1; }
constexpr std::size_t operands_of(BinaryFunction) { return 2; }

// Functions of their own, because each has hundreds of calls inlined, and a large frame.
template <auto function, class... Operands>
[[gnu::noinline]] Value* with_three_doubles(NumberBuilder numbers, Operands... x) {
  return numerics::elementary_f64<function>(numbers, static_cast<Value*>(x)...);
}
template <auto function, class... Operands>
[[gnu::noinline]] numerics::Attempt<NumberBuilder> with_two_doubles(NumberBuilder numbers, Operands... x) {
  return numerics::quick_f64<function>(numbers, static_cast<Value*>(x)...);
}

Value* with_three_doubles(NumberBuilder numbers, Function which, llvm::Function& of) {
  Value* result = nullptr;
  numerics::with_function(which, [&]<Function f>() { result = with_three_doubles<f>(numbers, of.getArg(0)); });
  return result;
}
Value* with_three_doubles(NumberBuilder numbers, BinaryFunction which, llvm::Function& of) {
  Value* result = nullptr;
  numerics::with_function(which, [&]<BinaryFunction f>() {
    result = with_three_doubles<f>(numbers, of.getArg(0), of.getArg(1));
  });
  return result;
}
numerics::Attempt<NumberBuilder> with_two_doubles(NumberBuilder numbers, Function which, llvm::Function& of) {
  numerics::Attempt<NumberBuilder> result{};
  numerics::with_function(which, [&]<Function f>() { result = with_two_doubles<f>(numbers, of.getArg(0)); });
  return result;
}
numerics::Attempt<NumberBuilder> with_two_doubles(NumberBuilder numbers, BinaryFunction which, llvm::Function& of) {
  numerics::Attempt<NumberBuilder> result{};
  numerics::with_function(which, [&]<BinaryFunction f>() {
    result = with_two_doubles<f>(numbers, of.getArg(0), of.getArg(1));
  });
  return result;
}

/// The functions of a module that stand for one elementary function.
template <class Which>
class Functions {
 public:
  Functions(llvm::Module& module, Which which) : module_(module), which_(which) {}

  llvm::Function& of_numbers(unsigned lanes) {
    if (llvm::Function* known = module_.getFunction(name(""))) return *known;
    llvm::Function& function = make("", 1);
    Builder b(llvm::BasicBlock::Create(module_.getContext(), "entry", &function));
    const auto [value, decided] = with_two_doubles({b}, which_, function);
    const llvm::SmallVector<Value*, 2> x(llvm::make_pointer_range(function.args()));
    b.CreateRet(unless_decided(b, function, value, decided, x));
    if (lanes > 1) of_vectors(lanes);
    return function;
  }
  /// With the ending of one of them.
  std::string name(const char* end) const {
    return fmt::format("reckon_function{}_{}_f64{}", operands_of(which_), static_cast<int>(which_), end);
  }

 private:
  llvm::Function& make(const char* end, unsigned lanes) {
    Builder b(module_.getContext());
    llvm::Type* type = NumberBuilder{b, lanes}.f64_type();
    const llvm::SmallVector<llvm::Type*, 2> types(operands_of(which_), type);
    llvm::Function* function = llvm::Function::Create(llvm::FunctionType::get(type, types, false),
                                                      llvm::Function::InternalLinkage, name(end), module_);
    for (const auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn})
      function->addFnAttr(attribute);
    function->setDoesNotAccessMemory();
    return *function;
  }

  llvm::Function& slow() {
    if (llvm::Function* known = module_.getFunction(name("_in_three"))) return *known;
    llvm::Function& function = make("_in_three", 1);
    function.addFnAttr(llvm::Attribute::Cold);
    Builder b(llvm::BasicBlock::Create(module_.getContext(), "entry", &function));
    b.CreateRet(with_three_doubles({b}, which_, function));
    return function;
  }

  /// The value, or where it is not decided that of the slow function.
  Value* unless_decided(Builder& b, llvm::Function& in, Value* value, Value* decided, llvm::ArrayRef<Value*> x) {
    llvm::BasicBlock* quick = b.GetInsertBlock();
    auto* again = llvm::BasicBlock::Create(module_.getContext(), "again", &in);
    auto* done = llvm::BasicBlock::Create(module_.getContext(), "done", &in);
    b.CreateCondBr(decided, done, again);
    b.SetInsertPoint(again);
    Value* other = b.CreateCall(&slow(), x);
    b.CreateBr(done);
    b.SetInsertPoint(done);
    llvm::PHINode* result = b.CreatePHI(b.getDoubleTy(), 2);
    result->addIncoming(value, quick);
    result->addIncoming(other, again);
    return result;
  }

  void of_vectors(unsigned lanes) {
    llvm::Function& function = make("_of_vectors", lanes);
    Builder b(llvm::BasicBlock::Create(module_.getContext(), "entry", &function));
    const auto [value, decided] = with_two_doubles({b, lanes}, which_, function);
    auto* lane_by_lane = llvm::BasicBlock::Create(module_.getContext(), "lane_by_lane", &function);
    auto* all_decided = llvm::BasicBlock::Create(module_.getContext(), "all_decided", &function);
    b.CreateCondBr(b.CreateAndReduce(decided), all_decided, lane_by_lane);
    b.SetInsertPoint(all_decided);
    b.CreateRet(value);
    b.SetInsertPoint(lane_by_lane);
    Value* result = value;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      llvm::SmallVector<Value*, 2> x;
      for (llvm::Argument& argument : function.args()) x.push_back(b.CreateExtractElement(&argument, lane));
      Value* number =
          unless_decided(b, function, b.CreateExtractElement(value, lane), b.CreateExtractElement(decided, lane), x);
      result = b.CreateInsertElement(result, number, lane);
    }
    b.CreateRet(result);
    llvm::appendToCompilerUsed(module_, {&function});
  }

  llvm::Module& module_;
  Which which_;
};

template <class Which>
Value* call(Builder& b, Which which, llvm::ArrayRef<Value*> x, unsigned lanes) {
  Functions functions(*b.GetInsertBlock()->getModule(), which);
  llvm::CallInst* call = b.CreateCall(&functions.of_numbers(lanes), x);
  // LLVM's names for functions of vectors: LangRef, "vector-function-abi-variant".
  if (lanes > 1) {
    call->addFnAttr(llvm::Attribute::get(b.getContext(), "vector-function-abi-variant",
                                         fmt::format("_ZGV_LLVM_N{}{}_{}({})", lanes, std::string(x.size(), 'v'),
                                                     functions.name(""), functions.name("_of_vectors"))));
  }
  return call;
}

}  // namespace

llvm::Value* call_function_of_f64(Builder& b, Function which, llvm::ArrayRef<Value*> x, unsigned lanes) {
  return call(b, which, x, lanes);
}
llvm::Value* call_function_of_f64(Builder& b, BinaryFunction which, llvm::ArrayRef<Value*> x, unsigned lanes) {
  return call(b, which, x, lanes);
}

}  // namespace reckon::codegen
