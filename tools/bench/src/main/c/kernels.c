/* The kernels of org.tutti.bench.kernels in C, for `tutti bench compare`: the same data, loops, calls and checksums as
 * in the Java classes. Change the two together. bench.c calls `kernel`:
 *
 *     mpicc -O3 -c kernels.c && mpicc -O2 -o bench bench.c kernels.o
 *     mpirun -n 2 ./bench KERNEL ITERATIONS
 *
 * prints a line `ITERATIONS MILLISECONDS CHECKSUM`: the time of all iterations on the slowest rank, without warm-up. A
 * wrong checksum ends the job with exit code 3. */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, ranks;

static void *zeros(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) {
        fprintf(stderr, "bench: not enough memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static uint64_t hash(uint64_t n) {
    uint64_t z = (n + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Maps the upper half of a random number to a number below `bound`. */
static int scaled(uint64_t word, int bound) {
    return (int)((word >> 32) * (uint64_t)bound >> 32);
}

/* Pipeline.java */

enum { ROWS = 499, COLUMNS = 200, ACROSS = 3, DOWN = 5, LAST_CELL = 3 * (COLUMNS - 1) + 5 * (ROWS - 1) };
enum { CELL = 1, CORNER = 2 };

static int wave_first, wave_columns, wave_width;
static double *wave;

static int first_column(int rank) {
    return (COLUMNS * rank + ranks - 1) / ranks;
}

static void pipeline_make(void) {
    wave_first = first_column(me);
    wave_columns = first_column(me + 1) - wave_first;
    wave_width = wave_columns + 1;
    wave = zeros((size_t)ROWS * wave_width, sizeof *wave);
    for (int j = 1; j <= wave_columns; j++) wave[j] = ACROSS * (wave_first + j - 1);
    if (me == 0)
        for (int i = 0; i < ROWS; i++) wave[i * wave_width + 1] = DOWN * i;
}

static void pipeline_run(long iterations) {
    int width = wave_width, from = me == 0 ? 2 : 1;
    for (long k = 0; k < iterations; k++) {
        for (int row = 0; row < ROWS; row++) {
            double *cells = wave + row * width;
            if (me > 0) MPI_Recv(cells, 1, MPI_DOUBLE, me - 1, CELL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (row > 0)
                for (int i = from; i < width; i++) cells[i] = cells[i - 1] + cells[i - width] - cells[i - width - 1];
            if (me < ranks - 1) MPI_Send(cells + wave_columns, 1, MPI_DOUBLE, me + 1, CELL, MPI_COMM_WORLD);
        }
        double corner = wave[ROWS * width - 1];
        if (ranks > 1 && me == ranks - 1) MPI_Send(&corner, 1, MPI_DOUBLE, 0, CORNER, MPI_COMM_WORLD);
        if (ranks > 1 && me == 0)
            MPI_Recv(&corner, 1, MPI_DOUBLE, ranks - 1, CORNER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me == 0) wave[1] = -corner;
    }
}

static uint64_t pipeline_weight(int i, int j) {
    return 2 * (uint64_t)(i * COLUMNS + j) + 1;
}

static uint64_t pipeline_checksum(void) {
    uint64_t sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 1; j <= wave_columns; j++)
            sum += pipeline_weight(i, wave_first + j - 1) * (uint64_t)(int64_t)wave[i * wave_width + j];
    return sum;
}

static uint64_t pipeline_expected(long iterations) {
    uint64_t start = (uint64_t)LAST_CELL * (iterations - 1), sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = wave_first; j < wave_first + wave_columns; j++) {
            uint64_t edge = ACROSS * j + DOWN * i;
            sum += pipeline_weight(i, j) * (i == 0 || j == 0 ? edge : edge + start);
        }
    return me == 0 ? sum - pipeline_weight(0, 0) * LAST_CELL * iterations : sum;
}

/* GlobalSum.java */

static uint64_t total;

static uint64_t number(uint64_t from, int rank) {
    return hash(from + rank) >> 24;
}

static void global_sum_make(void) {
    total = 0;
}

static void global_sum_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        uint64_t mine = number(total, me);
        MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
}

static uint64_t global_sum_checksum(void) {
    return (2 * (uint64_t)me + 1) * total;
}

static uint64_t global_sum_expected(long iterations) {
    uint64_t last = 0;
    for (long k = 0; k < iterations; k++) {
        uint64_t sum = 0;
        for (int r = 0; r < ranks; r++) sum += number(last, r);
        last = sum;
    }
    return (2 * (uint64_t)me + 1) * last;
}

/* Stencil.java */

enum { ORDER = 512, DOWNWARD = 3, RIGHTWARD = 5 };
enum { UP, DOWN_SIDE, LEFT, RIGHT, SIDES };

static MPI_Comm grid;
static MPI_Datatype edge_type[SIDES];
static int neighbor[SIDES], edge_at[SIDES], ghost_at[SIDES], edge_stride[SIDES], edge_cells[SIDES];
static int first_row, first_col, tile_rows, tile_columns, tile_width;
static double *tile_now, *tile_next;

static uint64_t stencil_initial(int row, int column) {
    return (uint64_t)DOWNWARD * (first_row + row - 1) + (uint64_t)RIGHTWARD * (first_col + column - 1);
}

static void stencil_make(void) {
    int size[2] = {0, 0}, periods[2] = {0, 0}, at[2], rank;
    MPI_Dims_create(ranks, 2, size);
    MPI_Cart_create(MPI_COMM_WORLD, 2, size, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);
    MPI_Cart_shift(grid, 0, 1, &neighbor[UP], &neighbor[DOWN_SIDE]);
    MPI_Cart_shift(grid, 1, 1, &neighbor[LEFT], &neighbor[RIGHT]);
    first_row = ORDER * at[0] / size[0];
    first_col = ORDER * at[1] / size[1];
    tile_rows = ORDER * (at[0] + 1) / size[0] - first_row;
    tile_columns = ORDER * (at[1] + 1) / size[1] - first_col;
    int width = tile_width = tile_columns + 2;
    for (int s = 0; s < SIDES; s++) {
        int is_row = s == UP || s == DOWN_SIDE;
        edge_stride[s] = is_row ? 1 : width;
        edge_cells[s] = is_row ? tile_columns : tile_rows;
        MPI_Type_vector(edge_cells[s], 1, edge_stride[s], MPI_DOUBLE, &edge_type[s]);
        MPI_Type_commit(&edge_type[s]);
    }
    edge_at[UP] = edge_at[LEFT] = width + 1;
    edge_at[DOWN_SIDE] = tile_rows * width + 1;
    edge_at[RIGHT] = width + tile_columns;
    ghost_at[UP] = 1;
    ghost_at[DOWN_SIDE] = (tile_rows + 1) * width + 1;
    ghost_at[LEFT] = width;
    ghost_at[RIGHT] = width + tile_columns + 1;
    tile_now = zeros((size_t)(tile_rows + 2) * width, sizeof *tile_now);
    tile_next = zeros((size_t)(tile_rows + 2) * width, sizeof *tile_next);
    for (int r = 0; r < tile_rows + 2; r++)
        for (int c = 0; c < width; c++) tile_now[r * width + c] = (double)(int64_t)stencil_initial(r, c);
}

static void heat_row(const double *restrict now, double *restrict next, int width) {
    for (int i = 1; i < width - 1; i++)
        next[i] = 0.25 * (now[i - width] + now[i + width] + now[i - 1] + now[i + 1]) + 1;
}

static void stencil_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        MPI_Request requests[2 * SIDES];
        for (int s = 0; s < SIDES; s++) {
            MPI_Irecv(tile_now + ghost_at[s], 1, edge_type[s], neighbor[s], s ^ 1, grid, &requests[2 * s]);
            MPI_Isend(tile_now + edge_at[s], 1, edge_type[s], neighbor[s], s, grid, &requests[2 * s + 1]);
        }
        MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
        for (int r = 1; r <= tile_rows; r++)
            heat_row(tile_now + r * tile_width, tile_next + r * tile_width, tile_width);
        for (int s = 0; s < SIDES; s++) {
            if (neighbor[s] != MPI_PROC_NULL) continue;
            for (int i = 0; i < edge_cells[s]; i++) {
                int at = ghost_at[s] + i * edge_stride[s];
                tile_next[at] = tile_now[at] + 1;
            }
        }
        double *swap = tile_now;
        tile_now = tile_next;
        tile_next = swap;
    }
}

