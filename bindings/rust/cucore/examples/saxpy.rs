//! SAXPY, y = a * x + y: from CUDA C++ source to a checked result, with error messages.

mod example;

use cucore::*;

const SOURCE: &str = r#"
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"#;
const N: usize = 1 << 20;

fn saxpy() -> Result<bool> {
    let device = Device::get(0)?;
    let stream = Stream::new(&device)?;
    let options = ProgramOptions::new().name("saxpy.cu").arch(&device.arch());
    let kernel = Program::with_options(Source::Cuda, SOURCE, &options)?
        .compile(Code::Cubin)?
        .kernel("saxpy")?; // keeps its object alive

    let x: Vec<f32> = (0..N).map(|i| i as f32 / N as f32).collect();
    let y: Vec<f32> = x.iter().map(|x| 1.0 - x).collect();
    let dx = Array::from_slice(&stream, &x)?;
    let dy = Array::from_slice(&stream, &y)?;
    let config = Config::new((N as u32 + 255) / 256, 256);

    // Safety: the kernel stays within N elements, and both arrays live until the result is read.
    unsafe { stream.launch(&kernel, &config, (2.0f32, &dx, &dy, N as i32))? };

    let result = dy.to_vec(&stream)?;
    let error = |i: usize| (f64::from(result[i]) - (2.0 * f64::from(x[i]) + f64::from(y[i]))).abs();
    let worst = (0..N).map(error).fold(0.0, f64::max);
    println!("{N} elements on {}, max error {worst:e}", device.name());

    // The launch checks arguments against the kernel first.
    let refused = unsafe { stream.launch(&kernel, &config, (2.0f64, &dx, &dy, N as i32)) };
    println!("{}", refused.as_ref().unwrap_err());

    // 2 * x is exact; the sum, between 1 and 2, is rounded once
    Ok(worst <= 2f64.powi(-24) && refused.is_err())
}

fn main() {
    example::run(saxpy)
}
