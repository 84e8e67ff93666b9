//! What one session cost: round trips by host function, modules by origin, memory and time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use protocol::{MethodStats, SessionStats, Usage};

use crate::{Gauges, Histogram, micros};

/// Where a module came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleOrigin {
    /// Read by the sidecar from a host directory.
    Reader,
    /// Already in the snapshot.
    Snapshot,
    /// The host was asked.
    Host,
}

/// Counters of one session: written by its thread, read by any.
#[derive(Debug)]
pub struct Counters {
    names: Vec<String>,
    methods: Mutex<Vec<Option<Method>>>,
    requests: AtomicU64,
    from_reader: AtomicU64,
    from_snapshot: AtomicU64,
    from_host: AtomicU64,
    heap_used: AtomicU64,
    heap_peak: AtomicU64,
    external: AtomicU64,
    external_peak: AtomicU64,
    cpu_us: AtomicU64,
    helpers_cpu_us: AtomicU64,
    output_dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct Method {
    errors: u64,
    bytes_out: u64,
    bytes_in: u64,
    latency: Histogram,
}

impl Counters {
    /// Counts for host functions of these names, in the order of `OpenSession`.
    pub fn new(names: Vec<String>) -> Counters {
        let mut methods = Vec::new();
        methods.resize_with(names.len(), || None);
        Counters {
            names,
            methods: Mutex::new(methods),
            requests: AtomicU64::new(0),
            from_reader: AtomicU64::new(0),
            from_snapshot: AtomicU64::new(0),
            from_host: AtomicU64::new(0),
            heap_used: AtomicU64::new(0),
            heap_peak: AtomicU64::new(0),
            external: AtomicU64::new(0),
            external_peak: AtomicU64::new(0),
            cpu_us: AtomicU64::new(0),
            helpers_cpu_us: AtomicU64::new(0),
            output_dropped: AtomicU64::new(0),
        }
    }

    /// One finished round trip of host function number `function`.
    pub fn round_trip(&self, function: usize, trip: &RoundTrip) {
        let mut methods = self.methods();
        let Some(slot) = methods.get_mut(function) else {
            return;
        };
        let method = slot.get_or_insert_default();
        method.errors = method.errors.saturating_add(u64::from(trip.failed));
        method.bytes_out = method.bytes_out.saturating_add(trip.bytes_out);
        method.bytes_in = method.bytes_in.saturating_add(trip.bytes_in);
        method.latency.record(trip.latency);
    }

    /// One module was loaded.
    pub fn module(&self, origin: ModuleOrigin) {
        let counter = match origin {
            ModuleOrigin::Reader => &self.from_reader,
            ModuleOrigin::Snapshot => &self.from_snapshot,
            ModuleOrigin::Host => &self.from_host,
        };
        counter.fetch_add(1, Relaxed);
    }

    /// One request was run.
    pub fn request(&self, cpu: Duration) {
        self.requests.fetch_add(1, Relaxed);
        self.between_requests(cpu);
    }

    /// A turn between requests was run.
    pub fn between_requests(&self, cpu: Duration) {
        self.cpu_us.fetch_add(micros(cpu), Relaxed);
    }

    /// Another process has worked for the session.
    pub fn helper(&self, cpu: Duration) {
        self.helpers_cpu_us.fetch_add(micros(cpu), Relaxed);
    }

    /// What other processes have worked for the session so far.
    pub fn helpers_cpu(&self) -> Duration {
        Duration::from_micros(self.helpers_cpu_us.load(Relaxed))
    }

    /// The V8 heap holds `used` bytes now.
    pub fn heap(&self, used: u64) {
        self.heap_used.store(used, Relaxed);
        self.heap_peak.fetch_max(used, Relaxed);
    }

    /// Array buffers hold `used` bytes now.
    pub fn external(&self, used: u64) {
        self.external.store(used, Relaxed);
        self.external_peak.fetch_max(used, Relaxed);
    }

    /// `bytes` of output were not sent because of the output limit.
    pub fn output_dropped(&self, bytes: u64) {
        self.output_dropped.fetch_add(bytes, Relaxed);
    }

