# Headers of CUDA 13 for the plugin, which links no library of CUDA: from a toolkit, or from the wheels nvidia-cuda-runtime,
# nvidia-cuda-crt and nvidia-cuda-cupti beside PyTorch.
#   DYNASCOPE_CUDA_INCLUDE   folder with cuda.h and cupti.h; empty: look for it
# Makes the target dynascope::cuda_headers. Without them it says so in one line, and sets DYNASCOPE_CUDA_LACKS to what was missing.
cmake_path(GET DYNASCOPE_PYTHON PARENT_PATH python_folder)
file(GLOB wheel_folders "${python_folder}/../lib/python3*/site-packages/nvidia/cu13/include")
file(GLOB toolkit_folders /usr/local/cuda/include /usr/local/cuda-13*/include)
find_path(DYNASCOPE_CUDA_INCLUDE NAMES cuda.h HINTS ENV CUDA_HOME PATH_SUFFIXES include
          PATHS ${toolkit_folders} ${wheel_folders} NO_CMAKE_SYSTEM_PATH)

set(cuda_lacks "")
foreach(header cuda.h cupti.h cuda_runtime_api.h crt/host_defines.h)
  if(NOT EXISTS "${DYNASCOPE_CUDA_INCLUDE}/${header}")
    list(APPEND cuda_lacks ${header})
  endif()
endforeach()
if(DYNASCOPE_CUDA_INCLUDE AND NOT cuda_lacks)
  file(STRINGS "${DYNASCOPE_CUDA_INCLUDE}/cuda.h" cuda_version REGEX "^#define CUDA_VERSION +[0-9]+")
  string(REGEX REPLACE ".* ([0-9]+).*" "\\1" cuda_version "${cuda_version}")
  if(cuda_version GREATER_EQUAL 13000)
    add_library(dynascope::cuda_headers INTERFACE IMPORTED GLOBAL)
    target_include_directories(dynascope::cuda_headers SYSTEM INTERFACE "${DYNASCOPE_CUDA_INCLUDE}")
    message(STATUS "CUDA headers ${cuda_version} in ${DYNASCOPE_CUDA_INCLUDE}")
  else()
    list(APPEND cuda_lacks "version 13 (it is ${cuda_version})")
  endif()
endif()
list(JOIN cuda_lacks ", " DYNASCOPE_CUDA_LACKS)
if(NOT TARGET dynascope::cuda_headers)
  message(STATUS "No CUDA 13 headers (${DYNASCOPE_CUDA_LACKS}): building without the CUDA plugin; "
                 "'.venv/bin/pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cupti' brings them")
endif()
