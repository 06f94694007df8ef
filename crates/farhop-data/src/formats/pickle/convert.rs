//! From the machine's containers to checked values. Every container is converted_value once and shared
//! wherever it appears; one that contains itself is refused.

use std::sync::Arc;

use super::arena::{Arena, Item, Node, text};
use super::fault::Fault;
use super::globals::{Global, Role};
use super::machine::Program;
use super::value::{Kind, Object};
use super::{DEEPEST_NESTING, MOST_ELEMENTS};
use crate::dataset::csr::Csr;
use crate::formats::pickle::SharedBytes;
use crate::formats::torch::Tensor;
use crate::text::thousands;

/// Finds the bytes of a storage by its key.
pub(crate) type Resolve<'a> = dyn FnMut(&str) -> Result<SharedBytes, Fault> + 'a;

/// What a container has become.
enum State {
    Untouched,
    InProgress,
    Done(ConvertedValue),
}

/// A value with its size when everything in it is written out, and its depth.
#[derive(Clone)]
pub(super) struct ConvertedValue {
    kind: Kind,
    elements: u64,
    depth: usize,
}

/// Turns a program into its value; `resolve` finds the storages of tensors.
pub(crate) fn converted(program: Program, resolve: &mut Resolve<'_>) -> Result<Kind, Fault> {
    let Program { arena, root, file, .. } = program;
    let states = arena.nodes.iter().map(|_| State::Untouched).collect();
    let mut converter = Converter { arena, states, file, resolve };
    converter.item(&root, 0).map(|converted_value| converted_value.kind)
}

struct Converter<'a, 'b> {
    arena: Arena,
    states: Vec<State>,
    file: String,
    resolve: &'a mut Resolve<'b>,
}

/// Adds up what lies in a container.
#[derive(Default)]
struct Sum {
    elements: u64,
    depth: usize,
}

impl Converter<'_, '_> {
    fn item(&mut self, item: &Item, above: usize) -> Result<ConvertedValue, Fault> {
        let kind = match item {
            Item::None => Kind::None,
            Item::Bool(value) => Kind::Bool(*value),
            Item::Int(value) => Kind::Int(*value),
            Item::Float(value) => Kind::Float(*value),
            Item::Text(value) => Kind::Text(Arc::clone(value)),
            Item::Bytes(value) => Kind::Bytes(value.clone()),
            Item::Global(global) => Kind::Class(global.name),
            Item::Node(number) => return self.container(*number, above),
        };
        Ok(ConvertedValue { kind, elements: 1, depth: 0 })
    }

    fn container(&mut self, number: usize, above: usize) -> Result<ConvertedValue, Fault> {
        let (Some(state), Some(node)) = (self.states.get_mut(number), self.arena.nodes.get_mut(number)) else {
            return Err(Fault::refused("the pickle names a container that is not there."));
        };
        match state {
            State::Done(converted_value) => return Ok(converted_value.clone()),
            State::InProgress => {
                return Err(Fault::refused("the pickle holds a container that contains itself; datasets do not."));
            }
            State::Untouched => *state = State::InProgress,
        }
        let node = std::mem::replace(node, Node::Tuple(Vec::new()));
        let mut sum = Sum::default();
        let kind = if above > DEEPEST_NESTING { None } else { Some(self.node(node, above + 1, &mut sum)?) };
        let converted_value =
            ConvertedValue { kind: kind.unwrap_or(Kind::None), elements: sum.elements + 1, depth: sum.depth + 1 };
        if above > DEEPEST_NESTING || converted_value.depth > DEEPEST_NESTING {
            let reason = format!("containers lie in one another deeper than {DEEPEST_NESTING}, the limit.");
            return Err(Fault::refused(reason));
        }
        if converted_value.elements > MOST_ELEMENTS {
            let reason = "the pickle repeats its containers so often that they would have more than";
            return Err(Fault::refused(format!("{reason} {} elements, the limit.", thousands(MOST_ELEMENTS))));
        }
        if let Some(state) = self.states.get_mut(number) {
            *state = State::Done(converted_value.clone());
        }
        Ok(converted_value)
    }

    fn child(&mut self, item: &Item, above: usize, sum: &mut Sum) -> Result<Kind, Fault> {
        let converted_value = self.item(item, above)?;
        sum.elements = sum.elements.saturating_add(converted_value.elements);
        sum.depth = sum.depth.max(converted_value.depth);
        Ok(converted_value.kind)
    }

