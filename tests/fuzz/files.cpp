// Files that are read: by the library those of draws; by the examples IDX, checkpoints, tables of numbers,
// data sets, the four files of MNIST.
//
// An input: a byte for the kind of file, then the file. Where the kind says so, sizes and checksum of
// a checkpoint are made right; a file of draws is a good one with words changed, and right checksums.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "examples/benchmark/dataset.h"
#include "examples/paper/checkpoint.h"
#include "examples/paper/figure.h"
#include "examples/paper/idx.h"
#include "examples/paper/mnist.h"
}
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/recipe.hpp"
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

void read_dataset(Bytes &bytes) {
  constexpr const char *targets[] = {nullptr, "y", "a", ""},
                       *dropped[] = {nullptr, "a", "a,b", ","};
  const int which = bytes.byte();
  const File file(bytes.rest(), bytes.left());
  char sentence[300] = "";
  static dataset found;
  if (dataset_read(&found, file.path().c_str(), targets[which % 4], dropped[which / 4 % 4],
                   sentence, sizeof sentence) != 0) {
    check_message(sentence, sizeof sentence);
    if (found.values) broken("dataset_read failed and left values");
    return;
  }
  if (found.rows < 1 || found.columns < 1 || found.columns > DATASET_COLUMNS)
    broken("a data set of %lld rows", static_cast<long long>(found.rows));
  for (int64_t i = 0; i < found.rows * found.columns; ++i)
    if (!std::isfinite(found.values[i])) broken("a data set has a value %g", found.values[i]);
  dataset_free(&found);
}

// ---- draws (capi/draws_file.hpp) -------------------------------------------------------------------

constexpr size_t record_size = 96, header_checksum_at = 88, record_checksum_at = 88;
constexpr size_t content_at = 80, record_draws_at = 64;
constexpr int64_t draws_chains = 2, draws_capacity = 4;

uint64_t hash_of(const uint8_t *p, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

// Two chains that have given 3 draws each to a file that has room for 4 of each.
std::vector<uint8_t> good_draws() {
  const std::string path = "/tmp/fuzz_draws_" + std::to_string(getpid());
  const Recipe recipe = {1, 0, 2, 1, 0, NNP_RELU, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE};
  nnp_net *net = net_of(recipe);
  nnp_data *data = data_of(recipe, net);
  nnp_chain *chains[draws_chains];
  nnp_kept kept = {};
  nnp_keeper *keeper = nullptr;
  nnp_draws_file *file = nullptr;
  kept.what = NNP_KEEP_PARAMETERS;
  for (uint64_t c = 0; c < draws_chains; ++c) {
    chains[c] = chain_of(recipe, net, data);
    nnp_chain_start(chains[c], NNP_START_PRIOR, 1, c, nullptr);
  }
  nnp_keeper_create(&keeper, net, &kept, 1, draws_chains, nullptr);
  nnp_draws_file_create(&file, path.c_str(), keeper, 0, draws_capacity, nullptr);
  nnp_keeper_file(keeper, 0, file, nullptr);
  if (nnp_chains_keep(chains, draws_chains, keeper, 3, 1, nullptr, nullptr, nullptr) != NNP_OK)
    broken("no draws were kept");
  nnp_draws_file_free(file);
  nnp_keeper_free(keeper);
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  std::vector<uint8_t> bytes(1 << 16);
  FILE *made = std::fopen(path.c_str(), "rb");
  if (!made) std::abort();
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), made));
  std::fclose(made);
  unlink(path.c_str());
  return bytes;
}

void put_hash(std::vector<uint8_t> &file, size_t at, size_t checksum_at) {
  std::memset(file.data() + at + checksum_at, 0, 8);
  const uint64_t hash = hash_of(file.data() + at, record_size);
  std::memcpy(file.data() + at + checksum_at, &hash, 8);
}

// Header and records answer for what they say, and records for the draws that they count.
void make_draws_right(std::vector<uint8_t> &file) {
  int64_t values = 0, capacity = 0;
  uint64_t offset = 0;
  std::memcpy(&values, file.data() + 32, 8);
  std::memcpy(&capacity, file.data() + 40, 8);
  std::memcpy(&offset, file.data() + 56, 8);
  put_hash(file, 0, header_checksum_at);
  for (size_t r = 0; r < 2 * draws_chains; ++r) {
    const size_t at = (1 + r) * record_size;
    int64_t draws = 0;
    std::memcpy(&draws, file.data() + at + record_draws_at, 8);
    const bool fits = values > 0 && values < 1000 && draws >= 0 && draws <= draws_capacity &&
                      capacity == draws_capacity && offset < file.size();
    const size_t first = fits ? offset + (r / 2) * static_cast<size_t>(capacity * values) * 8 : 0;
    const size_t size = fits ? static_cast<size_t>(draws * values) * 8 : 0;
    if (fits && first + size <= file.size()) {
      const uint64_t content = hash_of(file.data() + first, size);
      std::memcpy(file.data() + at + content_at, &content, 8);
    }
    put_hash(file, at, record_checksum_at);
  }
}

