//! The work itself, on a thread that has the stack for it.

use std::borrow::Cow;
use std::rc::Rc;

use protocol::{Jsx, TypeScript};
use swc_common::comments::{Comments, SingleThreadedComments};
use swc_common::errors::{DiagnosticBuilder, Emitter as DiagnosticEmitter, HANDLER, Handler};
use swc_common::source_map::DefaultSourceMapGenConfig;
use swc_common::sync::Lrc;
use swc_common::{
    BytePos, FileName, GLOBALS, Globals, Mark, SourceFile, SourceMap, Span, Spanned as _,
};
use swc_ecma_ast::{EsVersion, Program};
use swc_ecma_codegen::Emitter;
use swc_ecma_codegen::text_writer::JsWriter;
use swc_ecma_parser::{EsSyntax, Syntax, TsSyntax, parse_file_as_module, parse_file_as_program};
use swc_ecma_transforms_base::fixer::fixer;
use swc_ecma_transforms_base::helpers::{HELPERS, Helpers, inject_helpers};
use swc_ecma_transforms_base::hygiene::hygiene;
use swc_ecma_transforms_base::resolver;
use swc_ecma_transforms_react::{self as react, Runtime};
use swc_ecma_transforms_typescript::{
    ImportsNotUsedAsValues, TsImportExportAssignConfig, typescript,
};

use super::modifiers::{self, Broken};
use super::place::{Place, file_name};
use super::{JavaScript, Request, TypeScriptError, depth};
use crate::resolver::{Language, ModuleFormat};

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grammar {
    TypeScript,
    /// With elements.
    JavaScript,
}

/// Translates `text`. The stack below is what [`super::bounded`] asks for.
pub(super) fn translate(text: &str, request: &Request<'_>) -> Result<JavaScript, TypeScriptError> {
    let has_elements = matches!(request.language, Language::Jsx | Language::Tsx);
    if has_elements && request.options.jsx == Jsx::Off {
        return Err(TypeScriptError::JsxOff);
    }
    // The parser takes a first line `#!…` for one of its own; the mark of UTF-8 it does not.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    GLOBALS.set(&Globals::new(), || {
        let text = &*separate_modifiers(text, request)?;
        match (request.language, request.options.typescript) {
            (Language::JavaScript, _) => Ok(JavaScript {
                code: text.to_owned(),
                source_map: None,
            }),
            (Language::TypeScript, TypeScript::Strip) => strip(text, request),
            (Language::Tsx, TypeScript::Strip) => {
                // Stripped text has its places, so the map of the second step is that of both.
                let stripped = strip(text, request)?;
                rewrite(&stripped.code, request, Grammar::JavaScript)
            }
            (Language::TypeScript | Language::Tsx, TypeScript::Transform) => {
                rewrite(text, request, Grammar::TypeScript)
            }
            (Language::Jsx, _) => rewrite(text, request, Grammar::JavaScript),
        }
    })
}

/// Blanks the types.
fn strip(text: &str, request: &Request<'_>) -> Result<JavaScript, TypeScriptError> {
    let syntax = syntax_of(request, Grammar::TypeScript);
    let sources = Lrc::new(SourceMap::default());
    let file = sources.new_source_file(Lrc::new(FileName::Anon), text.to_owned());
    // The library reads it once more and walks over what it finds: looked at before that.
    drop(parse(&file, syntax, ModuleFormat::Undeclared, None)?);

    let seen = Rc::new(std::cell::RefCell::new(None));
    let collector = Collector {
        first: Rc::clone(&seen),
    };
    let handler = Handler::with_emitter(false, false, Box::new(collector));
    let options = swc_ts_fast_strip::Options {
        parser: ts_syntax(request),
        deprecated_ts_module_as_error: Some(true),
        ..swc_ts_fast_strip::Options::default()
    };
    let sources = Lrc::new(SourceMap::default());
    let stripped = HANDLER.set(&handler, || {
        swc_ts_fast_strip::operate(&sources, &handler, text.to_owned(), options)
    });
    match stripped {
        Ok(output) => Ok(JavaScript {
            code: output.code,
            source_map: None,
        }),
        Err(error) => {
            let (message, at) = seen.take().unwrap_or((error.message, BytePos(1)));
            let place = Place::at(text, offset(at, BytePos(1)));
            Err(match error.code {
                swc_ts_fast_strip::ErrorCode::UnsupportedSyntax
                    if message.starts_with("`module`") =>
                {
                    TypeScriptError::Unsupported { message, place }
                }
                swc_ts_fast_strip::ErrorCode::UnsupportedSyntax => {
                    TypeScriptError::NeedsTransform { message, place }
                }
                swc_ts_fast_strip::ErrorCode::InvalidSyntax => {
                    TypeScriptError::Invalid { message, place }
                }
                _ => TypeScriptError::Internal,
            })
        }
    }
}

