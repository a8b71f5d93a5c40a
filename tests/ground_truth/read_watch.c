/* Preloaded into a program (LD_PRELOAD), writes down each read of the files below one folder, as
 * the C library hands it to the kernel: the second witness of what lakegauge records.
 *
 * WATCH_ROOT  folder whose files are watched (an absolute path without links)
 * WATCH_LOG   file that gets a line a call: CALL THREAD START_NS END_NS OFFSET ASKED GOT PATH
 *             (times of CLOCK_MONOTONIC; OFFSET -1 where the call has none; for mmap ASKED is the
 *             length and GOT the protection; for opens and folders the figures are 0)
 * WATCH_SHORT at most so many bytes are given to one read of a watched file (0: as many as asked),
 *             as a kernel may: what is recorded must not change.
 *
 * A file is known by its descriptor's link in /proc, so that no open can be missed. What makes
 * system calls without the C library is not seen; the same test under strace looks for that.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char* root;
static size_t root_length;
static size_t most_bytes;
static int log_fd = -1;

static void Begin(void) {
  static int begun;
  if (__atomic_exchange_n(&begun, 1, __ATOMIC_SEQ_CST)) return;
  const char* log = getenv("WATCH_LOG");
  const char* most = getenv("WATCH_SHORT");
  root = getenv("WATCH_ROOT");
  if (root == NULL || log == NULL) return;
  root_length = strlen(root);
  most_bytes = most != NULL ? strtoul(most, NULL, 10) : 0;
  log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

__attribute__((constructor)) static void AtLoad(void) { Begin(); }

static long long NowNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int IsWatched(const char* path) {
  return log_fd >= 0 && strncmp(path, root, root_length) == 0 &&
         (path[root_length] == '/' || path[root_length] == '\0');
}

/* The path of a watched file; else an empty one. */
static const char* PathOf(int fd, char* path, size_t size) {
  const int saved = errno;
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = log_fd >= 0 ? readlink(link, path, size - 1) : 0;
  path[n > 0 ? n : 0] = '\0';
  if (!IsWatched(path)) path[0] = '\0';
  errno = saved;
  return path;
}

static void Note(const char* call, long long start_ns, long long offset, long long asked,
                 long long got, const char* path) {
  const int saved = errno;
  char line[4400];
  const int n = snprintf(line, sizeof line, "%s %ld %lld %lld %lld %lld %lld %s\n", call,
                         (long)syscall(SYS_gettid), start_ns, NowNs(), offset, asked, got, path);
  if (syscall(SYS_write, log_fd, line, (size_t)n) != n) abort();
  errno = saved;
}

/* The C library's own, found once. */
#define KEEP(variable, name)         \
  static __typeof__(&name) variable; \
  if (variable == NULL) variable = __extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name)

static size_t Cut(size_t asked) {
  return most_bytes != 0 && asked > most_bytes ? most_bytes : asked;
}

/* Every read comes through one of these two. */
static ssize_t At(const char* call, int fd, void* buffer, size_t asked, off64_t offset) {
  KEEP(next, pread64);
  char path[4096];
  if (*PathOf(fd, path, sizeof path) == '\0') return next(fd, buffer, asked, offset);
  const long long start_ns = NowNs();
  const ssize_t got = next(fd, buffer, Cut(asked), offset);
  Note(call, start_ns, offset, (long long)asked, got, path);
  return got;
}

static ssize_t Onward(const char* call, int fd, void* buffer, size_t asked) {
  KEEP(next, read);
  char path[4096];
  if (*PathOf(fd, path, sizeof path) == '\0') return next(fd, buffer, asked);
  const long long start_ns = NowNs();
  const long long offset = lseek(fd, 0, SEEK_CUR);
  const ssize_t got = next(fd, buffer, Cut(asked));
  Note(call, start_ns, offset, (long long)asked, got, path);
  return got;
}

ssize_t read(int fd, void* buffer, size_t n) { return Onward("read", fd, buffer, n); }
ssize_t __read_chk(int fd, void* buffer, size_t n, size_t room) {
  if (n > room) abort();
  return Onward("read", fd, buffer, n);
}
ssize_t pread(int fd, void* buffer, size_t n, off_t at) { return At("pread", fd, buffer, n, at); }
ssize_t pread64(int fd, void* buffer, size_t n, off64_t at) {
  return At("pread", fd, buffer, n, at);
}
ssize_t __pread_chk(int fd, void* buffer, size_t n, off_t at, size_t room) {
  if (n > room) abort();
  return At("pread", fd, buffer, n, at);
}
ssize_t __pread64_chk(int fd, void* buffer, size_t n, off64_t at, size_t room) {
  if (n > room) abort();
  return At("pread", fd, buffer, n, at);
}

static long long Length(const struct iovec* parts, int n) {
  long long length = 0;
  for (int i = 0; i < n; ++i) length += (long long)parts[i].iov_len;
  return length;
}

ssize_t readv(int fd, const struct iovec* parts, int n) {
  KEEP(next, readv);
  char path[4096];
  if (*PathOf(fd, path, sizeof path) == '\0') return next(fd, parts, n);
  const long long start_ns = NowNs();
  const long long offset = lseek(fd, 0, SEEK_CUR);
  const ssize_t got = next(fd, parts, n);
  Note("readv", start_ns, offset, Length(parts, n), got, path);
  return got;
}

