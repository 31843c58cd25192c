# Compiler settings that every target shares. ccache and mold are used when found.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects are the same whichever build folder asks for them, so that the presets share them, those made with a
  # precompiled header too.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra)
# GCC 12 reports "text" + std::string as an overlap when it optimises (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)
endif()
# GCC's own garbage collector takes a tenth of the time of a batch of files unless it may fill a gigabyte first.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
endif()
if(DYNASCOPE_WERROR)
  add_compile_options(-Werror)
endif()
if(DYNASCOPE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()
if(DYNASCOPE_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(DYNASCOPE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# dynascope_add_library(NAME SOURCE...): static, or shared where DYNASCOPE_SHARED asks for it. Objects are the same.
function(dynascope_add_library name)
  if(DYNASCOPE_SHARED)
    add_library(${name} SHARED ${ARGN})
    set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "")
  else()
    add_library(${name} STATIC ${ARGN})
  endif()
endfunction()

# dynascope_batch_by_folder(TARGET): where DYNASCOPE_BATCHES asks for it, as ./run and ./test do where they make the build
# folder, the target's files are compiled up to twenty-four at a time, no batch having files of two folders: what a file keeps
# to itself needs a name of its own in its folder only, and a new file changes the batches of its folder alone.
function(dynascope_batch_by_folder target)
  if(NOT DYNASCOPE_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(own ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${own}")
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME part)
    math(EXPR batch "0${count_${folder}} / 24")
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${part}${batch}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage) # GCC takes the files of a batch for headers
  endif()
endfunction()

# Precompiled headers where Qt or LibTorch is included; elsewhere they gain nothing. Only headers from outside the
# project are in them, and every file still names what it needs: the preset no-engine builds without them, which shows it.
if(NOT DYNASCOPE_PRECOMPILE)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(DYNASCOPE_STANDARD_HEADERS
  <algorithm> <array> <charconv> <cstdint> <functional> <map> <memory> <optional> <string> <string_view>
  <unordered_map> <utility> <vector> <tl/expected.hpp>)
set(DYNASCOPE_QT_HEADERS
  <QAbstractItemModel> <QApplication> <QHash> <QHeaderView> <QHelpEvent> <QLabel> <QLineEdit> <QMenu> <QPainter>
  <QPainterPath> <QRegularExpression> <QScrollBar> <QSortFilterProxyModel> <QString> <QStringList> <QStyledItemDelegate>
  <QTimer> <QToolButton> <QToolTip> <QTreeView> <QVBoxLayout> <QWidget>)
