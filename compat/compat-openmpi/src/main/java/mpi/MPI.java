package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.dropin.JobBuffers;

/// Joins and leaves the job, and holds the constants, which have Open MPI's values. The constants are not
/// compile-time constants, so that they are not copied into the program's classes.
public final class MPI {
    public static final int THREAD_SINGLE = number(0);
    public static final int THREAD_FUNNELED = number(1);
    public static final int THREAD_SERIALIZED = number(2);
    public static final int THREAD_MULTIPLE = number(3);
    public static final int GRAPH = number(2);
    public static final int DIST_GRAPH = number(3);
    public static final int CART = number(1);
    public static final int ANY_SOURCE = number(-1);
    public static final int ANY_TAG = number(-1);
    public static final int PROC_NULL = number(-2);
    public static final int UNDEFINED = number(-32766);
    public static final int IDENT = number(0);
    public static final int CONGRUENT = number(1);
    public static final int SIMILAR = number(2);
    public static final int UNEQUAL = number(3);
    public static final int TAG_UB = number(0);
    public static final int HOST = number(1);
    public static final int IO = number(2);
    public static final int WTIME_IS_GLOBAL = number(3);
    public static final int APPNUM = number(4);
    public static final int LASTUSEDCODE = number(5);
    public static final int UNIVERSE_SIZE = number(6);
    public static final int WIN_BASE = number(7);
    public static final int WIN_SIZE = number(8);
    public static final int WIN_DISP_UNIT = number(9);
    public static final int VERSION = number(3);
    public static final int SUBVERSION = number(1);
    public static final int ROOT = number(-4);
    public static final int KEYVAL_INVALID = number(-1);
    public static final int BSEND_OVERHEAD = number(128);
    public static final int MAX_OBJECT_NAME = number(64);
    public static final int MAX_PORT_NAME = number(1024);
    public static final int MAX_DATAREP_STRING = number(128);
    public static final int MAX_INFO_KEY = number(36);
    public static final int MAX_INFO_VAL = number(256);
    public static final int ORDER_C = number(0);
    public static final int ORDER_FORTRAN = number(1);
    public static final int DISTRIBUTE_BLOCK = number(0);
    public static final int DISTRIBUTE_CYCLIC = number(1);
    public static final int DISTRIBUTE_NONE = number(2);
    public static final int DISTRIBUTE_DFLT_DARG = number(-1);
    public static final int MODE_CREATE = number(1);
    public static final int MODE_RDONLY = number(2);
    public static final int MODE_WRONLY = number(4);
    public static final int MODE_RDWR = number(8);
    public static final int MODE_DELETE_ON_CLOSE = number(16);
    public static final int MODE_UNIQUE_OPEN = number(32);
    public static final int MODE_EXCL = number(64);
    public static final int MODE_APPEND = number(128);
    public static final int MODE_SEQUENTIAL = number(256);
    public static final int DISPLACEMENT_CURRENT = number(-54278278);
    public static final int SEEK_SET = number(600);
    public static final int SEEK_CUR = number(602);
    public static final int SEEK_END = number(604);
    public static final int MODE_NOCHECK = number(1);
    public static final int MODE_NOPRECEDE = number(2);
    public static final int MODE_NOPUT = number(4);
    public static final int MODE_NOSTORE = number(8);
    public static final int MODE_NOSUCCEED = number(16);
    public static final int LOCK_EXCLUSIVE = number(1);
    public static final int LOCK_SHARED = number(2);
    public static final int SUCCESS = number(0);
    public static final int ERR_BUFFER = number(1);
    public static final int ERR_COUNT = number(2);
    public static final int ERR_TYPE = number(3);
    public static final int ERR_TAG = number(4);
    public static final int ERR_COMM = number(5);
    public static final int ERR_RANK = number(6);
    public static final int ERR_REQUEST = number(7);
    public static final int ERR_ROOT = number(8);
    public static final int ERR_GROUP = number(9);
    public static final int ERR_OP = number(10);
    public static final int ERR_TOPOLOGY = number(11);
    public static final int ERR_DIMS = number(12);
    public static final int ERR_ARG = number(13);
    public static final int ERR_UNKNOWN = number(14);
    public static final int ERR_TRUNCATE = number(15);
    public static final int ERR_OTHER = number(16);
    public static final int ERR_INTERN = number(17);
    public static final int ERR_IN_STATUS = number(18);
    public static final int ERR_PENDING = number(19);
    public static final int ERR_ACCESS = number(20);
    public static final int ERR_AMODE = number(21);
    public static final int ERR_ASSERT = number(22);
    public static final int ERR_BAD_FILE = number(23);
    public static final int ERR_BASE = number(24);
    public static final int ERR_CONVERSION = number(25);
    public static final int ERR_DISP = number(26);
    public static final int ERR_DUP_DATAREP = number(27);
    public static final int ERR_FILE_EXISTS = number(28);
    public static final int ERR_FILE_IN_USE = number(29);
    public static final int ERR_FILE = number(30);
    public static final int ERR_INFO_KEY = number(31);
    public static final int ERR_INFO_NOKEY = number(32);
    public static final int ERR_INFO_VALUE = number(33);
    public static final int ERR_INFO = number(34);
    public static final int ERR_IO = number(35);
    public static final int ERR_KEYVAL = number(36);
    public static final int ERR_LOCKTYPE = number(37);
    public static final int ERR_NAME = number(38);
    public static final int ERR_NO_MEM = number(39);
    public static final int ERR_NOT_SAME = number(40);
    public static final int ERR_NO_SPACE = number(41);
    public static final int ERR_NO_SUCH_FILE = number(42);
    public static final int ERR_PORT = number(43);
    public static final int ERR_PROC_ABORTED = number(74);
    public static final int ERR_QUOTA = number(44);
    public static final int ERR_READ_ONLY = number(45);
    public static final int ERR_RMA_CONFLICT = number(46);
    public static final int ERR_RMA_SYNC = number(47);
    public static final int ERR_SERVICE = number(48);
    public static final int ERR_SIZE = number(49);
    public static final int ERR_SPAWN = number(50);
    public static final int ERR_UNSUPPORTED_DATAREP = number(51);
    public static final int ERR_UNSUPPORTED_OPERATION = number(52);
    public static final int ERR_WIN = number(53);
    public static final int ERR_LASTCODE = number(92);
    public static final int ERR_SYSRESOURCE = number(0);

