# What the wheel holds of others, with their licences as Debian has them, into its metadata; and libraries that Qt needs of an X11
# desktop which many desktops lack (app/gui/desktop_libraries.h).
set(fallback "")
foreach(name util.so.1 render.so.0 render-util.so.0 shm.so.0 image.so.0 keysyms.so.1 icccm.so.4 randr.so.0 shape.so.0 sync.so.1 xfixes.so.0 xkb.so.1 cursor.so.0)
  find_library(DYNASCOPE_XCB_${name} NAMES libxcb-${name} REQUIRED)
  file(REAL_PATH "${DYNASCOPE_XCB_${name}}" library)
  install(FILES "${library}" DESTINATION lib/desktop RENAME libxcb-${name} COMPONENT programs)
endforeach()

foreach(package
    # linked statically
    libarchive-dev libsqlite3-dev libzstd-dev liblzma-dev liblz4-dev libbz2-dev
    # headers
    nlohmann-json3-dev libcli11-dev libexpected-dev libtomlplusplus-dev libboost-dev
    # copies
    libsimdjson-dev nettle-dev libseccomp-dev libgraphviz-dev libltdl7 libxcb-cursor0 libxcb-image0 libxcb-icccm4 libxcb-keysyms1 libxcb-render-util0
    libxcb-util1 libxcb-randr0)
  file(GLOB copyright /usr/share/doc/${package}/copyright)
  if(NOT copyright)
    # The package of a version of its own, which the one without a number depends on.
    file(GLOB copyright /usr/share/doc/${package}*/copyright /usr/share/doc/libboost1*-dev/copyright)
    list(GET copyright 0 copyright)
  endif()
  install(FILES "${copyright}" DESTINATION ${SKBUILD_METADATA_DIR}/licenses/third-party RENAME ${package}.txt COMPONENT programs)
endforeach()
# What they name of licences and do not repeat.
install(FILES /usr/share/common-licenses/LGPL-2 /usr/share/common-licenses/LGPL-2.1 /usr/share/common-licenses/LGPL-3 /usr/share/common-licenses/GPL-3
        DESTINATION ${SKBUILD_METADATA_DIR}/licenses/third-party COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/resources/fonts/LICENSE DESTINATION ${SKBUILD_METADATA_DIR}/licenses/third-party
        RENAME fonts.txt COMPONENT programs)
