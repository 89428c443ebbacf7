#include "capi/mapping.hpp"

#include <cerrno>
#include <cstring>

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN  // R's package has no flags for it
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace nnp {

namespace {

// The end of a path, as much as fits into a message.
const char *shown(const char *path) {
  constexpr size_t room = 120;
  const size_t length = std::strlen(path);
  return length > room ? path + (length - room) : path;
}

Status too_short(const char *path, Error *err) {
  return fail(err, Status::save_truncated, "path = %s: the file is empty, expected draws",
              shown(path));
}

}  // namespace

#if defined(_WIN32)

namespace {

Status refused(const char *path, const char *what, Error *err) {
  const DWORD code = GetLastError();
  const char *why = code == ERROR_FILE_EXISTS || code == ERROR_ALREADY_EXISTS ? "it exists already"
                    : code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND
                        ? "there is no such file or folder"
                    : code == ERROR_DISK_FULL || code == ERROR_HANDLE_DISK_FULL
                        ? "there is no space left"
                        : "the system refused";
  return fail(err, Status::file_failed, "path = %s: cannot %s it, %s (error %lu)", shown(path),
              what, why, static_cast<unsigned long>(code));
}

constexpr int longest_path = 32768;

// f(path in Windows's encoding), or INVALID_HANDLE_VALUE if it cannot be converted.
template <class F>
HANDLE with_wide_path(const char *path, F f) {
  wchar_t *wide =
      static_cast<wchar_t *>(HeapAlloc(GetProcessHeap(), 0, longest_path * sizeof(wchar_t)));
  if (!wide) return INVALID_HANDLE_VALUE;
  HANDLE made = INVALID_HANDLE_VALUE;
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, longest_path) > 0)
    made = f(wide);
  const DWORD code = GetLastError();
  HeapFree(GetProcessHeap(), 0, wide);
  SetLastError(code);
  return made;
}

HANDLE open_file(const char *path, bool anew) {
  return with_wide_path(path, [anew](const wchar_t *wide) {
    return CreateFileW(wide, anew ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ,
                       FILE_SHARE_READ | (anew ? 0 : FILE_SHARE_WRITE | FILE_SHARE_DELETE), nullptr,
                       anew ? CREATE_NEW : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  });
}

void remove_file(const char *path) {
  with_wide_path(path, [](const wchar_t *wide) {
    DeleteFileW(wide);
    return INVALID_HANDLE_VALUE;
  });
}

// Maps an opened file; closes it if that fails.
Status map_opened(HANDLE file, const char *path, size_t size, bool anew, Mapping *out, Error *err) {
  const uint64_t bytes = size;
  HANDLE section =
      CreateFileMappingW(file, nullptr, anew ? PAGE_READWRITE : PAGE_READONLY,
                         static_cast<DWORD>(bytes >> 32), static_cast<DWORD>(bytes), nullptr);
  void *view = nullptr;
  if (section) view = MapViewOfFile(section, anew ? FILE_MAP_WRITE : FILE_MAP_READ, 0, 0, size);
  Status status = Status::ok;
  if (!view) status = refused(path, "map", err);
  if (section) CloseHandle(section);  // the view keeps it open
  if (!view) {
    CloseHandle(file);
    return status;
  }
  *out = {static_cast<unsigned char *>(view), size, file};
  return status;
}

}  // namespace

Status map_new_file(const char *path, size_t size, Mapping *out, Error *err) {
  HANDLE file = open_file(path, true);
  if (file == INVALID_HANDLE_VALUE) return refused(path, "make", err);
  const Status status = map_opened(file, path, size, true, out, err);
  if (status != Status::ok) remove_file(path);
  return status;
}

Status map_file(const char *path, Mapping *out, Error *err) {
  HANDLE file = open_file(path, false);
  if (file == INVALID_HANDLE_VALUE) return refused(path, "open", err);
  LARGE_INTEGER size = {};
  if (!GetFileSizeEx(file, &size) || size.QuadPart <= 0) {
    CloseHandle(file);
    return too_short(path, err);
  }
  return map_opened(file, path, static_cast<size_t>(size.QuadPart), false, out, err);
}