    public static final Errhandler ERRORS_ARE_FATAL = new Errhandler();
    public static final Errhandler ERRORS_ABORT = new Errhandler();
    public static final Errhandler ERRORS_RETURN = new Errhandler();

    public static final Intracomm COMM_WORLD = new Intracomm(CommHandles.later());
    public static final Intracomm COMM_SELF = new Intracomm(CommHandles.later());

    public static final Datatype DATATYPE_NULL = new Datatype();
    public static final Datatype BYTE =
            new Datatype("MPI_UINT8_T", org.tutti.mpi.Datatype.BYTE, 1, org.tutti.mpi.Datatype.BYTE, 1);
    public static final Datatype CHAR =
            new Datatype("MPI_UINT16_T", org.tutti.mpi.Datatype.CHAR, 2, org.tutti.mpi.Datatype.CHAR, 2);
    public static final Datatype SHORT =
            new Datatype("MPI_INT16_T", org.tutti.mpi.Datatype.SHORT, 2, org.tutti.mpi.Datatype.SHORT, 2);
    public static final Datatype BOOLEAN =
            new Datatype("MPI_UINT8_T", org.tutti.mpi.Datatype.BOOLEAN, 1, org.tutti.mpi.Datatype.BYTE, 1);
    public static final Datatype INT =
            new Datatype("MPI_INT32_T", org.tutti.mpi.Datatype.INT, 4, org.tutti.mpi.Datatype.INT, 4);
    public static final Datatype LONG =
            new Datatype("MPI_INT64_T", org.tutti.mpi.Datatype.LONG, 8, org.tutti.mpi.Datatype.LONG, 8);
    public static final Datatype FLOAT =
            new Datatype("MPI_FLOAT", org.tutti.mpi.Datatype.FLOAT, 4, org.tutti.mpi.Datatype.FLOAT, 4);
    public static final Datatype DOUBLE =
            new Datatype("MPI_DOUBLE", org.tutti.mpi.Datatype.DOUBLE, 8, org.tutti.mpi.Datatype.DOUBLE, 8);
    public static final Datatype PACKED = new Datatype("MPI_PACKED", org.tutti.mpi.Datatype.PACKED, 1, null, 1);
    public static final Datatype FLOAT_COMPLEX = new Datatype(
            "MPI_C_FLOAT_COMPLEX", org.tutti.mpi.Datatype.FLOAT_COMPLEX, 8, org.tutti.mpi.Datatype.FLOAT_COMPLEX, 4);
    public static final Datatype DOUBLE_COMPLEX = new Datatype(
            "MPI_C_DOUBLE_COMPLEX",
            org.tutti.mpi.Datatype.DOUBLE_COMPLEX,
            16,
            org.tutti.mpi.Datatype.DOUBLE_COMPLEX,
            8);
    public static final Datatype INT2 =
            Datatype.pair("MPI_2INT", org.tutti.mpi.Datatype.INT, 4, org.tutti.mpi.Datatype.INT_INT);
    public static final Datatype SHORT_INT = Datatype.pair("MPI_SHORT_INT", org.tutti.mpi.Datatype.SHORT, 4, null);
    public static final Datatype LONG_INT =
            Datatype.pair("MPI_LONG_INT", org.tutti.mpi.Datatype.LONG, 8, org.tutti.mpi.Datatype.LONG_INT);
    public static final Datatype FLOAT_INT =
            Datatype.pair("MPI_FLOAT_INT", org.tutti.mpi.Datatype.FLOAT, 4, org.tutti.mpi.Datatype.FLOAT_INT);
    public static final Datatype DOUBLE_INT =
            Datatype.pair("MPI_DOUBLE_INT", org.tutti.mpi.Datatype.DOUBLE, 8, org.tutti.mpi.Datatype.DOUBLE_INT);

