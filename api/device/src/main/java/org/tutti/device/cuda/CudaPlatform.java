package org.tutti.device.cuda;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.CompilerFunction;
import org.tutti.device.gpu.DriverFunction;
import org.tutti.device.gpu.GpuPlatform;
import org.tutti.device.gpu.MatrixFunction;
import org.tutti.device.library.LibrarySearch;
import org.tutti.device.library.VendorSetting;

/// CUDA: the driver's interface and NVRTC.
///
/// A name without suffix is often that of an older function with other types, so `cuMemAlloc_v2` and its
/// like; those of `cuda.h` 13 whose plain name is right have none.
public final class CudaPlatform extends GpuPlatform {
    private static final int NO_DEVICE = 100, STUB_LIBRARY = 34;

    private static final String DRIVER_ERRORS = """
            1 CUDA_ERROR_INVALID_VALUE
            2 CUDA_ERROR_OUT_OF_MEMORY
            3 CUDA_ERROR_NOT_INITIALIZED
            4 CUDA_ERROR_DEINITIALIZED
            34 CUDA_ERROR_STUB_LIBRARY
            46 CUDA_ERROR_DEVICE_UNAVAILABLE
            100 CUDA_ERROR_NO_DEVICE
            101 CUDA_ERROR_INVALID_DEVICE
            102 CUDA_ERROR_DEVICE_NOT_LICENSED
            200 CUDA_ERROR_INVALID_IMAGE
            201 CUDA_ERROR_INVALID_CONTEXT
            205 CUDA_ERROR_MAP_FAILED
            206 CUDA_ERROR_UNMAP_FAILED
            208 CUDA_ERROR_ALREADY_MAPPED
            209 CUDA_ERROR_NO_BINARY_FOR_GPU
            214 CUDA_ERROR_ECC_UNCORRECTABLE
            217 CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
            218 CUDA_ERROR_INVALID_PTX
            220 CUDA_ERROR_NVLINK_UNCORRECTABLE
            221 CUDA_ERROR_JIT_COMPILER_NOT_FOUND
            222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            223 CUDA_ERROR_JIT_COMPILATION_DISABLED
            300 CUDA_ERROR_INVALID_SOURCE
            301 CUDA_ERROR_FILE_NOT_FOUND
            302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
            303 CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
            304 CUDA_ERROR_OPERATING_SYSTEM
            400 CUDA_ERROR_INVALID_HANDLE
            401 CUDA_ERROR_ILLEGAL_STATE
            500 CUDA_ERROR_NOT_FOUND
            600 CUDA_ERROR_NOT_READY
            700 CUDA_ERROR_ILLEGAL_ADDRESS
            701 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
            702 CUDA_ERROR_LAUNCH_TIMEOUT
            704 CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
            705 CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
            708 CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE
            709 CUDA_ERROR_CONTEXT_IS_DESTROYED
            710 CUDA_ERROR_ASSERT
            711 CUDA_ERROR_TOO_MANY_PEERS
            712 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
            713 CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
            714 CUDA_ERROR_HARDWARE_STACK_ERROR
            715 CUDA_ERROR_ILLEGAL_INSTRUCTION
            716 CUDA_ERROR_MISALIGNED_ADDRESS
            717 CUDA_ERROR_INVALID_ADDRESS_SPACE
            718 CUDA_ERROR_INVALID_PC
            719 CUDA_ERROR_LAUNCH_FAILED
            720 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
            800 CUDA_ERROR_NOT_PERMITTED
            801 CUDA_ERROR_NOT_SUPPORTED
            802 CUDA_ERROR_SYSTEM_NOT_READY
            803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
            804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
            805 CUDA_ERROR_MPS_CONNECTION_FAILED
            806 CUDA_ERROR_MPS_RPC_FAILURE
            807 CUDA_ERROR_MPS_SERVER_NOT_READY
            808 CUDA_ERROR_MPS_MAX_CLIENTS_REACHED
            809 CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED
            810 CUDA_ERROR_MPS_CLIENT_TERMINATED
            900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
            901 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
            906 CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
            909 CUDA_ERROR_TIMEOUT
            911 CUDA_ERROR_EXTERNAL_DEVICE
            913 CUDA_ERROR_FUNCTION_NOT_LOADED
            999 CUDA_ERROR_UNKNOWN""";

    private static final String COMPILER_ERRORS = """
            1 NVRTC_ERROR_OUT_OF_MEMORY
            2 NVRTC_ERROR_PROGRAM_CREATION_FAILURE
            3 NVRTC_ERROR_INVALID_INPUT
            4 NVRTC_ERROR_INVALID_PROGRAM
            5 NVRTC_ERROR_INVALID_OPTION
            6 NVRTC_ERROR_COMPILATION
            7 NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
            8 NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION
            9 NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION
            10 NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID
            11 NVRTC_ERROR_INTERNAL_ERROR
            12 NVRTC_ERROR_TIME_FILE_WRITE_FAILED""";

