//! A JavaScript error as flat, owned data: no V8 handle, no getter, no host path.

use crate::bounds::{
    MAX_CAUSES, MAX_MESSAGE, MAX_NAME, MAX_PATH, MAX_STACK, MAX_STACK_FRAMES, clip,
};
use crate::error::Fault;
use crate::wire::{Reader, Wire, Writer, malformed, over_bound};
use crate::{EncodeError, FrameError};

/// An error that a guest threw or left unhandled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsError {
    /// `TypeError`, `RangeError`, ...
    pub name: String,
    /// The message, without the name.
    pub message: String,
    /// Node's `code`, such as `ERR_MODULE_NOT_FOUND`.
    pub code: Option<String>,
    /// The formatted stack, as a Node user knows it.
    pub stack: String,
    /// The same stack, structured, innermost frame first.
    pub frames: Vec<StackFrame>,
    /// The error's `cause`. At most [`MAX_CAUSES`](crate::bounds::MAX_CAUSES) in a chain.
    pub cause: Option<Box<JsError>>,
}

/// One call in a stack, mapped through source maps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackFrame {
    /// The function's name, if it has one.
    pub function: Option<String>,
    /// The file as the guest sees it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl JsError {
    /// Cuts everything to its bound, so that the error can be sent whatever the
    /// guest put into it.
    pub fn clamp(&mut self) {
        let mut error = self;
        for depth in 0.. {
            error.clamp_own_fields();
            if depth == MAX_CAUSES {
                error.cause = None;
            }
            match error.cause {
                Some(ref mut cause) => error = cause,
                None => return,
            }
        }
    }

    fn clamp_own_fields(&mut self) {
        clip(&mut self.name, MAX_NAME);
        clip(&mut self.message, MAX_MESSAGE);
        if let Some(code) = &mut self.code {
            clip(code, MAX_NAME);
        }
        clip(&mut self.stack, MAX_STACK);
        self.frames.truncate(MAX_STACK_FRAMES);
        for frame in &mut self.frames {
            clip(&mut frame.file, MAX_PATH);
            if let Some(function) = &mut frame.function {
                clip(function, MAX_NAME);
            }
        }
    }

    /// Everything but the cause, which comes last.
    fn load_own_fields(src: &mut Reader) -> Result<JsError, FrameError> {
        Ok(JsError {
            name: src.text("js_error.name", MAX_NAME)?,
            message: src.text("js_error.message", MAX_MESSAGE)?,
            code: src.option("js_error.code", |src| src.text("js_error.code", MAX_NAME))?,
            stack: src.text("js_error.stack", MAX_STACK)?,
            frames: src.values("js_error.frames", MAX_STACK_FRAMES)?,
            cause: None,
        })
    }

    fn encode_own_fields(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("js_error.name", MAX_NAME, &self.name)?;
        dst.text("js_error.message", MAX_MESSAGE, &self.message)?;
        dst.option(self.code.as_ref(), |dst, code| {
            dst.text("js_error.code", MAX_NAME, code)
        })?;
        dst.text("js_error.stack", MAX_STACK, &self.stack)?;
        dst.values("js_error.frames", MAX_STACK_FRAMES, &self.frames)
    }
}

// PROTOCOL.md 3.4: the chain of causes is read and written in a loop, so that no
// chain from outside can exhaust the stack.
impl Wire for JsError {
    fn load(src: &mut Reader) -> Result<JsError, FrameError> {
        let outer = JsError::load_own_fields(src)?;
        let mut causes = Vec::new();
        while src.is_some("js_error.cause")? {
            if causes.len() == MAX_CAUSES {
                let fault = Fault::TooDeep { bound: MAX_CAUSES };
                return Err(malformed("js_error.cause", fault));
            }
            causes.push(JsError::load_own_fields(src)?);
        }
        let cause = causes.into_iter().rfold(None, |cause, error| {
            Some(Box::new(JsError { cause, ..error }))
        });
        Ok(JsError { cause, ..outer })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.encode_own_fields(dst)?;
        let mut cause = &self.cause;
        let mut depth = 0..MAX_CAUSES;
        while let Some(error) = cause {
            if depth.next().is_none() {
                let fault = Fault::TooDeep { bound: MAX_CAUSES };
                return Err(over_bound("js_error.cause", fault));
            }
            dst.number(true);
            error.encode_own_fields(dst)?;
            cause = &error.cause;
        }
        dst.number(false);
        Ok(())
    }
}

impl Wire for StackFrame {
    fn load(src: &mut Reader) -> Result<StackFrame, FrameError> {
        Ok(StackFrame {
            function: src.option("stack_frame.function", |src| {
                src.text("stack_frame.function", MAX_NAME)
            })?,
            file: src.text("stack_frame.file", MAX_PATH)?,
            line: src.number("stack_frame.line")?,
            column: src.number("stack_frame.column")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.option(self.function.as_ref(), |dst, text| {
            dst.text("stack_frame.function", MAX_NAME, text)
        })?;
        dst.text("stack_frame.file", MAX_PATH, &self.file)?;
        dst.number(self.line);
        dst.number(self.column);
        Ok(())
    }
}
