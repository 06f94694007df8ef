//! Deciding what target columns hold.

use super::cells::{Look, TargetCells, is_missing_target};
use super::{TargetColumns, TargetKind};
use crate::dataset::Level;
use crate::error::DataError;
use crate::error::setting::Setting;
use crate::text::{listed, thousands};

/// Whole numbers with more different values than this are not taken for classes.
const MOST_CLASSES: usize = 500;
/// Up to here whole numbers are classes even if some occur only once.
const FEW_CLASSES: usize = 20;

impl TargetColumns<'_> {
    /// Decides what the columns hold, if the user did not say; what was decided becomes a note unless it is plain.
    ///
    /// One column: numbers if most of its cells are numbers and one of them is not whole, or if they are whole but more
    /// than make sense as classes; otherwise classes. 0 and 1 (or no and yes) are two classes of nodes, but the answer to a
    /// question about graphs, where the usual score is of the ranking. Several columns: answers if all are 0, 1 (or no, yes)
    /// or empty, otherwise numbers.
    pub(super) fn infer(&self, level: Level, notes: &mut Vec<String>) -> Result<TargetKind, DataError> {
        let (kind, why) = match self.columns {
            [column] => infer_one(&column.look(), level),
            _ => self.infer_several()?,
        };
        if let Some(why) = why {
            let names = listed(self.columns.iter().map(|column| column.name.as_str()));
            notes.push(format!("target {names} {why}"));
        }
        Ok(kind)
    }

    fn infer_several(&self) -> Result<(TargetKind, Option<String>), DataError> {
        let looks: Vec<Look> = self.columns.iter().map(TargetCells::look).collect();
        if looks.iter().all(|look| look.binary) {
            let words = looks.iter().any(|look| look.numbers < look.present);
            let why = match words {
                true => "are yes, no or empty: read as labels.".to_string(),
                false => format!("are 0, 1 or empty: read as labels. {}", unless(TargetKind::Numbers)),
            };
            return Ok((TargetKind::Labels, Some(why)));
        }
        let text = |look: &Look| look.numbers * 2 <= look.present && look.present > 0;
        if let Some((_, column)) = looks.iter().zip(self.columns).find(|(look, _)| text(look)) {
            let is_text = |value: &String| !is_missing_target(value) && value.parse::<f64>().is_err();
            let first = column.values.iter().position(is_text).unwrap_or(0);
            return Err(DataError::TargetText { cell: self.cell(column, first) });
        }
        Ok((TargetKind::Numbers, Some("hold numbers: read as numbers.".to_string())))
    }
}

/// What to do if the target is something else.
fn unless(kind: TargetKind) -> String {
    let name = kind.name();
    format!("Pass {} if they are {name}.", Setting::to("task", name))
}

fn infer_one(look: &Look, level: Level) -> (TargetKind, Option<String>) {
    let different = thousands(look.different as u64);
    if look.binary && look.different > 2 && look.numbers < look.present {
        let why = format!("answers yes and no in several spellings: read as labels. {}", unless(TargetKind::Classes));
        return (TargetKind::Labels, Some(why));
    }
    if look.binary && look.present > 0 && level != Level::Node {
        return (TargetKind::Labels, None);
    }
    if look.numbers * 2 <= look.present {
        return (TargetKind::Classes, None);
    }
    if look.fraction {
        let why = format!("has numbers that are not whole: read as numbers. {}", unless(TargetKind::Classes));
        return (TargetKind::Numbers, Some(why));
    }
    let whole = look.numbers == look.present;
    let nearly_unique = look.present >= 20 && look.different * 2 > look.present;
    let rare = look.different > FEW_CLASSES && look.once > 0;
    if whole && (nearly_unique || rare || look.different > MOST_CLASSES) {
        let unless = unless(TargetKind::Classes);
        return (
            TargetKind::Numbers,
            Some(format!("has {different} different whole numbers: read as numbers. {unless}")),
        );
    }
    let why = (look.different > FEW_CLASSES)
        .then(|| format!("has {different} different values: read as classes. {}", unless(TargetKind::Numbers)));
    (TargetKind::Classes, why)
}
