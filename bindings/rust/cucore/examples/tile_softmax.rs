//! Computes a row softmax with a tile program: launches it with tensors, and interprets it without
//! a device.

mod example;

use cucore::*;

const SOURCE: &str = "
kernel softmax(x: f32[M, N], y: f32[M, N])
    const BN = 256
    where N <= BN
    grid M
{
    row = block(0)
    v = load(x, [row, 0], [_, BN], pad=-inf)
    e = exp(v - max(v))
    store(y, [row, 0], e / sum(e))
}
";
const SHAPE: [i64; 2] = [64, 200];

fn softmax() -> Result<bool> {
    let count = (SHAPE[0] * SHAPE[1]) as usize;
    let mut x: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 / 25.0).collect();
    let mut reference = vec![0f32; count];
    let program = Program::new(Source::Tile, SOURCE)?;

    let device = Device::get(0)?;
    let stream = Stream::new(&device)?;
    let kernel = program.compile(Code::Cubin)?.kernel("softmax")?;
    let dx = Array::from_slice(&stream, &x)?;
    let dy = Array::<f32>::zeros(&stream, count)?;
    let (tx, ty) = (Tensor::new(&dx, &SHAPE)?, Tensor::new(&dy, &SHAPE)?);
    // Safety: a tile kernel stays within its tensors, whose arrays live until the result is read.
    unsafe { stream.launch(&kernel, &Config::own_grid(), (&tx, &ty))? };
    let result = dy.to_vec(&stream)?;

    // The interpreter needs neither a driver nor a compiler.
    let hosts = (Tensor::from_host(&mut x, &SHAPE)?, Tensor::from_host(&mut reference, &SHAPE)?);
    unsafe { program.interpret("softmax", (&hosts.0, &hosts.1))? };

    let errors = result.iter().zip(&reference).map(|(is, should)| (is - should).abs() / should);
    let worst = errors.fold(0.0, f32::max);
    println!("softmax of {:?} on {}, largest relative error {worst:e}", SHAPE, device.name());
    Ok(worst < 1e-6)
}

fn main() {
    example::run(softmax)
}
