package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.dropin.DropIn;

/// Joins and leaves the job, and holds the constants: communicators, types, operations, numbers.
public class MPI {
    public static final boolean DEBUG = true;

    public static Intracomm COMM_WORLD;
    public static Comm COMM_SELF;
    public static Comm COMM_NULL;
    public static Group GROUP_EMPTY;
    public static Group GROUP_NULL;

    public static boolean isOldSelected;

    /// The cores of this machine.
    public static final int NUM_OF_PROCESSORS = Runtime.getRuntime().availableProcessors();

    public static int UNDEFINED = MpjNumbers.UNDEFINED;
    public static int ANY_SOURCE = MpjNumbers.ANY;
    public static int ANY_TAG = MpjNumbers.ANY;
    public static int PROC_NULL = MpjNumbers.PROC_NULL;

    public static Datatype NULL = Datatype.basic(MpjElement.NULL);
    public static Datatype BYTE = Datatype.basic(MpjElement.BYTE);
    public static Datatype CHAR = Datatype.basic(MpjElement.CHAR);
    public static Datatype SHORT = Datatype.basic(MpjElement.SHORT);
    public static Datatype BOOLEAN = Datatype.basic(MpjElement.BOOLEAN);
    public static Datatype INT = Datatype.basic(MpjElement.INT);
    public static Datatype LONG = Datatype.basic(MpjElement.LONG);
    public static Datatype FLOAT = Datatype.basic(MpjElement.FLOAT);
    public static Datatype DOUBLE = Datatype.basic(MpjElement.DOUBLE);
    public static Datatype PACKED = Datatype.basic(MpjElement.PACKED);
    public static Datatype LB = Datatype.basic(MpjElement.LB);
    public static Datatype UB = Datatype.basic(MpjElement.UB);
    public static Datatype OBJECT = Datatype.basic(MpjElement.OBJECT);

    public static Datatype SHORT2 = Datatype.Contiguous(2, SHORT);
    public static Datatype INT2 = Datatype.Contiguous(2, INT);
    public static Datatype LONG2 = Datatype.Contiguous(2, LONG);
    public static Datatype FLOAT2 = Datatype.Contiguous(2, FLOAT);
    public static Datatype DOUBLE2 = Datatype.Contiguous(2, DOUBLE);

    public static int THREAD_SINGLE = 1;
    public static int THREAD_FUNNELED = 2;
    public static int THREAD_SERIALIZED = 3;
    public static int THREAD_MULTIPLE = 4;

    public static Op MAX = Op.of(1, org.tutti.mpi.Op.MAX);
    public static Op MIN = Op.of(2, org.tutti.mpi.Op.MIN);
    public static Op SUM = Op.of(3, org.tutti.mpi.Op.SUM);
    public static Op PROD = Op.of(4, org.tutti.mpi.Op.PROD);
    public static Op LAND = Op.of(5, org.tutti.mpi.Op.LAND);
    public static Op BAND = Op.of(6, org.tutti.mpi.Op.BAND);
    public static Op LOR = Op.of(7, org.tutti.mpi.Op.LOR);
    public static Op BOR = Op.of(8, org.tutti.mpi.Op.BOR);
    public static Op LXOR = Op.of(9, org.tutti.mpi.Op.LXOR);
    public static Op BXOR = Op.of(10, org.tutti.mpi.Op.BXOR);
    public static Op MAXLOC = Op.maxloc(11);
    public static Op MINLOC = Op.minloc(12);

    public static Status EMPTY_STATUS = new Status();
    public static Request REQUEST_NULL = new Request();

    public static int BSEND_OVERHEAD = org.tutti.mpi.Comm.BSEND_OVERHEAD;

    /// Tutti adds no header to the contents of an [mpjbuf.Buffer].
    public static int SEND_OVERHEAD = 0;

    public static int RECV_OVERHEAD = 0;

    public static final int IDENT = 0;
    public static final int SIMILAR = 1;
    public static final int UNEQUAL = 2;
    public static final int CONGRUENT = 3;

    public static int GRAPH = 1;
    public static int CART = 2;

