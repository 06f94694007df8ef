//! One whole GEN layer against numbers made outside the project (PyTorch in float64, gradients by autograd), through the literal
//! reference in f64 and through the f32 kernels. `scripts/gen_layer_fixtures.py` made the JSON files.

mod common;

use common::{f32s, normals};
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::dense::feed_forward;
use farhop_kernels::elimination::{self, Attention, Config, Mode, Reading, Source, Storage};
use farhop_kernels::gen_layer::{self, Given};
use farhop_kernels::heads::Heads;
use farhop_kernels::hop_attention::{self, Hops, RowGradients, Scratch};
use farhop_kernels::reference::elimination::{edge_attention, propagate};
use farhop_kernels::reference::real::{product, sum};
use farhop_kernels::reference::{Real, hop_attention as literal_hops, tape};
use std::collections::BTreeMap;
use std::path::Path;

struct Fixture {
    arrays: BTreeMap<String, Vec<f64>>,
    graph: Graph,
}

const PARAMETERS: [&str; 10] = ["x", "a", "Wq", "Wk", "Wv", "W", "fc1_w", "fc1_b", "fc2_w", "fc2_b"];
const IN: usize = 5;
const OUT: usize = 4;

impl Fixture {
    fn all() -> Vec<(String, Fixture)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gen_layer");
        let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        assert_eq!(found.len(), 6, "all six fixtures are there");
        found.iter().map(|path| (path.display().to_string(), Fixture::read(path))).collect()
    }

    fn read(path: &Path) -> Fixture {
        let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let arrays: BTreeMap<String, Vec<f64>> = json
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, array)| {
                (name.clone(), array["data"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect())
            })
            .collect();
        let rows: Vec<(u32, u32)> =
            arrays["src"].iter().zip(&arrays["dst"]).map(|(s, d)| (*s as u32, *d as u32)).collect();
        let nodes = arrays["num_nodes"][0] as usize;
        let graph = build(nodes, &rows, Direction::Undirected).unwrap().graph;
        // Both sort entries by (receiver, sender), so arrays over edges can be compared as they are.
        let reverse: Vec<f64> = graph.reverse().iter().map(|r| f64::from(*r)).collect();
        assert_eq!(reverse, arrays["rev"]);
        Fixture { arrays, graph }
    }

    fn get(&self, name: &str) -> &[f64] {
        &self.arrays[name]
    }

    fn rounds(&self) -> usize {
        self.get("K")[0] as usize
    }
}

/// Every array of the layer, literally.
struct Layer<T> {
    alpha: Vec<T>,
    alpha_self: Vec<T>,
    f: Vec<T>,
    h: Vec<Vec<T>>,
    htilde: Vec<T>,
    beta: Vec<T>,
    pre: Vec<T>,
    out: Vec<T>,
}

fn literal<T: Real>(fixture: &Fixture, p: &[Vec<T>]) -> Layer<T> {
    let [x, a, wq, wk, wv, w, fc1_w, fc1_b, fc2_w, fc2_b] = p else { panic!("ten parameters") };
    let (heads, slope) = (Heads::new(IN, 1), fixture.get("leaky_slope")[0]);
    let (gamma, eps) = (fixture.get("gamma")[0], fixture.get("eps")[0]);
    let result = propagate(&fixture.graph, heads, fixture.rounds(), Mode::Exact, x, |k, h| {
        let (left, right) = a[(k - 1) * 2 * IN..k * 2 * IN].split_at(IN);
        edge_attention(&fixture.graph, heads, h, left, right, None, slope, |_| 1.0)
    });
    // q folded: (x Wq) Wk^T.
    let mut wk_transposed = vec![T::of(0.0); IN * OUT];
    for i in 0..IN {
        for o in 0..OUT {
            wk_transposed[o * IN + i] = wk[i * OUT + o];
        }
    }
    let query = product(&product(x, wq, IN, OUT), &wk_transposed, OUT, IN);
    let (mixed, beta) =
        literal_hops::mix(heads, &result.states, Some(&query), None, gamma, eps, 1.0 / (OUT as f64).sqrt());
    let n = fixture.graph.nodes();
    let mut htilde = Vec::new();
    for i in 0..n {
        for state in &result.states {
            htilde.extend(literal_hops::compress(&state[i * IN..(i + 1) * IN], gamma, eps));
        }
    }
    let add = |a: Vec<T>, b: &[T]| -> Vec<T> { a.iter().zip(b).map(|(a, b)| *a + *b).collect() };
    let add_bias = |a: Vec<T>, b: &[T]| -> Vec<T> { a.iter().enumerate().map(|(n, v)| *v + b[n % b.len()]).collect() };
    let pre = add(product(x, w, IN, OUT), &product(&mixed, wv, IN, OUT));
    let hidden: Vec<T> = add_bias(product(&pre, fc1_w, OUT, OUT), fc1_b)
        .into_iter()
        .map(|v| if v.value() > 0.0 { v } else { T::of(0.0) })
        .collect();
    let out = add(add_bias(product(&hidden, fc2_w, OUT, OUT), fc2_b), &pre);
    Layer {
        alpha: result.coefficients.iter().flat_map(|c| c.edge.clone()).collect(),
        alpha_self: result.coefficients.iter().flat_map(|c| c.node.clone()).collect(),
        f: result.redundancy.concat(),
        h: result.states,
        htilde,
        beta,
        pre,
        out,
    }
}

