package org.tutti.launch.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.BlockedCall;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;

/// The ranks that are certain to wait forever, according to two snapshots. A test defines the waits of the ranks,
/// which are written to the status page before each snapshot.
class WaitSnapshotTest {
    private static final int RANKS = 4;
    private static final long WORLD = 1;
    private static final long SINCE = System.nanoTime() - 5_000_000_000L;

    private JobFile file;
    private JobStatus status;
    private final List<List<BlockedCall>> waits = new ArrayList<>();

    @BeforeEach
    void create() throws Exception {
        file = new PortablePlatform().createFile("tutti-test", 1 << 20);
        status = JobStatus.create(file, RANKS, true);
        for (int r = 0; r < RANKS; r++) {
            status.claim(r, 1000 + r);
            status.state(r, State.JOINED);
            waits.add(new ArrayList<>());
        }
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    private void waits(int rank, int... wakers) {
        waits.get(rank).add(new BlockedCall("recv", "recv()", "A.java:1", false, SINCE, 1, set(wakers)));
    }

    private void hasInTheBackground(int rank, int... wakers) {
        waits.get(rank).add(new BlockedCall("ibarrier", "ibarrier()", "", false, 0, 0, set(wakers)));
    }

    private static BitSet set(int... ranks) {
        BitSet set = new BitSet();
        for (int r : ranks) set.set(r);
        return set;
    }

    private WaitSnapshot snapshot() {
        for (int r = 0; r < RANKS; r++) write(r, 0, 0);
        return WaitSnapshot.at(status);
    }

    private void write(int rank, long moves, long others) {
        status.waits(rank).write(moves, others, waits.get(rank));
    }

    private void nextSnapshot(int rank) {
        waits.get(rank)
                .replaceAll(w -> !w.blocksAThread()
                        ? w
                        : new BlockedCall(
                                w.operation(),
                                w.what(),
                                w.line(),
                                w.sends(),
                                w.sinceNanos(),
                                w.polls() + 2,
                                w.wakers(),
                                w.call()));
        write(rank, 0, 0);
    }

    private BitSet blockedAfter(Runnable change) {
        WaitSnapshot first = snapshot();
        for (int r = 0; r < RANKS; r++) nextSnapshot(r);
        change.run();
        return WaitSnapshot.at(status).blockedSince(first, 1_000_000_000L);
    }

    private BitSet blocked() {
        return blockedAfter(() -> {});
    }

    @Test
    void aCycleAndItsWaitersAreBlocked() {
        waits(0, 1);
        waits(1, 0);
        waits(2, 1);
        assertThat(blocked()).isEqualTo(set(0, 1, 2));
        assertThat(StallText.deadlock(WaitSnapshot.at(status), set(0, 1, 2)))
                .isEqualTo("deadlock: 0 recv←1 (A.java:1) → 1 recv←0 (A.java:1) → 0");
    }

    @Test
    void aChainToARankThatWorksIsNot() {
        waits(0, 1);
        waits(1, 2);
        waits(2, 3);
        assertThat(blocked()).isEqualTo(set());
    }

    @Test
    void anyOfSeveralIsBlockedWhenAllOfThemAre() {
        waits(0, 0, 1, 2, 3);
        waits(1, 0);
        waits(2, 0);
        assertThat(blocked()).as("rank 3 may send").isEqualTo(set());
        waits(3, 1);
        assertThat(blocked()).isEqualTo(set(0, 1, 2, 3));
    }

    @Test
    void ranksThatHaveLeftDoNothingMore() {
        waits(0, 0, 1, 2, 3);
        for (int r = 1; r < RANKS; r++) status.state(r, State.LEFT);
        assertThat(blocked()).isEqualTo(set(0));
        assertThat(StallText.deadlock(WaitSnapshot.at(status), set(0)))
                .isEqualTo("deadlock: 0 recv←any (A.java:1) → ranks that have left");
    }

    @Test
    void aLeavingRankMayHaveSentBefore() {
        waits(0, 1);
        assertThat(blockedAfter(() -> status.state(1, State.LEFT))).isEqualTo(set());
    }

    @Test
    void aRankThatWaitsForItselfIsBlocked() {
        waits(3, 3);
        assertThat(blocked()).isEqualTo(set(3));
        assertThat(StallText.deadlock(WaitSnapshot.at(status), set(3))).isEqualTo("deadlock: 3 recv←3 (A.java:1) → 3");
    }

    /// Rank 0 waits for rank 1's part in a barrier, which rank 1 completes in the background as soon as rank 2
    /// arrives.
    @Test
    void aCallInTheBackgroundMayStillGoOn() {
        waits(0, 1);
        waits(1, 0);
        hasInTheBackground(1, 2);
        assertThat(blocked()).isEqualTo(set());
        waits(2, 1);
        assertThat(blocked()).isEqualTo(set(0, 1, 2));
    }

    @Test
    void allThreadsOfARankMustBeBlocked() {
        waits(0, 1);
        waits(1, 0);
        waits(1, 2);
        assertThat(blocked()).isEqualTo(set());
        assertThat(blockedAfter(() -> write(0, 0, 1)))
                .as("one that waits for nothing")
                .isEqualTo(set());
    }

    @Test
    void aRankThatMovedAMessageIsNotBlocked() {
        waits(0, 1);
        waits(1, 0);
        assertThat(blockedAfter(() -> write(1, 1, 0))).isEqualTo(set());
    }

    @Test
    void aRankThatHasNotPolledMayHaveAMessage() {
        waits(0, 1);
        waits(1, 0);
        WaitSnapshot first = snapshot();
        nextSnapshot(0);
        assertThat(WaitSnapshot.at(status).blockedSince(first, 0)).isEqualTo(set());
        nextSnapshot(1);
        assertThat(WaitSnapshot.at(status).blockedSince(first, 0)).isEqualTo(set(0, 1));
    }

    @Test
    void aWaitThatHasNotLastedIsNotBlocked() {
        waits(0, 1);
        waits(1, 0);
        WaitSnapshot first = snapshot();
        for (int r = 0; r < 2; r++) nextSnapshot(r);
        assertThat(WaitSnapshot.at(status).blockedSince(first, 3_600_000_000_000L))
                .isEqualTo(set());
    }

    @Test
    void aNewWaitForTheSameIsAnother() {
        waits(0, 1);
        waits(1, 0);
        assertThat(blockedAfter(() -> {
                    BlockedCall w = waits.get(1).getFirst();
                    waits.get(1)
                            .set(
                                    0,
                                    new BlockedCall(
                                            w.operation(), w.what(), w.line(), false, SINCE + 1, 99, w.wakers()));
                    write(1, 0, 0);
                }))
                .isEqualTo(set());
    }

    private void receives(int rank, int... wakers) {
        waits.get(rank)
                .add(new BlockedCall(
                        "recv", "recv()", "A.java:1", false, SINCE, 1, set(wakers), BlockedCall.Call.MESSAGES));
    }

    /// Sets a wait of a rank in a barrier, the call `number` on the world, at present for messages to and from
    /// `wakers`.
    private void isInABarrier(int rank, long number, int... wakers) {
        BitSet others = set(0, 1, 2, 3);
        others.clear(rank);
        waits.get(rank)
                .add(new BlockedCall(
                        "barrier",
                        "barrier()",
                        "B.java:2",
                        false,
                        SINCE,
                        1,
                        set(wakers),
                        new BlockedCall.Call(WORLD, number, others)));
    }

    private void hasStarted(int rank, long calls) {
        FlightRing ring = FlightRing.of(file, rank);
        for (long call = 1; call <= calls; call++) {
            long head = FlightRing.head(ring.text("barrier"), 0, ring.comm(WORLD, "WORLD"), Kind.COLLECTIVE, 0);
            ring.begin(head, FlightRing.State.CALLED, 1, 0, 0, 0, call);
        }
    }

    @Test
    void aCallThatABlockedRankHasNotMadeNeverCompletes() {
        for (int r = 0; r < RANKS; r++) hasStarted(r, r == 1 ? 6 : 7);
        isInABarrier(0, 7, 2);
        receives(1, 0);
        assertThat(blocked()).as("ranks 2 and 3 work").isEqualTo(set(0, 1));
        assertThat(StallText.deadlock(WaitSnapshot.at(status), set(0, 1)))
                .isEqualTo("deadlock: 0 barrier←1 (B.java:2) → 1 recv←0 (A.java:1) → 0");
    }

    @Test
    void aCallThatABlockedRankHasNotMadeNeedsNoPolls() {
        for (int r = 0; r < RANKS; r++) hasStarted(r, r == 1 ? 6 : 7);
        isInABarrier(0, 7, 1, 2, 3);
        receives(1, 0);
        WaitSnapshot first = snapshot();
        nextSnapshot(1);
        assertThat(WaitSnapshot.at(status).blockedSince(first, 0)).isEqualTo(set(0, 1));
    }

    /// Rank 1 computes and enters the barrier later; a message of the barrier from rank 2 to rank 0 may already
    /// have arrived.
    @Test
    void aRankThatHasNotPolledInACallMayHaveItsMessage() {
        for (int r = 0; r < RANKS; r++) hasStarted(r, r == 1 ? 6 : 7);
        isInABarrier(0, 7, 2);
        receives(2, 0);
        WaitSnapshot first = snapshot();
        nextSnapshot(2);
        assertThat(WaitSnapshot.at(status).blockedSince(first, 0)).isEqualTo(set());
    }

    @Test
    void aCallThatARankIsLateForIsNoDeadlock() {
        for (int r = 0; r < RANKS; r++) hasStarted(r, r == 2 ? 6 : 7);
        isInABarrier(0, 7, 1);
        isInABarrier(1, 7, 2);
        isInABarrier(3, 7, 2);
        assertThat(blocked()).isEqualTo(set());
    }

    @Test
    void aCallThatAllHaveMadeDependsOnItsMessages() {
        for (int r = 0; r < RANKS; r++) hasStarted(r, 7);
        isInABarrier(0, 7, 1);
        isInABarrier(1, 7, 0);
        assertThat(blocked()).as("both wait for a message of the other").isEqualTo(set(0, 1));
        isInABarrier(2, 7, 3);
        assertThat(blocked()).isEqualTo(set(0, 1));
    }

    @Test
    void recordersThatCannotBeMappedDoNotEndTheJob() throws Exception {
        for (int r = 0; r < RANKS; r++) hasStarted(r, r == 1 ? 6 : 7);
        isInABarrier(0, 7, 2);
        for (int r = 0; r < RANKS; r++) write(r, 0, 0);
        file.close();
        WaitSnapshot found = WaitSnapshot.at(status);
        assertThat(found.missing(waits.getFirst().getFirst())).isEqualTo(set());
    }

    @Test
    void aRankWithoutRecorderMayHaveMadeTheCall() {
        hasStarted(0, 7);
        isInABarrier(0, 7, 2);
        receives(1, 0);
        assertThat(blocked()).isEqualTo(set());
    }

    @Test
    void aRankThatLeftMakesNoCall() {
        for (int r = 0; r < RANKS; r++) hasStarted(r, r == 3 ? 6 : 7);
        status.state(3, State.LEFT);
        isInABarrier(0, 7, 2);
        assertThat(blocked()).isEqualTo(set(0));
        assertThat(StallText.deadlock(WaitSnapshot.at(status), set(0)))
                .isEqualTo("deadlock: 0 barrier←3 (B.java:2) → ranks that have left");
    }

    @Test
    void everyChangeIsProgress() {
        waits(0, 1);
        WaitSnapshot first = snapshot();
        nextSnapshot(0);
        assertThat(WaitSnapshot.at(status).isAsQuietAs(first))
                .as("looks are none")
                .isTrue();
        status.waits(2).pulse(1);
        assertThat(WaitSnapshot.at(status).isAsQuietAs(first)).isFalse();
        status.waits(2).pulse(0);
        status.state(3, State.LEFT);
        assertThat(WaitSnapshot.at(status).isAsQuietAs(first)).isFalse();
    }
}