static void stencil_close(void) {
    for (int s = 0; s < SIDES; s++) MPI_Type_free(&edge_type[s]);
    MPI_Comm_free(&grid);
}

static uint64_t stencil_weight(int row, int column) {
    return 2 * (uint64_t)((first_row + row - 1) * ORDER + first_col + column - 1) + 1;
}

static uint64_t stencil_checksum(void) {
    uint64_t sum = 0;
    for (int r = 1; r <= tile_rows; r++)
        for (int c = 1; c <= tile_columns; c++)
            sum += stencil_weight(r, c) * (uint64_t)(int64_t)tile_now[r * tile_width + c];
    return sum;
}

static uint64_t stencil_expected(long iterations) {
    uint64_t sum = 0;
    for (int r = 1; r <= tile_rows; r++)
        for (int c = 1; c <= tile_columns; c++) sum += stencil_weight(r, c) * (stencil_initial(r, c) + iterations);
    return sum;
}

/* Transpose.java and its subclasses */

enum { LEAST_ORDER = 840 };

static int block, order, square;
static double *matrix, *sums, *out, *in, *place;
static MPI_Win window;

static void transpose_make(void) {
    block = (LEAST_ORDER + ranks - 1) / ranks;
    order = block * ranks;
    square = block * block;
    sums = zeros((size_t)block * order, sizeof *sums);
}

