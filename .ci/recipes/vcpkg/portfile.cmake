# OWNER: REPO, REF and SHA512 of the release.
vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO OWNER/nnpost
    REF "v${VERSION}"
    SHA512 0
)
vcpkg_configure_meson(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -Dtests=disabled -Dexamples=false -Dr=disabled -Dmpi=none -Dfortran=disabled -Dblas=none -Dwerror=false
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
