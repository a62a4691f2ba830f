//! Tests that rustc's struct layouts match the headers, and that the library exports every
//! function.

#[rustfmt::skip]
mod described;

fn whole<T>(wrong: &mut Vec<String>, name: &str, size: usize, align: usize) {
    let (is, aligned) = (std::mem::size_of::<T>(), std::mem::align_of::<T>());
    if is != size || align != 0 && aligned != align {
        wrong.push(format!("{name}: {is} bytes, aligned to {aligned}; in C {size}, to {align}"));
    }
}

fn field<T>(
    wrong: &mut Vec<String>,
    name: &str,
    place: (usize, usize), // offset in the struct, and size of the field
    _of_type: *const T,
    offset: usize,
    size: usize,
) {
    let (is, at) = (std::mem::size_of::<T>(), place.1 - place.0);
    if is != size || at != offset {
        wrong.push(format!("{name}: {is} bytes at {at}; in C {size} at {offset}"));
    }
}

#[test]
fn structs_lie_in_memory_as_the_headers_say() {
    let mut wrong = Vec::new();
    described::structs(&mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_layout_is_told() {
    let mut wrong = Vec::new();
    whole::<u64>(&mut wrong, "of another size", 4, 8);
    whole::<u64>(&mut wrong, "of another alignment", 8, 4);
    field(&mut wrong, "at another offset", (16, 24), &0u32, 4, 4);
    field(&mut wrong, "of another size", (16, 24), &0u32, 8, 8);
    field(&mut wrong, "right", (16, 24), &0u32, 8, 4);
    assert_eq!(wrong.len(), 4, "{wrong:?}");
}

#[test]
fn the_library_has_every_function() {
    for (name, address) in described::functions() {
        assert!(!address.is_null(), "{name}");
    }
}

#[test]
fn the_library_is_as_new_as_the_layer() {
    use cucore_sys::*;
    let mine = CUC_VERSION_MAJOR * 10000 + CUC_VERSION_MINOR * 100 + CUC_VERSION_PATCH;
    assert!(unsafe { cuc_version() } >= mine as u32);
}
