# cmake --install: library, headers, tool, man page, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sprag)

install(TARGETS sprag EXPORT SpragTargets)
install(TARGETS sprag_tool)
install(DIRECTORY include/sprag ${PROJECT_BINARY_DIR}/include/sprag
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES docs/sprag.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(Sprag), target Sprag::sprag
install(EXPORT SpragTargets NAMESPACE Sprag:: DESTINATION ${package_dir})
if(SPRAG_CAIRO_FOUND)
  set(SPRAG_CAIRO_MODULE "\"SPRAG_CAIRO cairo\"")
endif()
if(SPRAG_WEBSOCKETS_FOUND)
  set(SPRAG_WEBSOCKETS_MODULE "\"SPRAG_WEBSOCKETS libwebsockets\"")
endif()
configure_package_config_file(cmake/SpragConfig.cmake.in SpragConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(SpragConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SpragConfig.cmake ${PROJECT_BINARY_DIR}/SpragConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config sprag. A shared library knows what it needs; with a static one, the program that uses
# it must link that too, and plain `pkg-config --libs` must say so (--static would also ask for the
# static libraries of everything below).
set(pc_dependencies "yaml-0.1, openblas, lapacke, qhull_r, hdf5-serial")
if(SPRAG_CAIRO_FOUND)
  string(APPEND pc_dependencies ", cairo")
endif()
if(SPRAG_WEBSOCKETS_FOUND)
  string(APPEND pc_dependencies ", libwebsockets")
endif()
if(BUILD_SHARED_LIBS)
  set(pc_private ".private")
  set(pc_libs "")
else()
  set(pc_private "")
  set(pc_libs " -lamd -lsuitesparseconfig -lm -pthread")
endif()
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/sprag.pc.in sprag.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sprag.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
