/* The measurements of org.tutti.bench.osu in C, with which `tutti bench compare` compares Tutti. The program uses the
 * library of the mpicc that compiles it. Loops, clock, barriers, warm-up and number of iterations are the same as in
 * the Java classes: change the two together. IterationPlan.java contains the rule for warm-up and iterations; the
 * Java version also waits for the JIT compilers, and warms up longer if there are more ranks than cores.
 *
 *     mpicc -O3 -c kernels.c && mpicc -O2 -o bench bench.c kernels.o
 *     mpirun -n 2 ./bench TEST SIZES [-x WARMUP] [-i ITERATIONS] [-W WINDOW] [--thread-multiple]
 *
 * TEST: latency, bw, bibw, column, barrier, comms, allreduce, reduce, reduce-in-place, bcast, allgather, alltoall,
 * put-latency, get-latency, acc-latency, fop-latency, cas-latency, io-write, io-read, io-write-at, io-read-at,
 * io-write-shared, io-open. SIZES: bytes, as a list (8,65536) or a range of powers of two (1:4194304). Prints a line
 * `BYTES VALUE ITERATIONS` for each size; the value is in MB/s for bw, bibw, io-write and io-read, otherwise in
 * microseconds. TEST can also be a kernel of kernels.c; the sizes are then numbers of iterations. */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGE = 1, CONTROL = 2, MOST_SIZES = 64, MOST_WINDOW = 1024, MOST_TIMES = 10000000 };
enum { SMALL = 8192, MEDIUM = 1 << 20 };         /* bytes; larger messages need fewer iterations */
enum { COLUMNS = 1000, OUT_COLUMN = 3, IN_COLUMN = 7 };

/* Nanoseconds; the same as in IterationPlan.java, which multiplies the first three if ranks share a core. */
static const double WARM_FIRST = 1e9, WARM_LEAST = 0.2e9, WARM_MOST = 4e9, MEASURE_LEAST = 0.1e9, MEASURE_MOST = 1e9;

int kernel(const char *name, long iterations);   /* kernels.c */

static int rank, ranks, window = 64;
static long warmup = -1, iterations = -1;        /* -1: not specified */

