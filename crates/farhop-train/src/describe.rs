//! What is known of a model, for whoever shows it.

use farhop_nn::{ModelConfig, Reach, Registration};
use serde_json::{Value, json};

/// A model as a tree: title, citation, idea, cost, limits, reach, properties, and every setting with its default, range and meaning.
pub fn describe(config: &ModelConfig) -> Value {
    let Registration { name, about, .. } = config.registration();
    let properties = config.properties();
    let settings = config.knobs().into_iter().map(|knob| {
        json!({ "key": knob.key, "default": config.get(knob.key), "allowed": knob.allowed, "about": knob.about })
    });
    json!({
        "model": name,
        "title": about.title,
        "citation": about.citation,
        "idea": about.idea,
        "cost": about.cost,
        "limits": about.limits,
        "reach": match config.reach() {
            Reach::Hops(hops) => Value::from(hops),
            Reach::WholeGraph => Value::from("whole graph"),
        },
        "reads_edge_features": properties.reads_edges,
        "equivariant": properties.equivariant,
        "most_nodes": properties.most_nodes,
        "settings": settings.collect::<Value>(),
    })
}
