//! The machine: reads operations one after the other until the pickle stops.

use std::sync::Arc;

use super::arena::{Arena, Item, Node};
use super::fault::Fault;
use super::globals::global;
use super::input::Input;
use super::opcodes::*;
use super::stack::Stack;
use super::{LARGEST_PICKLE, MOST_WAITING, text_forms};
use crate::formats::pickle::SharedBytes;
use crate::text::thousands;

/// What a pickle has built.
pub(crate) struct Program {
    pub(crate) arena: Arena,
    pub(crate) root: Item,
    /// The name of the file.
    pub(crate) file: String,
    /// Where the pickle ends.
    pub(crate) end: usize,
}

impl Program {
    /// The key of the storage, if the pickle is one.
    pub(crate) fn root_storage(&self) -> Option<&Arc<str>> {
        match self.arena.node(&self.root) {
            Some(Node::Storage(key)) => Some(key),
            _ => None,
        }
    }
}

/// Reads one pickle. Storages of tensors are known only where `storages` is set.
pub(crate) fn run(file: &str, bytes: SharedBytes, storages: bool) -> Result<Program, Fault> {
    if bytes.len() as u64 > LARGEST_PICKLE {
        let reason = format!("the pickle is larger than {} bytes, the limit.", thousands(LARGEST_PICKLE));
        return Err(Fault::refused(reason));
    }
    if bytes.is_empty() {
        return Err(Fault::refused("the file is empty."));
    }
    let arena = Arena::new(&bytes);
    let input = Input::new(bytes);
    let mut machine = Machine { file: file.to_string(), input, stack: Stack::default(), arena, storages, at: 0 };
    while machine.step()? {
        if machine.stack.height() > MOST_WAITING {
            let reason = format!("more than {} values wait on the stack, the limit.", thousands(MOST_WAITING as u64));
            return Err(Fault::refused(reason));
        }
    }
    let root = machine.stack.pop(machine.at)?;
    Ok(Program { arena: machine.arena, root, file: machine.file, end: machine.input.at() })
}

pub(super) struct Machine {
    pub(super) file: String,
    pub(super) input: Input,
    pub(super) stack: Stack,
    pub(super) arena: Arena,
    pub(super) storages: bool,
    /// Where the present operation starts.
    pub(super) at: usize,
}

impl Machine {
    /// One operation; `false` at the end.
    fn step(&mut self) -> Result<bool, Fault> {
        self.at = self.input.at();
        let operation = self.input.byte()?;
        match operation {
            STOP => return Ok(false),
            PROTO => self.protocol()?,
            FRAME => self.frame()?,
            MARK => self.stack.mark(),
            POP => self.stack.drop_top(self.at)?,
            POP_MARK => drop(self.stack.pop_marked(self.at)?),
            DUP => self.stack.push(self.stack.top(self.at)?.clone()),
            NONE | NEWTRUE | NEWFALSE | INT | LONG | FLOAT | BININT | BININT1 | BININT2 | LONG1 | LONG4 | BINFLOAT => {
                self.number(operation)?
            }
            UNICODE | BINUNICODE | SHORT_BINUNICODE | BINUNICODE8 => self.text(operation)?,
            STRING | BINSTRING | SHORT_BINSTRING | BINBYTES | SHORT_BINBYTES | BINBYTES8 | BYTEARRAY8 => {
                self.bytes(operation)?
            }
            EMPTY_TUPLE | TUPLE1 | TUPLE2 | TUPLE3 | TUPLE | EMPTY_LIST | LIST | EMPTY_DICT | DICT | EMPTY_SET
            | FROZENSET => self.container(operation)?,
            APPEND | APPENDS | SETITEM | SETITEMS | ADDITEMS => self.fill(operation)?,
            PUT | BINPUT | LONG_BINPUT | MEMOIZE | GET | BINGET | LONG_BINGET => self.memory(operation)?,
            GLOBAL | STACK_GLOBAL => self.global(operation)?,
            REDUCE | NEWOBJ | NEWOBJ_EX | INST | OBJ => self.call_operation(operation)?,
            BUILD => self.build()?,
            PERSID | BINPERSID => self.persistent(operation)?,
            NEXT_BUFFER | READONLY_BUFFER => {
                let reason = "the pickle keeps its buffers outside the file. Save it without a buffer callback.";
                return Err(Fault::refused(reason));
            }
            _ => return Err(self.damaged(&format!("operation {operation:#04x} is not known"))),
        }
        Ok(true)
    }

