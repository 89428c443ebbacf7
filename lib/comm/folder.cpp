#include "lib/comm/folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lib/base/clock.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define NNP_FOLDERS 1
#else
#define NNP_FOLDERS 0
#endif

namespace nnp {

#if NNP_FOLDERS

namespace {

// Return values of the communicator's functions. Positive: the system's errno.
enum Outcome : int32_t { fine = 0, was_aborted = -1, too_late = -2, another_length = -3 };

struct Name {
  char text[max_folder_path + 64];
};

unsigned long long ull(uint64_t value) {
  return static_cast<unsigned long long>(value);
}

Name named(const Folder &folder, const char *name) {
  Name out;
  std::snprintf(out.text, sizeof out.text, "%s/%s", folder.path, name);
  return out;
}

Name for_all(const Folder &folder, uint64_t message, int32_t rank) {
  char name[64];
  std::snprintf(name, sizeof name, "%llu.%d", ull(message), static_cast<int>(rank));
  return named(folder, name);
}

Name for_one(const Folder &folder, uint64_t message, int32_t from, int32_t to) {
  char name[64];
  std::snprintf(name, sizeof name, "%llu.%d-%d", ull(message), static_cast<int>(from),
                static_cast<int>(to));
  return named(folder, name);
}

int32_t write_all(int file, const void *bytes, size_t size) {
  const unsigned char *p = static_cast<const unsigned char *>(bytes);
  while (size > 0) {
    const ssize_t done = write(file, p, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    p += done;
    size -= static_cast<size_t>(done);
  }
  return fine;
}

// Writes a message; nobody sees it before it is complete.
int32_t post(const Folder &folder, const Name &name, const void *bytes, int64_t size) {
  char own[32];
  std::snprintf(own, sizeof own, "writing.%d", static_cast<int>(folder.rank));
  const Name draft = named(folder, own);
  const int file = open(draft.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int32_t outcome = write_all(file, bytes, static_cast<size_t>(size));
  if (close(file) != 0 && outcome == fine) outcome = errno;
  if (outcome == fine && rename(draft.text, name.text) != 0) outcome = errno;
  return outcome;
}

int32_t read_all(int file, void *bytes, size_t size) {
  struct stat found = {};
  if (fstat(file, &found) != 0) return errno;
  if (static_cast<size_t>(found.st_size) != size) return another_length;
  unsigned char *p = static_cast<unsigned char *>(bytes);
  while (size > 0) {
    const ssize_t done = read(file, p, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return another_length;
    p += done;
    size -= static_cast<size_t>(done);
  }
  return fine;
}

bool aborted(const Folder &folder) {
  return access(named(folder, "abort").text, F_OK) == 0;
}

// Sleeps, for half a millisecond at first and up to 20.
void doze(int64_t &nanoseconds) {
  const timespec rest = {0, static_cast<long>(nanoseconds)};
  nanosleep(&rest, nullptr);
  nanoseconds = std::min<int64_t>(nanoseconds * 3 / 2, 20 * 1000 * 1000);
}

int32_t fetch(const Folder &folder, const Name &name, void *bytes, int64_t size) {
  const double deadline = seconds_now() + folder.patience;
  int64_t rest = 500 * 1000;
  for (;;) {
    const int file = open(name.text, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      const int32_t outcome = read_all(file, bytes, static_cast<size_t>(size));
      close(file);
      return outcome;
    }
    if (errno != ENOENT && errno != ESTALE) return errno;
    if (aborted(folder)) return was_aborted;
    if (seconds_now() > deadline) return too_late;
    doze(rest);
  }
}

// A rank that comes late finds all messages there, and must not continue alone.
int32_t unless_aborted(const Folder &folder, int32_t outcome) {
  return outcome == fine && aborted(folder) ? was_aborted : outcome;
}

// Every rank has reached message `now`, so nobody will read earlier ones.
void remove_before(Folder &folder, uint64_t now) {
  for (; folder.kept_from < now; ++folder.kept_from)
    unlink(for_all(folder, folder.kept_from, folder.rank).text);
}

int32_t allgather(const void *mine, void *all, int64_t bytes, void *user) {
  Folder &folder = *static_cast<Folder *>(user);
  const uint64_t message = folder.messages++;
  int32_t outcome = post(folder, for_all(folder, message, folder.rank), mine, bytes);
  for (int32_t r = 0; r < folder.size && outcome == fine; ++r)
    outcome = fetch(folder, for_all(folder, message, r),
                    static_cast<unsigned char *>(all) + static_cast<int64_t>(r) * bytes, bytes);
  if (outcome == fine) remove_before(folder, message);
  return unless_aborted(folder, outcome);
}

int32_t broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  Folder &folder = *static_cast<Folder *>(user);
  const Name name = for_all(folder, folder.messages++, root);
  return unless_aborted(folder, folder.rank == root ? post(folder, name, buffer, bytes)
                                                    : fetch(folder, name, buffer, bytes));
}

int32_t exchange(const void *out, void *in, int64_t bytes, int32_t peer, void *user) {
  Folder &folder = *static_cast<Folder *>(user);
  const uint64_t message = folder.sent[peer]++;
  int32_t outcome = post(folder, for_one(folder, message, folder.rank, peer), out, bytes);
  if (outcome == fine)
    outcome = fetch(folder, for_one(folder, message, peer, folder.rank), in, bytes);
  if (outcome == fine && message > 0) unlink(for_one(folder, message - 1, folder.rank, peer).text);
  return unless_aborted(folder, outcome);
}

int32_t abort_all(const char *sentence, void *user) {
  const Folder &folder = *static_cast<const Folder *>(user);
  return post(folder, named(folder, "abort"), sentence,
              static_cast<int64_t>(std::strlen(sentence)));
}

}  // namespace

Status folder_open(Folder &folder, const char *path, Error *err) {
  std::snprintf(folder.path, sizeof folder.path, "%s", path);
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return fail(err, Status::comm_failed, "path: the folder %.120s cannot be made (errno %d)", path,
                errno);
  char own[32];
  std::snprintf(own, sizeof own, "rank.%d", static_cast<int>(folder.rank));
  const int place = open(named(folder, own).text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (place < 0 && errno == EEXIST)
    return fail(err, Status::comm_failed,
                "path: %.120s has been used by a rank %d before, expected a new folder for every "
                "job",
                path, static_cast<int>(folder.rank));
  if (place < 0)
    return fail(err, Status::comm_failed, "path: no file can be made in %.120s (errno %d)", path,
                errno);
  close(place);
  return Status::ok;
}

Comm folder_comm(Folder &folder) {
  Comm comm;
  comm.rank = folder.rank;
  comm.size = folder.size;
  comm.allgather = allgather;
  comm.broadcast = broadcast;
  comm.exchange = exchange;
  comm.abort = abort_all;
  comm.user = &folder;
  return comm;
}

#else

Status folder_open(Folder &, const char *, Error *err) {
  return fail(err, Status::unsupported, "path: this build has no folders, expected a POSIX system");
}

Comm folder_comm(Folder &) {
  return Comm{};
}

#endif

}  // namespace nnp