fn assert_within(name: &str, actual: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len(), "{name}: lengths differ");
    for (n, (a, e)) in actual.iter().zip(expected).enumerate() {
        assert!((a - e).abs() <= tolerance, "{name}[{n}]: {a} against {e}");
    }
}

#[test]
fn the_literal_layer_equals_the_outside_numbers_in_f64() {
    for (file, fixture) in Fixture::all() {
        let inputs: Vec<&[f64]> = PARAMETERS.iter().map(|name| fixture.get(name)).collect();
        let variables = tape::record(&inputs);
        let layer = literal(&fixture, &variables);
        let value = |v: &[tape::Var]| v.iter().map(|x| x.value()).collect::<Vec<_>>();
        for (name, array) in [
            ("alpha", &layer.alpha),
            ("alpha_self", &layer.alpha_self),
            ("f", &layer.f),
            ("h", &layer.h.concat()),
            ("htilde", &layer.htilde),
            ("beta", &layer.beta),
            ("pre", &layer.pre),
            ("out", &layer.out),
        ] {
            assert_within(&format!("{file} {name}"), &value(array), fixture.get(name), 1e-10);
        }
        let loss = sum(layer.out.iter().zip(fixture.get("G")).map(|(o, g)| *o * tape::Var::of(*g)));
        assert_within(&format!("{file} loss"), &[loss.value()], fixture.get("loss"), 1e-10);
        let gradients = tape::gradients(loss, &variables);
        for (name, gradient) in PARAMETERS.iter().zip(&gradients) {
            assert_within(&format!("{file} grad_{name}"), gradient, fixture.get(&format!("grad_{name}")), 1e-10);
        }
        let of_states = tape::gradients(loss, &layer.h);
        assert_within(&format!("{file} grad_h"), &of_states.concat(), fixture.get("grad_h"), 1e-10);
    }
}

fn transposed(m: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|at| m[at % rows * columns + at / rows]).collect()
}

