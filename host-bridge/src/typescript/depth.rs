//! What a syntax tree has, seen before any pass of the library walks over it.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    Decorator, Expr, JSXElement, JSXFragment, JSXObject, Pat, Program, Stmt, TsEntityName,
    TsNamespaceDecl, TsType,
};
use swc_ecma_visit::{Visit, VisitWith};

/// Levels of the syntax tree. A chain counts one for each link, as in `a.b.c` or `a + b + c`.
pub(super) const MAX_DEPTH: u32 = 4000;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    depth: u32,
    /// The statement or expression that is deeper than [`MAX_DEPTH`].
    pub(super) too_deep: Option<Span>,
    /// The first decorator.
    pub(super) decorator: Option<Span>,
}

/// Looks at the whole of `program`, but no deeper than [`MAX_DEPTH`].
pub(super) fn look(program: &Program) -> Found {
    let mut found = Found::default();
    program.visit_with(&mut found);
    found
}

impl Found {
    fn descend<T: VisitWith<Found> + Spanned>(&mut self, node: &T) {
        if MAX_DEPTH <= self.depth {
            self.too_deep.get_or_insert(node.span());
            return;
        }
        self.depth = self.depth.saturating_add(1);
        node.visit_children_with(self);
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Every kind of node that can hold one of its own kind is here.
impl Visit for Found {
    fn visit_decorator(&mut self, node: &Decorator) {
        self.decorator.get_or_insert(node.span);
        node.visit_children_with(self);
    }

    fn visit_expr(&mut self, node: &Expr) {
        self.descend(node);
    }

    fn visit_stmt(&mut self, node: &Stmt) {
        self.descend(node);
    }

    fn visit_pat(&mut self, node: &Pat) {
        self.descend(node);
    }

    fn visit_ts_type(&mut self, node: &TsType) {
        self.descend(node);
    }

    fn visit_ts_entity_name(&mut self, node: &TsEntityName) {
        self.descend(node);
    }

    fn visit_ts_namespace_decl(&mut self, node: &TsNamespaceDecl) {
        self.descend(node);
    }

    fn visit_jsx_element(&mut self, node: &JSXElement) {
        self.descend(node);
    }

    fn visit_jsx_fragment(&mut self, node: &JSXFragment) {
        self.descend(node);
    }

    fn visit_jsx_object(&mut self, node: &JSXObject) {
        self.descend(node);
    }
}