    /// What is held now, and how many host calls `host_calls` are.
    pub fn gauges(&self, host_calls: usize) -> Gauges {
        let peaks = self.heap_peak.load(Relaxed);
        Gauges {
            heap_used_bytes: self.heap_used.load(Relaxed),
            external_bytes: self.external.load(Relaxed),
            peak_bytes: peaks.saturating_add(self.external_peak.load(Relaxed)),
            host_calls: u32::try_from(host_calls).unwrap_or(u32::MAX),
        }
    }

    /// The sums and peaks so far, without a look at the single methods.
    pub fn totals(&self) -> Usage {
        let round_trips = self.methods().iter().flatten().fold(0u64, |sum, method| {
            sum.saturating_add(method.latency.count())
        });
        Usage {
            round_trips,
            heap_peak_bytes: self.heap_peak.load(Relaxed),
            external_peak_bytes: self.external_peak.load(Relaxed),
            modules_from_reader: self.from_reader.load(Relaxed),
            modules_from_snapshot: self.from_snapshot.load(Relaxed),
            modules_from_host: self.from_host.load(Relaxed),
            ..Usage::default()
        }
    }

    /// Everything, as it goes on the wire. Methods that were never called are left out.
    pub fn snapshot(&self) -> SessionStats {
        let methods: Vec<MethodStats> = self
            .names
            .iter()
            .zip(self.methods().iter())
            .filter_map(|(name, method)| method.as_ref().map(|method| method.stats(name)))
            .collect();
        let sum = |field: fn(&MethodStats) -> u64| {
            methods
                .iter()
                .fold(0u64, |total, method| total.saturating_add(field(method)))
        };
        SessionStats {
            requests: self.requests.load(Relaxed),
            round_trips: sum(|method| method.count),
            bytes_out: sum(|method| method.bytes_out),
            bytes_in: sum(|method| method.bytes_in),
            methods,
            modules_from_reader: self.from_reader.load(Relaxed),
            modules_from_snapshot: self.from_snapshot.load(Relaxed),
            modules_from_host: self.from_host.load(Relaxed),
            heap_used_bytes: self.heap_used.load(Relaxed),
            heap_peak_bytes: self.heap_peak.load(Relaxed),
            external_bytes: self.external.load(Relaxed),
            external_peak_bytes: self.external_peak.load(Relaxed),
            cpu_us: self.cpu_us.load(Relaxed),
            output_dropped_bytes: self.output_dropped.load(Relaxed),
        }
    }

    fn methods(&self) -> MutexGuard<'_, Vec<Option<Method>>> {
        self.methods.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Method {
    fn stats(&self, name: &str) -> MethodStats {
        MethodStats {
            method: name.to_owned(),
            count: self.latency.count(),
            errors: self.errors,
            bytes_out: self.bytes_out,
            bytes_in: self.bytes_in,
            p50_us: self.latency.percentile_us(50),
            p99_us: self.latency.percentile_us(99),
            max_us: self.latency.max_us(),
        }
    }
}

/// One host call and its reply.
#[derive(Debug, Clone, Copy)]
pub struct RoundTrip {
    /// Size of the encoded arguments.
    pub bytes_out: u64,
    /// Size of the encoded reply.
    pub bytes_in: u64,
    /// From sending the call to the arrival of its reply.
    pub latency: Duration,
    /// The host answered with an error, or did not answer in time.
    pub failed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_method_and_in_sum() {
        let counters = Counters::new(vec!["a".into(), "b".into(), "unused".into()]);
        let trip = |latency, failed| RoundTrip {
            bytes_out: 10,
            bytes_in: 3,
            latency: Duration::from_micros(latency),
            failed,
        };
        counters.round_trip(0, &trip(5, false));
        counters.round_trip(1, &trip(7, true));
        counters.round_trip(1, &trip(9, false));
        counters.round_trip(99, &trip(9, false));
        let stats = counters.snapshot();
        assert_eq!(stats.round_trips, 3);
        assert_eq!(counters.totals().round_trips, 3);
        assert_eq!((stats.bytes_out, stats.bytes_in), (30, 9));
        let names: Vec<_> = stats.methods.iter().map(|m| m.method.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!((stats.methods[1].errors, stats.methods[1].max_us), (1, 9));
    }
}