#[test]
fn the_f32_kernels_equal_the_outside_numbers() {
    for (file, fixture) in Fixture::all() {
        let p: Vec<Vec<f32>> = PARAMETERS.iter().map(|name| f32s(fixture.get(name))).collect();
        let [x, a, wq, wk, wv, w, fc1_w, fc1_b, fc2_w, fc2_b] = &p[..] else { panic!("ten parameters") };
        let (graph, n, rounds) = (&fixture.graph, fixture.graph.nodes(), fixture.rounds());
        let elimination = Config {
            rounds,
            heads: Heads::new(IN, 1),
            mode: Mode::Exact,
            skip_negligible: true,
            storage: Storage::Full,
        };
        let attention = Attention {
            weights: a,
            each_round: true,
            bias: None,
            slope: fixture.get("leaky_slope")[0] as f32,
            dropout: None,
        };
        let source = Source::Attention(attention);
        let hop_config = hop_attention::Config {
            heads: Heads::new(IN, 1),
            reading: Reading::Cumulative,
            include_self: false,
            gamma: fixture.get("gamma")[0] as f32,
            epsilon: fixture.get("eps")[0] as f32,
            scale: 0.5,
        };
        let check = |name: &str, actual: &[f32]| {
            let expected = fixture.get(name);
            let difference = common::relative(actual, expected, 1e-3);
            assert!(difference < 1e-4, "{file} {name}: relative difference {difference:e}");
        };
        // Forward.
        let kept = elimination::forward(graph, &elimination, &source, x);
        check("alpha", &kept.edge);
        check("alpha_self", &kept.node);
        let coefficients = kept.coefficients(&source, rounds);
        check("h", &elimination::cumulative(&elimination, &coefficients, x, &kept.increments));
        let hops = Hops { elimination: &elimination, coefficients, z: x, increments: &kept.increments, bias: None };
        let fold = product(wq, &transposed(wk, IN, OUT), OUT, IN);
        let query = product(x, &fold, IN, IN);
        check("beta", &hop_attention::distributions(&hop_config, &hops, Some(&query)));
        let mixed = hop_attention::forward(&hop_config, &hops, Some(&query));
        let mut pre = product(x, w, IN, OUT);
        for (p, m) in pre.iter_mut().zip(product(&mixed, wv, IN, OUT)) {
            *p += m;
        }
        check("pre", &pre);
        let feed = feed_forward::Parameters { w1: fc1_w, b1: fc1_b, w2: fc2_w, b2: fc2_b };
        let mut out = vec![0.0; n * OUT];
        feed_forward::forward(&pre, feed, n, &mut out);
        check("out", &out);
        // Backward, the whole layer as one operation.
        let config = gen_layer::Config { elimination, hops: hop_config, outputs: OUT, recompute: false };
        let weights =
            gen_layer::Weights { query_key: Some((wq, wk)), hop_bias: None, value: Some(wv), residual: Some(w) };
        check("beta", &gen_layer::distributions(graph, &config, &source, &weights, x));
        let mut d_pre = vec![0.0; n * OUT];
        let feed_gradients = feed_forward::backward(&pre, feed, &f32s(fixture.get("G")), n, &mut d_pre);
        check("grad_fc1_w", &feed_gradients.w1);
        check("grad_fc1_b", &feed_gradients.b1);
        check("grad_fc2_w", &feed_gradients.w2);
        check("grad_fc2_b", &feed_gradients.b2);
        for recompute in [false, true] {
            let config = gen_layer::Config { recompute, ..config };
            let (pre, kept) = gen_layer::forward(graph, &config, &source, &weights, x, true);
            check("pre", &pre);
            assert_eq!(kept.is_none(), recompute);
            let gradients =
                gen_layer::backward(graph, &config, &source, &weights, x, kept, Given::Pre(d_pre.clone()), true);
            check("grad_a", &gradients.attention);
            check("grad_Wq", &gradients.query);
            check("grad_Wk", &gradients.key);
            check("grad_Wv", &gradients.value);
            check("grad_W", &gradients.residual);
            check("grad_x", &gradients.z);
            // The same with the feed-forward network in it.
            let fed = gen_layer::forward_fed(graph, &config, &source, &weights, Some(feed), x, true);
            check("out", &fed.output);
            check("pre", &fed.pre);
            let cotangent = f32s(fixture.get("G"));
            let given = Given::Fed(fed.pre, feed, &cotangent);
            let gradients = gen_layer::backward(graph, &config, &source, &weights, x, fed.kept, given, true);
            for (name, found) in [
                ("grad_a", &gradients.attention),
                ("grad_Wq", &gradients.query),
                ("grad_Wk", &gradients.key),
                ("grad_Wv", &gradients.value),
                ("grad_W", &gradients.residual),
                ("grad_x", &gradients.z),
            ] {
                check(name, found);
            }
            let of_feed = gradients.feed.unwrap();
            for (name, found) in [
                ("grad_fc1_w", &of_feed.w1),
                ("grad_fc1_b", &of_feed.b1),
                ("grad_fc2_w", &of_feed.w2),
                ("grad_fc2_b", &of_feed.b2),
            ] {
                check(name, found);
            }
        }
        let alone = gen_layer::forward_fed(graph, &config, &source, &weights, Some(feed), x, false);
        check("out", &alone.output);
        assert!(alone.pre.is_empty() && alone.kept.is_none());
    }
}

