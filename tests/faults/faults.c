/* A library to be loaded before all others (LD_PRELOAD): the k-th call of a function fails, once, as
 * it does when the system has no memory, no thread or no room on its disk.
 *
 *     NNPOST_FAULT="rename 3" program        or, from within, nnpost_fault("rename", 3);
 *                                            from R: .C("nnpost_fault_r", "rename", 3L)
 *
 * "fault: rename 3" on standard error tells that it came to that. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* functions of files by the names they have */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char function[32];
static int count;

__attribute__((visibility("default"))) void nnpost_fault(const char *name, int number);
void nnpost_fault(const char *name, int number) {
  snprintf(function, sizeof function, "%s", name);
  __atomic_store_n(&count, number, __ATOMIC_SEQ_CST);
}

/* nnpost_fault_left tells how many calls are still to come before one fails. */
__attribute__((visibility("default"))) void nnpost_fault_r(char **name, int *number);
void nnpost_fault_r(char **name, int *number) {
  nnpost_fault(*name, *number);
}
__attribute__((visibility("default"))) void nnpost_fault_left(int *number);
void nnpost_fault_left(int *number) {
  *number = __atomic_load_n(&count, __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void read_environment(void) {
  const char *wanted = getenv("NNPOST_FAULT");
  char name[32];
  int number;
  if (wanted && sscanf(wanted, "%31s %d", name, &number) == 2) nnpost_fault(name, number);
  unsetenv("NNPOST_FAULT"); /* programs that it runs, such as gnuplot, have no faults */
}

/* Is this the one? */
static int fails(const char *name, int error) {
  static const char words[] = "fault: ";
  if (count <= 0 || strcmp(function, name) != 0) return 0;
  if (__atomic_sub_fetch(&count, 1, __ATOMIC_SEQ_CST) != 0) return 0;
  if (write(2, words, sizeof words - 1) < 0 || write(2, name, strlen(name)) < 0 ||
      write(2, "\n", 1) < 0)
    abort();
  errno = error;
  return 1;
}

#define REAL(name)                         \
  static __typeof__(name) *real;           \
  if (!real) {                             \
    void *found = dlsym(RTLD_NEXT, #name); \
    memcpy(&real, &found, sizeof real);    \
  }

void *__libc_malloc(size_t size);

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size) {
  return fails("malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size) {
  REAL(aligned_alloc)
  return fails("aligned_alloc", ENOMEM) ? NULL : real(alignment, size);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  REAL(pthread_create)
  return fails("pthread_create", EAGAIN) ? EAGAIN : real(thread, attributes, start, argument);
}

/* By either name: programs with 64-bit offsets call the second. */
static int is_refused(const char *mode) {
  return mode[0] != 'r' && fails("fopen", ENOSPC);
}
EXPORT FILE *fopen(const char *path, const char *mode) {
  REAL(fopen)
  return is_refused(mode) ? NULL : real(path, mode);
}
EXPORT FILE *fopen64(const char *path, const char *mode) {
  REAL(fopen64)
  return is_refused(mode) ? NULL : real(path, mode);
}

EXPORT size_t fwrite(const void *bytes, size_t size, size_t number, FILE *file) {
  REAL(fwrite)
  if (file == stdout || file == stderr || !fails("fwrite", ENOSPC))
    return real(bytes, size, number, file);
  file->_flags |= 0x20; /* glibc's mark of an error: see ferror */
  return 0;
}

EXPORT int fflush(FILE *file) {
  REAL(fflush)
  return file && file != stdout && file != stderr && fails("fflush", ENOSPC) ? EOF : real(file);
}

EXPORT int fclose(FILE *file) {
  REAL(fclose)
  const int failed = fails("fclose", ENOSPC);
  const int closed = real(file);
  if (failed) errno = ENOSPC;
  return failed ? EOF : closed;
}

EXPORT int fsync(int file) {
  REAL(fsync)
  return fails("fsync", EIO) ? -1 : real(file);
}

EXPORT int rename(const char *from, const char *to) {
  REAL(rename)
  return fails("rename", EACCES) ? -1 : real(from, to);
}

/* Space for a file that is mapped, by either name. */
EXPORT int posix_fallocate(int file, off_t offset, off_t size) {
  REAL(posix_fallocate)
  return fails("posix_fallocate", 0) ? ENOSPC : real(file, offset, size);
}
EXPORT int posix_fallocate64(int file, off64_t offset, off64_t size) {
  REAL(posix_fallocate64)
  return fails("posix_fallocate", 0) ? ENOSPC : real(file, offset, size);
}