void change_draws(Bytes &bytes, std::vector<uint8_t> &file) {
  for (int i = bytes.below(4); i >= 0; --i) {
    const bool early = bytes.byte() % 4 != 0;
    const size_t words = early ? (1 + 2 * draws_chains) * record_size / 8 : file.size() / 8;
    uint8_t *at = file.data() + bytes.two() % words * 8;
    const int manner = bytes.byte();
    const int64_t size = bytes.size();
    const double real = bytes.real();
    if (manner % 3 == 0) std::memcpy(at, &size, 8);
    if (manner % 3 == 1) std::memcpy(at, &real, 8);
    if (manner % 3 == 2) at[manner / 3 % 8] = bytes.byte();
  }
}

void look_at_draws(const nnp_draws_file *file) {
  nnp_draws view = {};
  int64_t capacity = 0, chains = 0;
  int32_t what = 0;
  nnp_draws_file_info(file, &what, &capacity, &chains, nullptr);
  for (int64_t c = 0; c < chains; ++c) {
    nnp_saved_draws told = {};
    size_t bytes = 0;
    if (nnp_draws_file_chain(file, c, &told, nullptr) != NNP_OK || told.draws < 0 ||
        told.draws > capacity)
      broken("a file tells of %lld draws", static_cast<long long>(told.draws));
    if (nnp_draws_file_save_bytes(file, c, &bytes, nullptr) != NNP_OK) continue;
    std::vector<uint8_t> block(bytes);
    nnp_draws_file_save(file, c, block.data(), bytes, nullptr);
  }
  if (nnp_draws_file_view(file, &view, nullptr) != NNP_OK) return;
  for (int64_t c = 0; c < view.chains; ++c)
    for (int64_t i = 0; i < view.draws * view.quantities; ++i)
      if (!std::isfinite(view.values[c * view.chain_stride + i])) broken("a draw is not finite");
}

void read_draws(Bytes &bytes, bool right) {
  static const std::vector<uint8_t> good = good_draws();
  std::vector<uint8_t> content(bytes.rest(), bytes.rest() + bytes.left());
  if (right) {
    content = good;
    change_draws(bytes, content);
    make_draws_right(content);
    if (bytes.rarely(16)) content.resize(bytes.two() % content.size());
  }
  const File file(content.data(), content.size());
  nnp_draws_file *found = nullptr;
  nnp_error err;
  const int32_t status = nnp_draws_file_open(&found, file.path().c_str(), nullptr, &err);
  if ((status == NNP_OK) != (found != nullptr)) broken("a file was refused and opened");
  if (status != NNP_OK) check_message(err.message, sizeof err.message);
  if (found) look_at_draws(found);
  nnp_draws_file_free(found);
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

namespace {

// Bytes that say which kind of file follows. (The first seven kinds have all bytes below these.)
constexpr uint8_t of_dataset = 224, of_draws = 235, of_right_draws = 240;

bool seed_newer_kinds(int64_t number, std::vector<uint8_t> &bytes) {
  constexpr const char *tables[] = {"a,b,y\n1,2,3\n4,5,6\n", "1 2\n3 4\n", "a;y\n1;nan\n",
                                    "a,a\n\n1,2,3\n", "\"a\" y\n 1e5 -2\n"};
  uint64_t state = 0x9e3779b97f4a7c15u * static_cast<uint64_t>(number + 1);
  if (number >= 45) return false;
  bytes.assign(1, number < 15 ? of_dataset : number < 18 ? of_draws : of_right_draws);
  if (number < 15) {
    const char *text = tables[number % 5];
    bytes.push_back(static_cast<uint8_t>(number / 5 * 5));
    bytes.insert(bytes.end(), text, text + std::strlen(text));
    return true;
  }
  for (int i = 0; i < 30; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bytes.push_back(static_cast<uint8_t>(state >> 56));
  }
  return true;
}

}  // namespace

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
  if (number >= 42) return seed_newer_kinds(number - 42, bytes);
  bytes.assign(1, kind);
  bytes.insert(bytes.end(), texts[kind].begin(), texts[kind].end());
  if (number >= 7) bytes[1 + static_cast<size_t>(number * 5) % (bytes.size() - 1)] ^= 0x41;
  if (number >= 28) bytes.resize(1 + static_cast<size_t>(number) % bytes.size());
  return true;
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz::Deadline deadline;
  fuzz::Bytes bytes(data, size);
  const uint8_t kind = bytes.byte();
  if (kind >= fuzz::of_dataset) {
    if (kind < fuzz::of_draws)
      fuzz::read_dataset(bytes);
    else
      fuzz::read_draws(bytes, kind >= fuzz::of_right_draws);
    return 0;
  }
  switch (kind % 7) {
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