#[test]
fn hop_attention_equals_the_literal_version_with_heads_and_readings() {
    let graph = common::random_graph(11, 20, Direction::Undirected, 4);
    let (n, rounds, width) = (graph.nodes(), 4, 6);
    for (count, reading, include_self, gamma, with_query, with_bias) in [
        (1, Reading::Cumulative, false, 0.5, true, false),
        (2, Reading::Increment, true, 0.75, true, true),
        (3, Reading::Cumulative, true, 0.0, true, true),
        (2, Reading::Increment, false, 1.0, false, false),
    ] {
        let heads = Heads::new(width, count);
        let problem = common::Problem::attention(graph.clone(), rounds, heads, Mode::Exact, true, 8);
        let query = normals(n * width, 1.0, 31);
        let config = hop_attention::Config { heads, reading, include_self, gamma, epsilon: 1e-6, scale: 0.7 };
        let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
        let (states, increments) = problem.literal(&inputs);
        let read = if reading == Reading::Cumulative { states } else { increments };
        let mut hops: Vec<Vec<f64>> = read.chunks(n * width).map(|c| c.to_vec()).collect();
        if include_self {
            hops.insert(0, problem.z.clone());
        }
        let literal_query = with_query.then_some(&query[..]);
        let bias = normals(count * hops.len(), 1.0, 33);
        let literal_bias = with_bias.then_some(&bias[..]);
        let (mixed, beta) = literal_hops::mix(heads, &hops, literal_query, literal_bias, f64::from(gamma), 1e-6, 0.7);
        let cotangent = normals(n * width, 1.0, 32);
        let lists: Vec<&[f64]> = hops.iter().map(|h| &h[..]).chain([&query[..], &bias[..]]).collect();
        let variables = tape::record(&lists);
        let (hop_variables, others) = variables.split_at(hops.len());
        let recorded_query = with_query.then_some(&others[0][..]);
        let recorded_bias = with_bias.then_some(&others[1][..]);
        let (recorded, _) =
            literal_hops::mix(heads, hop_variables, recorded_query, recorded_bias, f64::from(gamma), 1e-6, 0.7);
        let loss = sum(recorded.iter().zip(&cotangent).map(|(m, c)| *m * tape::Var::of(*c)));
        let expected = tape::gradients(loss, &variables);
        problem.with_source(|source, z| {
            let kept = elimination::forward(&problem.graph, &problem.config, source, z);
            let coefficients = kept.coefficients(source, rounds);
            let bias32 = f32s(&bias);
            let bias = with_bias.then_some(&bias32[..]);
            let hops = Hops { elimination: &problem.config, coefficients, z, increments: &kept.increments, bias };
            let query32 = f32s(&query);
            let kernel_query = with_query.then_some(&query32[..]);
            common::assert_close("mixed", &hop_attention::forward(&config, &hops, kernel_query), &mixed, 2e-5);
            common::assert_close("beta", &hop_attention::distributions(&config, &hops, kernel_query), &beta, 2e-5);
            let mut scratch = Scratch::new(&config, rounds);
            let mut bias_gradient = vec![0.0; bias32.len()];
            for i in 0..n {
                let row = i * width..(i + 1) * width;
                let (mut block, mut own) = (vec![0.0; rounds * width], vec![0.0; width]);
                let (mut q, mut m) = (query32[row.clone()].to_vec(), f32s(&cotangent[row.clone()]));
                let mut t = vec![0.0; bias32.len()];
                let rows = RowGradients {
                    hops: &mut block,
                    own: &mut own,
                    query: with_query.then_some(&mut q),
                    scores: with_bias.then_some(&mut t),
                    mixed: &mut m,
                };
                hop_attention::backward_row(&config, &hops, None, i, &mut scratch, rows);
                bias_gradient.iter_mut().zip(t).for_each(|(sum, value)| *sum += value);
                let first = usize::from(include_self);
                for k in 0..rounds {
                    common::assert_close(
                        "hop gradient",
                        &block[k * width..(k + 1) * width],
                        &expected[first + k][row.clone()],
                        5e-5,
                    );
                }
                if include_self {
                    common::assert_close("own gradient", &own, &expected[0][row.clone()], 5e-5);
                }
                if with_query {
                    common::assert_close("query gradient", &q, &expected[expected.len() - 2][row.clone()], 5e-5);
                }
                common::assert_close("mixed again", &m, &mixed[row], 2e-5);
            }
            if with_bias {
                common::assert_close("bias gradient", &bias_gradient, &expected[expected.len() - 1], 5e-5);
            }
        });
    }
}

