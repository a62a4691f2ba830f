//! What the examples share: how they end. 77 says to a test runner that there was nothing to run on.

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
