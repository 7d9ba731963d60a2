#pragma once
// Inside decode: what the functions of one program share while they are decoded, and one function's own state.

#include <array>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/ptx/extent.h"
#include "common/ptx/flow/allocation.h"
#include "common/ptx/flow/cfg.h"
#include "common/simt/decode/decode.h"
#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt {

/// Local memory of a thread at most (CUDA C++ Programming Guide, Technical Specifications).
inline constexpr std::uint64_t kMostLocalBytes = 512 << 10;

enum class WayPoint : std::uint16_t;

/// Where a symbol's storage lies.
struct Symbol {
  enum class Where { global, shared, frame, kernel_parameter, function } where;
  std::uint64_t value = 0;  ///< address, or offset in the space
  std::uint64_t bytes = 0;  ///< frame, kernel_parameter: its size
};

/// Slots that do not belong to a function's registers: constants, specials, parameters, scratch.
class SlotPool {
 public:
  explicit SlotPool(Program& program) : program_(program) {}
  [[nodiscard]] std::uint16_t constant(bool wide, std::uint64_t bits);
  [[nodiscard]] std::uint16_t special(bool wide, const SpecialRegister& which);
  [[nodiscard]] std::uint16_t parameter(bool wide, Kind kind, std::uint32_t offset);
  /// Short-lived values within one instruction: the k-th of a class (0: 32 bits, 1: 64 bits, 2: predicate).
  [[nodiscard]] std::uint16_t scratch(int register_class, int k);
  [[nodiscard]] std::uint16_t constant_pred(bool value);
  [[nodiscard]] std::uint16_t take(bool wide);

 private:
  Program& program_;
  std::map<std::pair<bool, std::uint64_t>, std::uint16_t> constants_;
  std::map<std::pair<bool, const SpecialRegister*>, std::uint16_t> specials_;
  std::map<std::tuple<bool, Kind, std::uint32_t>, std::uint16_t> parameters_;
  std::map<std::pair<int, int>, std::uint16_t> scratch_;
  std::array<int, 2> preds_{-1, -1};
};

/// One program's decoding.
struct Decoder {
  const ptx::Module& module;
  Program& program;
  const DecodeContext& context;
  SlotPool pool;
  std::unordered_map<std::string_view, Symbol> module_symbols;
  std::unordered_map<std::string_view, std::uint32_t> function_index;    ///< into program.functions
  std::unordered_map<std::string_view, std::uint32_t> module_functions;  ///< into module.functions
  std::vector<bool> waits;  ///< by function: comes to a barrier of the whole block (kWatchWays)

  Decoder(const ptx::Module& m, Program& p, const DecodeContext& c) : module(m), program(p), context(c), pool(p) {
    for (std::uint32_t i = 0; i < m.functions.size(); ++i) module_functions.emplace(m.functions[i].name, i);
  }
  const Symbol* find_module_symbol(std::string_view name);
};

/// One instruction, or a branch around one that must not run under a guard trampoline, or the end of the body.
struct Item {
  enum class Kind { instruction, skip, end } kind = Kind::instruction;
  const ptx::Instruction* instruction = nullptr;
  Entry entry;
  std::uint32_t site = 0;
};

/// One function's decoding: items -> graph -> registers -> micro-ops.
class FunctionDecoder {
 public:
  FunctionDecoder(Decoder& decoder, std::uint32_t index);
  void make_items();    ///< rows, guards, sites
  void layout_frame();  ///< local variables, call parameters, own parameters
  void allocate();      ///< control flow, liveness, registers
  void emit();          ///< micro-ops and basic blocks
  [[nodiscard]] const ptx::Function& function() const { return function_; }
  [[nodiscard]] bool has_barrier_of_the_block() const;  ///< not in a function that it calls

 private:
  // function_items.cpp
  const Entry* choose_row(const ptx::Instruction& instruction) const;
  bool predicates_fit(const Meaning& meaning, const ptx::Instruction& instruction) const;
  void add_item(const ptx::Instruction& instruction);
  void contract();
  [[noreturn]] void not_implemented(const ptx::Instruction& instruction) const;
  [[noreturn]] void fail(const ptx::Instruction& instruction, const std::string& what) const;
  std::uint32_t add_frame_variable(const ptx::Variable& variable);
  void layout_kernel_parameters();
  void check_registers() const;
  std::uint32_t label_target(const ptx::Instruction& instruction, std::string_view label) const;
  std::vector<std::uint32_t> table_targets(const ptx::Instruction& instruction) const;
  void collect_accesses();
  void add_access(const ptx::Operand& operand, bool write, std::vector<std::uint32_t>& list) const;
  std::uint32_t register_id(const ptx::Instruction& instruction, std::string_view name) const;

  struct Emission {
    std::vector<MicroOp> before, main, after;
    std::array<int, 3> scratch{0, 0, 0};
  };

