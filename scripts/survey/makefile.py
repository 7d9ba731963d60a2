"""As much of make as HeCBench's Makefiles need: variables, conditions, and the commands of a target."""
import posixpath
import re

ASSIGNMENT = re.compile(r"^\s*(?:export\s+|override\s+)?([\w.-]+)\s*(\+|:|::|\?)?=\s*(.*)$")
CONDITION = re.compile(r"^\s*(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)$")


class Makefile:
    def __init__(self, text, files):
        """`files`: those that lie in its folder and below, relative to it."""
        self.variables, self.commands, self.files = {"CURDIR": ".", "PWD": "."}, {}, files
        text = re.sub(r"\\\n\s*", " ", text)
        states, target = [], None
        for line in text.splitlines():
            if self.condition(line.strip(), states) or not all(states):
                continue
            if line.startswith("\t") and target is not None:
                self.commands[target].append(line.strip())
                continue
            line = line.split("#")[0].rstrip()
            assigned = ASSIGNMENT.match(line)
            if assigned:
                self.assign(*assigned.groups())
            elif ":" in line:
                target = line.split(":")[0].strip()
                self.commands.setdefault(target, [])

    def condition(self, line, states):
        found = CONDITION.match(line)
        if found:
            states.append(all(states) and self.holds(*found.groups()))
            return True
        if line.startswith("else") and states:
            more = CONDITION.match(line[4:].strip())
            states[-1] = not states[-1] and (more is None or self.holds(*more.groups()))
            return True
        if line.startswith("endif") and states:
            states.pop()
            return True
        return False

    def holds(self, word, rest):
        if word in ("ifdef", "ifndef"):
            return (rest.split("#")[0].strip() in self.variables) == (word == "ifdef")
        inside = re.match(r"^\((.*),(.*)\)", rest)
        two = inside.groups() if inside else (re.findall(r'["\'](.*?)["\']', rest) + ["", ""])[:2]
        same = self.expand(two[0]).strip() == self.expand(two[1]).strip()
        return same == (word == "ifeq")

    def assign(self, name, how, value):
        if how == "?" and name in self.variables:
            return
        if how == "+":
            value = f"{self.variables.get(name, '')} {value}"
        elif how in (":", "::"):
            value = self.expand(value)
        self.variables[name] = value

    def expand(self, text, depth=0):
        if depth > 20:
            return ""
        return re.sub(r"\$[({]((?:[^(){}$]|\$[({][^(){}]*[)}])*)[)}]", lambda m: self.value(m.group(1), depth), text)

    def value(self, inside, depth):
        words = inside.split(None, 1)
        replaced = re.match(r"^([\w.-]+):(.*)=(.*)$", inside)
        if replaced:
            name, old, new = replaced.groups()
            old, new = old.replace("%", ""), new.replace("%", "")
            return " ".join(w[:-len(old)] + new if old and w.endswith(old) else w for w in self.expand(self.variables.get(name, ""), depth + 1).split())
        if len(words) == 2 and words[0] == "wildcard":
            pattern = re.escape(posixpath.normpath(self.expand(words[1], depth + 1))).replace(r"\*", "[^/]*")
            return " ".join(f for f in self.files if re.fullmatch(pattern, f))
        if len(words) == 2:
            return ""  # another function
        return self.expand(self.variables.get(inside, ""), depth + 1)
