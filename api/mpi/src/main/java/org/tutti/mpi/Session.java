package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.mpi.engine.Engines;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// An independent use of MPI within a program, for example by a library that does not depend on how the program
/// or other libraries use MPI. A session has no world; it creates communicators from process sets. MPI 4.1,
/// section 11.3.
///
///     try (Session session = Session.open()) {
///         Group all = session.group(Session.WORLD);
///         try (OwnedComm comm = session.createFromGroup(all, "org.example.solver")) {
///             …
///         }
///     }
///
/// Any number of sessions can be opened, even concurrently, before and during the lifetime of an [Mpi], and
/// after the [Mpi] has been closed if a session was opened before. The first session joins the job as
/// [Mpi#init] does, and the rank then stays in the job until the process ends, so that ranks can open different
/// numbers of sessions. Communicators, requests and buffers of different sessions, or of a session and the
/// [Mpi], must not be combined.
public final class Session implements AutoCloseable {
    /// The process set of all ranks of the job: the ranks of [Mpi#world].
    public static final String WORLD = "mpi://WORLD";

    /// The process set of this rank only.
    public static final String SELF = "mpi://SELF";

    /// The process set of the ranks of this machine; it does not exist if the locations of the ranks are not
    /// known.
    public static final String MACHINE = "tutti://MACHINE";

    private final Mpi mpi;
    private final Map<String, String> info;
    private final Map<String, Group> sets = new LinkedHashMap<>();

    private Session(Mpi mpi, Map<String, String> info, EngineCalls engine) {
        this.mpi = mpi;
        this.info = info;
        CommPort world = engine.world();
        Group all = Group.of(world, Group.JOB);
        sets.put(WORLD, all);
        sets.put(SELF, Group.of(engine.self(), Group.JOB));
        int[] here = engine.ranksOfMachine();
        if (here != null) sets.put(MACHINE, all.incl(here));
    }

    /// Like [#open(Map)], without hints.
    ///
    /// @throws MpiException as [#open(Map)]
    public static Session open() {
        return open(Map.of());
    }

    /// Opens a session of this rank. Local if the rank is already in the job; otherwise the first session of a
    /// process joins the job, as [Mpi#init] does. A rank that is a thread opens the session on that thread, or
    /// on a thread started by that thread. `MPI_Session_init`, MPI 4.1, section 11.3.1.
    ///
    /// @param info the hints: `thread_level`, which is always `MPI_THREAD_MULTIPLE`, and other hints, which are
    ///     stored but have no effect
    /// @throws MpiException `ERR_SESSION` if this rank has left the job by closing the [Mpi] before the first
    ///     session was opened; and as [Mpi#init]
    public static Session open(Map<String, String> info) {
        Arguments.checkHints("open", "info", info, null);
        Membership membership = Membership.ofThread();
        Mpi mpi = membership.begin(Mpi.Kind.SESSION);
        Map<String, String> given = new TreeMap<>(info);
        given.put("thread_level", "MPI_THREAD_MULTIPLE");
        return new Session(mpi, Collections.unmodifiableMap(given), membership.engine);
    }

    /// Returns the hints of this session: the hints of [#open(Map)], and the thread level. Local.
    /// `MPI_Session_get_info`, MPI 4.1, section 11.3.3.
    ///
    /// @throws MpiException `ERR_SESSION` after [#close]
    public Map<String, String> info() {
        mpi.engine("info");
        return info;
    }

    /// Returns the names of the process sets that contain this rank: [#WORLD], [#SELF], and usually [#MACHINE].
    /// Local. `MPI_Session_get_num_psets` and `MPI_Session_get_nth_pset`, MPI 4.1, section 11.3.3.
    ///
    /// @throws MpiException `ERR_SESSION` after [#close]
    public List<String> processSets() {
        mpi.engine("processSets");
        return List.copyOf(sets.keySet());
    }

    /// Returns information about the process set of this name: `mpi_size` is the number of processes. Local.
    /// `MPI_Session_get_pset_info`, MPI 4.1, section 11.3.3.
    ///
    /// @throws MpiException `ERR_ARG` if the set does not exist; `ERR_SESSION` after [#close]
    public Map<String, String> processSet(String name) {
        return Map.of("mpi_size", Integer.toString(set("processSet", name).size()));
    }

    /// Returns the group of the process set of this name. Local. `MPI_Group_from_session_pset`, MPI 4.1,
    /// section 7.3.2.
    ///
    /// @throws MpiException `ERR_ARG` if the set does not exist; `ERR_SESSION` after [#close]
    public Group group(String name) {
        return set("group", name);
    }

    private Group set(String operation, String name) {
        mpi.engine(operation);
        Group set = sets.get(name);
        if (set != null) return set;
        throw MpiException.argument(
                ErrorClass.ERR_ARG,
                operation,
                "process set " + name + " does not exist; pass one of " + String.join(", ", sets.keySet()),
                mpi.where());
    }

