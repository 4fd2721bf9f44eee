package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.bootstrap.Place;
import org.tutti.mpi.bootstrap.RankLife;
import org.tutti.mpi.bootstrap.UserLine;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;

/// This rank's part in a job.
///
///     try (Mpi mpi = Mpi.init(args)) {
///         Comm world = mpi.world();
///         …
///     }
///
/// [#init] joins the job that the launcher started, or makes a job of one rank when there was no launcher. A
/// process joins once. [Tutti#local] makes ranks of threads instead.
public final class Mpi implements AutoCloseable {
    private static boolean initialised;

    private final Engine engine;
    private final @Nullable RankLife life;
    private final ThreadLocal<Scratch> scratch;
    private final Request.Pending pending = new Request.Pending();
    private final Comm world;
    private final Comm self;

    /// Where it was closed, as the end of a sentence; null while it is open.
    private volatile @Nullable String closedAt;

    Mpi(Engine engine, @Nullable RankLife life) {
        this.engine = engine;
        this.life = life;
        scratch = ThreadLocal.withInitial(() -> new Scratch(engine));
        world = Comm.of(this, engine.world());
        self = Comm.of(this, engine.self());
    }

    /// Joins the job. Collective over the job's ranks on an engine that needs it; MPI 4.1, section 11.2.
    ///
    /// The arguments of `main` are taken so that the call reads as in other languages; nothing is removed
    /// from them.
    ///
    /// @throws MpiException when it was called before in this process, when no engine of the wanted name is
    ///     there, and when what the launcher said contradicts what the engine found
    public static Mpi init(String... args) {
        Place place;
        synchronized (Mpi.class) {
            if (initialised) {
                throw MpiException.argument(
                        ErrorClass.ERR_OTHER,
                        "init",
                        "this process has called Mpi.init before; a process joins one job, once",
                        null);
            }
            initialised = true;
            place = Place.current();
        }
        RankLife life = RankLife.begin(place);
        life.joining();
        Engine engine = Engines.named(place.engine()).open(place);
        life.joined();
        return new Mpi(engine, life);
    }

    /// All ranks of the job.
    public Comm world() {
        return world;
    }

    /// This rank alone.
    public Comm self() {
        return self;
    }

    /// The name of the machine, for people.
    public String processorName() {
        return engine.processorName();
    }

    /// `shm` or `libmpi`.
    public String engineName() {
        return engine.name();
    }

    /// The engine with its version and transport, for people.
    public String engineDescription() {
        return engine.description();
    }

    /// Seconds since some moment in the past, the same moment for as long as the process runs.
    public static double wtime() {
        return System.nanoTime() * 1e-9;
    }

    /// Off-heap memory that the engine moves without a copy: 64-byte aligned, zeroed, and there until the
    /// rank ends.
    public MemorySegment alloc(long bytes) {
        if (bytes < 0) {
            throw MpiException.argument(ErrorClass.ERR_ARG, "alloc", "bytes=" + bytes + " is negative", where());
        }
        return engine("alloc").allocate(bytes);
    }

    /// An empty set of requests.
    public Requests requests() {
        return new Requests(this);
    }

    /// Ends the whole job with `code`, without asking the other ranks. MPI 4.1, section 9.5.
    public void abort(int code) {
        String why = "abort(" + code + ") was called by rank " + world.port.rank();
        if (life != null) life.aborts(code, why);
        engine.abort(code, why);
    }

    /// Leaves the job. Local: waits for nobody, because it also runs on the way out of a failure. After
    /// it every call is an error.
    ///
    /// @throws MpiException `ERR_PENDING` when requests are pending; the rank has then not left
    @Override
    public void close() {
        if (closedAt != null) return;
        String open = engine.poison() == null ? pending.describeUnfinished(engine, 4) : "";
        closedAt = UserLine.at();
        if (!open.isEmpty()) {
            throw MpiException.argument(
                    ErrorClass.ERR_PENDING, "close", open + "; await or cancel them before", where());
        }
        engine.leave();
        if (life != null) life.left();
    }

    @Override
    public String toString() {
        return "Mpi (" + where() + ", " + engine.description() + ")";
    }

    CommPort where() {
        return world.port;
    }

    Request.Pending pending() {
        return pending;
    }

    /// This thread's.
    Scratch scratch() {
        return scratch.get();
    }

    /// The engine for an operation that begins or goes on now.
    Engine engine(String operation) {
        String at = closedAt;
        if (at != null) {
            throw MpiException.argument(
                    ErrorClass.ERR_OTHER,
                    operation,
                    "called after Mpi.close" + at + "; make it part of the try block that holds the Mpi",
                    where());
        }
        return engine;
    }

    /// What a caller is to see of an activity's failure: the stack of its own call, the failure as its cause.
    static RuntimeException asRuntime(Throwable why) {
        if (why instanceof MpiException e) return MpiException.again(e);
        if (why instanceof Error e) throw e;
        return why instanceof RuntimeException e ? e : new IllegalStateException(why);
    }
}
