"""How the programs of HeCBench and of NVIDIA's samples are built and run, as far as their texts say."""
import json
import posixpath
import re
import shlex

from survey.makefile import Makefile

SOURCE = re.compile(r"\.(cu|cpp|cc|cxx|c)$")
TEXT = re.compile(r"\.(cu|cuh|h|hpp|hh|cpp|cc|cxx|c|inl|inc|in)$")
CLOSED = re.compile(r"""include\s*[<"](cublas\w*|cusparse\w*|cusolver\w*|cufft\w*|curand|cudnn\w*|nccl|npp\w*|nvjpeg|nvml|nvrtc|nvrtc_helper|cutensor\w*|cuda_gl_interop|cudaEGL|nvscibuf|nvscisync|cudss)(?:_v2|_api|Lt|Xt|W|Mg|Sp)?\.h[>"]""")
# With --libraries: those that gpulab has are linked, and these are still refused.
LACKING = re.compile(r"""include\s*[<"](cudnn\w*|npp\w*|nvjpeg\w*|cutensor\w*|cusparseLt|cusolverM[gp]|cublasM[gp]|cufftMp|cuda_gl_interop|cudaEGL|nvscibuf|nvscisync|cudss)(?:_v\d)?\.h[>"]""")
LIBRARIES = {"cublas": "cublas", "cublas_v2": "cublas", "cublasLt": "cublasLt", "cublasXt": "cublas", "curand": "curand", "cufft": "cufft", "cufftXt": "cufft", "cusparse": "cusparse", "cusparse_v2": "cusparse",
             "cusolverDn": "cusolver", "cusolverSp": "cusolver", "cusolverRf": "cusolver", "cusolver_common": "cusolver", "nccl": "nccl", "nvml": "nvidia-ml", "nvrtc": "nvrtc", "nvrtc_helper": "nvrtc", "cuda": "cuda"}
HEADER = re.compile(r"""^\s*#\s*include\s*[<"](\w+)\.h[>"]""", re.M)
OTHER = re.compile(r"""include\s*[<"](mpi\.h|GL/\w+\.h|EGL/\w+\.h|GLES\d?/\w+\.h|vulkan/\w+\.h\w*|nvshmem\.h|libavutil/\w+\.h|helper_gl\.h|opencv2/\w+\.hpp|thrust/mpi\.h|openacc\.h)""")
DRIVER = re.compile(r"\bcu(Init|CtxCreate|ModuleLoad\w*|LaunchKernel|MemAlloc|MemCreate|LinkCreate)\s*\(")
REPEAT = r"(?:n_?|n?num_?|max_?|total_?)?(?:repeat\w*|rep|reps|iter\w*|loops?|trials?|runs?|times|steps?|n?timesteps?|generations?|epochs?|passes|tests)"
ASSIGNED = re.compile(r"\b(" + REPEAT + r")\s*=\s*(?:\([^()=]*\)\s*\??\s*)?(?:std::)?(?:ato\w+|sto\w+|strto\w+)\s*\(\s*argv\s*\[\s*(\d+)\s*\]", re.I)
USAGE = re.compile(r'"[^"]*[Uu]sage[^"\n]*"(?:\s*"[^"\n]*")*')