void unmap(Mapping &mapping) {
  if (!mapping.start) return;
  UnmapViewOfFile(mapping.start);
  CloseHandle(static_cast<HANDLE>(mapping.file));
  mapping = Mapping{};
}

// Removes the file by the path that the system reports: the process may have changed its folder since
// the file was created. While it was open nobody could put another in its place.
void unmap_and_remove(Mapping &mapping, const char *) {
  if (!mapping.start) return;
  wchar_t *path =
      static_cast<wchar_t *>(HeapAlloc(GetProcessHeap(), 0, longest_path * sizeof(wchar_t)));
  const DWORD length = path ? GetFinalPathNameByHandleW(static_cast<HANDLE>(mapping.file), path,
                                                        longest_path, FILE_NAME_NORMALIZED)
                            : 0;
  unmap(mapping);
  if (length > 0 && length < DWORD{longest_path}) DeleteFileW(path);
  if (path) HeapFree(GetProcessHeap(), 0, path);
}

#else

namespace {

Status refused(const char *path, const char *what, int code, Error *err) {
  return fail(err, Status::file_failed, "path = %s: cannot %s it, %.60s", shown(path), what,
              std::strerror(code));
}

// Reserves disk space now: if it were missing later, writing a page would raise a signal. If the
// system has no such call, zeros are written.
int take_space(int file, size_t size) {
#if defined(__linux__)
  int code = EINTR;
  while (code == EINTR) code = posix_fallocate(file, 0, static_cast<off_t>(size));
  if (code != EOPNOTSUPP && code != EINVAL) return code;
#endif
  static const char zeros[4096] = {};
  for (size_t done = 0; done < size;) {
    const size_t some = size - done < sizeof zeros ? size - done : sizeof zeros;
    const ssize_t written = write(file, zeros, some);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) done += static_cast<size_t>(written);
  }
  return 0;
}

// The mapping stays valid after its file is closed.
Status map_opened(int file, const char *path, size_t size, bool anew, Mapping *out, Error *err) {
  void *start = mmap(nullptr, size, anew ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
  const int code = errno;
  struct stat info = {};
  const bool known = fstat(file, &info) == 0;
  close(file);
  if (start == MAP_FAILED) return refused(path, "map", code, err);
  *out = {static_cast<unsigned char *>(start), size, nullptr};
  if (!anew || !known) return Status::ok;
  out->device = static_cast<uint64_t>(info.st_dev);
  out->number = static_cast<uint64_t>(info.st_ino);
  out->maker = getpid();
  return Status::ok;
}

}  // namespace

Status map_new_file(const char *path, size_t size, Mapping *out, Error *err) {
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return refused(path, "make", errno, err);
  const int code = take_space(file, size);
  Status status = Status::ok;
  if (code != 0) {
    close(file);
    status = refused(path, "find space for", code, err);
  } else {
    status = map_opened(file, path, size, true, out, err);
  }
  if (status != Status::ok) unlink(path);
  return status;
}

Status map_file(const char *path, Mapping *out, Error *err) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return refused(path, "open", errno, err);
  struct stat info = {};
  const bool known = fstat(file, &info) == 0;
  if (!known || !S_ISREG(info.st_mode) || info.st_size <= 0) {
    const int code = known && !S_ISREG(info.st_mode) ? EISDIR : errno;
    close(file);
    if (known && S_ISREG(info.st_mode)) return too_short(path, err);
    return refused(path, "read", code, err);
  }
  return map_opened(file, path, static_cast<size_t>(info.st_size), false, out, err);
}

void unmap(Mapping &mapping) {
  if (mapping.start) munmap(mapping.start, mapping.size);
  mapping = Mapping{};
}

void unmap_and_remove(Mapping &mapping, const char *path) {
  struct stat info = {};
  if (mapping.maker == getpid() && lstat(path, &info) == 0 &&
      mapping.device == static_cast<uint64_t>(info.st_dev) &&
      mapping.number == static_cast<uint64_t>(info.st_ino))
    unlink(path);
  unmap(mapping);
}

#endif

}  // namespace nnp