    pub(super) fn damaged(&self, reason: &str) -> Fault {
        Fault::damaged(self.at, reason)
    }

    fn protocol(&mut self) -> Result<(), Fault> {
        match self.input.byte()? {
            0..=5 => Ok(()),
            other => Err(self.damaged(&format!("protocol {other} is not known; 0 to 5 are read"))),
        }
    }

    /// Frames only help to read ahead; their length must be true.
    fn frame(&mut self) -> Result<(), Fault> {
        let length = self.input.long_length()?;
        let left = (self.input.length() - self.input.at()) as u64;
        if length > left {
            return Err(self.damaged(&format!(
                "{} bytes are announced where {} are left",
                thousands(length),
                thousands(left)
            )));
        }
        Ok(())
    }

    fn number(&mut self, operation: u8) -> Result<(), Fault> {
        let input = &mut self.input;
        let item = match operation {
            NONE => Some(Item::None),
            NEWTRUE => Some(Item::Bool(true)),
            NEWFALSE => Some(Item::Bool(false)),
            INT => text_forms::int(&input.line()?),
            LONG => text_forms::long(&input.line()?),
            FLOAT => text_forms::float(&input.line()?),
            BININT => Some(Item::Int(i32::from_le_bytes(input.fixed()?).into())),
            BININT1 => Some(Item::Int(input.byte()?.into())),
            BININT2 => Some(Item::Int(u16::from_le_bytes(input.fixed()?).into())),
            BINFLOAT => Some(Item::Float(f64::from_be_bytes(input.fixed()?))),
            LONG1 => {
                let length = input.byte()?;
                text_forms::long_bytes(&input.take(length.into())?)
            }
            _ => {
                let length = input.short_length()?;
                text_forms::long_bytes(&input.take(length)?)
            }
        };
        let item = item.ok_or_else(|| {
            if matches!(operation, LONG1 | LONG4) {
                return Fault::refused("a whole number has more than 64 bits, the limit.");
            }
            self.damaged("a number is not one, or has more than 64 bits")
        })?;
        self.stack.push(item);
        Ok(())
    }

