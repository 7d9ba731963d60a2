#include "tests/differential/shrink.h"

#include <algorithm>
#include <utility>

namespace gpulab::differential {
namespace {

using List = std::vector<Statement>;

/// Every list of statements in a program, outermost first.
void collect(List& list, std::vector<List*>& lists) {
  lists.push_back(&list);
  for (auto& s : list)
    for (auto& body : s.bodies) collect(body, lists);
}
std::vector<List*> lists_of(Program& program) {
  std::vector<List*> lists;
  collect(program.statements, lists);
  for (auto& function : program.functions) collect(function, lists);
  return lists;
}

bool contains_leave(const List& list) {
  return std::any_of(list.begin(), list.end(), [](const Statement& s) {
    if (s.kind == StatementKind::leave) return true;
    return s.kind != StatementKind::loop &&
           std::any_of(s.bodies.begin(), s.bodies.end(), [](const List& body) { return contains_leave(body); });
  });
}

/// Applies a change to a copy and keeps it if the difference stays.
template <typename Change>
bool attempt(Program& program, const std::function<bool(const Program&)>& differs, Change change) {
  Program changed = program;
  if (!change(changed) || !differs(changed)) return false;
  program = std::move(changed);
  return true;
}

/// Runs of `length` statements out of every list.
bool take_out(Program& program, const std::function<bool(const Program&)>& differs, std::size_t length) {
  bool any = false;
  for (std::size_t l = 0; l < lists_of(program).size(); ++l)
    for (std::size_t at = 0; l < lists_of(program).size() && at < lists_of(program)[l]->size();) {
      const bool gone = attempt(program, differs, [&](Program& changed) {
        List& list = *lists_of(changed)[l];
        const auto first = list.begin() + static_cast<std::ptrdiff_t>(at);
        const auto rest = static_cast<std::size_t>(list.end() - first);
        list.erase(first, first + static_cast<std::ptrdiff_t>(std::min(length, rest)));
        return true;
      });
      any = any || gone;
      if (!gone) at += length;
    }
  return any;
}

/// What is nested takes the place of the statement that it is nested in.
bool unwrap(Program& program, const std::function<bool(const Program&)>& differs) {
  bool any = false;
  for (std::size_t l = 0; l < lists_of(program).size(); ++l)
    for (std::size_t at = 0; l < lists_of(program).size() && at < lists_of(program)[l]->size(); ++at) {
      const std::size_t bodies = (*lists_of(program)[l])[at].bodies.size();
      for (std::size_t b = 0; b < bodies; ++b)
        if (attempt(program, differs, [&](Program& changed) {
              List& list = *lists_of(changed)[l];
              const bool loop = list[at].kind == StatementKind::loop;
              const List body = list[at].bodies[b];
              if (loop && contains_leave(body)) return false;
              list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
              list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), body.begin(), body.end());
              return true;
            })) {
          any = true;
          break;
        }
    }
  return any;
}

bool simplify(Program& program, const std::function<bool(const Program&)>& differs) {
  bool any = attempt(program, differs, [](Program& changed) { return std::exchange(changed.grid.x, 1) != 1; });
  for (std::size_t l = 0; l < lists_of(program).size(); ++l)
    for (std::size_t at = 0; at < lists_of(program)[l]->size(); ++at)
      any = attempt(program, differs,
                    [&](Program& changed) { return std::exchange((*lists_of(changed)[l])[at].guarded, false); }) ||
            any;
  return any;
}

}  // namespace

Program shrunk(Program program, const std::function<bool(const Program&)>& differs) {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (const std::size_t length : {16, 4, 1}) smaller = take_out(program, differs, length) || smaller;
    smaller = unwrap(program, differs) || smaller;
    smaller = simplify(program, differs) || smaller;
  }
  return program;
}

std::size_t statement_count(const Program& program) {
  Program copy = program;
  std::size_t count = 0;
  for (const auto* list : lists_of(copy)) count += list->size();
  return count;
}

}  // namespace gpulab::differential
