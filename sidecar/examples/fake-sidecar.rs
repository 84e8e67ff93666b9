//! The sidecar with the fake engine on its standard input and output, for tests of the
//! whole process that need no V8.

use std::convert::Infallible;
use std::time::Duration;

use host_bridge::Engine;
use host_bridge::fake::FakeEngine;
use sidecar::{Config, serve_stdio};

fn main() -> std::process::ExitCode {
    let config = Config {
        grace: Duration::from_millis(500),
        ..Config::default()
    };
    serve_stdio(config, || {
        let engine: Box<dyn Engine> = Box::new(FakeEngine::default());
        Ok::<_, Infallible>(engine)
    })
    .into()
}
