package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.BinaryOperator;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.ClosedComm;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Launch;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Session;
import org.tutti.mpi.SplitType;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// Wrong arguments of calls other than messages and collective operations on data. The rank that passed the
/// argument reports it before data is sent, with these texts.
public final class ArgumentContract {
    private ArgumentContract() {}

    /// The memory is checked when it is accessed, before data is sent.
    @Contract
    public static void inaccessibleMemory(Trial t) throws Exception {
        Comm world = t.world();
        try (Arena foreign = Arena.ofConfined()) {
            Buf buf = buf(foreign.allocate(8));
            FutureTask<MpiException> other =
                    new FutureTask<>(() -> Check.fails(ErrorClass.ERR_BUFFER, () -> world.send(buf, t.rank(), 1)));
            Thread.ofPlatform().start(other);
            Check.same(
                    "send: the buffer is in a confined arena of another thread; use mpi.arena(), Arena.ofShared(), Arena.ofAuto(),"
                            + " mpi.alloc or an array (rank " + t.rank() + " of " + t.size() + ", WORLD)",
                    other.get().getMessage(),
                    "memory confined to a different thread");
        }
        Buf freed;
        try (Arena closed = Arena.ofConfined()) {
            freed = buf(closed.allocate(8));
        }
        MpiException e = Check.fails(ErrorClass.ERR_BUFFER, () -> world.send(freed, t.rank(), 1));
        Check.same(
                "send: the buffer's arena is closed; keep it open until the call is complete (rank " + t.rank() + " of "
                        + t.size() + ", WORLD)",
                e.getMessage(),
                "memory of a closed arena");
    }

