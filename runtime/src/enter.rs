//! The one door into guest code. Nothing else opens a context.

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use crate::Scope;
use crate::guards::{HeapGuard, PageOwner};
use crate::platform::TaskRoute;
use crate::session::State;

/// Runs `f`, which is code of ours, in a new context of an isolate that has no session.
pub(crate) fn in_new_context<R>(
    isolate: &mut v8::OwnedIsolate,
    f: impl for<'s, 'i> FnOnce(&mut Scope<'s, 'i>) -> R,
) -> R {
    let scope = pin!(v8::HandleScope::new(isolate));
    let scope = &mut scope.init();
    let context = v8::Context::new(scope, v8::ContextOptions::default());
    let scope = &mut v8::ContextScope::new(scope, context);
    f(scope)
}

/// An isolate with its one context.
///
/// Invariant: handles go before the isolate, the isolate before its guard; the order of
/// the fields is the order of their ends.
pub(crate) struct Realm {
    context: v8::Global<v8::Context>,
    state: Rc<State>,
    _route: Option<TaskRoute>,
    pages: PageOwner,
    isolate: v8::OwnedIsolate,
    guard: Option<Arc<HeapGuard>>,
}

impl Realm {
    /// Makes the context of `isolate` — restored, when the isolate comes from a snapshot —
    /// and puts `state` into the isolate's slot.
    pub(crate) fn new(
        mut isolate: v8::OwnedIsolate,
        state: Rc<State>,
        route: Option<TaskRoute>,
        guard: Option<Arc<HeapGuard>>,
    ) -> Realm {
        isolate.set_slot(Rc::clone(&state));
        isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
        let context = {
            let scope = pin!(v8::HandleScope::new(&mut isolate));
            let scope = &mut scope.init();
            let context = v8::Context::new(scope, v8::ContextOptions::default());
            // So that `callbacks.rs` is asked.
            context.set_allow_generation_from_strings(false);
            v8::Global::new(scope, context)
        };
        let pages = PageOwner::new(&mut isolate, &state.links.budget);
        Realm {
            context,
            state,
            _route: route,
            pages,
            isolate,
            guard,
        }
    }

    /// Runs `f` in the context and then the ticks and microtasks that are due.
    pub(crate) fn turn<R>(
        &mut self,
        f: impl for<'s, 'i> FnOnce(&mut Scope<'s, 'i>, &Rc<State>) -> R,
    ) -> R {
        let state = Rc::clone(&self.state);
        let scope = pin!(v8::HandleScope::new(&mut self.isolate));
        let scope = &mut scope.init();
        let context = v8::Local::new(scope, &self.context);
        let scope = &mut v8::ContextScope::new(scope, context);
        let result = f(scope, &state);
        // As in Node: ticks come before promise jobs, until neither are left.
        let _ = ticks(scope, &state);
        scope.perform_microtask_checkpoint();
        while ticks(scope, &state) == Some(true) {
            scope.perform_microtask_checkpoint();
        }
        result
    }

    /// Runs `f` in the context without running microtasks: for a look at values.
    pub(crate) fn look<R>(&mut self, f: impl for<'s, 'i> FnOnce(&mut Scope<'s, 'i>) -> R) -> R {
        let scope = pin!(v8::HandleScope::new(&mut self.isolate));
        let scope = &mut scope.init();
        let context = v8::Local::new(scope, &self.context);
        let scope = &mut v8::ContextScope::new(scope, context);
        f(scope)
    }

    /// Makes the realm usable after it was stopped. What had been put off for later is gone.
    pub(crate) fn recover(&mut self) {
        self.isolate.cancel_terminate_execution();
        let state = Rc::clone(&self.state);
        state.abandon_pending();
        self.look(|scope| state.hooks.get()?.drop_ticks(scope));
    }

    /// The end of a turn: notes what the isolate holds.
    pub(crate) fn check_memory(&mut self) {
        self.state.links.budget.forgive();
        if let Some(guard) = &self.guard {
            guard.check(&mut self.isolate);
        }
    }

    /// Whether the guest is within its memory limit, where it had passed it perhaps after
    /// garbage was collected.
    pub(crate) fn is_within_memory(&mut self) -> bool {
        match &self.guard {
            Some(guard) if guard.is_exceeded() => guard.recover(&mut self.isolate),
            _ => true,
        }
    }

    pub(crate) fn state(&self) -> &Rc<State> {
        &self.state
    }

    pub(crate) fn isolate(&mut self) -> &mut v8::Isolate {
        &mut self.isolate
    }

    /// Ends everything but the isolate, which a snapshot is then made of.
    pub(crate) fn into_isolate(mut self) -> v8::OwnedIsolate {
        self.isolate.remove_slot::<Rc<State>>();
        drop(self.pages);
        self.isolate
    }
}

/// Runs the ticks that are due; says whether there were any.
fn ticks(scope: &mut Scope<'_, '_>, state: &State) -> Option<bool> {
    // A termination ends one call into the engine; the next would begin anew.
    if state.links.terminator.verdict().is_some() {
        return None;
    }
    state.hooks.get()?.run_ticks(scope)
}

impl std::fmt::Debug for Realm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Realm")
    }
}
