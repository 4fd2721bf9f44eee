package org.tutti.device.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.tutti.device.table.FunctionRows;

/// The functions as declared in the vendors' headers (cuda.h 12 and 13, hip_runtime_api.h 5.2, nvrtc.h,
/// hiprtc.h), each after the name of the expected row.
public final class Prototypes {
    public static final String CUDA = """
            INIT cuInit(unsigned int Flags)
            DRIVER_VERSION cuDriverGetVersion(int *driverVersion)
            DEVICE_COUNT cuDeviceGetCount(int *count)
            DEVICE cuDeviceGet(CUdevice *device, int ordinal)
            DEVICE_NAME cuDeviceGetName(char *name, int len, CUdevice dev)
            DEVICE_UUID cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
            DEVICE_MEMORY cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
            DEVICE_PCI_ID cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
            DEVICE_ATTRIBUTE cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
            CONTEXT_RETAIN cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
            CONTEXT_RELEASE cuDevicePrimaryCtxRelease_v2(CUdevice dev)
            MAKE_CURRENT cuCtxSetCurrent(CUcontext ctx)
            MEMORY_INFO cuMemGetInfo_v2(size_t *free, size_t *total)
            ALLOCATE cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
            FREE cuMemFree_v2(CUdeviceptr dptr)
            ALLOCATE_MANAGED cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
            ADDRESS_RANGE cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
            HOST_ALLOCATE cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
            HOST_FREE cuMemFreeHost(void *p)
            COPY_TO_DEVICE_ASYNC cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t n, CUstream hStream)
            COPY_TO_HOST_ASYNC cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t n, CUstream hStream)
            COPY_ON_DEVICE_ASYNC cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream hStream)
            CAN_ACCESS_PEER cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
            ENABLE_PEER cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
            COPY_PEER_ASYNC cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, \
            CUcontext srcContext, size_t ByteCount, CUstream hStream)
            FILL_8_ASYNC cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
            FILL_16_ASYNC cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
            FILL_32_ASYNC cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
            STREAM_CREATE cuStreamCreate(CUstream *phStream, unsigned int Flags)
            STREAM_DESTROY cuStreamDestroy_v2(CUstream hStream)
            STREAM_SYNCHRONIZE cuStreamSynchronize(CUstream hStream)
            STREAM_QUERY cuStreamQuery(CUstream hStream)
            STREAM_WAIT_EVENT cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
            EVENT_CREATE cuEventCreate(CUevent *phEvent, unsigned int Flags)
            EVENT_DESTROY cuEventDestroy_v2(CUevent hEvent)
            EVENT_RECORD cuEventRecord(CUevent hEvent, CUstream hStream)
            EVENT_QUERY cuEventQuery(CUevent hEvent)
            EVENT_SYNCHRONIZE cuEventSynchronize(CUevent hEvent)
            MODULE_LOAD cuModuleLoadData(CUmodule *module, const void *image)
            MODULE_UNLOAD cuModuleUnload(CUmodule hmod)
            MODULE_FUNCTION cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
            FUNCTION_LOAD cuFuncLoad(CUfunction function)
            FUNCTION_ATTRIBUTE cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
            LAUNCH cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, \
            unsigned int by, unsigned int bz, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, \
            void **extra)
            IPC_GET cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
            IPC_OPEN cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
            IPC_CLOSE cuIpcCloseMemHandle(CUdeviceptr dptr)""";