#[test]
fn wide_features_and_several_heads_have_the_literal_gradients() {
    let graph = common::random_graph(9, 14, Direction::Undirected, 6);
    // 16 channels to 2 outputs takes the two-step queries, 3 to 4 the folded ones; as many outputs as channels share memory.
    // Then W_V or W or both are left out, which is an identity or zeros in their place.
    let all =
        [(16, 2, 2), (16, 4, 1), (6, 4, 2), (64, 3, 1), (16, 16, 2), (33, 33, 1)].map(|sizes| (sizes, true, true));
    let some = [((16, 16, 2), false, true), ((33, 33, 1), false, false), ((16, 4, 1), true, false)];
    for ((width, outputs, count), has_value, has_own) in all.into_iter().chain(some) {
        let (n, rounds, key) = (graph.nodes(), 3, outputs / count);
        let heads = Heads::new(width, count);
        let sizes = [
            n * width,
            rounds * 2 * width,
            width * count * key,
            width * key,
            count * rounds,
            width * outputs,
            width * outputs,
        ];
        let mut inputs: Vec<Vec<f64>> =
            sizes.iter().enumerate().map(|(i, &len)| normals(len, 0.5, 50 + i as u64)).collect();
        if !has_value {
            inputs[5] = (0..width * outputs).map(|at| if at / outputs == at % outputs { 1.0 } else { 0.0 }).collect();
        }
        if !has_own {
            inputs[6].fill(0.0);
        }
        let cotangent = normals(n * outputs, 1.0, 60);
        let scale = 1.0 / (key as f64).sqrt();
        let lists: Vec<&[f64]> = inputs.iter().map(|v| &v[..]).collect();
        let variables = tape::record(&lists);
        let [z, a, wq, wk, t, wv, w] = &variables[..] else { panic!("seven inputs") };
        let states = propagate(&graph, heads, rounds, Mode::Exact, z, |k, h| {
            let (left, right) = a[(k - 1) * 2 * width..k * 2 * width].split_at(width);
            edge_attention(&graph, heads, h, left, right, None, 0.2, |_| 1.0)
        })
        .states;
        let projected = product(z, wq, width, count * key);
        let mut query = vec![tape::Var::of(0.0); n * width];
        for i in 0..n {
            for h in 0..count {
                for f in heads.range(h) {
                    query[i * width + f] =
                        sum((0..key).map(|c| projected[i * count * key + h * key + c] * wk[f * key + c]));
                }
            }
        }
        let (mixed, _) = literal_hops::mix(heads, &states, Some(&query), Some(t), 0.5, 1e-6, scale);
        let first = product(z, w, width, outputs);
        let second = product(&mixed, wv, width, outputs);
        let pre: Vec<tape::Var> = first.iter().zip(&second).map(|(a, b)| *a + *b).collect();
        let loss = sum(pre.iter().zip(&cotangent).map(|(p, c)| *p * tape::Var::of(*c)));
        let expected = tape::gradients(loss, &variables);

        let f: Vec<Vec<f32>> = inputs.iter().map(|v| f32s(v)).collect();
        let hops = hop_attention::Config {
            heads,
            reading: Reading::Cumulative,
            include_self: false,
            gamma: 0.5,
            epsilon: 1e-6,
            scale: scale as f32,
        };
        let source =
            Source::Attention(Attention { weights: &f[1], each_round: true, bias: None, slope: 0.2, dropout: None });
        let weights = gen_layer::Weights {
            query_key: Some((&f[2], &f[3])),
            hop_bias: Some(&f[4]),
            value: has_value.then_some(&f[5]),
            residual: has_own.then_some(&f[6]),
        };
        let values: Vec<f64> = pre.iter().map(|v| v.value()).collect();
        // A packed number is off by half of 1 / 32767 of its row's largest, in each of the rounds.
        let step = 0.5 / 32767.0 * rounds as f64;
        for (storage, forward, backward) in [(Storage::Full, 2e-5, 1e-4), (Storage::Packed, 4.0 * step, 8.0 * step)] {
            let elimination = Config { rounds, heads, mode: Mode::Exact, skip_negligible: true, storage };
            for recompute in [false, true] {
                let config = gen_layer::Config { elimination, hops, outputs, recompute };
                let (out, kept) = gen_layer::forward(&graph, &config, &source, &weights, &f[0], true);
                common::assert_close("pre", &out, &values, forward);
                assert_eq!(
                    kept.as_ref().map(|kept| kept.increments.is_empty()),
                    (!recompute).then_some(storage == Storage::Packed)
                );
                let g = gen_layer::backward(
                    &graph,
                    &config,
                    &source,
                    &weights,
                    &f[0],
                    kept,
                    Given::Pre(f32s(&cotangent)),
                    true,
                );
                let actual = [g.z, g.attention, g.query, g.key, g.hop_bias, g.value, g.residual];
                for (n, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
                    if n == 5 && !has_value || n == 6 && !has_own {
                        assert!(actual.is_empty());
                        continue;
                    }
                    let what = format!("{width} channels, {count} heads, {storage:?}, input {n}");
                    common::assert_close(&what, actual, expected, backward);
                }
            }
        }
    }
}