    public static final Int2 int2 = new Int2();
    public static final ShortInt shortInt = new ShortInt();
    public static final LongInt longInt = new LongInt();
    public static final FloatInt floatInt = new FloatInt();
    public static final DoubleInt doubleInt = new DoubleInt();

    public static final Op MAX = new Op(org.tutti.mpi.Op.MAX);
    public static final Op MIN = new Op(org.tutti.mpi.Op.MIN);
    public static final Op SUM = new Op(org.tutti.mpi.Op.SUM);
    public static final Op PROD = new Op(org.tutti.mpi.Op.PROD);
    public static final Op LAND = new Op(org.tutti.mpi.Op.LAND);
    public static final Op BAND = new Op(org.tutti.mpi.Op.BAND);
    public static final Op LOR = new Op(org.tutti.mpi.Op.LOR);
    public static final Op BOR = new Op(org.tutti.mpi.Op.BOR);
    public static final Op LXOR = new Op(org.tutti.mpi.Op.LXOR);
    public static final Op BXOR = new Op(org.tutti.mpi.Op.BXOR);
    public static final Op REPLACE = new Op(org.tutti.mpi.Op.REPLACE);
    public static final Op NO_OP = new Op(org.tutti.mpi.Op.NO_OP);
    public static final Op MINLOC = new Op(org.tutti.mpi.Op.MINLOC);
    public static final Op MAXLOC = new Op(org.tutti.mpi.Op.MAXLOC);

    public static final Request REQUEST_NULL = new Request(null, ERRORS_ARE_FATAL);
    public static final Group GROUP_EMPTY = new Group(org.tutti.mpi.Group.EMPTY);
    public static final Info INFO_ENV = Info.of(java.util.Map.of());
    public static final Info INFO_NULL = Info.ofNull();

    public MPI() {}

    private static int number(int value) {
        return value;
    }

    // ---- begin and end

    /// Joins the job. Returns the arguments, in a new array.
    public static String[] Init(String[] args) throws MPIException {
        LifeCycle.begin(THREAD_SINGLE);
        return args.clone();
    }

    /// As [#Init]. All threads may make calls, regardless of `required`; the method returns `required` as the
    /// provided level.
    public static int InitThread(String[] args, int required) throws MPIException {
        if (required < THREAD_SINGLE || required > THREAD_MULTIPLE) {
            throw new MPIException(ERR_ARG, "MPI_ERR_ARG: required=" + required + " is not a thread level");
        }
        LifeCycle.begin(required);
        return required;
    }

    /// Waits for all ranks, and leaves the job.
    public static void Finalize() throws MPIException {
        LifeCycle.end();
    }

    public static boolean isInitialized() throws MPIException {
        return LifeCycle.isInitialized();
    }

    public static boolean isFinalized() throws MPIException {
        return LifeCycle.isFinalized();
    }

    public static int queryThread() throws MPIException {
        LifeCycle.mpi();
        return LifeCycle.threadLevel();
    }

    public static boolean isThreadMain() throws MPIException {
        LifeCycle.mpi();
        return LifeCycle.isStarter();
    }

    // ---- the machine

