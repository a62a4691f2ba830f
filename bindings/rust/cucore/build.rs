//! Makes this crate's examples and tests run with the libcucore that was found.

fn main() {
    println!("cargo:rerun-if-env-changed=CUCORE_DIR");
    if let Ok(folder) = std::env::var("DEP_CUCORE_LIBDIR") {
        for target in ["examples", "tests", "benches"] {
            println!("cargo:rustc-link-arg-{target}=-Wl,-rpath,{folder}");
        }
    }
}
