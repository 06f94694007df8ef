//! Kernels as differentiable operations of the tensor engine.
//!
//! # Adding an operation
//!
//! Write `ops/<name>.rs` with a struct that holds everything that is not a tensor (graph, settings, seeds) and implement
//! [`Operation`] for it; then a small function that calls [`apply`]. No engine type appears in an operation: it sees slices
//! and gives back vectors. `linear.rs` is the plain example, `spmm.rs` shows a graph and optional inputs, `norm_block.rs` what is
//! kept between forward and backward, `feed_forward.rs` five tracked inputs and an inner layer that is computed again.
//!
//! ```text
//! #[derive(Debug)]
//! struct Scale { graph: Arc<Graph>, factor: f32 }        // anything Send + Sync + 'static: an Arc<Graph>, plain settings
//!
//! impl Operation for Scale {
//!     type Kept = ();                                     // what forward hands to backward beside the inputs
//!     fn name(&self) -> &'static str { "scale" }
//!     fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
//!         let mut y = buffers::take(inputs[0].data.len()); // used again, content arbitrary: write all of it
//!         ...
//!         (Output { data: y, shape: inputs[0].shape.to_vec() }, ())
//!     }
//!     fn keeps(&self, _input: usize) -> bool { false }    // which inputs backward wants to see again
//!     fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
//!         let mut gradient = step.gradient;               // owned: change it in place and give it back, no copy
//!         ...
//!         vec![Some(gradient)]                            // one per input; None where step.needed[i] is false
//!     }
//! }
//! pub fn scale(x: Tensor<2>, graph: &Arc<Graph>, factor: f32) -> Tensor<2> {
//!     apply(Scale { graph: graph.clone(), factor }, [Input::from(x)])
//! }
//! ```
//!
//! * **Several inputs**: up to [`bridge::MOST_INPUTS`], of any rank, tracked or not. An optional input is left out of the list,
//!   and the struct remembers that it is absent (`LinearOp::bias`).
//! * **Inputs that need no gradient** (features, frozen weights) have `needed[i] == false`: skip the work, return `None`.
//! * **Copies**: none. Inputs are views of the engine's storage; `Output::data` becomes the tensor's storage; the gradient
//!   arrives as a vector that is ours unless something else holds it.
//! * **Memory**: an input for which `keeps` is false is given up as soon as the engine lets go of it; what is kept is given back
//!   to [`buffers`] after the backward pass. Vectors in `Kept` should be given back by `backward` itself (`buffers::give`).
//! * **In place**: an operation whose output is as large as an input that it does not keep may take its memory
//!   ([`Operation::overwrites`]); `sum.rs` does.
//! * `training` is false when nothing will be differentiated: then keep nothing.

mod attend;
pub mod bridge;
mod causal_convolution;
mod concat_linear;
mod edge_dot;
mod edge_gates;
mod edge_list_attention;
mod edge_relu_sum;
mod edge_softmax;
mod eliminate;
mod embedding;
mod entry_sum;
mod entry_weights;
mod feed_forward;
mod fit_rows;
mod gat_attention;
mod gen_layer;
mod graph_attention;
mod graph_norm;
mod graph_products;
mod head_linear;
mod linear;
mod linear_attention;
mod lists;
mod loss;
mod lstm;
mod neighbour_max;
mod norm_block;
mod norm_linear;
mod operation;
mod pair_scores;
mod pairs;
mod personal_pagerank;
mod polynomial_filter;
mod readout;
mod rows;
mod selective_scan;
mod sign_invariant;
mod sparse_linear;
mod spmm;
mod sum;
mod take_rows;
mod top_scores;

pub use attend::attend;
pub use bridge::{Input, apply};
pub use causal_convolution::causal_convolution;
pub use concat_linear::{MOST_PARTS, concat_linear};
pub use edge_dot::edge_dot;
pub use edge_gates::{edge_gates, gated_mean};
pub use edge_list_attention::edge_list_attention;
pub use edge_relu_sum::edge_relu_sum;
pub use edge_softmax::edge_softmax;
pub(crate) use eliminate::elimination;
pub use eliminate::{Hops, eliminate};
pub use embedding::embedding;
pub use entry_sum::{entry_sum, gather_sources, gather_targets};
pub use entry_weights::EntryWeights;
pub(crate) use entry_weights::degree_of;
pub use farhop_kernels::buffers;
pub use feed_forward::{FeedForwardInputs, feed_forward};
pub use fit_rows::fit_rows;
pub use gat_attention::{attention_weights, gat_attention, gat_attention_within};
pub use gen_layer::{GenCoefficients, GenInputs, edge_coefficients, gen_layer, hop_distributions, hop_reads};
pub use graph_attention::{graph_attention, packed_graph_attention};
pub use graph_norm::graph_norm;
pub use graph_products::{cross_products, graph_linear, shifted_inverses};
pub use head_linear::{head_dots, head_linear};
pub use linear::linear;
pub use linear_attention::linear_attention;
pub use lists::{maximum, mix, row_softmax};
pub use loss::{loss, loss_share};
pub use lstm::{LstmWeights, lstm};
pub use neighbour_max::neighbour_max;
pub use norm_block::{Normalisation, Others, norm_block};
pub use norm_linear::norm_linear;
pub use operation::{Array, Backward, Operation, Output};
pub use pair_scores::{PairScores, pair_scores};
pub use pairs::{PairGateInputs, pair_attention, pair_gates};
pub use personal_pagerank::personal_pagerank;
pub use polynomial_filter::polynomial_filter;
pub use readout::{readout, to_nodes};
pub use rows::{concat, row_normalise, scale_rows};
pub use selective_scan::{ScanInputs, selective_scan};
pub use sign_invariant::sign_invariant;
pub use sparse_linear::sparse_linear;
pub use spmm::{spmm, spmm_within, spread};
pub use sum::{add, add_row, between, multiply, sum};
pub use take_rows::{RowChoice, sum_rows, take_rows};
pub use top_scores::{TopScores, top_scores};
