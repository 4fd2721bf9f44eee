package org.tutti.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test whose method is run by several ranks at once; it passes if it passes on all of them.
///
///     @RanksTest({1, 2, 3})
///     void sums(Mpi mpi) {
///         Comm world = mpi.world();
///         assertEquals(world.size(), world.allreduce(1, Op.SUM));
///     }
///
/// The method may have parameters of the types `Mpi` and `Comm`, which are the rank's own and its
/// world, and as threads also those that other extensions resolve, which all ranks share. A rank that
/// fails leaves the others a second to fail, too; then it ends the job. The test's failure names each
/// rank that failed by itself, with its line.
///
/// Ranks are threads, which share the test's instance and all static fields, unless [#processes] says otherwise.
@SuppressWarnings("exports") // the extension is JUnit's to make
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(RanksExtension.class)
public @interface RanksTest {
    /// On how many ranks, 1 to 1024 each: the test is run once for each number.
    int[] value();

    /// Whether each rank is a process, as under `tutti run`: a JVM with this one's class path. It makes
    /// its own instance of the test's class, and calls that class's methods without parameters that are
    /// annotated with `@BeforeAll`, `@BeforeEach`, `@AfterEach` and `@AfterAll`; other extensions stay
    /// in the process of the test.
    boolean processes() default false;

    /// After how many seconds the ranks are ended and the test fails, saying where each rank is; 0 for
    /// no limit. Ranks that are threads have no launcher that would prove a deadlock. While a debugger
    /// is attached there is no limit.
    int timeoutSeconds() default 60;
}
