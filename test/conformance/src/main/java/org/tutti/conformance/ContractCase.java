package org.tutti.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;

/// One contract: a method with the annotation [Contract].
///
/// @param name for example `Barrier.noRankLeavesBeforeTheLastEnters`
public record ContractCase(String name, Method method, Contract terms) {
    /// Returns whether the contract applies to a job of `ranks` ranks on this engine.
    boolean concerns(String engine, int ranks, boolean large) {
        return ranks >= terms.minRanks()
                && ranks <= terms.maxRanks()
                && (terms.engine().isEmpty() || terms.engine().equals(engine))
                && (!terms.large() || large);
    }

    void run(Trial trial) throws Exception {
        try {
            method.invoke(null, trial);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw e;
            }
        }
    }
}