    public static final String HIP = """
            INIT hipInit(unsigned int flags)
            DRIVER_VERSION hipDriverGetVersion(int* driverVersion)
            DEVICE_COUNT hipGetDeviceCount(int* count)
            DEVICE hipDeviceGet(hipDevice_t* device, int ordinal)
            DEVICE_NAME hipDeviceGetName(char* name, int len, hipDevice_t device)
            DEVICE_UUID hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device)
            DEVICE_MEMORY hipDeviceTotalMem(size_t* bytes, hipDevice_t device)
            DEVICE_PCI_ID hipDeviceGetPCIBusId(char* pciBusId, int len, int device)
            DEVICE_ATTRIBUTE hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t attr, int deviceId)
            CONTEXT_RETAIN hipDevicePrimaryCtxRetain(hipCtx_t* pctx, hipDevice_t dev)
            CONTEXT_RELEASE hipDevicePrimaryCtxRelease(hipDevice_t dev)
            MAKE_CURRENT hipSetDevice(int deviceId)
            MEMORY_INFO hipMemGetInfo(size_t* free, size_t* total)
            ALLOCATE hipMalloc(void** ptr, size_t size)
            FREE hipFree(void* ptr)
            ALLOCATE_MANAGED hipMallocManaged(void** dev_ptr, size_t size, unsigned int flags)
            ADDRESS_RANGE hipMemGetAddressRange(hipDeviceptr_t* pbase, size_t* psize, hipDeviceptr_t dptr)
            HOST_ALLOCATE hipHostMalloc(void** ptr, size_t size, unsigned int flags)
            HOST_FREE hipHostFree(void* ptr)
            COPY_TO_DEVICE_ASYNC hipMemcpyHtoDAsync(hipDeviceptr_t dst, void* src, size_t sizeBytes, hipStream_t stream)
            COPY_TO_HOST_ASYNC hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream)
            COPY_ON_DEVICE_ASYNC hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t n, hipStream_t stream)
            CAN_ACCESS_PEER hipDeviceCanAccessPeer(int* canAccessPeer, int deviceId, int peerDeviceId)
            ENABLE_PEER hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags)
            COPY_PEER_ASYNC hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, int srcDevice, \
            size_t sizeBytes, hipStream_t stream)
            FILL_8_ASYNC hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream)
            FILL_16_ASYNC hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream)
            FILL_32_ASYNC hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream)
            STREAM_CREATE hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags)
            STREAM_DESTROY hipStreamDestroy(hipStream_t stream)
            STREAM_SYNCHRONIZE hipStreamSynchronize(hipStream_t stream)
            STREAM_QUERY hipStreamQuery(hipStream_t stream)
            STREAM_WAIT_EVENT hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags)
            EVENT_CREATE hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
            EVENT_DESTROY hipEventDestroy(hipEvent_t event)
            EVENT_RECORD hipEventRecord(hipEvent_t event, hipStream_t stream)
            EVENT_QUERY hipEventQuery(hipEvent_t event)
            EVENT_SYNCHRONIZE hipEventSynchronize(hipEvent_t event)
            MODULE_LOAD hipModuleLoadData(hipModule_t* module, const void* image)
            MODULE_UNLOAD hipModuleUnload(hipModule_t module)
            MODULE_FUNCTION hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname)
            FUNCTION_ATTRIBUTE hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc)
            LAUNCH hipModuleLaunchKernel(hipFunction_t f, unsigned int gx, unsigned int gy, unsigned int gz, \
            unsigned int bx, unsigned int by, unsigned int bz, unsigned int sharedMemBytes, hipStream_t stream, \
            void** kernelParams, void** extra)
            IPC_GET hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr)
            IPC_OPEN hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned int flags)
            IPC_CLOSE hipIpcCloseMemHandle(void* devPtr)""";

    public static final String NVRTC = """
            VERSION nvrtcVersion(int *major, int *minor)
            ARCHITECTURE_COUNT nvrtcGetNumSupportedArchs(int *numArchs)
            ARCHITECTURES nvrtcGetSupportedArchs(int *supportedArchs)
            CREATE nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders, \
            const char * const *headers, const char * const *includeNames)
            COMPILE nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char * const *options)
            LOG_SIZE nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet)
            LOG nvrtcGetProgramLog(nvrtcProgram prog, char *log)
            CODE_SIZE nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet)
            CODE nvrtcGetCUBIN(nvrtcProgram prog, char *cubin)
            PORTABLE_SIZE nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet)
            PORTABLE nvrtcGetPTX(nvrtcProgram prog, char *ptx)
            DESTROY nvrtcDestroyProgram(nvrtcProgram *prog)""";

