//! NumPy's types, arrays and scalars.

use std::sync::Arc;

use super::arena::{Arena, Item, Node, text};
use super::fault::Fault;
use crate::formats::npy::{Array, Dtype, Header};
use crate::formats::pickle::SharedBytes;
use crate::text::quoted;

/// The type of the elements and their byte order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementType {
    /// `None` for Python objects.
    dtype: Option<Dtype>,
    big_endian: bool,
}

/// `dtype("f4", align, copy)`.
pub(super) fn element_type(arguments: &[Item]) -> Result<Node, Fault> {
    let name = arguments.first().and_then(text).ok_or_else(|| Fault::refused("a NumPy type has no name."))?;
    if name.starts_with('O') {
        return Ok(Node::ElementType(ElementType { dtype: None, big_endian: false }));
    }
    let (big_endian, dtype) = Dtype::parse(name).ok_or_else(|| {
        Fault::refused(format!(
            "NumPy elements of type {} are not supported; save them as f4, f8, i4, i8 or another plain type.",
            quoted(name)
        ))
    })?;
    Ok(Node::ElementType(ElementType { dtype: Some(dtype), big_endian }))
}

/// The state of a type, `(3, order, subtype, names, fields, ...)`: the byte order counts.
pub(super) fn with_order(old: ElementType, state: &[Item]) -> Result<ElementType, Fault> {
    let plain = state.iter().skip(2).take(3).all(|item| matches!(item, Item::None));
    match state.get(1).and_then(text) {
        Some(order @ ("<" | ">" | "|" | "=")) if plain => Ok(ElementType { big_endian: order == ">", ..old }),
        _ => Err(Fault::refused("a NumPy type is a record, or has an unknown byte order; save plain arrays.")),
    }
}

/// The state of an array, `(version, shape, type, fortran order, bytes)`. Objects come as a list and stay one.
pub(super) fn array(file: &str, state: &[Item], arena: &mut Arena) -> Result<Node, Fault> {
    let wrong = || Fault::refused("the parts of a NumPy array are not those that NumPy writes.");
    let [shape, element, fortran_order, bytes] = match state {
        [Item::Int(_), shape, element, order, bytes] | [shape, element, order, bytes] => [shape, element, order, bytes],
        _ => return Err(wrong()),
    };
    let fortran_order = match fortran_order {
        Item::Bool(order) => *order,
        Item::Int(order) => *order != 0,
        _ => return Err(wrong()),
    };
    if let Some(Node::ElementType(ElementType { dtype: None, .. })) = arena.node(element) {
        let items = arena.items(bytes).ok_or_else(wrong)?.to_vec();
        let lengths = arena.lengths(shape).ok_or_else(wrong)?;
        if lengths.iter().try_fold(1usize, |product, &length| product.checked_mul(length)) != Some(items.len()) {
            return Err(wrong());
        }
        arena.charge(items.len())?;
        return Ok(Node::List(items));
    }
    let Item::Bytes(bytes) = bytes else {
        return Err(wrong());
    };
    Ok(Node::Array(Some(assembled(file, shape, element, fortran_order, bytes, arena)?)))
}

/// `_frombuffer(bytes, type, shape, order)`.
pub(super) fn from_buffer(file: &str, arguments: &[Item], arena: &mut Arena) -> Result<Node, Fault> {
    let [Item::Bytes(bytes), element, shape, order] = arguments else {
        return Err(Fault::refused("the parts of a NumPy array are not those that NumPy writes."));
    };
    let fortran_order = match text(order) {
        Some("C") => false,
        Some("F") => true,
        _ => return Err(Fault::refused("a NumPy array is neither in C nor in Fortran order.")),
    };
    Ok(Node::Array(Some(assembled(file, shape, element, fortran_order, bytes, arena)?)))
}

fn assembled(
    file: &str,
    shape: &Item,
    element: &Item,
    fortran_order: bool,
    bytes: &SharedBytes,
    arena: &mut Arena,
) -> Result<Arc<Array>, Fault> {
    let (Some(shape), Some(&Node::ElementType(element))) = (arena.lengths(shape), arena.node(element)) else {
        return Err(Fault::refused("a NumPy array has no shape or no type."));
    };
    let ElementType { dtype: Some(dtype), big_endian } = element else {
        return Err(Fault::refused("a NumPy array of Python objects has no list of them."));
    };
    arena.charge(bytes.len() * (usize::from(big_endian) + usize::from(fortran_order)))?;
    let header = Header { dtype, big_endian, fortran_order, shape };
    let array = Array::assemble(file, header, bytes.clone());
    array.map(Arc::new).map_err(|reason| Fault::refused(format!("damaged NumPy array: {reason}")))
}

/// `scalar(type, bytes)`: a plain number, truth value or text.
pub(super) fn scalar(file: &str, arguments: &[Item], arena: &mut Arena) -> Result<Item, Fault> {
    let wrong = |_| Fault::refused("a NumPy scalar is not a number of 64 bits, a truth value or a text.");
    let [element, Item::Bytes(bytes)] = arguments else {
        return Err(Fault::refused("the parts of a NumPy scalar are not those that NumPy writes."));
    };
    let Some(&Node::ElementType(ElementType { dtype: Some(dtype), big_endian })) = arena.node(element) else {
        return Err(Fault::refused("a NumPy scalar has no type."));
    };
    arena.charge(2 * bytes.len())?;
    let header = Header { dtype, big_endian, fortran_order: false, shape: Vec::new() };
    let array = Array::assemble(file, header, bytes.clone())
        .map_err(|reason| Fault::refused(format!("damaged NumPy scalar: {reason}")))?;
    let item = match dtype {
        Dtype::Bool => array.to_bools().map_err(wrong)?.pop().map(Item::Bool),
        Dtype::Signed(_) | Dtype::Unsigned(_) => array.to_i64().map_err(wrong)?.pop().map(Item::Int),
        Dtype::Float(_) => array.to_f64().map_err(wrong)?.pop().map(Item::Float),
        Dtype::Text(_) | Dtype::Bytes(_) => array.to_text().map_err(wrong)?.pop().map(|text| Item::Text(text.into())),
    };
    item.ok_or_else(|| Fault::refused("a NumPy scalar is empty."))
}
