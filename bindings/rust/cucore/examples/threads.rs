//! Runs two threads, each with its own stream, that share one kernel and one compiled object; both
//! are `Sync`.

mod example;

use cucore::*;
use std::thread;

const SOURCE: &str = "
kernel add(x: f32[N], y: f32[N], by: f32) grid cdiv(N, 256) {
    i = block(0)
    store(y, [i], load(x, [i], [256]) + by)
}
";

fn work(device: Device, kernel: &Kernel, by: f32) -> Result<Vec<f32>> {
    let stream = Stream::new(&device)?;
    let x = Array::from_slice(&stream, &[1.0f32; 5000])?;
    let y = Array::<f32>::zeros(&stream, x.len())?;
    let (tx, ty) = (Tensor::new(&x, &[5000])?, Tensor::new(&y, &[5000])?);
    // Safety: a tile kernel stays within its tensors, whose arrays live until the result is read.
    unsafe { stream.launch(kernel, &Config::own_grid(), (&tx, &ty, by))? };
    y.to_vec(&stream)
}

fn threads() -> Result<bool> {
    let device = Device::get(0)?;
    let kernel = Program::new(Source::Tile, SOURCE)?.compile(Code::Cubin)?.kernel("add")?;

    let results: Vec<Result<Vec<f32>>> = thread::scope(|scope| {
        let kernel = &kernel;
        let started: Vec<_> =
            (0..4).map(|i| scope.spawn(move || work(device, kernel, i as f32))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut right = true;
    for (i, result) in results.into_iter().enumerate() {
        let result = result?;
        println!("thread {i}: {} elements of {}", result.len(), result[0]);
        right &= result == [1.0 + i as f32; 5000];
    }
    Ok(right)
}

fn main() {
    example::run(threads)
}