    public static final String HIPRTC = """
            VERSION hiprtcVersion(int* major, int* minor)
            CREATE hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders, \
            const char** headers, const char** includeNames)
            COMPILE hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char** options)
            LOG_SIZE hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet)
            LOG hiprtcGetProgramLog(hiprtcProgram prog, char* log)
            CODE_SIZE hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet)
            CODE hiprtcGetCode(hiprtcProgram prog, char* code)
            DESTROY hiprtcDestroyProgram(hiprtcProgram* prog)""";

    public static final String CUBLAS = """
            CREATE cublasCreate_v2(cublasHandle_t* handle)
            DESTROY cublasDestroy_v2(cublasHandle_t handle)
            SET_STREAM cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId)
            MULTIPLY_FLOATS cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
            int m, int n, int k, const float* alpha, const float* A, int lda, const float* B, int ldb, \
            const float* beta, float* C, int ldc)
            MULTIPLY_DOUBLES cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
            int m, int n, int k, const double* alpha, const double* A, int lda, const double* B, int ldb, \
            const double* beta, double* C, int ldc)""";

    public static final String HIPBLAS = """
            CREATE hipblasCreate(hipblasHandle_t* handle)
            DESTROY hipblasDestroy(hipblasHandle_t handle)
            SET_STREAM hipblasSetStream(hipblasHandle_t handle, hipStream_t streamId)
            MULTIPLY_FLOATS hipblasSgemm(hipblasHandle_t handle, hipblasOperation_t transA, hipblasOperation_t transB, \
            int m, int n, int k, const float* alpha, const float* AP, int lda, const float* BP, int ldb, \
            const float* beta, float* CP, int ldc)
            MULTIPLY_DOUBLES hipblasDgemm(hipblasHandle_t handle, hipblasOperation_t transA, \
            hipblasOperation_t transB, int m, int n, int k, const double* alpha, const double* AP, int lda, \
            const double* BP, int ldb, const double* beta, double* CP, int ldc)""";

    private static final Pattern INT =
            Pattern.compile("(const )?(int|unsigned( int| char| short)?|CUdevice|hipDevice_t|"
                    + "CU\\w*_attribute|hip\\w*(Attribute_t|_attribute)|nccl(DataType|RedOp)_t|\\w+Operation_t|cl_u?int|cl_bool|"
                    + "cl_\\w+_info) \\w+");

    private Prototypes() {}

    /// Asserts that a table has exactly these prototypes, with the same names and argument widths.
    ///
    /// @param prototypes lines with the name of a row and a prototype
    /// @param column the column with the names
    /// @param otherWidths a pattern of the rows in which the argument widths are not compared
    public static <F extends Enum<F>> void assertSame(
            String prototypes, Class<F> functions, FunctionRows<F> rows, String column, String otherWidths) {
        Map<String, String> expected = new TreeMap<>(), actual = new TreeMap<>();
        prototypes.lines().forEach(line -> {
            boolean isOther = line.split(" ")[0].matches(otherWidths);
            expected.put(line.split(" ")[0], line.split("[ (]")[1] + (isOther ? "" : " " + letters(line)));
        });
        for (F row : functions.getEnumConstants()) {
            String name = rows.name(row, column);
            boolean isOther = row.name().matches(otherWidths);
            if (name != null) actual.put(row.name(), name + (isOther ? "" : " " + rows.arguments(row)));
        }
        assertThat(actual).isEqualTo(expected);
    }

    /// Returns one character per argument, as in [FunctionRows].
    private static String letters(String prototype) {
        String inside = prototype.substring(prototype.indexOf('(') + 1, prototype.lastIndexOf(')'));
        if (inside.isEmpty()) return "";
        StringBuilder letters = new StringBuilder();
        for (String parameter : inside.split(",")) letters.append(kind(parameter.strip()));
        return letters.toString();
    }

    private static char kind(String parameter) {
        if (parameter.contains("*")) return 'p';
        if (parameter.contains("pcMemHandle")) return 'h';
        if (parameter.startsWith("ncclUniqueId ")) return 'u';
        return INT.matcher(parameter).matches() ? 'i' : 'p';
    }
}
