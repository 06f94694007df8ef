//! What the names that are known give when a pickle calls them.

use std::sync::Arc;

use super::arena::{Item, Node, text};
use super::fault::Fault;
use super::globals::{Global, Role};
use super::machine::Machine;
use super::numpy;
use super::opcodes::{INST, NEWOBJ_EX, OBJ, PERSID};
use crate::formats::pickle::SharedBytes;
use crate::formats::torch::{StorageType, TensorPlan, storage_alone};

impl Machine {
    /// `REDUCE` and its relatives: a name and its arguments.
    pub(super) fn call_operation(&mut self, operation: u8) -> Result<(), Fault> {
        let (callee, arguments) = match operation {
            INST => {
                let class = self.global_of_lines()?;
                (Item::Global(class), self.stack.pop_marked(self.at)?)
            }
            OBJ => {
                let mut items = self.stack.pop_marked(self.at)?;
                if items.is_empty() {
                    return Err(self.damaged("an object has no class"));
                }
                (items.remove(0), items)
            }
            _ => {
                if operation == NEWOBJ_EX {
                    let named = self.stack.pop(self.at)?;
                    if !matches!(self.arena.node(&named), Some(Node::Dict(entries)) if entries.is_empty()) {
                        return Err(Fault::refused("an object is made with named arguments; datasets have none."));
                    }
                }
                let arguments = self.stack.pop(self.at)?;
                let arguments = self.arena.tuple(&arguments).map(<[Item]>::to_vec);
                let arguments = arguments.ok_or_else(|| self.damaged("arguments are not a tuple"))?;
                self.arena.charge(arguments.len())?;
                (self.stack.pop(self.at)?, arguments)
            }
        };
        let result = match (&callee, self.arena.node(&callee), &arguments[..]) {
            (Item::Global(callee), ..) => self.call(*callee, arguments)?,
            (_, Some(Node::Object(Global { role: Role::BatchMaker, .. }, _)), [Item::Global(batch), ..]) => {
                self.call(*batch, Vec::new())?
            }
            _ => return Err(self.damaged("something is called that is no name")),
        };
        self.stack.push(result);
        Ok(())
    }

    fn call(&mut self, callee: Global, arguments: Vec<Item>) -> Result<Item, Fault> {
        let node = match callee.role {
            Role::ArrayStart => self.array_start(&arguments)?,
            Role::ElementType => numpy::element_type(&arguments)?,
            Role::ArrayFromBuffer => numpy::from_buffer(&self.file, &arguments, &mut self.arena)?,
            Role::Scalar => return numpy::scalar(&self.file, &arguments, &mut self.arena),
            Role::Dict => Node::Dict(self.dict_entries(&arguments, callee)?),
            Role::DefaultDict if arguments.len() <= 1 => Node::Dict(Vec::new()),
            Role::List => Node::List(self.copied_items(&arguments, callee)?),
            Role::Tuple => Node::Tuple(self.copied_items(&arguments, callee)?),
            Role::Set => Node::Set(self.copied_items(&arguments, callee)?),
            Role::Plain => return plain(callee, arguments),
            Role::Bytes | Role::Encode => return self.encoded(callee, &arguments),
            Role::ObjectStart => return self.object_start(callee, &arguments),
            Role::StorageInside => self.storage_inside(callee, &arguments)?,
            Role::Tensor | Role::TypedTensor => self.tensor(callee, &arguments)?,
            Role::Parameter => return self.parameter(callee, &arguments),
            Role::Object | Role::GraphStorage | Role::NetworkX | Role::BatchMaker | Role::Csr
                if arguments.is_empty() =>
            {
                Node::Object(callee, Vec::new())
            }
            _ => return Err(not_so(callee)),
        };
        self.arena.add(node)
    }

    fn array_start(&self, arguments: &[Item]) -> Result<Node, Fault> {
        match arguments {
            [Item::Global(Global { role: Role::ArrayClass, .. }), ..] => Ok(Node::Array(None)),
            _ => Err(Fault::refused("a NumPy array is of a class of its own; save plain arrays.")),
        }
    }

    /// The elements of the only argument, if there is one.
    fn copied_items(&mut self, arguments: &[Item], callee: Global) -> Result<Vec<Item>, Fault> {
        let items = match arguments {
            [] => Vec::new(),
            [only] => self.arena.items(only).ok_or_else(|| not_so(callee))?.to_vec(),
            _ => return Err(not_so(callee)),
        };
        self.arena.charge(items.len())?;
        Ok(items)
    }

    /// The entries of a dictionary made from nothing, from another one, or from a list of pairs.
    fn dict_entries(&mut self, arguments: &[Item], callee: Global) -> Result<Vec<(Item, Item)>, Fault> {
        let entries = match arguments {
            [] => Vec::new(),
            [only] => match self.arena.node(only) {
                Some(Node::Dict(entries)) => entries.clone(),
                _ => {
                    let pairs = self.arena.items(only).ok_or_else(|| not_so(callee))?.iter();
                    let pair = |item: &Item| match self.arena.items(item) {
                        Some([key, value]) => Ok((key.clone(), value.clone())),
                        _ => Err(not_so(callee)),
                    };
                    pairs.map(pair).collect::<Result<_, _>>()?
                }
            },
            _ => return Err(not_so(callee)),
        };
        self.arena.charge(entries.len())?;
        Ok(entries)
    }