    /// Creates a communicator of the ranks of `group`, in the group's order. `tag` is a name that the caller
    /// chooses, so that calls by different parts of a program cannot be confused: all members must pass the
    /// same name, and concurrent calls, by several sessions or threads, must pass different names. Collective
    /// over the *group*, blocking. `MPI_Comm_create_from_group`, MPI 4.1, section 7.4.2.
    ///
    /// @throws MpiException `ERR_GROUP` if the caller is not in the group; `ERR_SESSION` after [#close]
    public OwnedComm createFromGroup(Group group, String tag) {
        return mpi.createFromGroup(group, tag);
    }

    /// Creates an intercommunicator of two groups. See [Mpi#intercommFromGroups]. Collective over the two
    /// groups, blocking. `MPI_Intercomm_create_from_groups`, MPI 4.1, section 7.6.2.
    ///
    /// @throws MpiException as [Mpi#intercommFromGroups]; `ERR_SESSION` after [#close]
    public Intercomm intercommFromGroups(Group local, Group remote, String tag) {
        return mpi.intercommFromGroups(local, remote, tag);
    }

    /// Allocates memory that the engine transfers without a copy. See [Mpi#alloc]. Local. `MPI_Alloc_mem`, MPI
    /// 4.1, section 9.2.
    ///
    /// @throws MpiException as [Mpi#alloc]; `ERR_SESSION` after [#close]
    public MemorySegment alloc(long bytes) {
        return mpi.alloc(bytes);
    }

    /// Returns a new arena for memory that the engine transfers without a copy. See [Mpi#arena]. Local. MPI
    /// 4.1, section 9.2.
    ///
    /// @throws MpiException `ERR_SESSION` after [#close]
    public Arena arena() {
        return mpi.arena();
    }

    /// Frees memory that [#alloc] has returned. See [Mpi#free]. Local. `MPI_Free_mem`, MPI 4.1, section 9.2.
    ///
    /// @throws MpiException as [Mpi#free]; `ERR_SESSION` after [#close]
    public void free(MemorySegment memory) {
        mpi.free(memory);
    }

    /// Returns a set of requests of this session, which can be started and awaited together. Local. MPI 4.1,
    /// section 3.7.5.
    public Requests requests(Request... members) {
        return mpi.requests(members);
    }

    /// Attaches a buffer for messages in buffered mode of this session's communicators. See
    /// [Mpi#attachBuffer(long)]. Local. `MPI_Session_attach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException as [Mpi#attachBuffer(long)]; `ERR_SESSION` after [#close]
    public void attachBuffer(long bytes) {
        mpi.attachBuffer(bytes);
    }

    /// Attaches this memory as [#attachBuffer(long)] does.
    ///
    /// @throws MpiException as [Mpi#attachBuffer(MemorySegment)]; `ERR_SESSION` after [#close]
    public void attachBuffer(MemorySegment buffer) {
        mpi.attachBuffer(buffer);
    }

    /// Detaches the buffer and returns it. Blocking: waits until every message in the buffer has been sent.
    /// `MPI_Session_detach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException as [Mpi#detachBuffer]; `ERR_SESSION` after [#close]
    public MemorySegment detachBuffer() {
        return mpi.detachBuffer();
    }

    /// Waits until every message that this session has sent in buffered mode has been removed from the buffer.
    /// Blocking. `MPI_Session_flush_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException as [Mpi#flushBuffers]; `ERR_SESSION` after [#close]
    public void flushBuffers() {
        mpi.flushBuffers();
    }

    /// Returns a request that is complete when every message that is now in the session's buffer has been sent.
    /// Local. `MPI_Session_iflush_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException as [Mpi#iflushBuffers]; `ERR_SESSION` after [#close]
    public Request iflushBuffers() {
        return mpi.iflushBuffers();
    }

    /// Closes the session. Local. Every later call on the session, and on objects that were created from it, is
    /// an error; a second call of `close` has no effect. Checks that all requests of the session are complete
    /// and all epochs have ended, as [Mpi#close] does for the program. Whether every message was received is
    /// checked when the rank's process ends. `MPI_Session_finalize`, MPI 4.1, section 11.3.1.
    ///
    /// @throws MpiException `ERR_RMA_SYNC` if an epoch is open; `ERR_PENDING` if requests are pending or
    ///     buffered messages are still in progress
    @Override
    public void close() {
        mpi.close();
    }

    @Override
    public String toString() {
        return "Session (" + mpi.where() + ")";
    }

    /// This rank's membership in the job, which the [Mpi] and the sessions share. It ends when the [Mpi] is
    /// closed, or, if sessions have been opened, at the end of the rank's process or thread.
    static final class Membership {
        private static @Nullable Membership ofProcess;

        /// The membership of a rank that is a thread. Threads that the rank starts inherit it.
        private static final ThreadLocal<@Nullable Membership> OF_THREAD = new InheritableThreadLocal<>();

        final EngineCalls engine;
        final @Nullable RankProcess process;

        /// The open [Mpi] objects of the membership: the world's, and each session's.
        private final Set<Mpi> open = new LinkedHashSet<>();

