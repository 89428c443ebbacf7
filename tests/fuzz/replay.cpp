// replay PROGRAM'S ARGUMENTS: runs a fuzz target over files, and over all files of folders, without
// a fuzzer. An alarm ends an input whose threads wait for each other; see also fuzz::Deadline.
//   --random COUNT [SEED]   random inputs besides, for machines without clang
//   --mutate COUNT [SEED]   the files named before, changed at random
//   --seeds FOLDER          writes the target's own first inputs there
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

std::vector<uint8_t> content(const std::string &path) {
  std::vector<uint8_t> bytes;
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    std::exit(1);
  }
  uint8_t part[4096];
  for (size_t got; (got = std::fread(part, 1, sizeof part, file)) > 0;)
    bytes.insert(bytes.end(), part, part + got);
  std::fclose(file);
  return bytes;
}

std::vector<uint8_t> input;  // the one that is running

// Tells which input it was; one that is in no file goes to `crash`.
void on_signal(int number) {
  FILE *file = fuzz::current_input[0] == 'r' ? std::fopen("crash", "wb") : nullptr;
  if (file) std::fwrite(input.data(), 1, input.size(), file), std::fclose(file);
  std::fprintf(stderr, "signal %d at %s%s\n", number, fuzz::current_input,
               file ? ", which is in the file crash" : "");
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(const std::vector<uint8_t> &bytes, const std::string &name) {
  fuzz::current_input = name.c_str();
  input = bytes;
  alarm(10 * fuzz::patience());  // on the clock: a machine may be busy
  // A block of its own: a checker sees reads beyond its end.
  std::vector<uint8_t> exact(bytes);
  exact.shrink_to_fit();
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  alarm(0);
}

std::vector<std::string> files_of(const std::string &path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) == 0 && !S_ISDIR(about.st_mode)) return {path};
  std::vector<std::string> names;
  DIR *folder = opendir(path.c_str());
  if (!folder) {
    std::fprintf(stderr, "%s: no such file or folder\n", path.c_str());
    std::exit(1);
  }
  while (const dirent *entry = readdir(folder))
    if (entry->d_name[0] != '.') names.push_back(path + "/" + entry->d_name);
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

uint64_t next(uint64_t &state) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t h = state;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

void run_random(int64_t count, uint64_t seed) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t state = seed * 1000003u + static_cast<uint64_t>(i);
    std::vector<uint8_t> bytes(next(state) % 400);
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(next(state));
    run(bytes, "random input " + std::to_string(i) + " of seed " + std::to_string(seed));
  }
}

// A few bytes changed, left out or put in, or the end of another input.
std::vector<uint8_t> mutated(const std::vector<std::vector<uint8_t>> &from, uint64_t &state) {
  std::vector<uint8_t> bytes = from[next(state) % from.size()];
  for (uint64_t i = next(state) % 6; i < 6; ++i) {
    const size_t at = bytes.empty() ? 0 : next(state) % bytes.size();
    const uint8_t value = static_cast<uint8_t>(next(state));
    const std::vector<uint8_t> &other = from[next(state) % from.size()];
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (next(state) % 5) {
      case 0:
        bytes.insert(place, value);
        break;
      case 1:
        if (!bytes.empty()) bytes.erase(place);
        break;
      case 2:
        if (!bytes.empty() && !other.empty()) {
          bytes.resize(at);
          bytes.insert(bytes.end(),
                       other.begin() + static_cast<std::ptrdiff_t>(next(state) % other.size()),
                       other.end());
        }
        break;
      default:
        if (!bytes.empty()) bytes[at] = value;
    }
  }
  return bytes;
}

void run_mutated(const std::vector<std::vector<uint8_t>> &from, int64_t count, uint64_t seed) {
  for (int64_t i = 0; i < count && !from.empty(); ++i) {
    uint64_t state = seed * 1000003u + static_cast<uint64_t>(i);
    run(mutated(from, state),
        "random change " + std::to_string(i) + " of seed " + std::to_string(seed));
  }
}

void write_seeds(const std::string &folder) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; fuzz::seed_input(i, bytes); ++i) {
    FILE *file = std::fopen((folder + "/seed" + std::to_string(i)).c_str(), "wb");
    if (!file) std::exit(1);
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
}

}  // namespace

int main(int argc, char **argv) {
  int64_t inputs = 0;
  std::vector<std::vector<uint8_t>> known;
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGALRM}) std::signal(number, on_signal);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rows") == 0) {
      fuzz::list_rows();
    } else if (std::strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) {
      write_seeds(argv[++i]);
    } else if (argv[i][0] == '-' && i + 1 < argc) {
      const bool anew = std::strcmp(argv[i], "--random") == 0;
      const int64_t count = std::atoll(argv[++i]);
      const uint64_t seed = i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 1;
      anew ? run_random(count, seed) : run_mutated(known, count, seed);
      inputs += count;
    } else {
      for (const std::string &name : files_of(argv[i])) {
        known.push_back(content(name));
        run(known.back(), name);
        ++inputs;
      }
    }
  }
  if (inputs > 0) std::printf("%lld inputs replayed\n", static_cast<long long>(inputs));
  return 0;
}
