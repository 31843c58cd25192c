# Every outside library, in one place.
if(DYNASCOPE_WHEEL)
  include(DynascopeWheel)
endif()
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_path(DYNASCOPE_TOMLPLUSPLUS_INCLUDE NAMES toml++/toml.h REQUIRED) # headers only
find_package(LibArchive REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED) # Boost.Graph, headers only
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(CGRAPH REQUIRED IMPORTED_TARGET libcgraph libgvc)
if(DYNASCOPE_WHEEL)
  dynascope_link_along()
endif()

# The tests are QtTest programs, so Qt Core and Test are needed even without the window.
if(DYNASCOPE_GUI)
  find_package(Qt6 REQUIRED COMPONENTS Core Gui Widgets Svg Test)
elseif(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  find_package(Qt6 REQUIRED COMPONENTS Core Test)
endif()
