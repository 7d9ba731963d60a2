#pragma once
// Values that nobody has given: read from memory that was never written, or from a lane that takes no part in a
// shuffle, or a variable without a value. A tool marks the registers that receive one, and the accusation waits until
// the value is used: as an address, by a branch, stored, handed to a function. What a selp or a false guard throws away
// was never asked for: compilers load ahead, and then choose. A variable without a value may be copied, as a struct's
// member is that nobody needs; whoever first computes with it is accused, once what comes of it is used.
//
// After valgrind's memcheck (Seward, Nethercote, USENIX 2005), a bit for each bit of a register's lane. Moves,
// conversions, shifts and masks carry bits on as they are; of sums and comparisons of integers what cannot depend on
// them is as defined as before; any other arithmetic on a value with one undefined bit yields an undefined value. Who
// sets a struct's bit-fields one by one loads a word, replaces some of its bits and stores it where it lay: there the
// others are as undefined as before, and nobody is accused (write_back). Likewise who only moves a value to shared or
// local memory, as stencils shift planes of which the first was never given: the bytes there are as undefined, and
// where one is used at last, the load that brought it is accused. While no register of a warp is marked, decode's
// micro-op in front of the instructions asks one flag (Warp::values_watched).

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/block_states.h"
#include "common/simt/observers/locator.h"

namespace gpulab::simt {

/// Is told that an undefined value is used: once for what a lane got.
class UndefinedSource {
 public:
  virtual ~UndefinedSource() = default;
  virtual void used(const Warp& warp, int lane, const Place& place, std::uint32_t bytes) = 0;
};

/// What lanes got by one instruction.
struct Undefined {
  std::string_view tool;
  std::string message{};
  std::string_view unless_told_by{};
  UndefinedSource* source = nullptr;   ///< nullptr: nobody
  bool carried = false;                ///< a store to shared or local memory is no use
  std::uint32_t bytes = 0;             ///< of an access; 0: no memory is meant
  std::uint32_t element = 0;           ///< bytes of one element there, as far as it is a register's
  std::array<Place, kLanes> places{};  ///< where these lie
  /// By element of what the instruction writes (one, or a vector's) and lane: these bits of the register.
  std::array<std::array<std::uint64_t, kLanes>, 4> undefined{};
  /// Lanes whose value may be what lies between a struct's members, which nobody writes and every copy of the struct
  /// carries along. It may be moved and stored; to compute with it is a use.
  std::uint32_t padding = 0;
  /// Lanes that load bytes of which some bits hold a value: bit-fields. What is shifted down there is a field, no
  /// padding.
  std::uint32_t in_parts = 0;
};

/// A store that writes undefined bits back where they were loaded.
struct WrittenBack {
  std::uint32_t lanes = 0;
  std::array<std::array<std::uint64_t, kLanes>, 4> bits{};  ///< by element and lane: undefined as before
};

/// What an instruction does with the values that it reads.
struct ValueStep;

class UndefinedValues final : public Observer {
 public:
  explicit UndefinedValues(Accusations& accusations);
  ~UndefinedValues() override;
  /// Some tool marks values.
  void follow() { ask_for(kWatchValues); }

  /// Whether marks at an instruction come to anything: its results are registers that can be followed, and it has not
  /// been accused of the same before. If not, the tool accuses at once.
  [[nodiscard]] bool may_mark(const Warp& warp, std::uint32_t site, std::string_view tool);
  /// Results of the instruction that is next are undefined.
  void mark(Warp& warp, std::uint32_t site, Undefined what);
  /// A block starts: registers that it may read before it writes them hold nothing (Program::unset). `what`: who says
  /// so, in which words; nothing of lanes.
  void mark_unset(const BlockContext& block, const Undefined& what);
  /// A store is next, at the places that the locator has found. Lanes whose value was loaded in another place and goes
  /// to global memory, or that may leave to the host what nobody gave, are accused. nullptr: nothing stays undefined.
  [[nodiscard]] const WrittenBack* write_back(Warp& warp, std::uint32_t site, const Locator& locator);

  /// Accuses whoever first loaded what a store carried to this place. False: no store did.
  bool accuse_carried(const Warp& warp, const Place& place);

  void grid_started(const LaunchState& launch) override;
  void block_started(const BlockContext& block) override;
  void block_ended(const BlockContext& block) override;
  void instruction(Warp& warp, const MicroOp* op, std::uint32_t lanes) override;

