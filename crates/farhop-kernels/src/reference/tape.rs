//! Reverse-mode differentiation of ordinary code: a number that records what is done with it.
//!
//! One tape per thread; [`record`] starts it anew.

use super::Real;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

const CONSTANT: usize = usize::MAX;

thread_local! {
    static TAPE: RefCell<Vec<[(usize, f64); 2]>> = const { RefCell::new(Vec::new()) };
}

/// A recorded f64.
#[derive(Clone, Copy, Debug)]
pub struct Var {
    index: usize,
    value: f64,
}

fn push(value: f64, parents: [(usize, f64); 2]) -> Var {
    if parents.iter().all(|p| p.0 == CONSTANT) {
        return Var { index: CONSTANT, value };
    }
    TAPE.with_borrow_mut(|tape| {
        tape.push(parents);
        Var { index: tape.len() - 1, value }
    })
}

impl Var {
    fn unary(self, value: f64, slope: f64) -> Var {
        push(value, [(self.index, slope), (CONSTANT, 0.0)])
    }
}

impl Add for Var {
    type Output = Var;
    fn add(self, other: Var) -> Var {
        push(self.value + other.value, [(self.index, 1.0), (other.index, 1.0)])
    }
}
impl Sub for Var {
    type Output = Var;
    fn sub(self, other: Var) -> Var {
        push(self.value - other.value, [(self.index, 1.0), (other.index, -1.0)])
    }
}
impl Mul for Var {
    type Output = Var;
    fn mul(self, other: Var) -> Var {
        push(self.value * other.value, [(self.index, other.value), (other.index, self.value)])
    }
}
impl Div for Var {
    type Output = Var;
    fn div(self, other: Var) -> Var {
        let inverse = 1.0 / other.value;
        push(self.value * inverse, [(self.index, inverse), (other.index, -self.value * inverse * inverse)])
    }
}
impl Neg for Var {
    type Output = Var;
    fn neg(self) -> Var {
        self.unary(-self.value, -1.0)
    }
}

impl Real for Var {
    fn of(value: f64) -> Self {
        Var { index: CONSTANT, value }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn exp(self) -> Self {
        let e = self.value.exp();
        self.unary(e, e)
    }
    fn ln(self) -> Self {
        self.unary(self.value.ln(), 1.0 / self.value)
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.unary(root, if root == 0.0 { 0.0 } else { 0.5 / root })
    }
    fn pow(self, exponent: f64) -> Self {
        self.unary(self.value.powf(exponent), exponent * self.value.powf(exponent - 1.0))
    }
}

/// Starts a new tape and puts `values` on it as inputs.
pub fn record(values: &[&[f64]]) -> Vec<Vec<Var>> {
    TAPE.with_borrow_mut(Vec::clear);
    let mut input = |&value: &f64| {
        TAPE.with_borrow_mut(|tape| {
            tape.push([(CONSTANT, 0.0); 2]);
            Var { index: tape.len() - 1, value }
        })
    };
    values.iter().map(|list| list.iter().map(&mut input).collect()).collect()
}

/// The gradient of `output` with respect to each list of inputs.
pub fn gradients(output: Var, inputs: &[Vec<Var>]) -> Vec<Vec<f64>> {
    TAPE.with_borrow(|tape| {
        let mut gradient = vec![0.0; tape.len()];
        if output.index != CONSTANT {
            gradient[output.index] = 1.0;
        }
        for index in (0..tape.len()).rev() {
            let g = gradient[index];
            if g != 0.0 {
                for (parent, slope) in tape[index] {
                    if parent != CONSTANT {
                        gradient[parent] += g * slope;
                    }
                }
            }
        }
        inputs.iter().map(|list| list.iter().map(|v| gradient[v.index]).collect()).collect()
    })
}