    public static Version getVersion() {
        return new Version(VERSION, SUBVERSION);
    }

    public static String getLibVersion() {
        Mpi mpi = LifeCycle.mpiOrNull();
        return mpi == null ? "Tutti" : "Tutti, " + mpi.engineDescription();
    }

    public static String getProcessorName() throws MPIException {
        return LifeCycle.mpi().processorName();
    }

    public static double wtime() throws MPIException {
        LifeCycle.mpi();
        return Mpi.wtime();
    }

    public static double wtick() throws MPIException {
        LifeCycle.mpi();
        return Mpi.wtick();
    }

    /// Has no effect.
    public static void pControl(int level, Object data) {}

    // ---- the buffer of messages in buffered mode

    private static byte[] attached;

    public static synchronized void attachBuffer(byte[] buffer) throws MPIException {
        try {
            LifeCycle.mpi().attachBuffer(MemorySegment.ofArray(buffer));
            attached = buffer;
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    public static synchronized byte[] detachBuffer() throws MPIException {
        try {
            LifeCycle.mpi().detachBuffer();
        } catch (MpiException e) {
            throw Failures.of(e);
        }
        byte[] buffer = attached;
        attached = null;
        return buffer;
    }

    // ---- direct buffers; those created after `Init` are in the job's memory

    private static ByteBuffer direct(int bytes) {
        Mpi mpi = LifeCycle.isFinalized() ? null : LifeCycle.mpiOrNull();
        return JobBuffers.allocate(mpi, bytes).order(ByteOrder.nativeOrder());
    }

    public static ByteBuffer newByteBuffer(int capacity) {
        return direct(capacity);
    }

    public static CharBuffer newCharBuffer(int capacity) {
        return direct(Math.multiplyExact(2, capacity)).asCharBuffer();
    }

    public static ShortBuffer newShortBuffer(int capacity) {
        return direct(Math.multiplyExact(2, capacity)).asShortBuffer();
    }

    public static IntBuffer newIntBuffer(int capacity) {
        return direct(Math.multiplyExact(4, capacity)).asIntBuffer();
    }

    public static LongBuffer newLongBuffer(int capacity) {
        return direct(Math.multiplyExact(8, capacity)).asLongBuffer();
    }

    public static FloatBuffer newFloatBuffer(int capacity) {
        return direct(Math.multiplyExact(4, capacity)).asFloatBuffer();
    }

    public static DoubleBuffer newDoubleBuffer(int capacity) {
        return direct(Math.multiplyExact(8, capacity)).asDoubleBuffer();
    }

    // ---- parts of arrays and buffers from an element; a passed buffer's position is set to this element

    private static int rest(int length, int offset) {
        if (offset >= 0 && offset <= length) return length - offset;
        throw new ArrayIndexOutOfBoundsException("slice: offset=" + offset + " is not in 0 to " + length);
    }

    public static ByteBuffer slice(ByteBuffer buf, int offset) {
        return buf.clear().position(offset).slice().order(buf.order());
    }

    public static ByteBuffer slice(byte[] array, int offset) {
        return ByteBuffer.wrap(array, offset, rest(array.length, offset))
                .slice()
                .order(ByteOrder.nativeOrder());
    }

    public static CharBuffer slice(CharBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    public static CharBuffer slice(char[] array, int offset) {
        return CharBuffer.wrap(array, offset, rest(array.length, offset)).slice();
    }

    public static ShortBuffer slice(ShortBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    public static ShortBuffer slice(short[] array, int offset) {
        return ShortBuffer.wrap(array, offset, rest(array.length, offset)).slice();
    }

    public static IntBuffer slice(IntBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    public static IntBuffer slice(int[] array, int offset) {
        return IntBuffer.wrap(array, offset, rest(array.length, offset)).slice();
    }

    public static LongBuffer slice(LongBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    public static LongBuffer slice(long[] array, int offset) {
        return LongBuffer.wrap(array, offset, rest(array.length, offset)).slice();
    }

    public static FloatBuffer slice(FloatBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    public static FloatBuffer slice(float[] array, int offset) {
        return FloatBuffer.wrap(array, offset, rest(array.length, offset)).slice();
    }

    public static DoubleBuffer slice(DoubleBuffer buf, int offset) {
        return buf.clear().position(offset).slice();
    }

    public static DoubleBuffer slice(double[] array, int offset) {
        return DoubleBuffer.wrap(array, offset, rest(array.length, offset)).slice();
    }
}