 private:
  /// A register's lane: which of WarpValues::known, and of which lane there.
  struct Mark {
    Place place;             ///< of the access; the instruction may have been executed again since
    std::uint64_t bits = 0;  ///< that are undefined
    std::uint16_t what = 0;
    std::uint8_t lane : 5 = 0;
    bool padding : 1 = false;   ///< Undefined::padding, and only moved since
    bool in_place : 1 = false;  ///< loaded, and each bit is where it was in memory
    bool in_parts : 1 = false;  ///< Undefined::in_parts
    bool masked : 1 = false;    ///< bits have given way to others since
    std::uint8_t element = 0;   ///< of what was loaded
    std::uint16_t origin = 0;   ///< of what a store has carried to where it was loaded: of BlockValues::origins, from 1
  };
  using Marks = std::array<Mark, kLanes>;
  /// A register that an instruction writes, and which bits of the result it receives: `first` and those behind it; bit
  /// k of `bits` is set where the register has a bit k.
  struct Cell {
    std::uint16_t at;
    std::uint32_t first = 0;
    std::uint64_t bits = ~std::uint64_t{0};
  };
  struct WarpValues {
    void make_room(std::size_t registers);
    /// Of `known`, to which it adds what is not there yet.
    [[nodiscard]] std::uint16_t number_of(std::uint32_t site, const Undefined& what);
    std::vector<std::uint32_t> lanes;           ///< by register: those that hold an undefined value
    std::vector<std::unique_ptr<Marks>> marks;  ///< by register, those that have held one
    /// Site, and what it says; kNoSite: of a variable without a value.
    std::vector<std::pair<std::uint32_t, Undefined>> known;
    std::uint32_t marked = 0;  ///< registers with lanes
  };
  /// Who is accused where a carried value is used.
  struct Origin {
    Accusation accusation;
    UndefinedSource* source;
    Place place;
    std::uint32_t bytes;
  };
  struct BlockValues {
    explicit BlockValues(const BlockContext& block) : warps(block.warps.size()) {}
    void restart(const BlockContext&) {
      warps = std::vector<WarpValues>(warps.size());
      origins.clear();
      carried.clear();
    }
    std::vector<WarpValues> warps;
    std::vector<Origin> origins;                               ///< one for each instruction
    std::unordered_map<std::uint64_t, std::uint16_t> carried;  ///< by word of shared and local memory: its origin
  };
  static constexpr std::size_t kMostCarried = 1 << 16;  ///< words of a block: strangers' code fills memory as it likes

  const ValueStep& step_of(std::uint32_t site);
  void set(const Warp& warp, WarpValues& values, Cell cell, std::uint32_t lanes, std::uint32_t undefined,
           const Marks& marks);
  void use(const Warp& warp, WarpValues& values, std::uint16_t cell, std::uint32_t lanes);
  /// Who is accused of what comes of a variable without a value: the instruction at hand.
  void blame(WarpValues& values, std::uint32_t lanes, Marks& marks) const;
  void store(const Warp& warp, WarpValues& values, const ValueStep& step, std::uint32_t lanes);
  void accuse(const Warp& warp, const Origin& origin);
  [[nodiscard]] Origin origin_of(const Warp& warp, const WarpValues& values, const Mark& mark) const;
  bool carry(const Warp& warp, const WarpValues& values, const Mark& mark, Place to, std::uint32_t bytes);
  static std::uint16_t carried_to(const BlockValues& block, const Place& place, std::uint64_t behind);
  static bool is_from(const Undefined& what, const Mark& mark, const Locator& locator, int lane, std::size_t element);
  static Mark both(Mark one, const Mark& other);
  static std::uint32_t find_results(const Warp& warp, const WarpValues& values, const ValueStep& step,
                                    std::uint32_t lanes, Marks& marks);

  Accusations& accusations_;
  const Program* program_ = nullptr;
  std::uint32_t at_ = kNoSite;                                    ///< the instruction at hand
  std::vector<std::unique_ptr<ValueStep>> steps_;                 ///< by site, as far as they were asked for
  std::vector<std::pair<std::uint32_t, std::string_view>> told_;  ///< sites and tools
  BlockStates<BlockValues> blocks_;
  WrittenBack back_;  ///< by the store at hand
};

}  // namespace gpulab::simt
