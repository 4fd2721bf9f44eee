package org.tutti.conformance;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.tutti.conformance.contract.collective.AllgatherContract;
import org.tutti.conformance.contract.collective.AllreduceContract;
import org.tutti.conformance.contract.collective.AlltoallContract;
import org.tutti.conformance.contract.collective.AlltoallwContract;
import org.tutti.conformance.contract.collective.BarrierContract;
import org.tutti.conformance.contract.collective.BcastContract;
import org.tutti.conformance.contract.collective.CollectiveArgumentContract;
import org.tutti.conformance.contract.collective.CollectiveCornerContract;
import org.tutti.conformance.contract.collective.GatherContract;
import org.tutti.conformance.contract.collective.NonblockingCollectiveContract;
import org.tutti.conformance.contract.collective.PersistentCollectiveContract;
import org.tutti.conformance.contract.collective.ReduceContract;
import org.tutti.conformance.contract.collective.ReduceScatterContract;
import org.tutti.conformance.contract.collective.ReductionContract;
import org.tutti.conformance.contract.collective.ReproducibleContract;
import org.tutti.conformance.contract.collective.ScalarContract;
import org.tutti.conformance.contract.collective.ScanContract;
import org.tutti.conformance.contract.collective.ScatterContract;
import org.tutti.conformance.contract.comm.CommContract;
import org.tutti.conformance.contract.comm.CommCornerContract;
import org.tutti.conformance.contract.comm.CreateContract;
import org.tutti.conformance.contract.comm.GroupContract;
import org.tutti.conformance.contract.comm.SessionContract;
import org.tutti.conformance.contract.comm.SplitContract;
import org.tutti.conformance.contract.environment.ArenaContract;
import org.tutti.conformance.contract.environment.ArgumentContract;
import org.tutti.conformance.contract.environment.CreationOrderContract;
import org.tutti.conformance.contract.environment.IdentityContract;
import org.tutti.conformance.contract.environment.PendingCreationContract;
import org.tutti.conformance.contract.environment.ThreadedCreationContract;
import org.tutti.conformance.contract.environment.ThreadsContract;
import org.tutti.conformance.contract.environment.VirtualThreadContract;
import org.tutti.conformance.contract.file.FileAccessContract;
import org.tutti.conformance.contract.file.FileArgumentContract;
import org.tutti.conformance.contract.file.FileContract;
import org.tutti.conformance.contract.file.FileLockContract;
import org.tutti.conformance.contract.file.FileRepresentationContract;
import org.tutti.conformance.contract.intercomm.InterCollectiveContract;
import org.tutti.conformance.contract.intercomm.InterMessageContract;
import org.tutti.conformance.contract.intercomm.IntercommContract;
import org.tutti.conformance.contract.intercomm.PortContract;
import org.tutti.conformance.contract.message.AttachedBufferContract;
import org.tutti.conformance.contract.message.MatchedProbeContract;
import org.tutti.conformance.contract.message.MessageArgumentContract;
import org.tutti.conformance.contract.message.MessageCornerContract;
import org.tutti.conformance.contract.message.MessageErrorContract;
import org.tutti.conformance.contract.message.ModesContract;
import org.tutti.conformance.contract.message.OrderContract;
import org.tutti.conformance.contract.message.ProbeContract;
import org.tutti.conformance.contract.message.SendRecvContract;
import org.tutti.conformance.contract.message.WildcardContract;
import org.tutti.conformance.contract.object.ObjectCollectiveContract;
import org.tutti.conformance.contract.object.ObjectContract;
import org.tutti.conformance.contract.object.ObjectRequestContract;
import org.tutti.conformance.contract.object.ObjectTypeContract;
import org.tutti.conformance.contract.object.SynchronousObjectContract;
import org.tutti.conformance.contract.request.ExchangeContract;
import org.tutti.conformance.contract.request.GeneralizedContract;
import org.tutti.conformance.contract.request.NonblockingContract;
import org.tutti.conformance.contract.request.PartitionedContract;
import org.tutti.conformance.contract.request.PersistentContract;
import org.tutti.conformance.contract.request.SomeRequestsContract;
import org.tutti.conformance.contract.request.StageContract;
import org.tutti.conformance.contract.topology.CartesianContract;
import org.tutti.conformance.contract.topology.GraphContract;
import org.tutti.conformance.contract.topology.NeighborContract;
import org.tutti.conformance.contract.type.ArrayViewContract;
import org.tutti.conformance.contract.type.DatatypeArgumentContract;
import org.tutti.conformance.contract.type.DerivedCollectiveContract;
import org.tutti.conformance.contract.type.DerivedContract;
import org.tutti.conformance.contract.type.DerivedNeighborContract;
import org.tutti.conformance.contract.type.DeviceMemoryContract;
import org.tutti.conformance.contract.type.PackContract;
import org.tutti.conformance.contract.type.PairContract;
import org.tutti.conformance.contract.type.RecordContract;
import org.tutti.conformance.contract.type.TypeCornerContract;
import org.tutti.conformance.contract.type.ViewArgumentContract;
import org.tutti.conformance.contract.window.AccessContract;
import org.tutti.conformance.contract.window.DynamicContract;
import org.tutti.conformance.contract.window.EpochContract;
import org.tutti.conformance.contract.window.OwnMemoryContract;
import org.tutti.conformance.contract.window.WindowArgumentContract;
import org.tutti.conformance.contract.window.WindowContract;
import org.tutti.conformance.contract.window.WindowCornerContract;
import org.tutti.conformance.trial.Contract;

/// All contracts, in execution order: a contract runs after the contracts that it depends on.
public final class Contracts {
    private static final String SUFFIX = "Contract";

    private static final List<Class<?>> CLASSES = List.of(
            IdentityContract.class,
            ArenaContract.class,
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
            MessageCornerContract.class,
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
            CollectiveCornerContract.class,
            ReproducibleContract.class,
            NonblockingCollectiveContract.class,
            PersistentCollectiveContract.class,
            DerivedCollectiveContract.class,
            ArrayViewContract.class,
            DeviceMemoryContract.class,
            RecordContract.class,
            PackContract.class,
            PairContract.class,
            TypeCornerContract.class,
            ObjectContract.class,
            ObjectRequestContract.class,
            ObjectTypeContract.class,
            StageContract.class,
            GeneralizedContract.class,
            SynchronousObjectContract.class,
            ObjectCollectiveContract.class,
            SplitContract.class,
            GroupContract.class,
            CreateContract.class,
            CommCornerContract.class,
            CommContract.class,
            SessionContract.class,
            IntercommContract.class,
            PortContract.class,
            InterMessageContract.class,
            InterCollectiveContract.class,
            CartesianContract.class,
            GraphContract.class,
            NeighborContract.class,
            DerivedNeighborContract.class,
            WindowContract.class,
            AccessContract.class,
            EpochContract.class,
            OwnMemoryContract.class,
            DynamicContract.class,
            WindowArgumentContract.class,
            WindowCornerContract.class,
            FileContract.class,
            FileAccessContract.class,
            FileLockContract.class,
            FileRepresentationContract.class,
            FileArgumentContract.class,
            ThreadsContract.class,
            VirtualThreadContract.class,
            ThreadedCreationContract.class,
            PendingCreationContract.class,
            CreationOrderContract.class);

    private Contracts() {}

    /// Returns the contracts for a job of `ranks` ranks on this engine, in the same order on every rank.
    public static List<ContractCase> of(String engine, int ranks, boolean large) {
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