/// Writes the code anew, without types and without elements.
fn rewrite(
    text: &str,
    request: &Request<'_>,
    grammar: Grammar,
) -> Result<JavaScript, TypeScriptError> {
    let sources = Lrc::new(SourceMap::default());
    let name = FileName::Custom(file_name(request.path).to_owned());
    let file = sources.new_source_file(Lrc::new(name), text.to_owned());
    let comments = SingleThreadedComments::default();
    let syntax = syntax_of(request, grammar);
    let mut program = parse(&file, syntax, request.format, Some(&comments))?;

    let seen = Rc::new(std::cell::RefCell::new(None));
    let collector = Collector {
        first: Rc::clone(&seen),
    };
    let handler = Handler::with_emitter(false, false, Box::new(collector));
    HANDLER.set(&handler, || {
        HELPERS.set(&Helpers::new(false), || {
            let passes = Passes {
                sources: &sources,
                comments: &comments,
                grammar,
            };
            passes.run(&mut program, request);
        });
    });
    if let Some((message, at)) = seen.take() {
        let place = Place::at(text, offset(at, file.start_pos));
        return Err(TypeScriptError::Unsupported { message, place });
    }
    print(&sources, &comments, &program)
}

/// `text` with a `;` behind each word that the library would take for a modifier and that is
/// the name of a property. It is as long as before.
fn separate_modifiers<'a>(
    text: &'a str,
    request: &Request<'_>,
) -> Result<Cow<'a, str>, TypeScriptError> {
    let is_typescript = matches!(request.language, Language::TypeScript | Language::Tsx);
    if !is_typescript || !modifiers::may_be_broken(text) {
        return Ok(Cow::Borrowed(text));
    }
    let sources = SourceMap::default();
    let file = sources.new_source_file(Lrc::new(FileName::Anon), text.to_owned());
    let syntax = Syntax::Typescript(ts_syntax(request));
    let format = match request.options.typescript {
        TypeScript::Strip => ModuleFormat::Undeclared,
        TypeScript::Transform => request.format,
    };
    let program = parse(&file, syntax, format, None)?;
    let broken = modifiers::broken(&program, text, file.start_pos);
    if broken.is_empty() {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = text.as_bytes().to_vec();
    for Broken { word, blank } in broken {
        let Some(byte) = blank.and_then(|at| bytes.get_mut(at)) else {
            return Err(TypeScriptError::Unsupported {
                message: "A line break makes this modifier the name of a property: write `;` \
                          behind it, or put it on the line of what it modifies"
                    .to_owned(),
                place: Place::at(text, word),
            });
        };
        *byte = b';';
    }
    // A byte of ASCII stands for another.
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| TypeScriptError::Internal)
}

struct Passes<'a> {
    sources: &'a Lrc<SourceMap>,
    comments: &'a SingleThreadedComments,
    grammar: Grammar,
}

impl Passes<'_> {
    fn run(&self, program: &mut Program, request: &Request<'_>) {
        let is_typescript = self.grammar == Grammar::TypeScript;
        let unresolved = Mark::new();
        let top_level = Mark::new();
        program.mutate(resolver(unresolved, top_level, is_typescript));
        if is_typescript {
            program.mutate(typescript::typescript(
                typescript_config(request),
                unresolved,
                top_level,
            ));
        }
        if let Some(options) = react_options(request) {
            let comments = Some(self.comments.clone());
            let sources = Lrc::clone(self.sources);
            program.mutate(react::jsx(
                sources, comments, options, top_level, unresolved,
            ));
        }
        program.mutate(inject_helpers(unresolved));
        program.mutate(hygiene());
        program.mutate(fixer(Some(self.comments)));
    }
}

/// As Node sets it: an import that is not marked as one of a type stays.
fn typescript_config(request: &Request<'_>) -> typescript::Config {
    typescript::Config {
        verbatim_module_syntax: true,
        native_class_properties: true,
        import_not_used_as_values: ImportsNotUsedAsValues::Preserve,
        no_empty_export: true,
        import_export_assign_config: if request.is_module() {
            TsImportExportAssignConfig::NodeNext
        } else {
            TsImportExportAssignConfig::Classic
        },
        ..typescript::Config::default()
    }
}

