//! `BUILD`: an object is given its state.

use super::arena::{Item, Node};
use super::fault::Fault;
use super::machine::Machine;
use super::numpy;

impl Machine {
    /// Takes the state and gives it to the object below.
    pub(super) fn build(&mut self) -> Result<(), Fault> {
        let state = self.stack.pop(self.at)?;
        let target = self.stack.top(self.at)?.clone();
        let state_items = self.arena.tuple(&state).map(<[Item]>::to_vec);
        self.arena.charge(state_items.as_ref().map_or(0, Vec::len))?;
        match (self.arena.node(&target), &state_items) {
            (Some(&Node::ElementType(old)), Some(items)) => {
                let new = numpy::with_order(old, items)?;
                self.replace(&target, Node::ElementType(new));
            }
            (Some(Node::Array(_)), Some(items)) => {
                let array = numpy::array(&self.file, items, &mut self.arena)?;
                self.replace(&target, array);
            }
            (Some(Node::Object(..)), _) => self.build_object(&target, &state)?,
            // Attributes that hang on a dictionary or a list are no data.
            (Some(Node::Dict(_) | Node::List(_)), None) => {}
            _ => return Err(self.damaged("a state is given to something that has none")),
        }
        Ok(())
    }

    fn replace(&mut self, target: &Item, node: Node) {
        if let Some(place) = self.arena.node_mut(target) {
            *place = node;
        }
    }

    /// Fields come as a dictionary, or as one for plain fields and one for slots.
    fn build_object(&mut self, target: &Item, state: &Item) -> Result<(), Fault> {
        let parts = self.arena.tuple(state).map_or_else(|| vec![state.clone()], <[Item]>::to_vec);
        let mut fields = Vec::new();
        for part in &parts {
            match (part, self.arena.node(part)) {
                (Item::None, _) => {}
                (_, Some(Node::Dict(entries))) => fields.extend(entries.iter().cloned()),
                _ => return Err(self.damaged("the state of an object is no dictionary")),
            }
        }
        self.arena.charge(fields.len())?;
        if let Some(Node::Object(_, known)) = self.arena.node_mut(target) {
            known.extend(fields);
        }
        Ok(())
    }
}