/// What parameters get does not depend on whether anybody asks for the gradient of the features, in any mode and with any number of rounds.
#[test]
fn parameters_get_the_same_where_the_features_need_no_gradient() {
    let (graph, width, outputs) = (common::random_graph(12, 26, Direction::Undirected, 7), 6, 6);
    for mode in [Mode::Exact, Mode::SelfLoop, Mode::None] {
        for (rounds, each_round, count) in [(1, true, 1), (2, true, 2), (3, false, 1), (4, true, 1), (5, true, 3)] {
            for (reading, include_self) in [(Reading::Cumulative, false), (Reading::Increment, true)] {
                let heads = Heads::new(width, count);
                let numbers = |size: usize, seed: u64| f32s(&normals(size, 0.4, seed));
                let z = numbers(graph.nodes() * width, 1);
                let attention = numbers(rounds * 2 * width, 2);
                let bias = numbers(graph.entries() * count, 3);
                let [query, key] = [numbers(width * count * 2, 4), numbers(width * 2, 5)];
                let [value, residual] = [numbers(width * outputs, 6), numbers(width * outputs, 7)];
                let sets = if each_round { rounds } else { 1 };
                let source = Source::Attention(Attention {
                    weights: &attention[..sets * 2 * width],
                    each_round,
                    bias: Some(&bias),
                    slope: 0.2,
                    dropout: None,
                });
                let weights = gen_layer::Weights {
                    query_key: Some((&query, &key)),
                    hop_bias: None,
                    value: Some(&value),
                    residual: Some(&residual),
                };
                let storage = Storage::Full;
                let elimination = Config { rounds, heads, mode, skip_negligible: true, storage };
                let hops =
                    hop_attention::Config { heads, reading, include_self, gamma: 0.5, epsilon: 1e-6, scale: 0.7 };
                let config = gen_layer::Config { elimination, hops, outputs, recompute: false };
                let cotangent = numbers(graph.nodes() * outputs, 8);
                let [with, without] = [true, false].map(|needs_z| {
                    let (_, kept) = gen_layer::forward(&graph, &config, &source, &weights, &z, true);
                    let given = Given::Pre(cotangent.clone());
                    gen_layer::backward(&graph, &config, &source, &weights, &z, kept, given, needs_z)
                });
                assert!(without.z.is_empty() && with.z.len() == z.len());
                for (name, found, expected) in [
                    ("attention", &without.attention, &with.attention),
                    ("edge", &without.edge, &with.edge),
                    ("query", &without.query, &with.query),
                    ("key", &without.key, &with.key),
                    ("value", &without.value, &with.value),
                    ("residual", &without.residual, &with.residual),
                ] {
                    let same = found.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same && found.len() == expected.len(), "{mode:?}, {rounds} rounds, {reading:?}: {name}");
                }
            }
        }
    }
}
