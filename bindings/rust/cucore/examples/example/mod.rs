//! Exit handling that the examples share. Status 77 tells a test runner that no device was
//! available.

use cucore::{Kind, Result};
use std::process::exit;

pub fn run(body: impl FnOnce() -> Result<bool>) {
    match body() {
        Ok(true) => {}
        Ok(false) => exit(1),
        Err(error) => {
            eprintln!("{error}");
            exit(if matches!(error.kind(), Kind::NoDriver | Kind::NoDevice) { 77 } else { 1 })
        }
    }
}
