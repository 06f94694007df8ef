//! Where a value lies in its file, for messages.

use std::fmt;
use std::sync::Arc;

use crate::text::quoted;

/// A file, or a step into something that lies in one. Clones share what lies before.
#[derive(Clone)]
pub(super) struct Place(Arc<Step>);

enum Step {
    File(String),
    Index(Place, usize),
    Name(Place, Arc<str>),
}

/// The last steps of a path say where it ends.
const SHOWN_STEPS: usize = 8;

impl Place {
    pub(super) fn file(name: &str) -> Place {
        Place(Arc::new(Step::File(name.to_string())))
    }

    pub(super) fn index(&self, index: usize) -> Place {
        Place(Arc::new(Step::Index(self.clone(), index)))
    }

    pub(super) fn name(&self, name: &str) -> Place {
        Place(Arc::new(Step::Name(self.clone(), name.into())))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut place = self;
        let file = loop {
            place = match &*place.0 {
                Step::File(name) => break name,
                Step::Index(inside, index) => {
                    steps.push(format!("[{index}]"));
                    inside
                }
                Step::Name(inside, name) => {
                    steps.push(format!("[{}]", quoted(name)));
                    inside
                }
            };
        };
        formatter.write_str(file)?;
        if !steps.is_empty() {
            formatter.write_str(if steps.len() > SHOWN_STEPS { ", …" } else { ", " })?;
        }
        steps.iter().take(SHOWN_STEPS).rev().try_for_each(|step| formatter.write_str(step))
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}
