//! Captures a stream's work, launches it as one graph, and gets a callback when it completes.

mod example;

use cucore::*;
use std::sync::mpsc;

const SOURCE: &str = "
template <class T> __global__ void scale(T *x, T by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
";
const N: usize = 1000;

fn graph() -> Result<bool> {
    let stream = Stream::new(&Device::get(0)?)?;
    // The compiler instantiates a template by name; the lookup uses the same name.
    let options = ProgramOptions::new().name_expression("scale<double>");
    let scale = Program::with_options(Source::Cuda, SOURCE, &options)?
        .compile(Code::Cubin)?
        .kernel("scale<double>")?;

    let x = Array::from_slice(&stream, &[1.0f64; N])?;
    let config = Config::new(4, 256);
    let twice = stream.capture(|stream| {
        // Safety: the graph keeps the array alive, and nothing else uses it.
        unsafe { stream.launch(&scale, &config, (&x, 2.0f64, N as i32))? };
        unsafe { stream.launch(&scale, &config, (&x, 1.5f64, N as i32)) }
    })?;
    twice.keep(x.buffer())?;
    let exec = twice.instantiate()?;
    for _ in 0..3 {
        unsafe { exec.launch(&stream)? };
    }

    let (tell, told) = mpsc::channel();
    stream.when_done(move |outcome| tell.send(outcome).unwrap())?;
    let outcome = told.recv().unwrap();
    let result = x.to_vec(&stream)?;
    println!("{} nodes, launched 3 times: {outcome:?}, x[0] is {}", twice.node_count()?, result[0]);
    Ok(outcome.is_ok() && result == [27.0; N])
}

fn main() {
    example::run(graph)
}
