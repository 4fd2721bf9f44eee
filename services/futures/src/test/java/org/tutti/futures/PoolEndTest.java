package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Tutti;

/// The reports of a pool when the body ends before the tasks have ended.
@Timeout(value = 120)
class PoolEndTest {
    private static int slowly(int x) throws InterruptedException {
        Thread.sleep(60_000);
        return x;
    }

    private static void run(RankPool.Body<Exception> body) throws Exception {
        Tutti.local(2, mpi -> {
            if (mpi.world().rank() > 0) RankPool.run(mpi.world(), 0, body);
            else
                assertThatThrownBy(() -> RankPool.run(mpi.world(), 0, body))
                        .isInstanceOf(PoolException.class)
                        .hasMessage("run: 1 unfinished task was cancelled when the body returned; call"
                                + " pool.awaitAll() at the end of the body");
        });
    }

    @Test
    void forgottenTasksAreAPoolException() throws Exception {
        run(pool -> pool.submit(x -> slowly(x), 1));
        assertThatThrownBy(() -> Tutti.local(
                        1,
                        mpi -> RankPool.call(mpi.world(), 0, pool -> {
                            pool.submit(x -> slowly(x), 1);
                            pool.submit(x -> slowly(x), 2);
                            return 0;
                        })))
                .rootCause()
                .isInstanceOf(UnfinishedTasksException.class)
                .hasMessage("call: 2 unfinished tasks were cancelled when the body returned; call"
                        + " pool.awaitAll() at the end of the body");
    }

    @Test
    void onlyTheFailureOfTheBodyIsReported() throws Exception {
        Tutti.local(2, mpi -> {
            RankPool.Body<Exception> body = pool -> {
                pool.submit(x -> slowly(x), 1);
                throw new IllegalArgumentException("of the body");
            };
            if (mpi.world().rank() > 0) RankPool.run(mpi.world(), 0, body);
            else
                assertThatThrownBy(() -> RankPool.run(mpi.world(), 0, body))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("of the body")
                        .hasNoSuppressedExceptions();
        });
    }
}