static ssize_t VectorAt(int fd, const struct iovec* parts, int n, off64_t offset, int flags) {
  KEEP(next, preadv64v2);
  char path[4096];
  if (*PathOf(fd, path, sizeof path) == '\0') return next(fd, parts, n, offset, flags);
  const long long start_ns = NowNs();
  const ssize_t got = next(fd, parts, n, offset, flags);
  Note("preadv", start_ns, offset, Length(parts, n), got, path);
  return got;
}
ssize_t preadv(int fd, const struct iovec* p, int n, off_t at) { return VectorAt(fd, p, n, at, 0); }
ssize_t preadv64(int fd, const struct iovec* p, int n, off64_t at) {
  return VectorAt(fd, p, n, at, 0);
}
ssize_t preadv2(int fd, const struct iovec* p, int n, off_t at, int flags) {
  return VectorAt(fd, p, n, at, flags);
}
ssize_t preadv64v2(int fd, const struct iovec* p, int n, off64_t at, int flags) {
  return VectorAt(fd, p, n, at, flags);
}

static void NoteMap(long long start_ns, size_t length, int protection, int fd, long long offset) {
  char path[4096];
  if (fd < 0 || *PathOf(fd, path, sizeof path) == '\0') return;
  Note("mmap", start_ns, offset, (long long)length, protection, path);
}
void* mmap(void* where, size_t length, int protection, int flags, int fd, off_t offset) {
  void* map = (void*)syscall(SYS_mmap, where, length, protection, flags, fd, offset);
  if (!(flags & MAP_ANONYMOUS)) NoteMap(NowNs(), length, protection, fd, offset);
  return map;
}
void* mmap64(void* where, size_t length, int protection, int flags, int fd, off64_t offset) {
  return mmap(where, length, protection, flags, fd, offset);
}

/* Bytes that go from file to file. */
static void NoteMoved(const char* call, long long start_ns, int fd, size_t asked, ssize_t got) {
  char path[4096];
  if (*PathOf(fd, path, sizeof path) != '\0') {
    Note(call, start_ns, -1, (long long)asked, got, path);
  }
}
ssize_t sendfile(int to, int from, off_t* offset, size_t n) {
  KEEP(next, sendfile);
  const long long start_ns = NowNs();
  const ssize_t got = next(to, from, offset, n);
  NoteMoved("sendfile", start_ns, from, n, got);
  return got;
}
ssize_t sendfile64(int to, int from, off64_t* offset, size_t n) {
  KEEP(next, sendfile64);
  const long long start_ns = NowNs();
  const ssize_t got = next(to, from, offset, n);
  NoteMoved("sendfile", start_ns, from, n, got);
  return got;
}
ssize_t copy_file_range(int from, off64_t* at, int to, off64_t* to_at, size_t n, unsigned flags) {
  KEEP(next, copy_file_range);
  const long long start_ns = NowNs();
  const ssize_t got = next(from, at, to, to_at, n, flags);
  NoteMoved("copy_file_range", start_ns, from, n, got);
  return got;
}
ssize_t splice(int from, off64_t* at, int to, off64_t* to_at, size_t n, unsigned flags) {
  KEEP(next, splice);
  const long long start_ns = NowNs();
  const ssize_t got = next(from, at, to, to_at, n, flags);
  NoteMoved("splice", start_ns, from, n, got);
  return got;
}

static int Opened(int fd, long long start_ns, const char* call) {
  char path[4096];
  if (fd >= 0 && *PathOf(fd, path, sizeof path) != '\0') Note(call, start_ns, -1, 0, 0, path);
  return fd;
}
static int Open(int folder, const char* path, int flags, int mode) {
  Begin(); /* a constructor of another library may open a file before ours ran */
  const long long start_ns = NowNs();
  return Opened((int)syscall(SYS_openat, folder, path, flags, mode), start_ns, "open");
}

#define MODE(flags)                      \
  int mode = 0;                          \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list more;                        \
    va_start(more, flags);               \
    mode = va_arg(more, int);            \
    va_end(more);                        \
  }

int open(const char* path, int flags, ...) {
  MODE(flags)
  return Open(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE(flags)
  return Open(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE(flags)
  return Open(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE(flags)
  return Open(folder, path, flags | O_LARGEFILE, mode);
}
/* Streams read inside the C library, where the calls above are not seen: one of a watched file is
 * named, and the test takes it for a read that cannot be accounted for. */
FILE* fopen(const char* path, const char* how) {
  KEEP(next, fopen);
  const long long start_ns = NowNs();
  FILE* file = next(path, how);
  if (file != NULL) Opened(fileno(file), start_ns, "fopen");
  return file;
}
FILE* fopen64(const char* path, const char* how) {
  KEEP(next, fopen64);
  const long long start_ns = NowNs();
  FILE* file = next(path, how);
  if (file != NULL) Opened(fileno(file), start_ns, "fopen");
  return file;
}
DIR* opendir(const char* path) {
  KEEP(next, opendir);
  const long long start_ns = NowNs();
  DIR* folder = next(path);
  if (folder != NULL) Opened(dirfd(folder), start_ns, "opendir");
  return folder;
}