    private static final String MATRIX_ERRORS = """
            1 CUBLAS_STATUS_NOT_INITIALIZED
            3 CUBLAS_STATUS_ALLOC_FAILED
            7 CUBLAS_STATUS_INVALID_VALUE
            8 CUBLAS_STATUS_ARCH_MISMATCH
            11 CUBLAS_STATUS_MAPPING_ERROR
            13 CUBLAS_STATUS_EXECUTION_FAILED
            14 CUBLAS_STATUS_INTERNAL_ERROR
            15 CUBLAS_STATUS_NOT_SUPPORTED
            16 CUBLAS_STATUS_LICENSE_ERROR""";

    public CudaPlatform() {
        super(DRIVER_ERRORS, COMPILER_ERRORS, MATRIX_ERRORS);
    }

    @Override
    protected String kind() {
        return "cuda";
    }

    @Override
    protected int order() {
        return 10;
    }

    @Override
    protected LibrarySearch driver() {
        return new LibrarySearch("tutti.device.lib.cuda", List.of("libcuda.so.1"));
    }

    @Override
    protected LibrarySearch compiler() {
        return new LibrarySearch(
                "tutti.device.lib.nvrtc",
                List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"),
                List.of("CUDA_HOME", "CUDA_PATH"),
                List.of("/usr/local/cuda*/lib64"),
                List.of("nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
    }

    @Override
    protected String compilerParts() {
        return "libnvrtc-builtins.so.";
    }

    @Override
    protected String name(DriverFunction function) {
        return switch (function) {
            case INIT -> "cuInit";
            case DRIVER_VERSION -> "cuDriverGetVersion";
            case DEVICE_COUNT -> "cuDeviceGetCount";
            case DEVICE -> "cuDeviceGet";
            case DEVICE_NAME -> "cuDeviceGetName";
            case DEVICE_UUID -> "cuDeviceGetUuid_v2";
            case DEVICE_MEMORY -> "cuDeviceTotalMem_v2";
            case DEVICE_PCI_ID -> "cuDeviceGetPCIBusId";
            case DEVICE_ATTRIBUTE -> "cuDeviceGetAttribute";
            case CONTEXT_RETAIN -> "cuDevicePrimaryCtxRetain";
            case CONTEXT_RELEASE -> "cuDevicePrimaryCtxRelease_v2";
            case MAKE_CURRENT -> "cuCtxSetCurrent";
            case MEMORY_INFO -> "cuMemGetInfo_v2";
            case ALLOCATE -> "cuMemAlloc_v2";
            case FREE -> "cuMemFree_v2";
            case ALLOCATE_MANAGED -> "cuMemAllocManaged";
            case ADDRESS_RANGE -> "cuMemGetAddressRange_v2";
            case HOST_ALLOCATE -> "cuMemHostAlloc";
            case HOST_FREE -> "cuMemFreeHost";
            case COPY_TO_DEVICE_ASYNC -> "cuMemcpyHtoDAsync_v2";
            case COPY_TO_HOST_ASYNC -> "cuMemcpyDtoHAsync_v2";
            case COPY_ON_DEVICE_ASYNC -> "cuMemcpyDtoDAsync_v2";
            case CAN_ACCESS_PEER -> "cuDeviceCanAccessPeer";
            case ENABLE_PEER -> "cuCtxEnablePeerAccess";
            case COPY_PEER_ASYNC -> "cuMemcpyPeerAsync";
            case FILL_8_ASYNC -> "cuMemsetD8Async";
            case FILL_16_ASYNC -> "cuMemsetD16Async";
            case FILL_32_ASYNC -> "cuMemsetD32Async";
            case STREAM_CREATE -> "cuStreamCreate";
            case STREAM_DESTROY -> "cuStreamDestroy_v2";
            case STREAM_SYNCHRONIZE -> "cuStreamSynchronize";
            case STREAM_QUERY -> "cuStreamQuery";
            case STREAM_WAIT_EVENT -> "cuStreamWaitEvent";
            case EVENT_CREATE -> "cuEventCreate";
            case EVENT_DESTROY -> "cuEventDestroy_v2";
            case EVENT_RECORD -> "cuEventRecord";
            case EVENT_QUERY -> "cuEventQuery";
            case EVENT_SYNCHRONIZE -> "cuEventSynchronize";
            case MODULE_LOAD -> "cuModuleLoadData";
            case MODULE_UNLOAD -> "cuModuleUnload";
            case MODULE_FUNCTION -> "cuModuleGetFunction";
            case FUNCTION_LOAD -> "cuFuncLoad";
            case FUNCTION_ATTRIBUTE -> "cuFuncGetAttribute";
            case LAUNCH -> "cuLaunchKernel";
            case IPC_GET -> "cuIpcGetMemHandle";
            case IPC_OPEN -> "cuIpcOpenMemHandle_v2";
            case IPC_CLOSE -> "cuIpcCloseMemHandle";
        };
    }

    @Override
    protected LibrarySearch matrices() {
        return new LibrarySearch(
                "tutti.device.lib.cublas",
                List.of("libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"),
                List.of("CUDA_HOME", "CUDA_PATH"),
                List.of("/usr/local/cuda*/lib64"),
                List.of("nvidia/cu13/lib/libcublas.so.13", "nvidia/cublas/lib/libcublas.so.12"));
    }

    @Override
    protected String name(MatrixFunction function) {
        return switch (function) {
            case CREATE -> "cublasCreate_v2";
            case DESTROY -> "cublasDestroy_v2";
            case SET_STREAM -> "cublasSetStream_v2";
            case MULTIPLY_FLOATS -> "cublasSgemm_v2";
            case MULTIPLY_DOUBLES -> "cublasDgemm_v2";
        };
    }

    @Override
    protected int asItIs() {
        return 0; // CUBLAS_OP_N
    }

    @Override
    protected String name(CompilerFunction function) {
        return switch (function) {
            case VERSION -> "nvrtcVersion";
            case ARCHITECTURE_COUNT -> "nvrtcGetNumSupportedArchs";
            case ARCHITECTURES -> "nvrtcGetSupportedArchs";
            case CREATE -> "nvrtcCreateProgram";
            case COMPILE -> "nvrtcCompileProgram";
            case LOG_SIZE -> "nvrtcGetProgramLogSize";
            case LOG -> "nvrtcGetProgramLog";
            case CODE_SIZE -> "nvrtcGetCUBINSize";
            case CODE -> "nvrtcGetCUBIN";
            case PORTABLE_SIZE -> "nvrtcGetPTXSize";
            case PORTABLE -> "nvrtcGetPTX";
            case DESTROY -> "nvrtcDestroyProgram";
        };
    }

    @Override
    protected String compilerName() {
        return "NVRTC";
    }

    @Override
    protected String driverName(int version) {
        return "NVIDIA driver for CUDA " + version / 1000 + "." + version % 1000 / 10;
    }

    @Override
    protected Attributes attributes() {
        return new Attributes(1, 16, 8, 75, 76, 89);
    }

    @Override
    protected long current(long context, int device) {
        return context;
    }

    @Override
    protected int ipcFlags() {
        return 1; // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
    }

    @Override
    protected String architecture(int major, int minor, String pciId) {
        return "sm_" + major + minor;
    }

    /// Code for the device itself, which any driver for it loads; what the compiler does not know yet as
    /// PTX for the newest that it does know.
    @Override
    protected Target target(String architecture, List<Integer> known) {
        int wanted = Integer.parseInt(architecture.substring("sm_".length()));
        if (known.isEmpty() || known.contains(wanted)) {
            return new Target("--gpu-architecture=" + architecture, false);
        }
        int newest = known.stream()
                .filter(one -> one < wanted)
                .mapToInt(Integer::intValue)
                .max()
                .orElse(wanted);
        return new Target("--gpu-architecture=compute_" + newest, true);
    }

    @Override
    protected String absent() {
        return "no NVIDIA driver on this host; in a container, start it with NVIDIA's runtime (--gpus all)";
    }

    @Override
    protected @Nullable String advice(int code, String driver) {
        return switch (code) {
            case STUB_LIBRARY ->
                "a stub for linking (…/stubs/libcuda.so) is in the place of the driver; take its directory out of"
                        + " LD_LIBRARY_PATH";
            case NO_DEVICE ->
                "the " + driver + " is here, but no GPU is visible; look at nvidia-smi, at CUDA_VISIBLE_DEVICES (="
                        + VendorSetting.of("CUDA_VISIBLE_DEVICES") + ") and, in a container, at"
                        + " its --gpus";
            case 46 -> "another process has it for itself; look at the compute mode in nvidia-smi";
            case 209 -> "the binary is for another architecture";
            case 222 ->
                "the " + driver + " is older than the NVRTC that compiled this; install a newer driver, or the"
                        + " NVRTC of its version, and name it with -Dtutti.device.lib.nvrtc";
            case 802 -> "the fabric manager or the driver is still starting; look at nvidia-fabricmanager";
            case 803 -> "the driver's library and the kernel's module have different versions; restart the machine";
            default -> null;
        };
    }
}
