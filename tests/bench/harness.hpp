// What a benchmark needs: contenders timed in turn, and rows that become a table and JSON.
#pragma once

#include <time.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// Seconds. Work of one thread is timed by that thread's own clock: it is the elapsed time on a
// quiet machine and does not count the time that others take on a busy one.
enum class Clock { elapsed = CLOCK_MONOTONIC, own_thread = CLOCK_THREAD_CPUTIME_ID };

inline double now(Clock clock = Clock::elapsed) {
  timespec t;
  clock_gettime(static_cast<clockid_t>(clock), &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Keeps the compiler from dropping work whose result nobody reads.
inline void keep(const void *result) {
  asm volatile("" : : "r"(result) : "memory");
}

// Contenders run in turn, a slice each a round, so that a change of the machine's load or clock
// meets them all; the fastest slice of each counts. Slices are short: on a busy machine some
// still find a core to themselves.
class Race {
 public:
  explicit Race(Clock clock, double slice_seconds = 2e-3) : clock_(clock), slice_(slice_seconds) {}

  // Returns the contender's number.
  int add(std::function<void()> work) {
    contenders_.push_back({std::move(work), 1, std::numeric_limits<double>::infinity()});
    return static_cast<int>(contenders_.size()) - 1;
  }

  void run(double seconds, int least_rounds = 5) {
    for (Contender &c : contenders_) warm_up(c);
    const double start = now();
    for (int round = 0; round < least_rounds || now() - start < seconds; ++round)
      for (Contender &c : contenders_) run_slice(c);
  }

  // Seconds a call of the work takes.
  double best(int contender) const { return contenders_[static_cast<size_t>(contender)].best; }

 private:
  struct Contender {
    std::function<void()> work;
    int repeats;
    double best;
  };

  void warm_up(Contender &c) {
    c.work();
    const double begin = now(clock_);
    c.work();
    const double once = now(clock_) - begin;
    c.repeats = once > slice_ ? 1 : static_cast<int>(slice_ / once) + 1;
  }

  void run_slice(Contender &c) {
    const double begin = now(clock_);
    for (int i = 0; i < c.repeats; ++i) c.work();
    c.best = std::fmin(c.best, (now(clock_) - begin) / c.repeats);
  }

  Clock clock_;
  double slice_;
  std::vector<Contender> contenders_;
};

// One figure: a value with its unit, and more numbers that belong to it.
struct Row {
  std::string group, name, unit;
  double value;
  std::vector<std::pair<std::string, double>> more;
};

// Facts about the machine and the build, then the rows of all groups.
class Report {
 public:
  void fact(const std::string &key, const std::string &value) {
    facts_.emplace_back(key, value);
    std::printf("%-12s %s\n", (key + ":").c_str(), value.c_str());
  }

  void title(const std::string &text) {
    std::printf("\n%s\n", text.c_str());
    heads_due_ = true;
  }

  void add(const Row &row) {
    rows_.push_back(row);
    if (heads_due_) print_heads(row);
    std::printf("%-42s %9.4g", row.name.c_str(), row.value);
    for (const auto &item : row.more) std::printf(" %11.4g", item.second);
    std::printf("\n");
    std::fflush(stdout);
  }

  bool write_json(const char *path) const {
    std::FILE *file = std::fopen(path, "w");
    if (!file) return false;
    std::fprintf(file, "{\n");
    for (const auto &item : facts_)
      std::fprintf(file, "  %s: %s,\n", quoted(item.first).c_str(), quoted(item.second).c_str());
    std::fprintf(file, "  \"rows\": [");
    for (size_t i = 0; i < rows_.size(); ++i) write_row(file, rows_[i], i == 0);
    std::fprintf(file, "\n  ]\n}\n");
    const bool good = !std::ferror(file);
    return std::fclose(file) == 0 && good;
  }

 private:
  // The first row of a table names the columns.
  void print_heads(const Row &row) {
    std::printf("%-42s %9s", "", row.unit.c_str());
    for (const auto &item : row.more) std::printf(" %11s", item.first.c_str());
    std::printf("\n");
    heads_due_ = false;
  }

  static std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
    return out + '"';
  }

  static void write_number(std::FILE *file, const std::string &key, double value) {
    std::fprintf(file, ", %s: ", quoted(key).c_str());
    std::isfinite(value) ? std::fprintf(file, "%.6g", value) : std::fprintf(file, "null");
  }
  static void write_row(std::FILE *file, const Row &row, bool first) {
    std::fprintf(file, "%s\n    {\"group\": %s, \"name\": %s, \"unit\": %s", first ? "" : ",",
                 quoted(row.group).c_str(), quoted(row.name).c_str(), quoted(row.unit).c_str());
    write_number(file, "value", row.value);
    for (const auto &item : row.more) write_number(file, item.first, item.second);
    std::fprintf(file, "}");
  }

  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<Row> rows_;
  bool heads_due_ = false;
};

}  // namespace bench
