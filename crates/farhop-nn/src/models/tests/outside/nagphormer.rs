//! NAGphormer. The files hold logarithms of probabilities; ours are what goes into that, and compared there.

use super::{Case, Get, How, Numbers, Outside, OutsideFile, Pass, compare_how};
use crate::{BatchArrays, InputShape, ModelConfig};

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, _) = file.arrays(false);
    // Eigenvectors are numbers of a node beside the others, and spread like these.
    let turned = [file.find("x")?.transposed(), file.find("lappe")?.transposed()];
    let numbers = Numbers::stacked(&turned).transposed();
    let inputs = InputShape::from(numbers.shape[1]);
    let arrays = BatchArrays { numbers: crate::BatchNumbers::Dense(numbers.to_f32()), ..arrays };
    assert_eq!(file.count("ffn_dim"), 2 * file.count("hidden"), "{}: the inner width", file.name);
    let config = ModelConfig::from_name("nagphormer").unwrap();
    let settings = [("width", "hidden"), ("layers", "layers"), ("heads", "heads"), ("hops", "hops")];
    let config = settings
        .into_iter()
        .try_fold(config, |config, (ours, theirs)| config.with(ours, file.config[theirs].clone()))
        .unwrap();
    let config = config.with("dropout", 0.0).unwrap().with("attention_dropout", 0.0).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let width = file.count("hidden");
    let mut table = vec![
        ("embedding".to_string(), get.turned("att_embeddings_nope.weight")),
        ("embedding_bias".to_string(), get.get("att_embeddings_nope.bias")),
        // The first half is that of the node itself: the same for all hops, without an effect.
        ("reading".to_string(), get.turned("attn_layer.weight").rows(width, 2 * width)),
        ("norm.scale".to_string(), get.get("final_ln.weight")),
        ("norm.shift".to_string(), get.get("final_ln.bias")),
    ];
    let mut linear = |ours: &str, theirs: &str| {
        table.push((format!("{ours}.weight"), get.turned(&format!("{theirs}.weight"))));
        table.push((format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))));
    };
    linear("head.hidden.0", "out_proj");
    linear("head.output", "Linear1");
    let maps = [
        ("query", "self_attention.linear_q"),
        ("key", "self_attention.linear_k"),
        ("value", "self_attention.linear_v"),
        ("output", "self_attention.output_layer"),
        ("inner", "ffn.layer1"),
        ("outer", "ffn.layer2"),
    ];
    for i in 0..file.count("layers") {
        for (ours, theirs) in maps {
            linear(&format!("layers.{i}.{ours}"), &format!("layers.{i}.{theirs}"));
        }
    }
    for i in 0..file.count("layers") {
        for (ours, theirs) in [("attention_norm", "self_attention_norm"), ("forward_norm", "ffn_norm")] {
            for (our, their) in [("scale", "weight"), ("shift", "bias")] {
                let name = format!("layers.{i}.{theirs}.{their}");
                table.push((format!("layers.{i}.{ours}.{our}"), get.get(&name)));
            }
        }
    }
    table
}

#[test]
fn nagphormer() {
    // The bias of the reading is the same for all hops, without an effect.
    let outside = Outside { folder: "nagphormer", case, table, unused: &["attn_layer.bias"], told: &[] };
    let pass = Pass { output: "mid/logits", cotangent: "grad/mid/logits", gradients: Some("grad/"), training: false };
    compare_how(&outside, &How { passes: &[pass], ..How::default() });
}