/* One size of one test. */
typedef struct job {
    void (*loop)(struct job *, long times);
    int taking_part;                             /* the number of measured ranks, from rank 0 */
    long bytes, count;
    char *out, *in;
    MPI_Datatype type;
    double inside;                               /* nanoseconds in the calls of a collective loop */
    int one_sided;                               /* no message back */
} job;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void fail(const char *text) {
    if (rank == 0) fprintf(stderr, "bench: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static char *bytes_of(long bytes) {
    char *memory = NULL;
    if (posix_memalign((void **)&memory, 64, bytes ? bytes : 1)) fail("not enough memory");
    memset(memory, 1, bytes ? bytes : 1);
    return memory;
}

/* Loops. */

static void latency(job *j, long times) {
    int n = (int)j->count;
    if (rank == 0) {
        for (long i = 0; i < times; i++) {
            MPI_Send(j->out, n, j->type, 1, MESSAGE, MPI_COMM_WORLD);
            MPI_Recv(j->in, n, j->type, 1, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        for (long i = 0; i < times; i++) {
            MPI_Recv(j->in, n, j->type, 0, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(j->out, n, j->type, 0, MESSAGE, MPI_COMM_WORLD);
        }
    }
}

static void bandwidth(job *j, long times) {
    static MPI_Request requests[MOST_WINDOW];
    static char answer[4];
    int n = (int)j->count;
    for (long i = 0; i < times; i++) {
        if (rank == 0) {
            for (int w = 0; w < window; w++) MPI_Isend(j->out, n, j->type, 1, MESSAGE, MPI_COMM_WORLD, &requests[w]);
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            MPI_Recv(answer, 4, MPI_BYTE, 1, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (int w = 0; w < window; w++) MPI_Irecv(j->in, n, j->type, 0, MESSAGE, MPI_COMM_WORLD, &requests[w]);
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            MPI_Send(answer, 4, MPI_BYTE, 0, MESSAGE, MPI_COMM_WORLD);
        }
    }
}

static void both_ways(job *j, long times) {
    static MPI_Request requests[2 * MOST_WINDOW];
    int n = (int)j->count, peer = 1 - rank;
    for (long i = 0; i < times; i++) {
        for (int w = 0; w < window; w++)
            MPI_Irecv(j->in, n, j->type, peer, MESSAGE, MPI_COMM_WORLD, &requests[w]);
        for (int w = 0; w < window; w++)
            MPI_Isend(j->out, n, j->type, peer, MESSAGE, MPI_COMM_WORLD, &requests[window + w]);
        MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
    }
}

/* Rank 0 accesses the memory of rank 1 while rank 1 waits in the next call. */

static MPI_Win win;

#define ACCESS(name, call)                           \
    static void name(job *j, long times) {           \
        int n = (int)j->count;                       \
        (void)n;                                     \
        if (rank > 0) return;                        \
        for (long i = 0; i < times; i++) {           \
            call;                                    \
            MPI_Win_flush(1, win);                   \
        }                                            \
    }

ACCESS(put, MPI_Put(j->out, n, j->type, 1, 0, n, j->type, win))
ACCESS(get, MPI_Get(j->in, n, j->type, 1, 0, n, j->type, win))
ACCESS(acc, MPI_Accumulate(j->out, n, j->type, 1, 0, n, j->type, MPI_SUM, win))
ACCESS(fop, MPI_Fetch_and_op(j->out, j->in, j->type, 1, 0, MPI_SUM, win))
ACCESS(cas, MPI_Compare_and_swap(j->out, j->out, j->in, j->type, 1, 0, win))

/* A timed collective call, followed by a barrier that is not timed. */
#define COLLECTIVE(name, call)                       \
    static void name(job *j, long times) {           \
        double inside = 0;                           \
        for (long i = 0; i < times; i++) {           \
            double start = now();                    \
            call;                                    \
            inside += now() - start;                 \
            MPI_Barrier(MPI_COMM_WORLD);             \
        }                                            \
        j->inside = inside;                          \
    }

static void dup_barrier_free(void) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
}

COLLECTIVE(barrier, MPI_Barrier(MPI_COMM_WORLD))
COLLECTIVE(comms, dup_barrier_free())
COLLECTIVE(bcast, MPI_Bcast(j->out, (int)j->count, j->type, 0, MPI_COMM_WORLD))
COLLECTIVE(allreduce, MPI_Allreduce(j->out, j->in, (int)j->count, j->type, MPI_SUM, MPI_COMM_WORLD))
COLLECTIVE(reduce, MPI_Reduce(j->out, j->in, (int)j->count, j->type, MPI_SUM, 0, MPI_COMM_WORLD))
COLLECTIVE(reduce_in_place,
           MPI_Reduce(rank ? j->out : MPI_IN_PLACE, rank ? NULL : j->out, (int)j->count, j->type, MPI_SUM, 0,
                      MPI_COMM_WORLD))
COLLECTIVE(allgather,
           MPI_Allgather(j->out, (int)j->count, j->type, j->in, (int)j->count, j->type, MPI_COMM_WORLD))
COLLECTIVE(alltoall,
           MPI_Alltoall(j->out, (int)j->count, j->type, j->in, (int)j->count, j->type, MPI_COMM_WORLD))

/* FileTests.java: all ranks access one file, always the same bytes. */

enum { SHARE = 16 << 20, SHARE_OF_SHORT = 2 << 20, SHORT_BLOCK = 512 };
static MPI_File file;
static char path[4096];

#define FILE_ACCESS(name, call)                      \
    static void name(job *j, long times) {           \
        int n = (int)j->count;                       \
        (void)n;                                     \
        for (long i = 0; i < times; i++) call;       \
    }

static void open_and_close(void) {
    MPI_File other;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &other);
    MPI_File_close(&other);
}

FILE_ACCESS(io_write, MPI_File_write_at_all(file, 0, j->out, n, MPI_BYTE, MPI_STATUS_IGNORE))
FILE_ACCESS(io_read, MPI_File_read_at_all(file, 0, j->in, n, MPI_BYTE, MPI_STATUS_IGNORE))
FILE_ACCESS(io_write_at, MPI_File_write_at(file, 0, j->out, n, MPI_BYTE, MPI_STATUS_IGNORE))
FILE_ACCESS(io_read_at, MPI_File_read_at(file, 0, j->in, n, MPI_BYTE, MPI_STATUS_IGNORE))
FILE_ACCESS(io_shared, MPI_File_write_shared(file, j->out, n, MPI_BYTE, MPI_STATUS_IGNORE))
FILE_ACCESS(io_open, open_and_close())

static void io_write_shared(job *j, long times) {
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    io_shared(j, times);
}

/* The rule of IterationPlan.java: rank 0 decides and notifies the other ranks, outside measured code. */

static long tell(const job *j, long value) {
    if (rank > 0) MPI_Recv(&value, 1, MPI_LONG, 0, CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        for (int r = 1; r < j->taking_part; r++) MPI_Send(&value, 1, MPI_LONG, r, CONTROL, MPI_COMM_WORLD);
    return value;
}

static long usual(long bytes) {
    return bytes <= SMALL ? 10000 : bytes <= MEDIUM ? 1000 : 100;
}

/* Warms up; returns the number of iterations to measure. */
static long warm(job *j, int first) {
    long done = 0;
    double begin = now(), each = 0;
    for (long chunk = 1; warmup < 0 || done < warmup; chunk = chunk < MOST_TIMES ? 2 * chunk : chunk) {
        if (warmup >= 0 && chunk > warmup - done) chunk = warmup - done;
        double start = now();
        j->loop(j, chunk);
        double end = now(), all = end - begin;
        done += chunk;
        each = (end - start) / chunk;
        if (warmup >= 0) continue;
        int warm_enough = done >= (j->bytes <= 1 << 20 ? 20000 : 300) && all >= (first ? WARM_FIRST : WARM_LEAST);
        if (tell(j, warm_enough || all >= WARM_MOST)) break;
    }
    if (iterations >= 0) return iterations;
    double times = usual(j->bytes);
    if (each > 0 && times < MEASURE_LEAST / each) times = MEASURE_LEAST / each;
    if (each > 0 && times > MEASURE_MOST / each) times = MEASURE_MOST / each;
    if (times > MOST_TIMES) times = MOST_TIMES;
    return tell(j, times < 1 ? 1 : (long)times);
}

static void print(long bytes, double value, long times) {
    if (rank == 0) printf("%-10ld %18.4f %12ld\n", bytes, value, times);
    fflush(stdout);
}

/* Times a whole loop on ranks 0 and 1. `directions` is 1 or 2 for a bandwidth, 0 for a latency. */
static void pair(job *j, int first, int directions) {
    j->taking_part = 2;
    if (rank < 2) {
        long times = warm(j, first);
        double start = now();
        j->loop(j, times);
        double each = (now() - start) / times;
        double trips = j->one_sided ? 1e3 : 2e3;
        print(j->bytes, directions ? directions * j->bytes * 1e3 * window / each : each / trips, times);
    }
}

static void collective(job *j, int first) {
    j->taking_part = ranks;
    long times = warm(j, first);
    MPI_Barrier(MPI_COMM_WORLD);
    j->loop(j, times);
    double mine = j->inside / 1e3 / times, sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    print(j->bytes, sum / ranks, times);
}

static void column(long bytes, int first) {
    long rows = bytes < 8 ? 1 : bytes / 8, cells = rows * COLUMNS * 8;
    job j = {.loop = latency, .bytes = bytes, .count = 1};
    char *out = bytes_of(cells), *in = bytes_of(cells);
    MPI_Type_vector((int)rows, 1, COLUMNS, MPI_DOUBLE, &j.type);
    MPI_Type_commit(&j.type);
    j.out = out + OUT_COLUMN * 8;
    j.in = in + IN_COLUMN * 8;
    pair(&j, first, 0);
    MPI_Type_free(&j.type);
    free(out);
    free(in);
}

static int one_sided(const char *test, long bytes, int first) {
    static const struct { const char *name; void (*loop)(job *, long); } accesses[] = {
        {"put-latency", put}, {"get-latency", get}, {"acc-latency", acc}, {"fop-latency", fop}, {"cas-latency", cas}};
    job j = {.bytes = bytes, .count = bytes, .type = MPI_BYTE};
    for (unsigned a = 0; a < sizeof accesses / sizeof *accesses; a++)
        if (!strcmp(test, accesses[a].name)) j.loop = accesses[a].loop;
    if (!j.loop) return 0;
    if (j.loop == acc) {
        j.type = MPI_FLOAT;
        j.count = bytes / 4;
    }
    if (j.loop == fop || j.loop == cas) {
        j.type = MPI_LONG;
        j.count = 1;
        bytes = 8;
    }
    char *base;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 1, bytes);
    j.out = bytes_of(bytes);
    j.in = bytes_of(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    j.one_sided = 1;
    pair(&j, first, 0);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(j.out);
    free(j.in);
    return 1;
}

static int on_file(const char *test, long bytes, int first) {
    static const struct { const char *name; void (*loop)(job *, long); } accesses[] = {
        {"io-write", io_write}, {"io-read", io_read}, {"io-write-at", io_write_at}, {"io-read-at", io_read_at},
        {"io-write-shared", io_write_shared}, {"io-open", io_open}};
    job j = {.taking_part = ranks};
    for (unsigned a = 0; a < sizeof accesses / sizeof *accesses; a++)
        if (!strcmp(test, accesses[a].name)) j.loop = accesses[a].loop;
    if (!j.loop) return 0;
    int is_bandwidth = j.loop == io_write || j.loop == io_read;
    long block = bytes < 1 ? 1 : bytes, share = block <= SHORT_BLOCK ? SHARE_OF_SHORT : SHARE;
    long blocks = is_bandwidth && share > block ? share / block : 1;
    j.bytes = j.count = blocks * block;
    j.out = bytes_of(j.bytes);
    j.in = bytes_of(j.bytes);
    if (rank == 0) {
        const char *directory = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/tutti-bench-%ld", directory ? directory : "/tmp", (long)(now() / 1e3));
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_Datatype one = MPI_BYTE, filetype = MPI_BYTE;
    if (is_bandwidth) {
        MPI_Type_contiguous((int)block, MPI_BYTE, &one);
        MPI_Type_create_resized(one, 0, ranks * block, &filetype);
        MPI_Type_commit(&filetype);
    }
    long displacement = j.loop == io_write_shared ? 0 : rank * block;
    MPI_File_set_view(file, displacement, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, j.out, (int)j.count, MPI_BYTE, MPI_STATUS_IGNORE);
    long times = warm(&j, first);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    j.loop(&j, times);
    double each = (now() - start) / times, slowest = 0;
    MPI_Allreduce(&each, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    print(bytes, is_bandwidth ? ranks * j.bytes * 1e3 / slowest : slowest / 1e3, times);
    if (is_bandwidth) {
        MPI_Type_free(&filetype);
        MPI_Type_free(&one);
    }
    MPI_File_close(&file);
    free(j.out);
    free(j.in);
    return 1;
}

static void measure(const char *test, long bytes, int first) {
    if (one_sided(test, bytes, first) || on_file(test, bytes, first)) return;
    static const struct { const char *name; void (*loop)(job *, long); } collectives[] = {
        {"barrier", barrier}, {"comms", comms}, {"bcast", bcast}, {"allreduce", allreduce}, {"reduce", reduce},
        {"reduce-in-place", reduce_in_place}, {"allgather", allgather}, {"alltoall", alltoall}};
    if (!strcmp(test, "column")) {
        column(bytes, first);
        return;
    }
    int reduces = strstr(test, "reduce") != NULL;
    if (reduces && bytes < 4) bytes = 4;
    long out = !strcmp(test, "alltoall") ? bytes * ranks : bytes;
    long in = !strcmp(test, "alltoall") || !strcmp(test, "allgather") ? bytes * ranks : bytes;
    job j = {.bytes = bytes, .count = reduces ? bytes / 4 : bytes, .type = reduces ? MPI_FLOAT : MPI_BYTE};
    j.out = bytes_of(out);
    j.in = bytes_of(in);
    if (!strcmp(test, "latency")) j.loop = latency;
    if (!strcmp(test, "bw")) j.loop = bandwidth;
    if (!strcmp(test, "bibw")) j.loop = both_ways;
    if (j.loop) {
        pair(&j, first, j.loop == both_ways ? 2 : j.loop == bandwidth);
    } else {
        for (unsigned c = 0; c < sizeof collectives / sizeof *collectives; c++)
            if (!strcmp(test, collectives[c].name)) j.loop = collectives[c].loop;
        if (!j.loop) fail("there is no such test; see the head of bench.c");
        collective(&j, first);
    }
    free(j.out);
    free(j.in);
}

static int sizes_of(char *text, long *sizes) {
    int n = 0;
    char *colon = strchr(text, ':');
    if (colon) {
        long last = atol(colon + 1);
        for (long s = atol(text); s <= last && n < MOST_SIZES; s = s ? 2 * s : 1) sizes[n++] = s;
        return n;
    }
    for (char *word = strtok(text, ","); word && n < MOST_SIZES; word = strtok(NULL, ",")) sizes[n++] = atol(word);
    return n;
}

int main(int argc, char **argv) {
    int multiple = 0, level;
    for (int i = 1; i < argc; i++) multiple |= !strcmp(argv[i], "--thread-multiple");
    if (multiple) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3) fail("name a test and sizes: bench latency 8,65536");
    for (int i = 3; i + 1 < argc; i++) {
        if (!strcmp(argv[i], "-x")) warmup = atol(argv[i + 1]);
        if (!strcmp(argv[i], "-i")) iterations = atol(argv[i + 1]);
        if (!strcmp(argv[i], "-W")) window = atoi(argv[i + 1]);
    }
    if (window < 1 || window > MOST_WINDOW || iterations == 0) fail("-W is from 1 to 1024, -i from 1");
    long sizes[MOST_SIZES];
    int n = sizes_of(argv[2], sizes);
    for (int s = 0; s < n; s++) {
        if (kernel(argv[1], sizes[s])) continue;
        if (ranks < 2) fail("a measurement needs 2 ranks");
        measure(argv[1], sizes[s], s == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
