//! Finds libcucore: CUCORE_DIR names an install prefix or a build folder; without it, pkg-config
//! finds the library. CUCORE_STATIC=1 links libcucore.a.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

fn main() {
    for variable in ["CUCORE_DIR", "CUCORE_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation builds do not link
    }
    let folders = match env::var_os("CUCORE_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => vec![in_prefix(Path::new(&dir))],
        None => by_pkg_config(),
    };
    for folder in &folders {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
    if is_static() {
        println!("cargo:rustc-link-lib=static=cucore");
        for library in ["dl", "pthread", "m"] {
            println!("cargo:rustc-link-lib=dylib={library}");
        }
    } else {
        println!("cargo:rustc-link-lib=dylib=cucore");
        // Dependent crates read DEP_CUCORE_LIBDIR to run programs with the library.
        if let Some(folder) = folders.first() {
            println!("cargo:libdir={}", folder.display());
            lead_cargo_to(folder);
            println!("cargo:rustc-link-arg-tests=-Wl,-rpath,{}", folder.display());
        }
    }
}

/// Link the shared libraries into the target folder: `cargo run` and `cargo test` make the loader
/// search that folder, but none outside it. The library finds the simulated driver beside itself.
fn lead_cargo_to(folder: &Path) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name();
        let text = name.to_string_lossy();
        if text.starts_with("libcucore") && text.contains(".so") {
            let _ = fs::remove_file(out.join(&name));
            let _ = symlink(file.path(), out.join(&name)); // if this fails, LD_LIBRARY_PATH still
                                                           // works
        }
    }
    println!("cargo:rustc-link-search=native={}", out.display());
}

fn is_static() -> bool {
    env::var_os("CUCORE_STATIC").map_or(false, |value| value == "1")
}

/// Return the folder that contains the library, in a prefix or a build folder.
fn in_prefix(dir: &Path) -> PathBuf {
    let file = if is_static() { "libcucore.a" } else { "libcucore.so" };
    let machine =
        format!("lib/{}-linux-gnu", env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default());
    let places = ["lib", "lib64", machine.as_str(), ""].map(|sub| dir.join(sub));
    match places.iter().find(|place| place.join(file).exists()) {
        Some(found) => found.clone(),
        None => stop(&format!(
            "CUCORE_DIR is {}, and there is no {file} in it, nor in its lib, lib64 or {machine}. \
             Set it to the prefix that cucore was installed into, or to its build folder.",
            dir.display()
        )),
    }
}

fn by_pkg_config() -> Vec<PathBuf> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let advice =
        "Install cucore (its development files too), or set CUCORE_DIR to the prefix that it \
                  was installed into or to its build folder.";
    let said = match Command::new(&program).args(["--libs-only-L", "cucore >= 0.1"]).output() {
        Ok(said) => said,
        Err(error) => stop(&format!("{program} does not run ({error}). {advice}")),
    };
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr);
        stop(&format!("{program} knows no cucore of 0.1 or later: {}\n{advice}", why.trim()));
    }
    let words = String::from_utf8_lossy(&said.stdout);
    words.split_whitespace().filter_map(|word| word.strip_prefix("-L")).map(PathBuf::from).collect()
}

fn stop(message: &str) -> ! {
    eprintln!("cucore-sys: {message}");
    exit(1)
}
