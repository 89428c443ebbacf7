// The files that the examples read: IDX, checkpoints, tables of numbers, the four files of MNIST.
//
// An input: a byte for the kind of file, then the file. Where the kind says so, sizes and checksum of
// a checkpoint are made right.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "examples/checkpoint.h"
#include "examples/figure.h"
#include "examples/idx.h"
#include "examples/mnist.h"
}
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/target.hpp"

namespace fuzz {

namespace {

// A file in memory, by a path.
class File {
 public:
  File(const uint8_t *bytes, size_t size) : number_(memfd_create("fuzz", 0)) {
    if (number_ < 0) std::abort();
    write_whole(bytes, size);
  }
  File(const File &) = delete;
  ~File() { close(number_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  void write_whole(const uint8_t *bytes, size_t size) const {
    while (size > 0) {
      const ssize_t written = write(number_, bytes, size);
      if (written <= 0) std::abort();
      bytes += written;
      size -= static_cast<size_t>(written);
    }
  }
  int number_;
};

void check_message(const char *message, size_t size) {
  if (message[0] == 0) broken("a file was refused without a word");
  if (!std::memchr(message, 0, size)) broken("a message has no end");
}

void read_idx(Bytes &bytes, int dimensions) {
  const File file(bytes.rest(), bytes.left());
  char message[300] = "";
  idx found;
  if (idx_read(file.path().c_str(), dimensions, &found, message, sizeof message) != 0) {
    check_message(message, sizeof message);
    if (found.bytes) broken("idx_read failed and left bytes");
    return;
  }
  int64_t count = 1;
  for (int d = 0; d < dimensions; ++d) count *= found.size[d];
  unsigned sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += found.bytes[i];
  if (static_cast<size_t>(count) > bytes.left() || (sum == 0 && count == 0))
    broken("idx_read found %lld bytes", static_cast<long long>(count));
  idx_free(&found);
}

constexpr char settings[] = "steps 1000, seed 7";
constexpr size_t checkpoint_header = 32;

void make_checkpoint_right(std::vector<uint8_t> &bytes) {
  const uint64_t length = sizeof settings - 1;
  if (bytes.size() < checkpoint_header + length) return;
  const uint64_t size = bytes.size() - checkpoint_header - length;
  uint64_t sum = 0xcbf29ce484222325u;
  std::memcpy(bytes.data(), "nnpcheck", 8);
  std::memcpy(bytes.data() + 8, &length, 8);
  std::memcpy(bytes.data() + 16, &size, 8);
  std::memcpy(bytes.data() + checkpoint_header, settings, length);
  for (size_t i = checkpoint_header; i < bytes.size(); ++i) sum = (sum ^ bytes[i]) * 0x100000001b3u;
  std::memcpy(bytes.data() + 24, &sum, 8);
}

void read_checkpoint(Bytes &bytes, bool right) {
  std::vector<uint8_t> content(bytes.rest(), bytes.rest() + bytes.left());
  if (right) make_checkpoint_right(content);
  const File file(content.data(), content.size());
  char why[160] = "";
  checkpoint found;
  const int status = checkpoint_read(&found, file.path().c_str(), settings, why, sizeof why);
  if (status == CHECKPOINT_DAMAGED) check_message(why, sizeof why);
  if (status == CHECKPOINT_NONE) broken("checkpoint_read found no file");
  if (status != CHECKPOINT_FOUND && found.bytes) broken("checkpoint_read failed and left bytes");
  if (status != CHECKPOINT_FOUND) return;
  std::vector<uint8_t> back(found.size);
  checkpoint_get(&found, back.data(), back.size());
  if (back.size() > content.size()) broken("a checkpoint has more bytes than its file");
  checkpoint_free(&found);
}

void read_table(Bytes &bytes) {
  constexpr const char *words[] = {"gibbs", "hmc", ""};
  const int columns = 1 + bytes.below(12);
  const File file(bytes.rest(), bytes.left());
  figure_options options = {};
  options.paper = "/proc/self/fd";
  const std::string path = file.path();
  table found = figure_paper(&options, path.c_str() + path.rfind('/') + 1, columns, words, 3);
  if (found.rows < 0 || found.columns != columns)
    broken("a table of %lld rows", static_cast<long long>(found.rows));
  for (int64_t i = 0; i < found.rows * columns; ++i)
    if (found.values[i] == 12345.678) std::putchar('.');  // all of them can be read
  table_free(&found);
}

constexpr const char *mnist_names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                       "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

// Gone when the program ends.
struct Folder {
  std::string name = "/tmp/fuzz_mnist_XXXXXX";
  Folder() {
    if (!mkdtemp(name.data())) std::abort();
  }
  Folder(const Folder &) = delete;
  ~Folder() {
    for (const char *file : mnist_names) unlink((name + "/" + file).c_str());
    rmdir(name.c_str());
  }
};

// Labels and headers from the bytes, images filled up as their header says.
void read_mnist(Bytes &bytes) {
  static const Folder folder;
  const uint64_t flaw = bytes.byte();
  for (size_t i = 0; i < 4; ++i) {
    const bool images = i % 2 == 0;
    const uint8_t count = static_cast<uint8_t>(1 + bytes.below(3));
    std::vector<uint8_t> content = {0, 0, 8, static_cast<uint8_t>(images ? 3 : 1), 0, 0, 0, count};
    const uint8_t side = flaw == 3 + i ? bytes.byte() : uint8_t{28};
    if (images) content.insert(content.end(), {0, 0, 0, side, 0, 0, 0, 28});
    const size_t values = images ? size_t{count} * side * 28 : count;
    for (size_t k = 0; k < values; ++k)
      content.push_back(images ? static_cast<uint8_t>(k * 7)
                               : static_cast<uint8_t>(bytes.byte() % 11));
    if (flaw == 8 + i) content.resize(bytes.two() % (content.size() + 1));
    FILE *file = std::fopen((folder.name + "/" + mnist_names[i]).c_str(), "wb");
    if (!file) std::abort();
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
  }
  mnist digits;
  char message[512] = "";
  const int32_t store = NNP_STORE_AUTO + bytes.below(6);
  if (mnist_load(folder.name.c_str(), store, 1 + bytes.below(4), &digits, message,
                 sizeof message) != 0)
    check_message(message, sizeof message);
  else
    mnist_free(&digits);
}

}  // namespace

void list_rows() {}

bool seed_input(int64_t number, std::vector<uint8_t> &bytes) {
  const uint8_t kind = static_cast<uint8_t>(number % 7);
  const std::string texts[] = {
      {"\0\0\10\1\0\0\0\3abc", 11},
      {"\0\0\10\2\0\0\0\2\0\0\0\3abcdef", 18},
      {"\0\0\10\3\0\0\0\1\0\0\0\2\0\0\0\2abcd", 20},
      std::string("nnpcheck") + std::string(80, '\3'),
      std::string(90, 'x'),
      "\3# a comment\nname,value\ngibbs,1,2.5\nhmc,nan,1e-3\n,,\n",
      std::string(40, '\1'),
  };
  if (number >= 42) return false;
  bytes.assign(1, kind);
  bytes.insert(bytes.end(), texts[kind].begin(), texts[kind].end());
  if (number >= 7) bytes[1 + static_cast<size_t>(number * 5) % (bytes.size() - 1)] ^= 0x41;
  if (number >= 28) bytes.resize(1 + static_cast<size_t>(number) % bytes.size());
  return true;
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Bytes bytes(data, size);
  switch (bytes.below(7)) {
    case 0:
      fuzz::read_idx(bytes, 1);
      break;
    case 1:
      fuzz::read_idx(bytes, 2);
      break;
    case 2:
      fuzz::read_idx(bytes, 3);
      break;
    case 3:
      fuzz::read_checkpoint(bytes, false);
      break;
    case 4:
      fuzz::read_checkpoint(bytes, true);
      break;
    case 5:
      fuzz::read_table(bytes);
      break;
    default:
      fuzz::read_mnist(bytes);
  }
  return 0;
}
