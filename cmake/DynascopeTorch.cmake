# LibTorch from a PyTorch wheel: the two libraries that the engine needs and their headers, without find_package(Torch),
# which pulls Caffe2 and, for a CUDA build, the CUDA toolkit.
#   DYNASCOPE_PYTHON   interpreter of the PyTorch to use (default: .venv/bin/python of the source tree)
# Sets DYNASCOPE_TORCH_FOUND and makes the target dynascope::torch. Without PyTorch it says so in one line.
set(DYNASCOPE_PYTHON "${PROJECT_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH
    "Python interpreter whose PyTorch the engine is built with")
set(DYNASCOPE_TORCH_FOUND FALSE)

set(torch_folder "")
if(EXISTS "${DYNASCOPE_PYTHON}")
  # Finding the package does not import it, which would take seconds.
  execute_process(
    COMMAND "${DYNASCOPE_PYTHON}" -c
      "import importlib.util as u, os; s = u.find_spec('torch'); print(os.path.dirname(s.origin) if s else '', end='')"
    OUTPUT_VARIABLE torch_folder ERROR_QUIET)
endif()

if(torch_folder AND EXISTS "${torch_folder}/lib/libtorch_cpu.so" AND EXISTS "${torch_folder}/include/ATen/core/Tensor.h")
  file(STRINGS "${torch_folder}/version.py" torch_version REGEX "^__version__")
  string(REGEX REPLACE ".*'(.*)'.*" "\\1" DYNASCOPE_TORCH_VERSION "${torch_version}")
  foreach(library c10 torch_cpu)
    add_library(dynascope::${library} SHARED IMPORTED GLOBAL)
    set_target_properties(dynascope::${library} PROPERTIES
      IMPORTED_LOCATION "${torch_folder}/lib/lib${library}.so"
      IMPORTED_NO_SONAME FALSE)
  endforeach()
  add_library(dynascope::torch INTERFACE IMPORTED GLOBAL)
  set_target_properties(dynascope::torch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${torch_folder}/include"
    INTERFACE_LINK_LIBRARIES "dynascope::torch_cpu;dynascope::c10")
  set_target_properties(dynascope::torch PROPERTIES DYNASCOPE_VERSION "${DYNASCOPE_TORCH_VERSION}")
  set(DYNASCOPE_TORCH_FOUND TRUE)
  message(STATUS "PyTorch ${DYNASCOPE_TORCH_VERSION} in ${torch_folder}")
else()
  message(STATUS "No PyTorch at DYNASCOPE_PYTHON=${DYNASCOPE_PYTHON}: building without dynascope-engine")
endif()
