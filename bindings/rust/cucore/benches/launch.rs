//! Compares the cost of a launch through this crate with that of a direct call of the C function
//! with prepared arguments: `cargo bench`. The simulated driver runs kernels on the CPU, so measure
//! on a GPU.

use cucore::*;
use std::time::Instant;

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry nothing(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
    ret;
}
";
const LAUNCHES: u32 = 1000;
const ROUNDS: usize = 201;

fn main() -> Result<()> {
    let device = Device::get(0)?;
    let stream = Stream::new(&device)?;
    let kernel = Object::new(Code::Ptx, PTX.as_bytes())?.kernel("nothing")?;
    let x = Array::<f32>::zeros(&stream, 1024)?;
    let y = Array::<f32>::zeros(&stream, 1024)?;
    let config = Config::new(1, 32);
    let ready = [(&x).argument(), (&y).argument(), 2.0f32.argument(), 1024u32.argument()];
    let (a, n) = (2.0f32, 1024u32);
    let mut prepared = Launch::new(&kernel, config);
    let (px, py) = (&x, &y);
    prepared.arg(&px).arg(&py).arg(&a).arg(&n);

    // Variants alternate in each round, so that all see the same machine state.
    type Way<'a> = (&'a str, Box<dyn Fn() -> bool + 'a>);
    let ways: [Way; 3] = [
        (
            "cuc_launch(), arguments ready",
            Box::new(|| unsafe {
                let (on, shape) = (stream.as_raw(), config.as_raw());
                sys::cuc_launch(on, shape, kernel.as_raw(), ready.as_ptr(), ready.len()) >= 0
            }),
        ),
        (
            "Stream::launch(), a tuple",
            Box::new(|| unsafe { stream.launch(&kernel, &config, (&x, &y, a, n)).is_ok() }),
        ),
        ("Launch::on()", Box::new(|| unsafe { prepared.on(&stream).is_ok() })),
    ];
    let mut times = [vec![], vec![], vec![]];
    for _ in 0..ROUNDS {
        for ((_, launch), times) in ways.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..LAUNCHES {
                assert!(launch());
            }
            times.push(start.elapsed().as_nanos() as f64 / f64::from(LAUNCHES));
            stream.synchronize()?;
        }
    }
    println!("{}, {ROUNDS} rounds of {LAUNCHES} launches of 4 arguments", device.name());
    for ((name, _), times) in ways.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let quarter = |i: usize| times[ROUNDS * i / 4];
        println!("{name:32} {:8.1} ns ({:.1} to {:.1})", quarter(2), quarter(1), quarter(3));
    }
    Ok(())
}