static void fill_matrix(void) {
    for (int r = 0; r < block; r++)
        for (int j = 0; j < order; j++) matrix[r * order + j] = (double)(me * block + r) * order + j;
}

static void by_messages_make(void) {
    transpose_make();
    matrix = zeros((size_t)block * order, sizeof *matrix);
    out = zeros((size_t)ranks * square, sizeof *out);
    in = zeros((size_t)ranks * square, sizeof *in);
    fill_matrix();
}

static void turn(int rank, double *restrict target) {
    const double *restrict from = matrix + rank * block;
    for (int c = 0; c < block; c++)
        for (int r = 0; r < block; r++) target[c * block + r] = from[r * order + c];
}

static void add(const double *restrict source, int rank) {
    for (int r = 0; r < block; r++) {
        double *restrict to = sums + r * order + rank * block;
        for (int i = 0; i < block; i++) to[i] += source[r * block + i];
    }
}

static void increment(void) {
    for (int i = 0; i < block * order; i++) matrix[i]++;
}

static void exchange_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        turn(me, out);
        add(out, me);
        for (int s = 1; s < ranks; s++) {
            int dest = (me + s) % ranks, source = (me + ranks - s) % ranks;
            turn(dest, out);
            MPI_Sendrecv(out, square, MPI_DOUBLE, dest, 0, in, square, MPI_DOUBLE, source, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            add(in, source);
        }
        increment();
    }
}

static void alltoall_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        for (int r = 0; r < ranks; r++) turn(r, out + (size_t)r * square);
        MPI_Alltoall(out, square, MPI_DOUBLE, in, square, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int r = 0; r < ranks; r++) add(in + (size_t)r * square, r);
        increment();
    }
}

static void put_make(void) {
    by_messages_make();
    MPI_Win_allocate((MPI_Aint)sizeof(double) * ranks * square, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &place,
                     &window);
}

static void put_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        MPI_Win_fence(0, window);
        for (int r = 0; r < ranks; r++) {
            double *from = out + (size_t)r * square;
            turn(r, from);
            MPI_Put(from, square, MPI_DOUBLE, r, (MPI_Aint)me * square, square, MPI_DOUBLE, window);
        }
        MPI_Win_fence(0, window);
        for (int r = 0; r < ranks; r++) add(place + (size_t)r * square, r);
        increment();
    }
}

static void put_close(void) {
    MPI_Win_free(&window);
}

static void shared_make(void) {
    transpose_make();
    MPI_Win_allocate_shared((MPI_Aint)sizeof(double) * block * order, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &matrix, &window);
    MPI_Win_lock_all(0, window);
    fill_matrix();
}

static void synchronize(void) {
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
}

static void shared_run(long iterations) {
    synchronize();
    for (long k = 0; k < iterations; k++) {
        for (int s = 0; s < ranks; s++) {
            int from = (me + s) % ranks, unit;
            MPI_Aint size;
            double *rows;
            MPI_Win_shared_query(window, from, &size, &unit, &rows);
            rows += me * block;
            double *to = sums + from * block;
            for (int c = 0; c < block; c++)
                for (int r = 0; r < block; r++) to[c * order + r] += rows[r * order + c];
        }
        synchronize();
        increment();
        synchronize();
    }
}