    fn text(&mut self, operation: u8) -> Result<(), Fault> {
        let length = match operation {
            UNICODE => {
                let line = self.input.line()?;
                let text = text_forms::escaped_text(&line);
                let text = text.ok_or_else(|| self.damaged("a text has an escape that is not one"))?;
                self.stack.push(Item::Text(text.into()));
                return Ok(());
            }
            SHORT_BINUNICODE => self.input.byte()?.into(),
            BINUNICODE => self.input.short_length()?,
            _ => self.input.long_length()?,
        };
        let bytes = self.input.take(length)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| self.damaged("a text is not UTF-8"))?;
        self.stack.push(Item::Text(text.into()));
        Ok(())
    }

    fn bytes(&mut self, operation: u8) -> Result<(), Fault> {
        let length = match operation {
            STRING => {
                let line = self.input.line()?;
                let bytes = text_forms::quoted_bytes(&line);
                let bytes =
                    bytes.ok_or_else(|| self.damaged("a string has no quotes, or an escape that is not one"))?;
                self.stack.push(Item::Bytes(SharedBytes::within(self.arena.budget(), bytes)));
                return Ok(());
            }
            SHORT_BINSTRING | SHORT_BINBYTES => self.input.byte()?.into(),
            BINSTRING | BINBYTES => self.input.short_length()?,
            _ => self.input.long_length()?,
        };
        let bytes = self.input.take(length)?;
        self.stack.push(Item::Bytes(bytes));
        Ok(())
    }

    fn container(&mut self, operation: u8) -> Result<(), Fault> {
        let items = match operation {
            EMPTY_TUPLE | EMPTY_LIST | EMPTY_DICT | EMPTY_SET => Vec::new(),
            TUPLE1 => self.stack.pop_several(1, self.at)?,
            TUPLE2 => self.stack.pop_several(2, self.at)?,
            TUPLE3 => self.stack.pop_several(3, self.at)?,
            _ => self.stack.pop_marked(self.at)?,
        };
        self.arena.charge_elements(items.len())?;
        let node = match operation {
            EMPTY_LIST | LIST => Node::List(items),
            EMPTY_DICT | DICT => Node::Dict(self.pairs(items)?),
            EMPTY_SET | FROZENSET => Node::Set(items),
            _ => Node::Tuple(items),
        };
        let item = self.arena.add(node)?;
        self.stack.push(item);
        Ok(())
    }

    fn pairs(&self, items: Vec<Item>) -> Result<Vec<(Item, Item)>, Fault> {
        if !items.len().is_multiple_of(2) {
            return Err(self.damaged("a key of a dictionary has no value"));
        }
        let mut pairs = Vec::with_capacity(items.len() / 2);
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            pairs.push((key, value));
        }
        Ok(pairs)
    }

    /// Adds to the container that lies below the items.
    fn fill(&mut self, operation: u8) -> Result<(), Fault> {
        let items = match operation {
            APPEND => self.stack.pop_several(1, self.at)?,
            SETITEM => self.stack.pop_several(2, self.at)?,
            _ => self.stack.pop_marked(self.at)?,
        };
        self.arena.charge_elements(items.len())?;
        let (items, pairs) = match operation {
            SETITEM | SETITEMS => (Vec::new(), self.pairs(items)?),
            _ => (items, Vec::new()),
        };
        let target = self.stack.top(self.at)?;
        match (operation, self.arena.node_mut(target)) {
            (APPEND | APPENDS, Some(Node::List(list))) => list.extend(items),
            (ADDITEMS, Some(Node::Set(set))) => set.extend(items),
            (SETITEM | SETITEMS, Some(Node::Dict(dict))) => dict.extend(pairs),
            _ => return Err(self.damaged("elements are added to something that has none")),
        }
        Ok(())
    }

    fn memory(&mut self, operation: u8) -> Result<(), Fault> {
        let number = match operation {
            MEMOIZE => Some(self.stack.remembered() as u64),
            BINPUT | BINGET => Some(self.input.byte()?.into()),
            LONG_BINPUT | LONG_BINGET => Some(self.input.short_length()?),
            _ => text_forms::memory_number(&self.input.line()?),
        };
        let number = number.ok_or_else(|| self.damaged("a memory number is not one"))?;
        match operation {
            GET | BINGET | LONG_BINGET => self.stack.recall(number, self.at),
            _ => self.stack.remember(number, self.at),
        }
    }

    fn global(&mut self, operation: u8) -> Result<(), Fault> {
        let found = if operation == GLOBAL {
            self.global_of_lines()?
        } else {
            let names = self.stack.pop_several(2, self.at)?;
            match &names[..] {
                [Item::Text(module), Item::Text(name)] => global(module, name)?,
                _ => return Err(self.damaged("a name is not text")),
            }
        };
        self.stack.push(Item::Global(found));
        Ok(())
    }

    /// A name as two lines: module and name.
    pub(super) fn global_of_lines(&mut self) -> Result<super::globals::Global, Fault> {
        let (module, name) = (self.input.line()?, self.input.line()?);
        global(&String::from_utf8_lossy(&module), &String::from_utf8_lossy(&name))
    }
}
