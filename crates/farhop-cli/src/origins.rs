//! Where settings come from, told.

use farhop_train::{Origins, Used, value_text};
use serde_json::{Value, json};

use crate::console::Console;
use crate::table::TextTable;

/// All of them as a table.
pub fn table(origins: &Origins, console: &Console) -> String {
    let mut table = TextTable::new(&["setting", "value", "from"]);
    for used in &origins.used {
        table.row([used.key.clone(), value_text(&used.value), used.from.clone()]);
    }
    console.lines(&table)
}

/// As JSON.
pub fn object(origins: &Origins) -> Value {
    let one = |used: &Used| json!({ "setting": used.key, "value": used.value, "from": used.from });
    json!(origins.used.iter().map(one).collect::<Vec<_>>())
}

/// Says which settings are not the general defaults, in line with the data card.
pub fn say(origins: &Origins, console: &Console) {
    if let Some(text) = origins.short() {
        console.message(&format!("settings    {text}"));
    }
}