static void shared_close(void) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static uint64_t transpose_weight(int cell) {
    return 2 * (uint64_t)(me * block * order + cell) + 1;
}

static uint64_t transpose_checksum(void) {
    uint64_t check = 0;
    for (int i = 0; i < block * order; i++) check += transpose_weight(i) * (uint64_t)(int64_t)sums[i];
    return check;
}

static uint64_t transpose_expected(long iterations) {
    uint64_t k = iterations, check = 0;
    for (int r = 0; r < block; r++)
        for (int j = 0; j < order; j++) {
            uint64_t transposed = (uint64_t)j * order + me * block + r;
            check += transpose_weight(r * order + j) * (k * transposed + k * (k - 1) / 2);
        }
    return check;
}

/* SparseProduct.java */

enum { LEAST_ROWS = 16384, FEWEST = 8, MOST = 24, VALUES = 8, VECTOR_MASK = 1023 };

static int sparse_block, sparse_order, *start, *column;
static double *value, *part, *vector, *product;

static int entries(int row) {
    return FEWEST + scaled(hash((uint64_t)row * (MOST + 1)), MOST - FEWEST + 1);
}

static void sparse_make(void) {
    sparse_block = (LEAST_ROWS + ranks - 1) / ranks;
    sparse_order = sparse_block * ranks;
    start = zeros(sparse_block + 1, sizeof *start);
    for (int r = 0; r < sparse_block; r++) start[r + 1] = start[r] + entries(me * sparse_block + r);
    column = zeros(start[sparse_block], sizeof *column);
    value = zeros(start[sparse_block], sizeof *value);
    for (int r = 0; r < sparse_block; r++)
        for (int e = start[r]; e < start[r + 1]; e++) {
            uint64_t random = hash((uint64_t)(me * sparse_block + r) * (MOST + 1) + e - start[r] + 1);
            column[e] = scaled(random, sparse_order);
            value[e] = 1 + (double)(random & (VALUES - 1));
        }
    part = zeros(sparse_block, sizeof *part);
    vector = zeros(sparse_order, sizeof *vector);
    product = zeros(sparse_block, sizeof *product);
    for (int i = 0; i < sparse_block; i++) part[i] = (me * sparse_block + i) & VECTOR_MASK;
}

static void sparse_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        MPI_Allgather(part, sparse_block, MPI_DOUBLE, vector, sparse_block, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int r = 0; r < sparse_block; r++) {
            double sum = 0;
            for (int e = start[r]; e < start[r + 1]; e++) sum += value[e] * vector[column[e]];
            product[r] += sum;
        }
        for (int i = 0; i < sparse_block; i++) part[i]++;
    }
}

static uint64_t sparse_weight(int row) {
    return 2 * (uint64_t)(me * sparse_block + row) + 1;
}

static uint64_t sparse_checksum(void) {
    uint64_t sum = 0;
    for (int r = 0; r < sparse_block; r++) sum += sparse_weight(r) * (uint64_t)(int64_t)product[r];
    return sum;
}

static uint64_t sparse_expected(long iterations) {
    uint64_t k = iterations, sum = 0;
    for (int r = 0; r < sparse_block; r++)
        for (int e = start[r]; e < start[r + 1]; e++) {
            uint64_t initial = column[e] & VECTOR_MASK;
            sum += sparse_weight(r) * (uint64_t)(int64_t)value[e] * (k * initial + k * (k - 1) / 2);
        }
    return sum;
}

/* RandomAccess.java */

enum { LEAST_WORDS = 1 << 20, BATCH = 1024 };

static int words, first_word, share;
static uint64_t *table, *received, drawn[BATCH], sent[BATCH];
static int *send_counts, *recv_counts, *send_at, *recv_at, *next;

static void counts_make(void) {
    send_counts = zeros(ranks, sizeof(int));
    recv_counts = zeros(ranks, sizeof(int));
    send_at = zeros(ranks, sizeof(int));
    recv_at = zeros(ranks, sizeof(int));
    next = zeros(ranks, sizeof(int));
}