    public static Errhandler ERRORS_ARE_FATAL;
    public static Errhandler ERRORS_RETURN;

    /// Keys of [Comm#Attr_get].
    public static int TAG_UB = 0;

    public static int HOST = 1;
    public static int IO = 2;

    /// The number of arguments that a launcher of the original, or a user of `mpirun`, inserts before the
    /// arguments of the program: rank, number of ranks, device.
    private static final int LAUNCHER_ARGUMENTS = 3;

    private static final String DEVICE = "[a-z]+dev|native|multicore|hybrid|cluster";

    private static @Nullable Mpi job;
    private static boolean finalized;

    public MPI() {}

    /// Returns the job for `operation`; throws outside of a job.
    static Mpi job(String operation) {
        Mpi mpi = job;
        if (mpi != null) return mpi;
        throw new MPIException(operation + ": MPI.Init was not called");
    }

    /// Joins the job, and returns the program's arguments: without the rank, the number of ranks and the
    /// device, if a launcher has inserted these.
    public static String[] Init(String[] args) throws MPIException {
        try {
            Mpi mpi = DropIn.join(MPI.class);
            job = mpi;
            COMM_WORLD = new Intracomm(mpi.world());
            COMM_SELF = new Intracomm(mpi.self());
            COMM_NULL = new Comm(null);
            GROUP_EMPTY = new Group(org.tutti.mpi.Group.EMPTY);
            GROUP_NULL = new Group(null);
            ERRORS_ARE_FATAL = new Errhandler();
        } catch (MpiException e) {
            throw MPIException.of(e);
        } catch (IllegalStateException e) {
            throw MPIException.of("Init: " + e.getMessage(), e);
        }
        return own(args);
    }

    private static String[] own(String[] args) {
        boolean inFront = args.length >= LAUNCHER_ARGUMENTS
                && args[0].matches("\\d{1,9}")
                && args[1].matches("\\d{1,9}")
                && args[2].matches(DEVICE);
        return inFront ? Arrays.copyOfRange(args, LAUNCHER_ARGUMENTS, args.length) : args;
    }

    /// Waits for all processes, and leaves the job. Messages that were not received are dropped.
    public static void Finalize() throws MPIException {
        Mpi mpi = job("Finalize");
        try {
            DropIn.leave(mpi);
        } catch (MpiException e) {
            throw MPIException.of(e);
        } finally {
            finalized = true;
        }
    }

    static boolean hasLeft() {
        return finalized;
    }

    /// Returns whether this process is in the job: between [#Init] and [#Finalize].
    public static boolean Initialized() throws MPIException {
        return job != null && !finalized;
    }

    /// Has no effect and returns null, as in the original; after [#Init] all threads may make calls.
    public static String[] initThread(int required, int provided, String[] args) {
        return null;
    }

    /// Returns [#THREAD_MULTIPLE].
    public static int queryThread() {
        return THREAD_MULTIPLE;
    }

    /// Returns true: all threads may make calls.
    public static boolean isMainThread() {
        return true;
    }

    /// Returns the name of this machine.
    public static String Get_processor_name() throws MPIException {
        return job("Get_processor_name").processorName();
    }

    /// Returns the time in seconds since a fixed moment.
    public static double Wtime() throws MPIException {
        return Mpi.wtime();
    }

    /// Returns the resolution of [#Wtime] in seconds.
    public static double Wtick() throws MPIException {
        return Mpi.wtick();
    }

    /// Sets the memory for messages that are sent in buffered mode.
    public static void Buffer_attach(ByteBuffer buffer) throws MPIException {
        try {
            job("Buffer_attach")
                    .attachBuffer(MemorySegment.ofBuffer(buffer.duplicate().clear()));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Waits until all messages in the memory of [#Buffer_attach] have been sent, and releases this memory.
    public static void Buffer_detach() throws MPIException {
        try {
            job("Buffer_detach").detachBuffer();
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Has no effect: errors are always exceptions.
    public static void Errorhandler_set(Errhandler handler) throws MPIException {}

    /// Returns null, as in the original.
    public static Errhandler Errorhandler_get() throws MPIException {
        return null;
    }
}