class Program:
    """One, with `refusal` = (class, why) where it is not to be built."""

    def __init__(self, name, folder, checkout):
        self.name, self.folder, self.checkout = name, folder, checkout
        self.sources, self.flags, self.links, self.arguments = [], [], [], []
        self.run_folder, self.refusal, self.needs = ".", None, checkout.below(folder)
        self.text = ""

    def local(self, suffixes):
        """Files in its folder and below, relative to it."""
        start = len(self.folder) + 1
        return [p[start:] for p in self.checkout.below(self.folder) if suffixes.search(p)]

    def reads_elsewhere(self):
        """It opens files beside its own folder, which a confined program may not."""
        return re.search(r'"\.\./', "\n".join(l for l in self.text.splitlines() if "include" not in l)) is not None

    def read_sources(self):
        self.text = "\n".join(self.checkout.text(p) for p in self.needs if TEXT.search(p) and p.startswith(self.folder))
        closed, other = self.lacks_library(self.text), OTHER.search(self.text)
        if closed:
            self.refusal = ("closed library", closed.group(1))
        elif other:
            self.refusal = ("other library", other.group(1))
        elif not self.checkout.libraries and DRIVER.search(self.text):
            self.refusal = ("driver API", DRIVER.search(self.text).group(0)[:-1])

    def add_neighbours(self, texts):
        """Folders beside its own that its texts name: ../include, ../bfs-omp."""
        base, known = posixpath.dirname(self.folder), {self.folder}
        for _ in range(2):
            found = {posixpath.normpath(posixpath.join(base, n)) for t in texts for n in re.findall(r"\.\./((?:[\w.+-]+/)*[\w.+-]+)", t)}
            found |= {posixpath.normpath(posixpath.join(base, n)) for t in texts for n in re.findall(r"(?<![\w./])\.\./([\w+-]+)", t)}
            texts = []
            for path in sorted(found):
                here = self.checkout.below(path)
                if path in known or path in (base, "src", "") or not here or any(path.startswith(k + "/") for k in known):
                    continue
                known.add(path)
                # Of a large folder of others, what can be compiled; a named file whatever it is.
                taken = here if path in self.checkout.objects or len(here) < 60 else [p for p in here if TEXT.search(p)]
                self.needs += taken
                texts += [self.checkout.text(p) for p in taken if TEXT.search(p)][:60]
        self.needs = sorted(set(self.needs))

    def lacks_library(self, text):
        return (LACKING if self.checkout.libraries else CLOSED).search(text)

    def link(self):
        """The libraries whose headers its texts include."""
        named = [LIBRARIES[header] for header in HEADER.findall(self.text) if header in LIBRARIES]
        named += ["cuda"] if "nvrtc" in named else []
        self.links += [f"-l{name}" for name in dict.fromkeys(named) if f"-l{name}" not in self.links]

    def files_in_arguments(self):
        return [a for a in self.arguments if "/" in a or re.search(r"\.(txt|dat|bin|csv|in|inp|bmp|pgm|ppm|png|jpg|mtx|egr|gr|xml|json|xyz|fa|fasta)$", a)]

    def run_once(self):
        """Where an argument is a repeat count, it becomes 1."""
        places = {int(m.group(2)) for m in ASSIGNED.finditer(self.text)}
        for usage in USAGE.findall(self.text):
            names = re.findall(r"<([^<>]+)>", usage)
            places |= {i + 1 for i, n in enumerate(names) if re.search(r"\b" + REPEAT + r"\b|repeat|repetition|iterations", n.replace(" ", "_"), re.I)}
        for i, word in enumerate(self.arguments[:-1]):
            if re.fullmatch(r"--?" + REPEAT, word, re.I):
                places.add(i + 2)
        for place in places:
            if place <= len(self.arguments) and re.fullmatch(r"\d+", self.arguments[place - 1]) and int(self.arguments[place - 1]) > 1:
                self.arguments[place - 1] = "1"


def flag_words(words):
    """Of a Makefile's flags those that decide what is built; pairs stay together."""
    kept, i = [], 0
    while i < len(words):
        word, pair = words[i], words[i + 1] if i + 1 < len(words) else None
        if word in ("-Xcompiler", "-I", "-D", "-include", "-isystem", "-Xptxas", "-Xlinker", "--compiler-options", "-L", "-x", "-l") and pair:
            if not (word == "-x" or pair.startswith("-W") or word == "-Xptxas"):
                kept.append((word, pair))
            i += 1
        elif word in ("-ccbin", "-arch", "-gencode", "-code", "-o"):
            i += 1
        elif word.startswith("-") and word not in ("-c", "-dc", "-v", "-Wall", "-Werror", "-pg", "-g", "-lcudart"):
            kept.append((word,))
        i += 1
    once = list(dict.fromkeys(kept))
    return [w for pair in once if not pair[0].startswith(("-l", "-L")) for w in pair], [w for pair in once if pair[0].startswith(("-l", "-L")) for w in pair]


