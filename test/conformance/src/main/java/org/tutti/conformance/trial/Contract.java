package org.tutti.conformance.trial;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a contract: a static method with one parameter, a [Trial], that every rank of a job runs. It tests one
/// property of every engine.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Contract {
    /// The minimum number of ranks at which the property can be observed.
    int minRanks() default 1;

    /// The maximum number of ranks. With more ranks, the contract would take too long or would not be useful.
    int maxRanks() default Integer.MAX_VALUE;

    /// The only engine that guarantees the property; empty for all engines.
    String engine() default "";

    /// Whether the contract needs gigabytes. It runs only with `-Pfull` and with one process per rank.
    boolean large() default false;

    /// Whether the contract is slow if ranks share cores. By default, it runs only with ranks in threads and in
    /// jobs of one process.
    boolean slow() default false;
}