/* Exchanges the counts; returns the number of elements to receive. */
static int exchange_counts(void) {
    MPI_Alltoall(send_counts, 1, MPI_INT, recv_counts, 1, MPI_INT, MPI_COMM_WORLD);
    int arrived = 0;
    for (int r = 0; r < ranks; r++) {
        recv_at[r] = arrived;
        arrived += recv_counts[r];
    }
    return arrived;
}

static void offsets(void) {
    send_at[0] = 0;
    for (int r = 1; r < ranks; r++) send_at[r] = send_at[r - 1] + send_counts[r - 1];
    memcpy(next, send_at, ranks * sizeof(int));
}

static void random_make(void) {
    share = (LEAST_WORDS + ranks - 1) / ranks;
    words = share * ranks;
    first_word = share * me;
    table = zeros(share, sizeof *table);
    received = zeros((size_t)BATCH * ranks, sizeof *received);
    counts_make();
}

static uint64_t batch(long iteration) {
    return ((uint64_t)iteration * ranks + me) * BATCH;
}

static void random_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        uint64_t from = batch(k);
        memset(send_counts, 0, ranks * sizeof(int));
        for (int i = 0; i < BATCH; i++) {
            drawn[i] = hash(from + i);
            send_counts[scaled(drawn[i], ranks)]++;
        }
        offsets();
        for (int i = 0; i < BATCH; i++) sent[next[scaled(drawn[i], ranks)]++] = drawn[i];
        int arrived = exchange_counts();
        MPI_Alltoallv(sent, send_counts, send_at, MPI_UINT64_T, received, recv_counts, recv_at, MPI_UINT64_T,
                      MPI_COMM_WORLD);
        for (int i = 0; i < arrived; i++) table[scaled(received[i], words) - first_word] += received[i];
    }
}

static uint64_t random_checksum(void) {
    uint64_t sum = 0;
    for (int i = 0; i < share; i++) sum += (2 * (uint64_t)(first_word + i) + 1) * table[i];
    return sum;
}

static uint64_t random_expected(long iterations) {
    uint64_t sum = 0;
    for (long k = 0; k < iterations; k++)
        for (int i = 0; i < BATCH; i++) {
            uint64_t word = hash(batch(k) + i);
            sum += (2 * (uint64_t)scaled(word, words) + 1) * word;
        }
    return sum;
}

/* Particles.java */

enum { COUNT = 20000, SIDE = 1024, PARTS = 8, SPEEDS = 257 };
enum { ID, X, Y, SPEED_X, SPEED_Y, FIELDS };

static double *particles, *leaving;
static int *slabs, count;

static int64_t particle_start(int id, int field) {
    return hash((uint64_t)id * FIELDS + field) & (SIDE * PARTS - 1);
}

static int64_t particle_speed(int id, int field) {
    return (int64_t)scaled(hash((uint64_t)id * FIELDS + field), SPEEDS) - SPEEDS / 2;
}

static int slab(double x) {
    return (int)(x * ranks / SIDE);
}

static double wrapped(double position) {
    return position < 0 ? position + SIDE : position >= SIDE ? position - SIDE : position;
}

static void particles_make(void) {
    particles = zeros((size_t)COUNT * FIELDS, sizeof *particles);
    leaving = zeros((size_t)COUNT * FIELDS, sizeof *leaving);
    slabs = zeros(COUNT, sizeof *slabs);
    counts_make();
    count = 0;
    for (int id = 0; id < COUNT; id++) {
        double x = (double)particle_start(id, X) / PARTS;
        if (slab(x) != me) continue;
        double *p = particles + (size_t)count++ * FIELDS;
        p[ID] = id;
        p[X] = x;
        p[Y] = (double)particle_start(id, Y) / PARTS;
        p[SPEED_X] = (double)particle_speed(id, SPEED_X) / PARTS;
        p[SPEED_Y] = (double)particle_speed(id, SPEED_Y) / PARTS;
    }
}

