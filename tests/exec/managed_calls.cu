// System calls on managed memory whose pages are closed to the host: what a call returns does not depend on the tools,
// and who comes too early is told by the bytes that were touched.
// long
// case: --no-isolation --sanitize racecheck -- innocent :: 0
// out: ^read 40000\npread 40000\nreadv 40000\nfread 40000\nrecv 40000\nrecvmsg 40000\ngetrandom 200\nwrite 40000\nfwrite 40000\nsend 40000\nsyscall 40000\nstream 40000\nright\n$
// err: exit code 0\n(?!.*racecheck)
// case: --sanitize all -- short :: 0
// out: ^40000\nright\n$
// err: exit code 0\n(?!.*racecheck)
// case: --sanitize racecheck -- waiting :: 0
// out: ^40000\nright\n$
// case: --sanitize racecheck -- guilty :: 1
// out: ^40000\n40000\n$
// err: error: racecheck: the host reads 'cudaMallocManaged #1', which launch 1, fill\(int\*, int\), has changed, without waiting for it: call cudaDeviceSynchronize\(\) between them \(called by managed_calls\.cu:\d+
// err: error: racecheck: the host writes 'cudaMallocManaged #1', which launch 2, fill\(int\*, int\), has changed, without waiting for it
// case: :: 0
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

constexpr int kHalf = 10000, kBytes = kHalf * sizeof(int);
__global__ void fill(int* x, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kHalf) x[i] = value;
}

static int* shared;
static char* other;  // its half that no kernel touches
static int launches = 0;

/// A launch that nobody has waited for has changed the first half.
static void launch() { fill<<<(kHalf + 255) / 256, 256>>>(shared, ++launches); }
static void say(const char* what, long result) { std::printf("%s %ld\n", what, result); }

/// All of the other half is as `value` says, behind a wait.
static bool other_is(char value) {
  cudaDeviceSynchronize();
  for (int i = 0; i < kBytes; ++i)
    if (other[i] != value) return false;
  return shared[0] == launches;
}

int main(int argc, char** argv) {
  const auto is = [&](const char* word) { return argc > 1 && std::strcmp(argv[1], word) == 0; };
  cudaMallocManaged(&shared, 2 * kBytes);
  other = reinterpret_cast<char*>(shared) + kBytes;
  std::FILE* file = std::fopen("managed_calls.data", "w+");
  const std::vector<char> sevens(2 * kBytes, 7);
  std::fwrite(sevens.data(), 1, sevens.size(), file);
  std::fflush(file);
  const int number = fileno(file);
  int ends[2];
  bool good = true;
  if (is("innocent")) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    lseek(number, 0, SEEK_SET);
    launch(), say("read", read(number, other, kBytes)), good &= other_is(7);
    std::memset(other, 0, kBytes);
    launch(), say("pread", pread(number, other, kBytes, 8)), good &= other_is(7);
    const iovec parts[] = {{other, 100}, {other + 100, kBytes - 100}};
    lseek(number, 0, SEEK_SET);
    launch(), say("readv", readv(number, parts, 2)), good &= other_is(7);
    std::rewind(file);
    launch(), say("fread", std::fread(other, 1, kBytes, file)), good &= other_is(7);
    write(ends[0], sevens.data(), kBytes);
    launch(), say("recv", recv(ends[1], other, kBytes, MSG_WAITALL)), good &= other_is(7);
    write(ends[0], sevens.data(), kBytes);
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = 2;
    launch(), say("recvmsg", recvmsg(ends[1], &message, MSG_WAITALL)), good &= other_is(7);
    launch(), say("getrandom", getrandom(other, 200, 0));
    std::memset(other, 7, kBytes);
    launch(), say("write", write(number, other, kBytes)), good &= other_is(7);
    launch(), say("fwrite", std::fwrite(other, 1, kBytes, file)), good &= other_is(7);
    launch(), say("send", send(ends[0], other, kBytes, 0)), good &= other_is(7);
    launch(), say("syscall", syscall(SYS_pread64, number, other, long{kBytes}, 0L)), good &= other_is(7);
    std::ifstream stream("managed_calls.data");
    launch(), stream.read(other, kBytes), say("stream", stream.gcount()), good &= other_is(7);
  }
  if (is("short")) {  // all is asked for, and what comes ends in front of what the kernel changed
    lseek(number, kBytes, SEEK_SET);
    fill<<<(kHalf + 255) / 256, 256>>>(shared + kHalf, 1);
    std::printf("%zd\n", read(number, shared, 2 * kBytes));
    cudaDeviceSynchronize();
    good = shared[0] == 0x07070707 && shared[kHalf - 1] == 0x07070707 && shared[kHalf] == 1;
  }
  if (is("waiting")) {
    if (pipe(ends) != 0) return 1;
    std::thread reader([&] {
      std::size_t all = 0;
      for (ssize_t more; all < kBytes && (more = read(ends[0], other + all, kBytes - all)) > 0;) all += more;
      std::printf("%zu\n", all);
    });
    usleep(50000);  // it has begun
    launch();
    write(ends[1], sevens.data(), kBytes);
    reader.join();
    good &= other_is(7);
  }
  if (is("guilty")) {
    lseek(number, 0, SEEK_SET);
    launch(), std::printf("%zd\n", write(number, shared, kBytes));
    lseek(number, 0, SEEK_SET);
    launch(), std::printf("%zd\n", read(number, shared, kBytes));
  } else if (argc > 1) {
    std::puts(good ? "right" : "WRONG");
  }
  std::remove("managed_calls.data");
}
