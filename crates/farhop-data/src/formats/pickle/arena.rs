//! What the machine builds: items on its stack, and the containers that they point to.
//!
//! Containers live in one list and are named by number, so sharing costs nothing and a container
//! that contains itself cannot leak.

use std::collections::HashMap;
use std::sync::Arc;

use super::convert::ConvertedValue;
use super::fault::Fault;
use super::globals::Global;
use super::numpy::ElementType;
use super::value::Kind;
use super::{MOST_CONTAINERS, MOST_ELEMENTS};
use crate::formats::npy::Array;
use crate::formats::pickle::SharedBytes;
use crate::formats::torch::{StorageType, TensorPlan};
use crate::memory::Budget;
use crate::text::thousands;

/// The most dimensions of an array or tensor.
const MOST_DIMENSIONS: usize = 32;

/// A value, cheap to copy.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    Bytes(SharedBytes),
    Global(Global),
    Node(usize),
}

/// A container.
#[derive(Debug)]
pub(crate) enum Node {
    List(Vec<Item>),
    Tuple(Vec<Item>),
    Dict(Vec<(Item, Item)>),
    Set(Vec<Item>),
    /// An object and its fields.
    Object(Global, Vec<(Item, Item)>),
    /// The type of elements of a NumPy array.
    ElementType(ElementType),
    /// A NumPy array; `None` until its elements come.
    Array(Option<Arc<Array>>),
    /// A storage of tensors.
    Storage(Arc<str>),
    /// A tensor of a storage.
    Tensor(Box<TensorPlan>),
}

/// The containers of a pickle.
pub(crate) struct Arena {
    pub(super) nodes: Vec<Node>,
    /// The storages that were named, with the type of their elements and how many there are.
    pub(crate) storages: HashMap<Arc<str>, (StorageType, usize)>,
    /// The bytes of storages that lie in the pickle itself.
    pub(super) inside: HashMap<Arc<str>, SharedBytes>,
    /// How many more bytes and items may be copied.
    copies_left: usize,
    elements_left: u64,
    budget: Budget,
}

impl Arena {
    /// An arena for a pickle of these bytes.
    pub(super) fn new(bytes: &SharedBytes) -> Self {
        // A file of a few bytes may hold a few arrays that have to be turned around.
        let copies_left = bytes.len().saturating_mul(4).saturating_add(1 << 16);
        Arena {
            nodes: Vec::new(),
            storages: HashMap::new(),
            inside: HashMap::new(),
            copies_left,
            elements_left: MOST_ELEMENTS,
            budget: bytes.budget().clone(),
        }
    }

    /// What may be made of the file.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Adds a container.
    pub(super) fn add(&mut self, node: Node) -> Result<Item, Fault> {
        if self.nodes.len() >= MOST_CONTAINERS {
            let most = thousands(MOST_CONTAINERS as u64);
            let reason = format!("the pickle holds more than {most} containers, the limit.");
            return Err(Fault::refused(reason));
        }
        // A container here, and the value that it becomes.
        self.budget.charge_for::<(Node, ConvertedValue)>(1)?;
        self.nodes.push(node);
        Ok(Item::Node(self.nodes.len() - 1))
    }

    /// The container that an item points to.
    pub(super) fn node(&self, item: &Item) -> Option<&Node> {
        match item {
            Item::Node(number) => self.nodes.get(*number),
            _ => None,
        }
    }

    /// The container that an item points to, to be changed.
    pub(super) fn node_mut(&mut self, item: &Item) -> Option<&mut Node> {
        match item {
            Item::Node(number) => self.nodes.get_mut(*number),
            _ => None,
        }
    }

    /// The items of a list, tuple or set.
    pub(super) fn items(&self, item: &Item) -> Option<&[Item]> {
        match self.node(item)? {
            Node::List(items) | Node::Tuple(items) | Node::Set(items) => Some(items),
            _ => None,
        }
    }

    /// The items of a tuple.
    pub(super) fn tuple(&self, item: &Item) -> Option<&[Item]> {
        match self.node(item)? {
            Node::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// The lengths in a tuple: up to 32 numbers that are not negative.
    pub(super) fn lengths(&self, item: &Item) -> Option<Vec<usize>> {
        let items = self.items(item).filter(|items| items.len() <= MOST_DIMENSIONS)?;
        items.iter().map(length).collect()
    }

    /// Counts bytes or items that are copied; an error beyond the limit, so that a few bytes of a pickle
    /// cannot be copied over and over.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        let left = self.copies_left.checked_sub(bytes);
        self.copies_left =
            left.ok_or_else(|| Fault::refused("the pickle copies the same values over and over; datasets do not."))?;
        Ok(())
    }

    /// Counts elements that come to lie in a container.
    pub(super) fn charge_elements(&mut self, elements: usize) -> Result<(), Fault> {
        let left = self.elements_left.checked_sub(elements as u64);
        self.elements_left = left.ok_or_else(|| {
            Fault::refused(format!("the pickle holds more than {} elements, the limit.", thousands(MOST_ELEMENTS)))
        })?;
        self.budget.charge_for::<(Item, Kind)>(elements)?;
        Ok(())
    }
}

/// A number that is not negative.
pub(super) fn length(item: &Item) -> Option<usize> {
    match item {
        Item::Int(number) => usize::try_from(*number).ok(),
        _ => None,
    }
}

/// An item as text: Python 2 wrote many texts as bytes.
pub(super) fn text(item: &Item) -> Option<&str> {
    match item {
        Item::Text(text) => Some(text),
        Item::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}
