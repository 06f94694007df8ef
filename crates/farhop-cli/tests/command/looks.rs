//! Embeddings and hop attention beside predictions.

use crate::support::{Place, rows};

/// Numbers of a CSV, without its header and its first `keys` columns.
fn numbers(place: &Place, file: &str, keys: usize) -> Vec<Vec<f64>> {
    let rows = rows(&place.path(file));
    rows[1..].iter().map(|row| row[keys..].iter().map(|cell| cell.parse().unwrap()).collect()).collect()
}

/// A tensor of the run's weights.
fn tensor(place: &Place, name: &str) -> Vec<f64> {
    let bytes = place.read("run/model.safetensors");
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let place = |end: usize| header[name]["data_offsets"][end].as_u64().unwrap_or_else(|| panic!("{header}")) as usize;
    let data = &bytes[8 + length..][place(0)..place(1)];
    data.chunks(4).map(|number| f64::from(f32::from_le_bytes(number.try_into().unwrap()))).collect()
}

/// `x W + b`, then relu between the maps.
fn linear(x: &[f64], name: &str, place: &Place, relu: bool) -> Vec<f64> {
    let (weight, bias) = (tensor(place, &format!("{name}.weight")), tensor(place, &format!("{name}.bias")));
    let outputs = bias.len();
    assert_eq!(weight.len(), x.len() * outputs);
    let sum = |o: usize| bias[o] + x.iter().enumerate().map(|(i, x)| x * weight[i * outputs + o]).sum::<f64>();
    (0..outputs).map(sum).map(|value| if relu { value.max(0.0) } else { value }).collect()
}

#[test]
fn the_head_turns_embeddings_into_predictions() {
    for more in [&[][..], &["--parts", "3", "--halo", "2"][..]] {
        let place = Place::with_tables();
        place.train("run", &["--head-layers", "2"]).succeeded();
        let mut words = vec!["predict", "run", "--embeddings", "embeddings.csv", "--overwrite"];
        words.extend(more);
        place.farhop(&words.join(" ")).succeeded();
        let (embeddings, told) = (numbers(&place, "embeddings.csv", 1), numbers(&place, "run/predictions.csv", 2));
        assert_eq!((embeddings.len(), embeddings[0].len()), (40, 8));
        for (embedding, told) in embeddings.iter().zip(told) {
            let hidden = linear(embedding, "head.hidden.0", &place, true);
            let logits = linear(&hidden, "head.output", &place, false);
            let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
            for (logit, told) in logits.iter().zip(told) {
                assert!((logit.exp() / total - told).abs() < 1e-5, "{logits:?} {told}");
            }
        }
        let ids = |file: &str| rows(&place.path(file)).iter().map(|row| row[0].clone()).collect::<Vec<_>>();
        assert_eq!(ids("embeddings.csv"), ids("run/predictions.csv"));
        // The array has the same numbers.
        place.farhop(&words.join(" ").replace(".csv", ".npy")).succeeded();
        let bytes = place.read("embeddings.npy");
        let header = String::from_utf8_lossy(&bytes[..128]).into_owned();
        assert!(header.contains("(40, 8)"), "{header}");
        let data = &bytes[bytes.len() - 40 * 8 * 4..];
        let array: Vec<f64> =
            data.chunks(4).map(|number| f64::from(f32::from_le_bytes(number.try_into().unwrap()))).collect();
        let flat: Vec<f64> = embeddings.into_iter().flatten().map(|value| f64::from(value as f32)).collect();
        assert_eq!(array, flat);
    }
}

#[test]
fn hop_weights_are_shares_of_every_node_and_layer() {
    let place = Place::with_tables();
    place.train("run", &["--heads", "2"]).succeeded();
    place.farhop("predict run --hop-attention hops.csv").succeeded();
    let table = rows(&place.path("hops.csv"));
    assert_eq!(table[0], ["id", "layer", "head", "hop_1", "hop_2", "hop_3"]);
    assert_eq!(table.len(), 1 + 40 * 2 * 2, "nodes, layers, heads");
    for shares in numbers(&place, "hops.csv", 3) {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{shares:?}");
        assert!(shares.iter().all(|share| *share > 0.0));
    }
    place.farhop("predict run --hop-attention hops.npy --parts 3 --halo 6").succeeded();
    let bytes = place.read("hops.npy");
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("(2, 40, 2, 3)"));
    // Parts that see everything around them weigh as the whole graph does.
    let whole: Vec<f64> = numbers(&place, "hops.csv", 3).concat();
    let data = &bytes[bytes.len() - whole.len() * 4..];
    for (one, other) in data.chunks(4).map(|number| f32::from_le_bytes(number.try_into().unwrap())).zip(whole) {
        assert!((f64::from(one) - other).abs() < 1e-5, "{one} {other}");
    }
}

#[test]
fn what_has_no_hop_attention_says_so() {
    let place = Place::with_tables();
    let line = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --quiet --model gcn --width 8 --epochs 2 --out run";
    place.farhop(line).succeeded();
    place.refuses("predict run --hop-attention hops.csv --quiet", 1, &["gcn", "without hop attention", "Train a gen"]);
    place.refuses("predict run --embeddings hops.txt --quiet", 2, &["hops.txt", ".npy or .csv"]);
}