static void particles_run(long iterations) {
    for (long k = 0; k < iterations; k++) {
        memset(send_counts, 0, ranks * sizeof(int));
        for (int i = 0; i < count; i++) {
            double *p = particles + (size_t)i * FIELDS;
            p[X] = wrapped(p[X] + p[SPEED_X]);
            p[Y] = wrapped(p[Y] + p[SPEED_Y]);
            slabs[i] = slab(p[X]);
            send_counts[slabs[i]] += FIELDS;
        }
        send_counts[me] = 0;
        offsets();
        int staying = 0;
        for (int i = 0; i < count; i++) {
            double *p = particles + (size_t)i * FIELDS;
            if (slabs[i] == me) {
                if (staying != i) memcpy(particles + (size_t)staying * FIELDS, p, FIELDS * sizeof *p);
                staying++;
            } else {
                memcpy(leaving + next[slabs[i]], p, FIELDS * sizeof *p);
                next[slabs[i]] += FIELDS;
            }
        }
        int arrived = exchange_counts();
        MPI_Alltoallv(leaving, send_counts, send_at, MPI_DOUBLE, particles + (size_t)staying * FIELDS, recv_counts,
                      recv_at, MPI_DOUBLE, MPI_COMM_WORLD);
        count = staying + arrived / FIELDS;
    }
}

static uint64_t particle_weight(uint64_t id, uint64_t x, uint64_t y) {
    return (2 * id + 1) * (x * SIDE * PARTS + y + 1);
}

static uint64_t particles_checksum(void) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        double *p = particles + (size_t)i * FIELDS;
        if (slab(p[X]) == me)
            sum += particle_weight((uint64_t)p[ID], (uint64_t)(p[X] * PARTS), (uint64_t)(p[Y] * PARTS));
    }
    return sum;
}

static uint64_t particles_expected(long iterations) {
    uint64_t sum = 0;
    for (int id = me; id < COUNT; id += ranks) {
        uint64_t x = particle_start(id, X) + iterations * particle_speed(id, SPEED_X);
        uint64_t y = particle_start(id, Y) + iterations * particle_speed(id, SPEED_Y);
        sum += particle_weight(id, x & (SIDE * PARTS - 1), y & (SIDE * PARTS - 1));
    }
    return sum;
}

static void nothing(void) {}

/* Runs a kernel; returns 0 if no kernel has this name. */
int kernel(const char *name, long iterations) {
    static const struct {
        const char *name;
        void (*make)(void), (*run)(long), (*close)(void);
        uint64_t (*checksum)(void), (*expected)(long);
    } kernels[] = {
        {"pipeline", pipeline_make, pipeline_run, nothing, pipeline_checksum, pipeline_expected},
        {"global-sum", global_sum_make, global_sum_run, nothing, global_sum_checksum, global_sum_expected},
        {"stencil", stencil_make, stencil_run, stencil_close, stencil_checksum, stencil_expected},
        {"transpose-exchange", by_messages_make, exchange_run, nothing, transpose_checksum, transpose_expected},
        {"transpose-alltoall", by_messages_make, alltoall_run, nothing, transpose_checksum, transpose_expected},
        {"transpose-put", put_make, put_run, put_close, transpose_checksum, transpose_expected},
        {"transpose-shared", shared_make, shared_run, shared_close, transpose_checksum, transpose_expected},
        {"sparse", sparse_make, sparse_run, nothing, sparse_checksum, sparse_expected},
        {"random-access", random_make, random_run, nothing, random_checksum, random_expected},
        {"particles", particles_make, particles_run, nothing, particles_checksum, particles_expected}};
    unsigned at = 0, all = sizeof kernels / sizeof *kernels;
    while (at < all && strcmp(name, kernels[at].name)) at++;
    if (at == all) return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    kernels[at].make();
    MPI_Barrier(MPI_COMM_WORLD);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double begin = t.tv_sec * 1e3 + t.tv_nsec / 1e6, slowest;
    kernels[at].run(iterations);
    clock_gettime(CLOCK_MONOTONIC, &t);
    double millis = t.tv_sec * 1e3 + t.tv_nsec / 1e6 - begin;
    uint64_t parts[2] = {kernels[at].checksum(), kernels[at].expected(iterations)}, both[2];
    MPI_Reduce(&millis, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(parts, both, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (both[0] != both[1]) {
        if (me == 0)
            fprintf(stderr, "%s: checksum 0x%016llx is wrong, expected 0x%016llx after %ld iterations on %d ranks\n", name,
                    (unsigned long long)both[0], (unsigned long long)both[1], iterations, ranks);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (me == 0) printf("%-12ld %18.4f  0x%016llx\n", iterations, slowest, (unsigned long long)both[0]);
    fflush(stdout);
    kernels[at].close();
    return 1;
}