    @Contract
    public static void inconsistentBuffers(Trial t) {
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=3, count=8 are not within an array of 10",
                () -> buf(new double[10], 3, 8));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=-1, count=1 are not within an array of 10",
                () -> buf(new boolean[10], -1, 1));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=0, count=-1 are not within an array of 10",
                () -> buf(new byte[10], 0, -1));
        ByteOrder wrong =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a buffer of DOUBLE in " + wrong + " order; this machine's is " + ByteOrder.nativeOrder()
                        + ": set order(ByteOrder.nativeOrder()) on the ByteBuffer before viewing it",
                () -> buf(ByteBuffer.allocateDirect(80).order(wrong).asDoubleBuffer()));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a segment of 10 bytes is not a whole number of INT elements of 4 bytes",
                () -> buf(MemorySegment.ofArray(new byte[10]), Datatype.INT));
        Check.rejects(ErrorClass.ERR_BUFFER, "buf: the data is null; pass Buf.NONE for no data", () -> buf(nothing()));
        for (Check.Action description : new Check.Action[] {
            () -> buf(ArgumentContract.<boolean[]>none(), 0, 0),
            () -> Buf.complex(ArgumentContract.<float[]>none()),
            () -> buf(ArgumentContract.<long[]>none(), new int[2]),
            () -> buf(new long[2], nothing())
        }) {
            Check.rejects(ErrorClass.ERR_BUFFER, "buf: the data is null; pass Buf.NONE for no data", description);
        }
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a CharBuffer that wraps a CharSequence has no memory; pass text.toCharArray(), or send the text"
                        + " with sendObject",
                () -> buf(CharBuffer.wrap("text")));
        Check.rejects(ErrorClass.ERR_BUFFER, "buf: 3 values but 2 places", () -> buf(new double[3], new int[2]));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "complex: an array of 3 is not a whole number of complex numbers of two elements",
                () -> Buf.complex(new double[3]));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "blocks: block 1 with count=3 at displacement=2 is not within the buffer's 4 elements",
                () -> buf(new int[4]).blocks(2, 3));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "blocks: 2 counts but 1 displacements",
                () -> buf(new int[4]).blocks(new long[] {1, 1}, new long[] {0}));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "alloc: bytes=-1 is negative (" + t.where() + ")",
                () -> t.mpi().alloc(-1));
        Check.rejects(
                ErrorClass.ERR_BASE,
                "free: memory is null (" + t.where() + ")",
                () -> t.mpi().free(none()));
    }

    @Contract
    public static void nullHintsAndAttributes(Trial t) {
        Comm world = t.world();
        Map<String, String> noValue = new HashMap<>(), noKey = new HashMap<>();
        noValue.put("hint", none());
        noKey.put(none(), "value");
        Check.rejects(ErrorClass.ERR_ARG, "dup: hints is null (" + t.where() + ")", () -> world.dup(none()));
        Check.rejects(ErrorClass.ERR_ARG, "dup: hints[hint] is null (" + t.where() + ")", () -> world.dup(noValue));
        Check.rejects(ErrorClass.ERR_ARG, "dup: a key of hints is null (" + t.where() + ")", () -> world.dup(noKey));
        Check.fails(ErrorClass.ERR_ARG, () -> world.idup(noValue));
        Check.fails(ErrorClass.ERR_ARG, () -> world.setInfo(noKey));
        Check.fails(ErrorClass.ERR_ARG, () -> world.splitType(SplitType.SHARED, 0, noValue));
        Check.fails(ErrorClass.ERR_ARG, () -> Window.allocate(world, 8, 1, noValue));
        Check.fails(ErrorClass.ERR_ARG, () -> MpiFile.open(world, "none", noKey, MpiFile.Mode.RDONLY));
        Check.fails(ErrorClass.ERR_ARG, () -> MpiFile.open(world, "none", MpiFile.Mode.RDONLY, none()));
        Check.fails(ErrorClass.ERR_ARG, () -> Session.open(noKey));
        try (OwnedComm comm = world.dup()) {
            AttributeKey<String> key = AttributeKey.of("none");
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    "setAttribute: value is null (" + t.where().replace("WORLD", comm.name()) + ")",
                    () -> comm.setAttribute(key, none()));
        }
    }

    @Contract
    public static void nullLaunchSettings(Trial t) {
        Launch launch = Launch.of(1, "Program.java");
        Check.rejects(ErrorClass.ERR_ARG, "spawn: name is null", () -> launch.env(none(), "value"));
        Check.rejects(ErrorClass.ERR_ARG, "spawn: value of NAME is null", () -> launch.env("NAME", none()));
        Check.rejects(ErrorClass.ERR_ARG, "spawn: wdir is null", () -> launch.wdir(none()));
        Check.rejects(ErrorClass.ERR_ARG, "spawn: soft is null", () -> launch.soft(none()));
        Check.rejects(ErrorClass.ERR_ARG, "spawn: an option in jvm is null", () -> launch.jvm("-Xmx1g", none()));
    }

    /// Returns null, which a caller without null checks may pass.
    @SuppressWarnings("NullAway")
    private static int[] nothing() {
        return none();
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // a mistake that a program can contain
    private static <T> T none() {
        return null;
    }

    @Contract
    public static void closedCommunicators(Trial t) {
        ClosedComm closed = ClosedComm.of(t);
        OwnedComm dup = closed.comm();
        AttributeKey<String> key = AttributeKey.of("closed");
        List<Integer> values = Collections.nCopies(t.size(), 1);
        BinaryOperator<Integer> sum = Integer::sum;
        Map<String, Check.Action> calls = new LinkedHashMap<>();
        calls.put("allreduce", () -> dup.allreduce(1, Op.SUM));
        calls.put("bcastObject", () -> dup.bcastObject("x", 0));
        calls.put("scatterObject", () -> dup.scatterObject(values, 0));
        calls.put("gatherObject", () -> dup.gatherObject("x", 0));
        calls.put("allgatherObject", () -> dup.allgatherObject("x"));
        calls.put("alltoallObject", () -> dup.alltoallObject(values));
        calls.put("reduceObject", () -> dup.reduceObject(1, 0, sum));
        calls.put("allreduceObject", () -> dup.allreduceObject(1, sum));
        calls.put("scanObject", () -> dup.scanObject(1, sum));
        calls.put("exscanObject", () -> dup.exscanObject(1, sum));
        calls.put("group", dup::group);
        calls.put("compare", () -> t.world().compare(dup));
        calls.put("split", () -> dup.split(0, 0));
        calls.put("splitType", () -> dup.splitType(SplitType.SHARED));
        calls.put("dup", dup::dup);
        calls.put("idup", dup::idup);
        calls.put("create", () -> dup.create(Group.EMPTY));
        calls.put("createGroup", () -> dup.createGroup(Group.EMPTY));
        calls.put("setName", () -> dup.setName("closed"));
        calls.put("info", dup::info);
        calls.put("attribute", () -> dup.attribute(key));
        calls.put("deleteAttribute", () -> dup.deleteAttribute(key));
        calls.forEach((operation, call) -> Check.rejects(ErrorClass.ERR_COMM, operation + closed.rejection(), call));
    }

    @Contract
    public static void unsupportedObjects(Trial t) {
        Comm w = t.world();
        int me = t.rank();
        List<Object> bad = Collections.nCopies(t.size(), new Object());
        BinaryOperator<Object> any = (a, b) -> a;
        Map<String, Check.Action> calls = new LinkedHashMap<>();
        calls.put("sendObject: ", () -> w.sendObject(bad.getFirst(), me));
        calls.put("ssendObject: ", () -> w.ssendObject(bad.getFirst(), me));
        calls.put("bsendObject: ", () -> w.bsendObject(bad.getFirst(), me));
        calls.put("isendObject: ", () -> w.isendObject(bad.getFirst(), me));
        calls.put("issendObject: ", () -> w.issendObject(bad.getFirst(), me));
        calls.put("sendrecvObject: ", () -> w.sendrecvObject(bad.getFirst(), me, String.class, me));
        calls.put("bcastObject: ", () -> w.bcastObject(bad.getFirst(), me));
        calls.put("scatterObject: values[0]: ", () -> w.scatterObject(bad, me));
        calls.put("gatherObject: ", () -> w.gatherObject(bad.getFirst(), me));
        calls.put("allgatherObject: ", () -> w.allgatherObject(bad.getFirst()));
        calls.put("alltoallObject: values[0]: ", () -> w.alltoallObject(bad));
        calls.put("reduceObject: ", () -> w.reduceObject(bad.getFirst(), me, any));
        calls.put("allreduceObject: ", () -> w.allreduceObject(bad.getFirst(), any));
        calls.put("scanObject: ", () -> w.scanObject(bad.getFirst(), any));
        calls.put("exscanObject: ", () -> w.exscanObject(bad.getFirst(), any));
        String text = "java.lang.Object cannot be sent; supported: null, strings, boxed primitives, arrays, lists, sets"
                + " and maps, Optional, BigInteger, BigDecimal, UUID, dates and times without a zone,"
                + " and records and enums of the program (" + t.where() + ")";
        calls.forEach((begin, call) -> Check.rejects(ErrorClass.ERR_TYPE, begin + text, call));
    }

    @Contract
    public static void operandsOfReduceLocal(Trial t) {
        Buf one = buf(new int[1]);
        String cure = "; pass two buffers";
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "reduceLocal: in is IN_PLACE and inout is 1 INT" + cure,
                () -> Op.SUM.reduceLocal(Buf.IN_PLACE, one));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "reduceLocal: inout is read-only" + cure,
                () -> Op.SUM.reduceLocal(one, buf(IntBuffer.allocate(1).asReadOnlyBuffer())));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "reduceLocal: in holds 1 INT but inout holds 3 INT",
                () -> Op.SUM.reduceLocal(one, buf(new int[3])));
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "reduceLocal: in holds 1 INT but inout holds 1 FLOAT",
                () -> Op.SUM.reduceLocal(one, buf(new float[1])));
        Check.rejects(
                ErrorClass.ERR_OP,
                "reduceLocal: MAXLOC is not defined for INT; pass pairs: buf(values, places)",
                () -> Op.MAXLOC.reduceLocal(one, buf(new int[1])));
    }

    @Contract
    public static void jobsWithoutRanks(Trial t) {
        Check.rejects(
                ErrorClass.ERR_ARG, "local: size=0 is not a valid number of ranks", () -> Tutti.local(0, mpi -> {}));
    }

    @Contract
    public static void nullCallbacks(Trial t) {
        Check.rejects(
                ErrorClass.ERR_ARG,
                "onTermination: callback is null",
                () -> Mpi.onTermination(ArgumentContract.<Runnable>none()));
    }

    @Contract
    public static void argumentsThatCannotBePassedToAProcess(Trial t) {
        Launch one = Launch.of(8, "Worker.java");
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: name=\"A=B\" is not the name of a variable; pass at least one character, without = and the"
                        + " character 0",
                () -> one.env("A=B", "1"));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: name=\"TUTTI_RANK\" begins with TUTTI_, which is reserved for Tutti; choose a different name",
                () -> one.env("TUTTI_RANK", "1"));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: value=\"a\\0b\" of A contains the character 0, which is not allowed",
                () -> one.env("A", "a\0b"));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: jvm=\"Xmx2g\" is not an option of java; options begin with -, for example -Xmx2g",
                () -> one.jvm("Xmx2g"));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: soft=\"9:12,0\" contains no number from 1 to size=8",
                () -> one.soft("9:12,0"));
        Check.rejects(
                ErrorClass.ERR_ARG, "spawn: soft=\"8:1:2\": step=2 does not lead from 8 to 1", () -> one.soft("8:1:2"));
        Check.rejects(
                ErrorClass.ERR_ARG, "spawn: soft=\"1:8:0\": step=0 does not lead from 1 to 8", () -> one.soft("1:8:0"));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: soft=\"1:8,\": \"\" is not a triplet of numbers; write first:last:step, for example 1:8:2,"
                        + " separated by commas",
                () -> one.soft("1:8,"));
    }

    @Contract
    public static void programsThatAProcessCannotRun(Trial t) {
        String static_ = "; a separate process runs it, so pass a static method, such as Worker::main";
        String me = ArgumentContract.class.getName();
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: size=0 is not a valid number of ranks",
                () -> Tutti.spawn(0, ArgumentContract::mistaken));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: the lambda in " + me + " captures 1 value of this process, possibly `this`; pass values as"
                        + " arguments" + static_,
                () -> Tutti.spawn(2, arguments -> t.where()));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: " + me + "$Other::<init> is not static" + static_,
                () -> Tutti.spawn(2, Other::new));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "spawn: an object of " + me + "$Other is not a method reference or lambda" + static_,
                () -> Tutti.spawn(2, new Other()));
    }

    private static void mistaken(String[] arguments) {
        throw new AssertionError("this was not to run");
    }

    private static final class Other implements Tutti.Main {
        private static final long serialVersionUID = 1;

        Other(String... arguments) {}

        @Override
        public void run(String[] arguments) {
            mistaken(arguments);
        }
    }

    @Contract
    public static void groupsWithoutRanks(Trial t) {
        Check.rejects(
                ErrorClass.ERR_GROUP,
                "intercommFromGroups: the remote group is empty (" + t.where() + ")",
                () -> t.mpi().intercommFromGroups(t.world().group(), Group.EMPTY, "empty remote group"));
    }

    @Contract
    public static void negativeColors(Trial t) {
        Check.rejects(
                ErrorClass.ERR_ARG,
                "split: color=-5 is negative and not UNDEFINED (" + t.where() + ")",
                () -> t.world().split(-5, 0));
    }
}