def hecbench(name, folder, checkout):
    program = Program(name, folder, checkout)
    text = checkout.text(f"{folder}/Makefile") or checkout.text(f"{folder}/makefile")
    make = Makefile(text, program.local(re.compile(".")))
    program.read_sources()
    words = []
    for variable, value in make.variables.items():
        if re.search(r"FLAGS|INC|LIB|DEF|ARGS?$", variable, re.I):
            try:
                words += shlex.split(make.expand(value))
            except ValueError:
                pass
    program.flags, program.links = flag_words([w for w in words if "$" not in w and "`" not in w])
    if "-dc" in words and not any(f.startswith("-rdc") for f in program.flags):
        program.flags.append("-rdc=true")
    refused = r"-l(cudnn|npp|nvjpeg|cutensor)" if checkout.libraries else r"-l(cublas|cusparse|cufft|cusolver|curand|cudnn|nccl|nvrtc|npp)"
    if program.refusal is None and any(re.search(refused, w) for w in program.links):
        program.refusal = ("closed library", " ".join(program.links))
    named = [w for value in make.variables.values() for w in make.expand(value).split()]
    here = program.local(SOURCE)
    stems = {p.rpartition(".")[0]: p for p in here}
    sources = [posixpath.normpath(w) for w in named if SOURCE.search(w) and (posixpath.normpath(w) in here or w.startswith("../"))]
    sources += [stems[posixpath.normpath(w)[:-2]] for w in named if w.endswith(".o") and posixpath.normpath(w)[:-2] in stems]
    program.sources = list(dict.fromkeys(sources)) or [p for p in here if "/" not in p]
    if not any(s.endswith(".cu") for s in program.sources):
        program.refusal = program.refusal or ("other library", "no .cu file that the Makefile names")
    program.add_neighbours([text, program.text])
    take_arguments(program, make)
    program.run_once()
    return program


def take_arguments(program, make):
    for command in make.commands.get("run", []):
        command = make.expand(command).strip()
        moved = re.match(r"cd\s+(\S+)\s*&&\s*(.*)", command)
        if moved:
            program.run_folder, command = moved.groups()
        command = re.split(r"&&|;|\||2?>", command)[0].strip()
        if re.match(r"(\S*/)?\S*(main|" + re.escape(make.expand("$(program)").split("/")[-1] or "main") + r")\b", command):
            try:
                program.arguments = [w for w in shlex.split(command)[1:] if w != "#"]
            except ValueError:
                pass
            return


# Of NVIDIA's samples, what their own options make smaller: sizes and repeats that a GPU needs to be busy.
SMALLER = {
    "FDTD3d": ["--dimx=96", "--dimy=96", "--dimz=96", "--timesteps=2"],
    "UnifiedMemoryPerf": ["-kernel-iterations=1"],
    "cudaGraphsPerfScaling": ["3", "1", "20", "4"],
    "eigenvalues": ["--matrix-size=256", "--iters-timing=1"],
    "globalToShmemAsyncCopy": ["-wA=256", "-hA=256", "-wB=256", "-hB=256"],
    "jacobiCudaGraphs": ["-gpumethod=0"],
    "matrixMul": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "p2pBandwidthLatencyTest": ["--numElems=10000"],
    "radixSortThrust": ["-n=65536", "-iterations=1"],
    "reduction": ["--n=1048576"],
    "reductionMultiBlockCG": ["--n=1048576"],
    "threadFenceReduction": ["--n=65536"],
    "transpose": ["-dimX=128", "-dimY=128"],
}