    /// Bytes that protocol 2 spells as Latin-1 text.
    fn encoded(&mut self, callee: Global, arguments: &[Item]) -> Result<Item, Fault> {
        match arguments {
            [] if callee.role == Role::Bytes => Ok(Item::Bytes(SharedBytes::default())),
            [Item::Bytes(bytes)] if callee.role == Role::Bytes => Ok(Item::Bytes(bytes.clone())),
            [Item::Text(characters), coding] if matches!(text(coding), Some("latin1" | "latin-1")) => {
                self.arena.charge(characters.len())?;
                let bytes = characters.chars().map(|character| u8::try_from(u32::from(character)));
                let bytes = bytes.collect::<Result<Vec<u8>, _>>();
                bytes
                    .map(|bytes| Item::Bytes(SharedBytes::within(self.arena.budget(), bytes)))
                    .map_err(|_| not_so(callee))
            }
            _ => Err(not_so(callee)),
        }
    }

    /// Objects of protocols 0 and 1: the class, its base and nothing else.
    fn object_start(&mut self, callee: Global, arguments: &[Item]) -> Result<Item, Fault> {
        match arguments {
            [Item::Global(class), Item::Global(Global { role: Role::ObjectClass, .. }), Item::None] => {
                self.call(*class, Vec::new())
            }
            _ => Err(not_so(callee)),
        }
    }

    /// A plain pickle holds each storage as a whole file of `torch.save`. Such a file may not hold
    /// another one.
    fn storage_inside(&mut self, callee: Global, arguments: &[Item]) -> Result<Node, Fault> {
        let ([Item::Bytes(bytes)], false) = (arguments, self.storages) else {
            return Err(not_so(callee));
        };
        self.arena.charge(bytes.len())?;
        let (storage, elements, bytes) = storage_alone(&self.file, bytes.clone())?;
        let key: Arc<str> = self.arena.inside.len().to_string().into();
        self.arena.storages.insert(Arc::clone(&key), (storage, elements));
        self.arena.inside.insert(Arc::clone(&key), bytes);
        Ok(Node::Storage(key))
    }

    /// `_rebuild_tensor_v2(storage, offset, size, stride, ...)`; the third version names the type.
    fn tensor(&mut self, callee: Global, arguments: &[Item]) -> Result<Node, Fault> {
        let [storage, Item::Int(offset), size, strides, rest @ ..] = arguments else {
            return Err(not_so(callee));
        };
        let Some(Node::Storage(key)) = self.arena.node(storage) else {
            return Err(Fault::refused("a tensor has no storage."));
        };
        let declared = match (callee.role, rest.get(2)) {
            (Role::Tensor, _) => None,
            (_, Some(Item::Global(Global { role: Role::TensorType(element), .. }))) => Some(*element),
            _ => return Err(not_so(callee)),
        };
        let element = match (self.arena.storages.get(key), declared) {
            (_, Some(element)) | (Some(&(StorageType::Typed(element), _)), None) => element,
            _ => return Err(Fault::refused("a tensor has no type.")),
        };
        let lengths = |item: &Item| self.arena.lengths(item);
        let (Ok(offset), Some(shape), Some(strides)) = (usize::try_from(*offset), lengths(size), lengths(strides))
        else {
            return Err(Fault::refused("the offset, size or stride of a tensor is not one of whole numbers from 0."));
        };
        Ok(Node::Tensor(Box::new(TensorPlan { key: key.clone(), element, offset, shape, strides })))
    }

    fn parameter(&self, callee: Global, arguments: &[Item]) -> Result<Item, Fault> {
        match arguments {
            [tensor, ..] if matches!(self.arena.node(tensor), Some(Node::Tensor(_))) => Ok(tensor.clone()),
            _ => Err(not_so(callee)),
        }
    }

    /// `("storage", type, key, device, elements)`: the only thing that may lie outside the pickle.
    pub(super) fn persistent(&mut self, operation: u8) -> Result<(), Fault> {
        if !self.storages {
            let reason = "the pickle refers to something outside itself. If PyTorch saved it, name it .pt.";
            return Err(Fault::refused(reason));
        }
        let wrong = || Fault::refused("the pickle refers to something outside itself that is no storage of tensors.");
        if operation == PERSID {
            return Err(wrong());
        }
        let item = self.stack.pop(self.at)?;
        let (key, storage, elements) = match self.arena.tuple(&item) {
            Some(
                [
                    kind,
                    Item::Global(Global { role: Role::Storage(storage), .. }),
                    key,
                    _,
                    Item::Int(elements),
                    rest @ ..,
                ],
            ) if text(kind) == Some("storage") && rest.iter().all(|item| matches!(item, Item::None)) => {
                (text(key).ok_or_else(wrong)?.into(), *storage, usize::try_from(*elements).map_err(|_| wrong())?)
            }
            _ => return Err(wrong()),
        };
        let known = self.arena.storages.entry(Arc::clone(&key)).or_insert((storage, elements));
        if *known != (storage, elements) {
            return Err(Fault::refused("a storage of tensors has two types or sizes."));
        }
        let item = self.arena.add(Node::Storage(key))?;
        self.stack.push(item);
        Ok(())
    }
}

/// `int`, `float`, `str`, `bool` of a plain value: that value.
fn plain(callee: Global, arguments: Vec<Item>) -> Result<Item, Fault> {
    match (callee.name, &arguments[..]) {
        ("int", [item @ Item::Int(_)])
        | ("float", [item @ Item::Float(_)])
        | ("bool", [item @ Item::Bool(_)])
        | ("str", [item @ Item::Text(_)]) => Ok(item.clone()),
        ("str", []) => Ok(Item::Text("".into())),
        ("int", []) => Ok(Item::Int(0)),
        _ => Err(not_so(callee)),
    }
}

fn not_so(callee: Global) -> Fault {
    Fault::refused(format!("the pickle uses {} in a way that datasets do not; nothing was executed.", callee.name))
}
