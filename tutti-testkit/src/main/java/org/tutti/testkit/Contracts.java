package org.tutti.testkit;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.tutti.testkit.contract.AllgatherContract;
import org.tutti.testkit.contract.AllreduceContract;
import org.tutti.testkit.contract.AlltoallContract;
import org.tutti.testkit.contract.AlltoallwContract;
import org.tutti.testkit.contract.ArgumentContract;
import org.tutti.testkit.contract.AttachedBufferContract;
import org.tutti.testkit.contract.BarrierContract;
import org.tutti.testkit.contract.BcastContract;
import org.tutti.testkit.contract.CartesianContract;
import org.tutti.testkit.contract.CollectiveArgumentContract;
import org.tutti.testkit.contract.CommContract;
import org.tutti.testkit.contract.CreateContract;
import org.tutti.testkit.contract.DatatypeArgumentContract;
import org.tutti.testkit.contract.DerivedCollectiveContract;
import org.tutti.testkit.contract.DerivedContract;
import org.tutti.testkit.contract.DerivedNeighborContract;
import org.tutti.testkit.contract.ExchangeContract;
import org.tutti.testkit.contract.FieldContract;
import org.tutti.testkit.contract.GatherContract;
import org.tutti.testkit.contract.GraphContract;
import org.tutti.testkit.contract.GroupContract;
import org.tutti.testkit.contract.IdentityContract;
import org.tutti.testkit.contract.InterCollectiveContract;
import org.tutti.testkit.contract.InterMessageContract;
import org.tutti.testkit.contract.IntercommContract;
import org.tutti.testkit.contract.MatchedProbeContract;
import org.tutti.testkit.contract.MessageArgumentContract;
import org.tutti.testkit.contract.MessageErrorContract;
import org.tutti.testkit.contract.ModesContract;
import org.tutti.testkit.contract.NeighborContract;
import org.tutti.testkit.contract.NonblockingCollectiveContract;
import org.tutti.testkit.contract.NonblockingContract;
import org.tutti.testkit.contract.ObjectCollectiveContract;
import org.tutti.testkit.contract.ObjectContract;
import org.tutti.testkit.contract.ObjectRequestContract;
import org.tutti.testkit.contract.ObjectTypeContract;
import org.tutti.testkit.contract.OrderContract;
import org.tutti.testkit.contract.PackContract;
import org.tutti.testkit.contract.PartitionedContract;
import org.tutti.testkit.contract.PersistentCollectiveContract;
import org.tutti.testkit.contract.PersistentContract;
import org.tutti.testkit.contract.ProbeContract;
import org.tutti.testkit.contract.RecordContract;
import org.tutti.testkit.contract.ReduceContract;
import org.tutti.testkit.contract.ReduceScatterContract;
import org.tutti.testkit.contract.ReductionContract;
import org.tutti.testkit.contract.ReproducibleContract;
import org.tutti.testkit.contract.ScalarContract;
import org.tutti.testkit.contract.ScanContract;
import org.tutti.testkit.contract.ScatterContract;
import org.tutti.testkit.contract.SendRecvContract;
import org.tutti.testkit.contract.SomeRequestsContract;
import org.tutti.testkit.contract.SplitContract;
import org.tutti.testkit.contract.StageContract;
import org.tutti.testkit.contract.SynchronousObjectContract;
import org.tutti.testkit.contract.ThreadsContract;
import org.tutti.testkit.contract.ViewArgumentContract;
import org.tutti.testkit.contract.WildcardContract;
import org.tutti.testkit.trial.Contract;

/// All of them, in the order in which they run: what others build on comes first.
final class Contracts {
    private static final String SUFFIX = "Contract";

    private static final List<Class<?>> CLASSES = List.of(
            IdentityContract.class,
            BarrierContract.class,
            SendRecvContract.class,
            OrderContract.class,
            NonblockingContract.class,
            ProbeContract.class,
            MatchedProbeContract.class,
            SomeRequestsContract.class,
            ExchangeContract.class,
            ModesContract.class,
            AttachedBufferContract.class,
            PersistentContract.class,
            PartitionedContract.class,
            WildcardContract.class,
            MessageErrorContract.class,
            ArgumentContract.class,
            DerivedContract.class,
            MessageArgumentContract.class,
            CollectiveArgumentContract.class,
            DatatypeArgumentContract.class,
            ViewArgumentContract.class,
            BcastContract.class,
            ReduceContract.class,
            AllreduceContract.class,
            GatherContract.class,
            AllgatherContract.class,
            ScatterContract.class,
            AlltoallContract.class,
            AlltoallwContract.class,
            ReduceScatterContract.class,
            ScanContract.class,
            ScalarContract.class,
            ReductionContract.class,
            ReproducibleContract.class,
            NonblockingCollectiveContract.class,
            PersistentCollectiveContract.class,
            DerivedCollectiveContract.class,
            FieldContract.class,
            RecordContract.class,
            PackContract.class,
            ObjectContract.class,
            ObjectRequestContract.class,
            ObjectTypeContract.class,
            StageContract.class,
            SynchronousObjectContract.class,
            ObjectCollectiveContract.class,
            SplitContract.class,
            GroupContract.class,
            CreateContract.class,
            CommContract.class,
            IntercommContract.class,
            InterMessageContract.class,
            InterCollectiveContract.class,
            CartesianContract.class,
            GraphContract.class,
            NeighborContract.class,
            DerivedNeighborContract.class,
            ThreadsContract.class);

    private Contracts() {}

    /// Those that concern such a job; the same list on every rank.
    static List<ContractCase> of(String engine, int ranks, boolean large) {
        List<ContractCase> all = new ArrayList<>();
        for (Class<?> c : CLASSES) {
            String simple = c.getSimpleName();
            String prefix = simple.substring(0, simple.length() - SUFFIX.length());
            // the order of reflection may differ between JVMs
            Arrays.stream(c.getDeclaredMethods())
                    .filter(m -> m.isAnnotationPresent(Contract.class))
                    .sorted(Comparator.comparing(Method::getName))
                    .map(m -> new ContractCase(prefix + "." + m.getName(), m, m.getAnnotation(Contract.class)))
                    .filter(k -> k.concerns(engine, ranks, large))
                    .forEach(all::add);
        }
        return all;
    }
}
