"""As much of OpenCL as beside_opencl.py needs, by ctypes: no headers and nothing to build."""
import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

DEVICE_TYPE_CPU, DEVICE_NAME, DEVICE_VERSION, PROFILING = 2, 0x102B, 0x102F, 2
BUILD_LOG, COMMAND_START, COMMAND_END, READ_WRITE = 0x1183, 0x1282, 0x1283, 1


class Missing(Exception):
    """What has to be installed first."""


class Local(int):
    """A kernel's argument: so many bytes of local memory."""


class OpenCL:
    """The first CPU that OpenCL knows, with one program built for it."""

    def __init__(self, source):
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError as error:
            raise Missing(f"libOpenCL.so.1 ({error}): apt-get install ocl-icd-libopencl1 pocl-opencl-icd") from None
        for create in ("Context", "CommandQueue", "ProgramWithSource", "Kernel", "Buffer"):
            getattr(self.cl, "clCreate" + create).restype = c_void_p
        self.device = self.first_cpu()
        self.name = f"{self.told(DEVICE_VERSION)}, {self.told(DEVICE_NAME)}"
        self.context = self.made("clCreateContext", None, c_uint32(1), byref(self.device), None, None)
        self.queue = self.made("clCreateCommandQueue", self.context, self.device, c_uint64(PROFILING))
        text = c_char_p(source.encode())
        self.program = self.made("clCreateProgramWithSource", self.context, c_uint32(1), byref(text), None)
        if self.cl.clBuildProgram(self.program, c_uint32(1), byref(self.device), None, None, None) != 0:
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(self.program, self.device, c_uint32(BUILD_LOG), c_size_t(1 << 16), log, None)
            raise RuntimeError("clBuildProgram: " + log.value.decode())

    def first_cpu(self):
        platforms, count = (c_void_p * 16)(), c_uint32(0)
        if self.cl.clGetPlatformIDs(c_uint32(16), platforms, byref(count)) == 0:
            for platform in platforms[: count.value]:
                device = c_void_p()
                got = self.cl.clGetDeviceIDs(c_void_p(platform), c_uint64(DEVICE_TYPE_CPU), c_uint32(1), byref(device), None)
                if got == 0:
                    return device
        raise Missing("an OpenCL for CPUs: apt-get install pocl-opencl-icd")

    def told(self, what):
        text = ctypes.create_string_buffer(1024)
        self.call("clGetDeviceInfo", self.device, c_uint32(what), c_size_t(1024), text, None)
        return text.value.decode().strip()

    def call(self, function, *arguments):
        got = getattr(self.cl, function)(*arguments)
        if got != 0:
            raise RuntimeError(f"{function}: error {got}")

    def made(self, function, *arguments):
        error = c_int(0)
        handle = getattr(self.cl, function)(*arguments, byref(error))
        if error.value != 0:
            raise RuntimeError(f"{function}: error {error.value}")
        return c_void_p(handle)

    def kernel(self, name):
        return self.made("clCreateKernel", self.program, c_char_p(name.encode()))

    def buffer(self, count):
        """Of 4-byte elements."""
        return self.made("clCreateBuffer", self.context, c_uint64(READ_WRITE), c_size_t(4 * count), None)

    def write(self, buffer, values):
        address, count = values.buffer_info()
        self.call("clEnqueueWriteBuffer", self.queue, buffer, c_uint32(1), c_size_t(0), c_size_t(4 * count),
                  c_void_p(address), c_uint32(0), None, None)

    def read(self, buffer, values):
        address, count = values.buffer_info()
        self.call("clEnqueueReadBuffer", self.queue, buffer, c_uint32(1), c_size_t(0), c_size_t(4 * count),
                  c_void_p(address), c_uint32(0), None, None)

    def milliseconds(self, kernel, size, group, *arguments):
        """Runs a kernel; its time by its profiling event."""
        for i, value in enumerate(arguments):
            if isinstance(value, Local):
                self.call("clSetKernelArg", kernel, c_uint32(i), c_size_t(value), None)
            else:
                value = c_int(value) if isinstance(value, int) else value
                self.call("clSetKernelArg", kernel, c_uint32(i), c_size_t(ctypes.sizeof(value)), byref(value))
        event = c_void_p()
        self.call("clEnqueueNDRangeKernel", self.queue, kernel, c_uint32(len(size)), None, (c_size_t * len(size))(*size),
                  (c_size_t * len(group))(*group), c_uint32(0), None, byref(event))
        self.call("clWaitForEvents", c_uint32(1), byref(event))
        start, end = c_uint64(), c_uint64()
        for what, at in ((COMMAND_START, start), (COMMAND_END, end)):
            self.call("clGetEventProfilingInfo", event, c_uint32(what), c_size_t(8), byref(at), None)
        self.call("clReleaseEvent", event)
        return (end.value - start.value) / 1e6