fn react_options(request: &Request<'_>) -> Option<react::Options> {
    if request.language == Language::TypeScript {
        return None;
    }
    let common = react::Options {
        next: Some(true),
        development: Some(false),
        ..react::Options::default()
    };
    match &request.options.jsx {
        Jsx::Off => None,
        Jsx::Automatic { import_source } => Some(react::Options {
            runtime: Some(Runtime::Automatic),
            import_source: Some(import_source.as_str().into()),
            ..common
        }),
        Jsx::Classic { factory, fragment } => Some(react::Options {
            runtime: Some(Runtime::Classic),
            pragma: Some(factory.clone().into()),
            pragma_frag: Some(fragment.clone().into()),
            ..common
        }),
    }
}

fn print(
    sources: &Lrc<SourceMap>,
    comments: &SingleThreadedComments,
    program: &Program,
) -> Result<JavaScript, TypeScriptError> {
    let mut code = Vec::new();
    let mut places = Vec::new();
    let mut emitter = Emitter {
        cfg: swc_ecma_codegen::Config::default(),
        comments: Some(comments),
        cm: Lrc::clone(sources),
        wr: JsWriter::new(Lrc::clone(sources), "\n", &mut code, Some(&mut places)),
    };
    let printed = emitter.emit_program(program);
    printed.map_err(|_| TypeScriptError::Internal)?;
    let map = sources.build_source_map(&places, None, DefaultSourceMapGenConfig);
    let mut source_map = Vec::new();
    map.to_writer(&mut source_map)
        .map_err(|_| TypeScriptError::Internal)?;
    let text = |bytes| String::from_utf8(bytes).map_err(|_| TypeScriptError::Internal);
    Ok(JavaScript {
        code: text(code)?,
        source_map: Some(text(source_map)?),
    })
}

fn ts_syntax(request: &Request<'_>) -> TsSyntax {
    TsSyntax {
        tsx: request.language == Language::Tsx,
        decorators: true,
        ..TsSyntax::default()
    }
}

fn syntax_of(request: &Request<'_>, grammar: Grammar) -> Syntax {
    if grammar == Grammar::TypeScript {
        return Syntax::Typescript(ts_syntax(request));
    }
    Syntax::Es(EsSyntax {
        jsx: true,
        decorators: true,
        import_attributes: true,
        auto_accessors: true,
        explicit_resource_management: true,
        ..EsSyntax::default()
    })
}

/// The syntax tree of `file`, no deeper than what every pass can walk over.
fn parse(
    file: &SourceFile,
    syntax: Syntax,
    format: ModuleFormat,
    comments: Option<&dyn Comments>,
) -> Result<Program, TypeScriptError> {
    let place = |at| Place::at(&file.src, offset(at, file.start_pos));
    let target = EsVersion::latest();
    let mut errors = Vec::new();
    // These are made within the library, and optimised with it: the stack that a level takes
    // is the same in every build of ours.
    let parsed = match format {
        ModuleFormat::EsModule => {
            parse_file_as_module(file, syntax, target, comments, &mut errors).map(Program::Module)
        }
        _ => parse_file_as_program(file, syntax, target, comments, &mut errors),
    };
    let error = match parsed {
        Ok(program) if errors.is_empty() => return checked(program, place),
        Ok(_) => errors.into_iter().next(),
        Err(error) => Some(error),
    };
    Err(match error {
        Some(error) => TypeScriptError::Invalid {
            message: error.kind().msg().into_owned(),
            place: place(error.span().lo),
        },
        None => TypeScriptError::Internal,
    })
}

fn checked(program: Program, place: impl Fn(BytePos) -> Place) -> Result<Program, TypeScriptError> {
    let found = depth::look(&program);
    let start = |span: Span| place(span.lo);
    if let Some(span) = found.too_deep {
        return Err(TypeScriptError::TooDeep { place: start(span) });
    }
    if let Some(span) = found.decorator {
        return Err(TypeScriptError::Unsupported {
            message: "Decorators are not supported".to_owned(),
            place: start(span),
        });
    }
    Ok(program)
}

pub(super) fn offset(at: BytePos, start: BytePos) -> usize {
    usize::try_from(at.0.saturating_sub(start.0)).unwrap_or(usize::MAX)
}

/// Keeps the first thing that the library says.
struct Collector {
    first: Rc<std::cell::RefCell<Option<(String, BytePos)>>>,
}

impl DiagnosticEmitter for Collector {
    fn emit(&mut self, diagnostic: &mut DiagnosticBuilder<'_>) {
        let at = diagnostic
            .span
            .primary_span()
            .map_or(BytePos(1), |span| span.lo);
        let message = diagnostic.message();
        self.first.borrow_mut().get_or_insert((message, at));
    }
}
