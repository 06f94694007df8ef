//! The stack of the machine, its marks and its memory.

use std::collections::HashMap;

use super::MOST_MEMO_ENTRIES;
use super::arena::Item;
use super::fault::Fault;
use crate::text::thousands;

/// A stack that is cut into sections by marks: nothing below the last mark can be taken by accident.
#[derive(Default)]
pub(super) struct Stack {
    items: Vec<Item>,
    marks: Vec<usize>,
    memo: HashMap<u32, Item>,
}

impl Stack {
    pub(super) fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    pub(super) fn mark(&mut self) {
        self.marks.push(self.items.len());
    }

    /// How many items and marks there are.
    pub(super) fn height(&self) -> usize {
        self.items.len() + self.marks.len()
    }

    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    /// The topmost item.
    pub(super) fn top(&self, at: usize) -> Result<&Item, Fault> {
        let above = self.items.get(self.floor()..).unwrap_or_default();
        above.last().ok_or_else(|| Fault::damaged(at, "an operation finds no value"))
    }

    /// Takes the topmost item.
    pub(super) fn pop(&mut self, at: usize) -> Result<Item, Fault> {
        self.top(at)?;
        self.items.pop().ok_or_else(|| Fault::damaged(at, "an operation finds no value"))
    }

    /// Drops the topmost item, or the mark if it is on top.
    pub(super) fn drop_top(&mut self, at: usize) -> Result<(), Fault> {
        if self.marks.last() == Some(&self.items.len()) {
            self.marks.pop();
            return Ok(());
        }
        self.pop(at).map(drop)
    }

    /// Takes the topmost items, as many as the caller's array holds, in the order they were pushed.
    pub(super) fn pop_several(&mut self, count: usize, at: usize) -> Result<Vec<Item>, Fault> {
        if self.items.len() - self.floor() < count {
            return Err(Fault::damaged(at, "an operation finds too few values"));
        }
        Ok(self.items.split_off(self.items.len() - count))
    }

    /// Takes everything above the last mark, and the mark.
    pub(super) fn pop_marked(&mut self, at: usize) -> Result<Vec<Item>, Fault> {
        let mark = self.marks.pop().ok_or_else(|| Fault::damaged(at, "an operation finds no mark"))?;
        Ok(self.items.split_off(mark))
    }

    /// How many values are remembered.
    pub(super) fn remembered(&self) -> usize {
        self.memo.len()
    }

    /// Remembers the topmost item under a number.
    pub(super) fn remember(&mut self, number: u64, at: usize) -> Result<(), Fault> {
        let item = self.top(at)?.clone();
        let number = u32::try_from(number).map_err(|_| Fault::damaged(at, "a memory number is too large"))?;
        if self.memo.len() >= MOST_MEMO_ENTRIES {
            let most = thousands(MOST_MEMO_ENTRIES as u64);
            let reason = format!("the pickle remembers more than {most} values, the limit.");
            return Err(Fault::refused(reason));
        }
        self.memo.insert(number, item);
        Ok(())
    }

    /// Pushes what was remembered under a number.
    pub(super) fn recall(&mut self, number: u64, at: usize) -> Result<(), Fault> {
        let item = u32::try_from(number).ok().and_then(|number| self.memo.get(&number)).cloned();
        let missing = || Fault::damaged(at, &format!("nothing is remembered under {number}"));
        self.push(item.ok_or_else(missing)?);
        Ok(())
    }
}
