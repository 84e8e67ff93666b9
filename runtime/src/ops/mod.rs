//! The native functions that the realm's JavaScript calls, by what they touch.

mod bytes;
mod clone;
mod compress;
mod continuation;
mod hash;
mod host_call;
mod inspect;
mod output;
mod system;
mod text;
mod timers;

pub(crate) use self::host_call::{expire, settle};
pub(crate) use self::output::deliver;

use crate::externals::Native;

/// All of them, in a fixed order.
pub(crate) fn natives() -> Vec<Native> {
    let mut all = clone::natives();
    all.extend(host_call::natives());
    all.extend(compress::natives());
    all.extend(continuation::natives());
    all.extend(hash::natives());
    all.extend(inspect::natives());
    all.extend(output::natives());
    all.extend(system::natives());
    all.extend(text::natives());
    all.extend(timers::natives());
    all
}
