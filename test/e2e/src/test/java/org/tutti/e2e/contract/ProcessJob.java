package org.tutti.e2e.contract;

import java.util.ArrayList;
import java.util.List;
import org.tutti.conformance.ContractMain;
import org.tutti.conformance.contract.type.DeviceMemoryContract;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.job.environment.DeviceAwareness;

/// Ranks are processes, started by Tutti's launcher.
final class ProcessJob extends ContractJob {
    private final ContractWay way;
    private final int ranks;
    private final List<String> arguments;

    ProcessJob(ContractWay way, int ranks, List<String> arguments) {
        this.way = way;
        this.ranks = ranks;
        this.arguments = arguments;
    }

    @Override
    void runAll() throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", String.valueOf(ranks)));
        command.addAll(way.options);
        command.addAll(List.of("--jvm", Command.RANKS_FLAG));
        command.addAll(List.of("--jvm", "-D" + DeviceAwareness.PROPERTY + "=" + DeviceMemoryContract.ADDRESSED));
        command.addAll(List.of("-cp", Checkout.classes("tutti-conformance").toString(), ContractMain.class.getName()));
        command.addAll(arguments);
        Child job = Command.tutti(command.toArray(new String[0])).start();
        boolean done = false;
        ProcessOutcome ended;
        try {
            ended = job.await(LIMIT_SECONDS);
        } finally {
            for (String line : job.outSoFar().lines().toList()) done |= record(line);
        }
        if (ended.code() == 0 && done) return;
        throw new AssertionError(way + " on " + ranks + " ranks ended in " + running() + "\n" + ended);
    }

    /// Records a line of the output. Returns whether it is the last line of the contract.
    private boolean record(String line) {
        if (line.startsWith(ContractMain.BEGINS)) {
            hasStarted(line.substring(ContractMain.BEGINS.length()));
        } else if (line.startsWith(ContractMain.PASSED)) {
            String[] fields = line.substring(ContractMain.PASSED.length()).split(" ", 2);
            Times.add(way.toString(), ranks, fields[0], Long.parseLong(fields[1]));
            hasPassed(fields[0]);
        }
        return line.startsWith(ContractMain.DONE);
    }
}