def sample(name, folder, checkout):
    program = Program(name, folder, checkout)
    program.read_sources()
    lists = checkout.text(f"{folder}/CMakeLists.txt")
    here = program.local(SOURCE)
    program.sources = [p for p in here if "/" not in p] or here
    program.sources += [p for p in re.findall(r"(?:\.\./)+Common/\w+\.cpp", lists) if p not in program.sources]
    up = "/".join([".."] * (folder.count("/") + 1))
    program.arguments = list(SMALLER.get(name, []))
    program.flags = ["-std=c++17", f"-I{up}/Common", "-O2", *(["-Iinc"] if any(n.startswith(f"{folder}/inc/") for n in program.needs) else [])]
    if re.search(r"CUDA_SEPARABLE_COMPILATION\s+(ON|TRUE)", lists, re.I):
        program.flags.append("-rdc=true")
    if "extended-lambda" in lists:
        program.flags.append("--extended-lambda")
    if "OpenMP" in lists:
        program.flags += ["-Xcompiler", "-fopenmp"]
    program.needs = sorted(set(program.needs) | set(checkout.below("Common")))
    if not program.sources:
        program.refusal = program.refusal or ("other library", "no source file")
    program.link()
    return program


MAIN = re.compile(r"^\s*(?:int|void|auto)?\s*main\s*\(", re.M)


def course_file(name, path, checkout):
    """A file of a course's repository that holds a main(): built alone, started in its folder."""
    folder, _, file = path.rpartition("/")
    program = Program(name, folder, checkout)
    own = checkout.text(path)
    program.needs = [p for p in checkout.by_folder[folder] if TEXT.search(p) or len(checkout.by_folder[folder]) < 60]
    program.text = own
    program.add_neighbours([own])
    program.text = "\n".join([own] + [checkout.text(p) for p in program.needs if re.search(r"\.(cuh|h|hpp)$", p)])
    program.sources, program.flags = [file], ["-O2", "-std=c++17", "--extended-lambda"]
    if closed := program.lacks_library(own):
        program.refusal = ("closed library", closed.group(1))
    elif OTHER.search(own):
        program.refusal = ("other library", OTHER.search(own).group(1))
    program.link()
    return program


def listed(name, facts, checkout):
    """A program that the checkout's survey.json describes: folder, sources, flags, links, arguments, needs (folders and files)."""
    program = Program(name, facts["folder"], checkout)
    program.sources, program.flags = facts["sources"], facts.get("flags", [])
    program.links, program.arguments = facts.get("links", []), facts.get("arguments", [])
    program.needs = sorted({path for place in facts.get("needs", [facts["folder"]]) for path in checkout.below(place)})
    program.text = "\n".join(checkout.text(path) for path in checkout.below(facts["folder"]) if TEXT.search(path))
    return program


def programs_of(checkout):
    """Names, and what makes the Program of each; in a repository of neither kind, each .cu file with a main()."""
    if "survey.json" in checkout.objects:
        return {name: lambda n=name, f=facts: listed(n, f, checkout) for name, facts in json.loads(checkout.text("survey.json")).items()}
    found = {}
    for path in checkout.objects:
        parts = path.split("/")
        if len(parts) == 3 and parts[0] == "src" and parts[1].endswith("-cuda") and parts[2].lower() == "makefile":
            found[parts[1][:-5]] = lambda n=parts[1][:-5], f="/".join(parts[:2]): hecbench(n, f, checkout)
        if len(parts) == 4 and parts[0] == "Samples" and parts[3] == "CMakeLists.txt" and parts[1][0] in "0123456":
            found[parts[2]] = lambda n=parts[2], f="/".join(parts[:3]): sample(n, f, checkout)
    if not found:
        for path in checkout.objects:
            name = path[:-3].replace("/", "__").replace(" ", "_")
            if path.endswith(".cu") and "/" in path and MAIN.search(checkout.text(path)):
                found[name] = lambda n=name, f=path: course_file(n, f, checkout)
    return found
