"""gpulab's JSON as objects that a notebook shows."""
import base64
import html


class Record(dict):
    """A JSON object, a plain dict whose fields are attributes, too: record.counters.warp_instructions."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no '{name}' here; there are: {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]


def as_objects(value):
    """The same for what was read as plain dicts and lists."""
    if isinstance(value, dict):
        return Record((key, as_objects(each)) for key, each in value.items())
    return [as_objects(each) for each in value] if isinstance(value, list) else value


class Document(Record):
    """What a command answered. exit_code: 0, or 1 where a result is wrong; stderr: its notes."""

    def __init__(self, fields, exit_code=0, stderr="", command=()):
        super().__init__(fields)
        # Not fields of the document: a dict of it is what the command wrote.
        self.__dict__.update(exit_code=exit_code, stderr=stderr, command=list(command), image=None, image_type=None)

    @property
    def passed(self):
        """Everything was right."""
        return self.__dict__["exit_code"] == 0

    def _repr_html_(self):
        rows = [(key, value) for key, value in self.items() if not isinstance(value, (dict, list))]
        lists = [(key, value) for key, value in self.items() if isinstance(value, list) and value and isinstance(value[0], dict)]
        text = table(["", ""], rows) if rows else ""
        for name, records in lists:
            columns = [key for key, value in records[0].items() if not isinstance(value, (dict, list))]
            text += f"<b>{html.escape(name)}</b>" + table(columns, [[each.get(key) for key in columns] for each in records])
        return text


class Report(Document):
    """A run: its results, a row each."""

    COUNTERS = [("warp instr.", "warp_instructions"), ("warp eff.", "warp_execution_efficiency"), ("branch eff.", "branch_efficiency"),
                ("load eff.", "global_load_efficiency"), ("store eff.", "global_store_efficiency"),
                ("load bank confl.", "shared_load_bank_conflicts"), ("store bank confl.", "shared_store_bank_conflicts")]

    def rows(self):
        """Headings and rows of the table: what differs between results, how long each took, its counters."""
        results = self.get("results", [])
        swept = [name for name in (results[0].get("params", {}) if results else {})
                 if len({str(result.get("params", {}).get(name)) for result in results}) > 1]
        timed = any((result.get("timing") or {}).get("source", "none") != "none" for result in results)
        modelled = any(result.get("model") for result in results)
        counters = [(head, name) for head, name in self.COUNTERS if any(name in (result.get("counters") or {}) for result in results)]
        # Values that --metrics asked for, or that the lab works out.
        metrics = []
        for result in results:
            metrics += [name for name in (result.get("metrics") or {}) if name not in metrics and name != "modelled_time"]
        heads = [*swept, "variant", "block", "verified", *(["time"] if timed else []), *(["modelled time"] if modelled else []),
                 *(head for head, _ in counters), *metrics]
        rows = []
        for result in results:
            launch, counted = result.get("launch") or {}, result.get("counters") or {}
            row = [result.get("params", {}).get(name) for name in swept]
            status = (result.get("verification") or {}).get("status", result.get("status"))
            row += [result.get("variant"), "x".join(str(size) for size in trimmed(launch.get("block", []))),
                    status if result.get("status") == "ok" else f"{result.get('status')}: {result.get('message', '')}"]
            if timed:
                timing = result.get("timing") or {}
                row.append(duration(timing.get("median_ms", timing.get("time_ms"))))
            if modelled:
                row.append(duration((result.get("model") or {}).get("time_ms")))
            row += [share_or_count(name, counted.get(name)) for _, name in counters]
            row += [with_unit((result.get("metrics") or {}).get(name)) for name in metrics]
            rows.append(row)
        return heads, rows

    def _repr_html_(self):
        device = self.get("device") or {}
        title = " · ".join(str(part) for part in (self.get("lab"), device.get("name"), device.get("profile")) if part)
        return f"<b>{html.escape(title)}</b>{table(*self.rows())}{self.picture()}"

    def picture(self):
        """What the run drew, as an HTML image."""
        if self.image is None:
            return ""
        data = base64.b64encode(self.image).decode("ascii")
        return f'<img alt="picture of {html.escape(str(self.get("lab")))}" style="max-width:100%" src="data:{self.image_type};base64,{data}">'


def trimmed(sizes):
    """A block's sizes without the ones at its end."""
    sizes = list(sizes)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return sizes


def duration(milliseconds):
    if milliseconds is None:
        return ""
    for unit, scale in (("s", 1e-3), ("ms", 1), ("µs", 1e3)):
        if milliseconds * scale >= 1:
            break
    return f"{milliseconds * scale:.3g} {unit}"


def share_or_count(name, value):
    if value is None:
        return ""
    return f"{value:.1%}" if name.endswith("efficiency") else f"{value:,}"


def with_unit(metric):
    if not isinstance(metric, dict):
        return "" if metric is None else metric
    value = metric.get("value")
    return f"{value:.4g} {metric.get('unit') or ''}".strip() if isinstance(value, (int, float)) else str(value)


def table(heads, rows):
    def cells(tag, row):
        return "".join(f"<{tag}>{html.escape('' if each is None else str(each))}</{tag}>" for each in row)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', heads)}</tr></thead><tbody>{body}</tbody></table>"
