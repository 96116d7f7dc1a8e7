# cmake --install: library, headers, tool, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)
install(TARGETS sprag EXPORT SpragTargets)
install(TARGETS sprag_tool)
install(DIRECTORY include/sprag ${PROJECT_BINARY_DIR}/include/sprag
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