        private boolean hasSessions;

        /// The way in which the rank left the job, as the end of a sentence; null while the rank is a member.
        private @Nullable String left;

        Membership(EngineCalls engine, @Nullable RankProcess process) {
            this.engine = engine;
            this.process = process;
        }

        /// Returns the membership of the calling rank.
        static Membership ofThread() {
            Membership thread = OF_THREAD.get();
            return thread != null ? thread : ofProcess();
        }

        /// Throws if the calling thread is a rank of [Tutti#local], because such a rank already has an [Mpi].
        static void refuseRankOfThreads() {
            Membership thread = OF_THREAD.get();
            if (thread == null || thread.hasLeft()) return;
            throw MpiException.argument(
                    ErrorClass.ERR_OTHER,
                    "init",
                    "this thread is a rank of Tutti.local; use the Mpi that was passed to the body",
                    thread.engine.world());
        }

        private synchronized boolean hasLeft() {
            return left != null;
        }

        /// Returns the membership of this process. The first call joins the job.
        static synchronized Membership ofProcess() {
            Membership known = ofProcess;
            if (known != null) return known;
            try {
                RankEnvironment environment = RankEnvironment.current();
                RankProcess process = RankProcess.begin(environment);
                process.joining();
                Engines.Opened opened = Engines.open(environment, process);
                EngineCalls engine = new EngineCalls(opened.engine(), opened.observer());
                process.audit(engine::unreceived);
                process.joined();
                Membership joined = new Membership(engine, process);
                ofProcess = joined;
                return joined;
            } catch (JobException refused) {
                throw MpiException.of(refused);
            } catch (Fault fault) {
                throw MpiException.of(fault);
            }
        }

        /// Registers this membership for the calling thread, which is a rank.
        void isOfThread() {
            OF_THREAD.set(this);
        }

        /// Creates the [Mpi] of the world, of a session, or of a connection. The [Mpi] of a connection is the
        /// only one of its membership.
        Mpi begin(Mpi.Kind kind) {
            Mpi part = new Mpi(this, kind);
            opened(part);
            return part;
        }

        private synchronized void opened(Mpi part) {
            if (left != null) {
                throw MpiException.argument(
                        ErrorClass.ERR_SESSION,
                        "open",
                        "this rank has left the job" + left
                                + "; open a session before that, so that the rank stays until the process ends",
                        part.where());
            }
            open.add(part);
            if (!part.isSession() || hasSessions) return;
            hasSessions = true;
            if (process != null) process.atEnd(this::end);
        }

        /// Called when the program's [Mpi] or a session is closed. Returns whether the rank leaves the job.
        ///
        /// @param at the source line of the close, as the end of a sentence
        synchronized boolean leavesAt(String at) {
            if (!hasSessions) left = " by Mpi.close" + at;
            return !hasSessions;
        }

        synchronized void closed(Mpi part) {
            open.remove(part);
        }

        /// Called at the end of the rank's process or thread: leaves the job, except in a process in which an
        /// [Mpi] or a session is still open.
        void end() {
            List<Mpi> parts;
            synchronized (this) {
                if (left != null || !hasSessions) return;
                parts = List.copyOf(open);
                left = " at the end of the rank";
            }
            reportOpen(parts);
            if (process != null && !parts.isEmpty()) return;
            try {
                leave(engine.poison() == null);
            } catch (MpiException e) {
                if (process == null) throw e;
                System.err.println(e);
                process.aborts(1, e.toString());
                engine.abort(1, e.toString());
            }
        }

        /// Reports open sessions to the launcher, which can then distinguish an exit of the process from a
        /// kill.
        private void reportOpen(List<Mpi> parts) {
            for (Mpi part : parts) {
                if (!part.isSession()) continue;
                String text = left(part);
                if (process != null && (process.jobStatus() != null || process.isRemote())) process.aborts(1, text);
                else part.report(text);
            }
        }

        private static String left(Mpi part) {
            String what = part.isClosed() ? "after a failed close of a session" : "while a session was open";
            return "it ended " + what + ", opened" + part.openedAt;
        }

        /// Leaves the job.
        ///
        /// @param clean whether the job has not failed
        void leave(boolean clean) {
            engine.leaving();
            if (clean) checkReceived();
            engine.leave();
            // checks for messages that have arrived in the meantime, and for messages to ranks that have left
            // in the meantime
            if (clean) checkReceived();
            if (process != null) process.left();
        }

        private void checkReceived() {
            String lost = engine.unreceived();
            // a message that arrives only now may show that another rank has made a different collective call
            // with the same sequence number
            if (engine.poison() instanceof Fault f && f.errorClass() == PredefinedErrorClass.ERR_MISMATCH) {
                throw MpiException.of(f);
            }
            // if the job has failed, other ranks may have left without receiving the remaining messages
            if (lost == null || engine.poison() != null) return;
            String why = lost + "; receive every message before close";
            throw MpiException.argument(ErrorClass.ERR_PENDING, "close", why, engine.world());
        }
    }
}
