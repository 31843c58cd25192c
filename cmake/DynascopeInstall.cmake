# What `cmake --install` puts where, and `cpack -G DEB` packs. The package has the window, the command line and the recorder;
# the engine is made for one PyTorch, which pip brings, and so is installed from a build alone.
include(GNUInstallDirs)
if(DYNASCOPE_SHARED)
  install(CODE "message(FATAL_ERROR \"This preset's libraries are shared among its tests: install preset release\")")
  return()
endif()

# A wheel has a folder of its own, with what is for the rest of the environment beside it.
set(share ${CMAKE_INSTALL_DATADIR}/dynascope)
set(shared ${CMAKE_INSTALL_DATADIR})
set(mans ${CMAKE_INSTALL_MANDIR})
if(DYNASCOPE_WHEEL)
  set(shared ${SKBUILD_DATA_DIR}/share)
  set(mans ${shared}/man)
endif()
set(programs dynascope-cli)
if(TARGET dynascope)
  list(PREPEND programs dynascope)
endif()
if(DYNASCOPE_WHEEL)
  set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../../PySide6/Qt/lib;${DYNASCOPE_DOT_FOLDER}")
  install(FILES ${PROJECT_SOURCE_DIR}/resources/wheel/qt.conf TYPE BIN COMPONENT programs)
  include(DynascopeNotices)
endif()
install(TARGETS ${programs} RUNTIME COMPONENT programs)
if(TARGET dynascope-engine)
  if(DYNASCOPE_WHEEL)
    set_target_properties(dynascope-engine PROPERTIES INSTALL_RPATH "$ORIGIN/../../torch/lib;${DYNASCOPE_DOT_FOLDER}")
    # Which PyTorch that must be, for who starts it (core/engine/client/torch_release.h).
    get_target_property(release dynascope::torch DYNASCOPE_VERSION)
    string(REGEX REPLACE "\\+.*" "" release "${release}")
    file(WRITE ${PROJECT_BINARY_DIR}/dynascope-engine.needs "torch ${release} ../../torch\n")
    install(FILES ${PROJECT_BINARY_DIR}/dynascope-engine.needs TYPE BIN COMPONENT engine)
  else()
    get_target_property(torch_library dynascope::torch_cpu IMPORTED_LOCATION)
    cmake_path(GET torch_library PARENT_PATH torch_libraries)
    set_target_properties(dynascope-engine PROPERTIES INSTALL_RPATH "${torch_libraries}")
  endif()
  get_target_property(engine_rpath dynascope-engine INSTALL_RPATH)
  set_target_properties(dynascope-ranks PROPERTIES INSTALL_RPATH "${engine_rpath}")
  install(TARGETS dynascope-engine RUNTIME COMPONENT engine)
  install(TARGETS dynascope-ranks LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT engine)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/samples ${PROJECT_SOURCE_DIR}/resources/lessons DESTINATION ${share}
        COMPONENT programs)

# Manual pages and completions are what the programs say of themselves. packed() is gzip as Debian wants it.
set(help ${PROJECT_BINARY_DIR}/help)
foreach(program IN LISTS programs)
  set(ask completion)
  if(program STREQUAL "dynascope")
    set(ask --completion)
  endif()
  foreach(form bash zsh fish man)
    install(CODE "file(MAKE_DIRECTORY \"${help}\")
execute_process(COMMAND \"$<TARGET_FILE:${program}>\" ${ask} ${form} OUTPUT_FILE \"${help}/${program}.${form}\" COMMAND_ERROR_IS_FATAL ANY)"
            COMPONENT programs)
  endforeach()
  install(CODE "execute_process(COMMAND gzip -9nc \"${help}/${program}.man\" OUTPUT_FILE \"${help}/${program}.1.gz\" COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT programs)
  install(FILES ${help}/${program}.1.gz DESTINATION ${mans}/man1 COMPONENT programs)
  install(FILES ${help}/${program}.bash DESTINATION ${shared}/bash-completion/completions RENAME ${program} COMPONENT programs)
  install(FILES ${help}/${program}.zsh DESTINATION ${shared}/zsh/vendor-completions RENAME _${program} COMPONENT programs)
  install(FILES ${help}/${program}.fish DESTINATION ${shared}/fish/vendor_completions.d COMPONENT programs)
endforeach()

set(desktop ${PROJECT_SOURCE_DIR}/resources/desktop)
if(TARGET dynascope)
  install(FILES ${desktop}/dynascope.desktop DESTINATION ${shared}/applications COMPONENT programs)
  install(FILES ${desktop}/dynascope.svg DESTINATION ${shared}/icons/hicolor/scalable/apps COMPONENT programs)
  install(FILES ${desktop}/dynascope.xml DESTINATION ${shared}/mime/packages COMPONENT programs)
  install(FILES ${desktop}/dynascope.metainfo.xml DESTINATION ${shared}/metainfo COMPONENT programs)
endif()

if(DYNASCOPE_WHEEL)
  return()
endif()
set(documents ${CMAKE_INSTALL_DATADIR}/doc/dynascope)
set(maintainer "Dynascope authors <maintainers@dynascope.invalid>")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${help}/changelog.Debian "dynascope (${PROJECT_VERSION}-1upstream1) unstable; urgency=medium

  * What changed is in changelog.gz.

 -- ${maintainer}  ${now}
")
install(CODE "file(MAKE_DIRECTORY \"${help}\")
execute_process(COMMAND gzip -9nc \"${PROJECT_SOURCE_DIR}/CHANGELOG.md\" OUTPUT_FILE \"${help}/changelog.gz\" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gzip -9nc \"${help}/changelog.Debian\" OUTPUT_FILE \"${help}/changelog.Debian.gz\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT programs)
install(FILES ${help}/changelog.gz ${help}/changelog.Debian.gz DESTINATION ${documents} COMPONENT programs)
install(FILES ${desktop}/copyright DESTINATION ${documents} COMPONENT programs)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dynascope)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "debugger for PyTorch's compiler")
set(CPACK_COMPONENTS_ALL programs)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME dynascope)
set(CPACK_DEBIAN_PROGRAMS_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "Opens what torch.compile and torch.export leave behind: every graph of
every frame, graph breaks, recompiles, guards, generated code and the
time each takes, and steps through the passes between them.

The engine, which runs graphs, is built from source against the PyTorch
that it shall run with.")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${maintainer}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1upstream1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "qt6-qpa-plugins, python3")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
