#pragma once
// LLVM's instruction builder, shorter: types, constants, loads and stores at offsets.

#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

class CodeBuilder {
 public:
  CodeBuilder(const Library& llvm, Context context)
      : llvm(llvm), context(context), builder_(llvm.CreateBuilderInContext(context)) {}
  ~CodeBuilder() { llvm.DisposeBuilder(builder_); }
  CodeBuilder(const CodeBuilder&) = delete;
  CodeBuilder& operator=(const CodeBuilder&) = delete;

  [[nodiscard]] Type integer(unsigned bits) const { return llvm.IntTypeInContext(context, bits); }
  [[nodiscard]] Type pointer() const { return llvm.PointerTypeInContext(context, 0); }
  [[nodiscard]] Type word(bool wide) const { return integer(wide ? 64 : 32); }
  [[nodiscard]] Type lanes(bool wide, unsigned count = 32) const { return llvm.VectorType(word(wide), count); }

  [[nodiscard]] Value k32(std::uint64_t v) const { return llvm.ConstInt(integer(32), v & 0xffffffffu, 0); }
  [[nodiscard]] Value k64(std::uint64_t v) const { return llvm.ConstInt(integer(64), v, 0); }
  [[nodiscard]] Value k(bool wide, std::uint64_t v) const { return wide ? k64(v) : k32(v); }
  template <typename List>
  [[nodiscard]] Value vector_of(bool wide, const List& list) const {
    std::vector<Value> values;
    for (const auto x : list) values.push_back(k(wide, static_cast<std::uint64_t>(x)));
    return llvm.ConstVector(values.data(), static_cast<unsigned>(values.size()));
  }

  Value at(Value base, std::uint64_t bytes) { return at(base, k64(bytes)); }
  Value at(Value base, Value bytes) { return llvm.BuildGEP2(builder_, integer(8), base, &bytes, 1, ""); }
  Value load(Type type, Value from, unsigned alignment = 0) {
    ++size_;
    const Value v = llvm.BuildLoad2(builder_, type, from, "");
    if (alignment) llvm.SetAlignment(v, alignment);
    return v;
  }
  void store(Value v, Value to, unsigned alignment = 0) {
    ++size_;
    const Value made = llvm.BuildStore(builder_, v, to);
    if (alignment) llvm.SetAlignment(made, alignment);
  }
  Value op(Opcode code, Value a, Value b) { return ++size_, llvm.BuildBinOp(builder_, code, a, b, ""); }
  Value add(Value a, Value b) { return op(kAdd, a, b); }
  Value sub(Value a, Value b) { return op(kSub, a, b); }
  Value both(Value a, Value b) { return op(kAnd, a, b); }
  Value compare(Compare how, Value a, Value b) { return llvm.BuildICmp(builder_, how, a, b, ""); }
  Value cast(Cast how, Value v, Type to) { return llvm.BuildCast(builder_, how, v, to, ""); }
  Value inverted(Value bits) { return op(kXor, bits, k32(0xffffffffu)); }
  /// The same word in so many lanes.
  Value splat(Value v, bool wide, unsigned count = 32) {
    const Value first = llvm.BuildInsertElement(builder_, llvm.GetUndef(lanes(wide, count)), v, k32(0), "");
    return llvm.BuildShuffleVector(builder_, first, llvm.GetUndef(lanes(wide, count)),
                                   llvm.ConstNull(lanes(false, count)), "");
  }
  Value joined(Value low, Value high) {
    std::vector<std::uint32_t> all(32);
    for (std::uint32_t i = 0; i < 32; ++i) all[i] = i;
    return llvm.BuildShuffleVector(builder_, low, high, vector_of(false, all), "");
  }
  /// Lanes of one vector behind those of another of the same length.
  Value behind(Value first, Value second, unsigned lanes_of_one) {
    std::vector<std::uint32_t> all(std::size_t{2} * lanes_of_one);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    return llvm.BuildShuffleVector(builder_, first, second, vector_of(false, all), "");
  }
  Value shuffled(Value v, const std::vector<std::uint32_t>& sources) { return mixed(v, v, sources); }
  /// Lanes of the second are numbered behind those of the first.
  Value mixed(Value first, Value second, const std::vector<std::uint32_t>& sources) {
    return llvm.BuildShuffleVector(builder_, first, second, vector_of(false, sources), "");
  }
  Value slot(Type type, const char* name = "") {
    const Value v = llvm.BuildAlloca(builder_, type, name);
    llvm.SetAlignment(v, 64);
    return v;
  }
  Value phi(Type type, std::vector<Value> values, std::vector<Block> from) {
    const Value v = llvm.BuildPhi(builder_, type, "");
    llvm.AddIncoming(v, values.data(), from.data(), static_cast<unsigned>(values.size()));
    return v;
  }
  void add_to_phi(Value phi, Value value, Block from) { llvm.AddIncoming(phi, &value, &from, 1); }
  Value call(Type result, Value function, std::vector<Value> arguments, std::vector<Type> types) {
    size_ += 4;
    const Type type = llvm.FunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0);
    return llvm.BuildCall2(builder_, type, function, arguments.data(), static_cast<unsigned>(arguments.size()), "");
  }
  void go(Block to) { llvm.BuildBr(builder_, to); }
  void go_if(Value condition, Block yes, Block no) { llvm.BuildCondBr(builder_, condition, yes, no); }
  void give(Value v) { llvm.BuildRet(builder_, v); }
  void unreachable() { llvm.BuildUnreachable(builder_); }
  Value choose_lanes(Value bits, Value yes, Value no) { return llvm.BuildSelect(builder_, bits, yes, no, ""); }
  Value choose(Value v, Block otherwise) { return llvm.BuildSwitch(builder_, v, otherwise, 16); }

  void begin(Block block) { llvm.PositionBuilderAtEnd(builder_, block); }
  Value element(Value v, Value number) { return llvm.BuildExtractElement(builder_, v, number, ""); }
  [[nodiscard]] Block here() const { return llvm.GetInsertBlock(builder_); }
  /// Instructions so far, about: how long LLVM will take for them.
  [[nodiscard]] std::size_t size() const { return size_; }

  const Library& llvm;
  const Context context;

 private:
  Builder builder_;
  std::size_t size_ = 0;
};

}  // namespace gpulab::simt::compiled