    fn node(&mut self, node: Node, above: usize, sum: &mut Sum) -> Result<Kind, Fault> {
        Ok(match node {
            Node::List(items) => Kind::List(self.children(&items, above, sum)?),
            Node::Tuple(items) => Kind::Tuple(self.children(&items, above, sum)?),
            Node::Set(items) => Kind::Set(self.children(&items, above, sum)?),
            Node::Dict(entries) => Kind::Dict(self.entries(&entries, above, sum)?),
            Node::Object(class, fields) => self.object(class, &fields, above, sum)?,
            Node::ElementType(_) => Kind::Class("numpy.dtype"),
            Node::Array(Some(array)) => Kind::Array(array),
            Node::Array(None) => return Err(Fault::refused("a NumPy array has no elements.")),
            Node::Storage(_) => return Err(Fault::refused("a storage of tensors stands alone; save tensors.")),
            Node::Tensor(plan) => {
                let storage = match self.arena.inside.get(&plan.key) {
                    Some(storage) => storage.clone(),
                    None => (self.resolve)(&plan.key)?,
                };
                Kind::Tensor(Arc::new(Tensor::new(*plan, storage).map_err(Fault::refused)?))
            }
        })
    }

    fn children(&mut self, items: &[Item], above: usize, sum: &mut Sum) -> Result<Arc<[Kind]>, Fault> {
        items.iter().map(|item| self.child(item, above, sum)).collect()
    }

    fn entries(&mut self, entries: &[(Item, Item)], above: usize, sum: &mut Sum) -> Result<Arc<[(Kind, Kind)]>, Fault> {
        let mut turn = |item: &Item| self.child(item, above, sum);
        entries.iter().map(|(key, value)| Ok((turn(key)?, turn(value)?))).collect()
    }

    fn object(&mut self, class: Global, fields: &[(Item, Item)], above: usize, sum: &mut Sum) -> Result<Kind, Fault> {
        let mut named = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            let name = text(key).ok_or_else(|| Fault::refused("a field of an object has no name."))?;
            // A storage of a graph points back at the graph, which owns it.
            if class.role == Role::GraphStorage && name == "_parent" {
                continue;
            }
            // Views that a graph of networkx keeps of itself point back at it.
            if class.role == Role::NetworkX && !["_node", "_adj", "graph"].contains(&name) {
                continue;
            }
            named.push((Arc::from(name), self.child(value, above, sum)?));
        }
        if class.role == Role::Csr {
            return self.csr(&named);
        }
        Ok(Kind::Object(Arc::new(Object { class: class.name, fields: flattened(class, named) })))
    }

    fn csr(&mut self, fields: &[(Arc<str>, Kind)]) -> Result<Kind, Fault> {
        let field = |wanted: &str| fields.iter().rfind(|(name, _)| &**name == wanted).map(|(_, kind)| kind);
        let array = |wanted: &str| match field(wanted) {
            Some(Kind::Array(array)) => Ok(array),
            _ => Err(Fault::refused(format!("a sparse matrix has no array {wanted}."))),
        };
        let shape = match field("_shape").or_else(|| field("shape")) {
            Some(Kind::Tuple(shape)) => match shape[..] {
                [Kind::Int(rows), Kind::Int(columns)] => [rows, columns],
                _ => return Err(Fault::refused("the shape of a sparse matrix is not two whole numbers.")),
            },
            _ => return Err(Fault::refused("a sparse matrix has no shape.")),
        };
        let (data, indices, offsets) = (array("data")?, array("indices")?, array("indptr")?);
        self.arena.charge(data.len() + indices.len() + offsets.len())?;
        let csr = Csr::from_arrays(&self.file, shape, data, indices, offsets);
        csr.map(|csr| Kind::Csr(Arc::new(csr))).map_err(|error| {
            let text = error.to_string();
            let reason = text.strip_prefix(&format!("{}: ", self.file)).unwrap_or(&text);
            Fault::refused(format!("damaged sparse matrix: {reason}"))
        })
    }
}

/// The fields of a graph, whether it holds them itself or in a storage with a mapping.
fn flattened(class: Global, fields: Vec<(Arc<str>, Kind)>) -> Vec<(Arc<str>, Kind)> {
    let inner = fields.iter().find_map(|(name, kind)| match (class.role, &**name, kind) {
        (Role::Object, "_store", Kind::Object(store)) => Some(store.fields.clone()),
        (Role::GraphStorage, "_mapping", Kind::Dict(entries)) => {
            let field = |(key, value): &(Kind, Kind)| match key {
                Kind::Text(name) => Some((Arc::clone(name), value.clone())),
                _ => None,
            };
            entries.iter().map(field).collect()
        }
        _ => None,
    });
    inner.unwrap_or(fields)
}
