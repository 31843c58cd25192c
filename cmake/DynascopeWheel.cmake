# What a wheel links otherwise: no machine that it is installed on has our libraries. Those that Debian has as archives are linked
# statically, but for zlib, which every machine has; of the others (Graphviz, simdjson), and of those under the LGPL, auditwheel puts copies into the wheel. Qt and LibTorch come from packages beside it.

# dynascope_archive(NAME VARIABLE...): the path of libNAME.a in each variable, of the cache, so that find_package takes it.
function(dynascope_archive name)
  find_library(DYNASCOPE_ARCHIVE_${name} NAMES lib${name}.a REQUIRED)
  foreach(variable IN LISTS ARGN)
    set(${variable} "${DYNASCOPE_ARCHIVE_${name}}" CACHE FILEPATH "for a wheel" FORCE)
  endforeach()
endfunction()
dynascope_archive(archive LibArchive_LIBRARY)
dynascope_archive(sqlite3 SQLite3_LIBRARY)
foreach(name zstd lzma lz4 bz2)
  dynascope_archive(${name})
endforeach()

# dynascope_link_along(): once all are found.
macro(dynascope_link_along)
  set_target_properties(PkgConfig::ZSTD PROPERTIES INTERFACE_LINK_LIBRARIES "${DYNASCOPE_ARCHIVE_zstd}")
  # Of libarchive's members those that core/capture asks for; libxml2 and ICU, for archives of xar, are not among them.
  set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES
    "${DYNASCOPE_ARCHIVE_lzma}" "${DYNASCOPE_ARCHIVE_zstd}" "${DYNASCOPE_ARCHIVE_lz4}" "${DYNASCOPE_ARCHIVE_bz2}"
    ZLIB::ZLIB PkgConfig::NETTLE)
  # The layout engine dot is a plugin that Graphviz looks for in a folder of the system: it is linked instead.
  find_library(DYNASCOPE_DOT_LAYOUT NAMES gvplugin_dot_layout PATH_SUFFIXES graphviz REQUIRED)
  # For this machine; auditwheel makes it the wheel's own.
  cmake_path(GET DYNASCOPE_DOT_LAYOUT PARENT_PATH DYNASCOPE_DOT_FOLDER)
endmacro()

# No path of the machine that it is built on stays in the programs.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