  // function_constants.cpp
  void find_lasting();
  int lasting_slot(const Item& item, std::uint32_t reg);
  bool needs_no_code(const Item& item) const;

  // function_operands.cpp
  void emit_operands(const Item& item, Emission& out);
  Handler look_at(const Item& item) const;
  std::vector<std::uint16_t> operand_slots(const Item& item, MicroOp& op, Emission& out);
  std::uint16_t first_address(const Item& item, const ptx::Operand& operand, MicroOp& op, Emission& out);
  std::uint16_t fixed_address(const Item& item, const ptx::Operand& operand, std::int64_t offset, Emission& out);
  std::uint16_t further_address(const Item& item, const ptx::Operand& operand, Emission& out);
  std::uint16_t optional_destination(const Item& item, const ptx::Operand& operand, bool second, Kind kind,
                                     Emission& out);

  // function_observed.cpp
  void find_detours();
  std::vector<std::uint32_t> find_waiting_items() const;
  void find_work_behind(const std::vector<std::uint32_t>& meetings);
  void push_way(WayPoint point, std::uint32_t way, std::uint32_t item);
  void push_entry(std::uint32_t item);
  void push_ways_of(std::uint32_t cfg_block);
  void find_values_from_afar();
  bool touches_values(std::uint32_t item) const;

  // function_emit.cpp
  void emit_item(const Item& item, std::uint32_t cfg_block);
  void emit_look(const Item& item, Handler look);
  void emit_parameter_load(const Item& item, Emission& out);
  void emit_branch(const Item& item, std::uint32_t cfg_block);
  void emit_skip(const Item& item, std::uint32_t item_index, std::uint32_t cfg_block);
  void emit_call(const Item& item, Emission& out);
  bool is_kernel_parameter_load(const Item& item) const;
  std::uint32_t parameter_place(const Item& item) const;
  void push(MicroOp op) { decoder_.program.ops.push_back(op); }
  std::uint16_t source(const Item& item, const ptx::Operand& operand, Kind kind, Emission& out);
  std::uint16_t source_pred(const Item& item, const ptx::Operand& operand, Emission& out);
  std::uint16_t special_source(const Item& item, std::string_view name, bool wide, Emission& out);
  std::uint16_t symbol_source(const Item& item, std::string_view name, std::int64_t offset, bool wide, Emission& out);
  std::uint16_t destination(const Item& item, const ptx::Operand& operand, Kind kind, Emission& out);
  std::uint16_t scratch(int register_class, Emission& out) {
    return decoder_.pool.scratch(register_class, out.scratch[register_class]++);
  }
  MicroOp pseudo(std::string_view opcode, std::uint32_t site) const;
  std::uint16_t slot_of(std::uint32_t reg) const;
  const Symbol* find_symbol(std::string_view name) const;
  void end_block(std::uint32_t next_block, std::uint32_t site);
  MicroOp conditional(std::uint32_t site, std::string_view guard, bool negated, std::uint32_t target_item,
                      std::uint32_t cfg_block) const;
  std::uint32_t block_of_item(std::uint32_t item) const { return first_block_[graph_.block_of[item]]; }

  Decoder& decoder_;
  std::uint32_t index_;
  const ptx::Function& function_;
  bool entry_;
  std::unordered_map<std::string_view, std::uint32_t> registers_;
  std::vector<int> register_class_;
  std::unordered_map<std::string_view, Symbol> frame_;
  Layout frame_layout_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;  ///< PTX instruction index
  std::vector<Item> items_;
  std::deque<ptx::Instruction> contracted_;  ///< sums with the products that they take in (contraction.h)
  std::vector<std::uint32_t> item_of_instruction_;
  std::vector<std::vector<std::uint32_t>> targets_;  ///< per item: items it may branch to
  std::vector<std::vector<std::uint32_t>> reads_, writes_;
  std::vector<bool> read_anywhere_;
  std::vector<int> lasting_;  ///< per register: the slot of the constant that it always holds, or -1
  ptx::ControlFlowGraph graph_;
  ptx::Allocation allocation_;
  std::vector<bool> from_afar_;  ///< per register: RegisterPlace::from_afar (kWatchValues)
  /// Per graph block, for observers that ask (kWatchWays); empty where there are no detours.
  struct Ways {
    int branch = -1;                                   ///< the way that its last instruction chooses, -1: none
    std::vector<std::uint32_t> meetings;               ///< ways that meet here
    std::uint32_t work = ptx::ControlFlowGraph::exit;  ///< item that does some, behind a meeting
  };
  std::vector<Ways> ways_;
  std::vector<std::uint32_t> first_block_;  ///< program block of each graph block
};

/// Marks functions that come to a barrier of the whole block, themselves or by a call (Decoder::waits).
void find_waiting(Decoder& decoder, const std::vector<FunctionDecoder>& functions);

}  // namespace gpulab::simt
