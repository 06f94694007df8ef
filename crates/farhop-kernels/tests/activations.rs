//! Every activation, over its whole range, against its definition in f64 and the derivative of that.

use farhop_kernels::dense::{Activation, Dropout, Finish, finish, reference};

/// From large to tiny numbers of both signs, and a fine grid between.
fn places() -> Vec<f32> {
    let mut places: Vec<f32> = (-1200..=1200).map(|n| n as f32 / 100.0 + 0.003).collect();
    for exponent in 1..30 {
        let small = 0.5f32.powi(exponent);
        places.extend([small, -small]);
    }
    places.extend([30.0, -30.0, 80.0, -80.0, 300.0, -300.0]);
    places
}

#[test]
fn values_and_slopes_are_those_of_the_definition() {
    let x = places();
    for activation in Activation::ALL {
        let finish = Finish { activation, dropout: Dropout::NONE };
        let mut y = vec![f32::NAN; x.len()];
        finish::forward(&x, None, x.len(), 1, &finish, &mut y);
        let mut slope = vec![f32::NAN; x.len()];
        finish::backward(&x, &vec![1.0; x.len()], x.len(), 1, &finish, &mut slope);
        for ((&x, y), slope) in x.iter().zip(y).zip(slope) {
            let place = f64::from(x);
            let at = |x: f64| reference::activate(activation, x);
            assert!((f64::from(y) - at(place)).abs() <= 1e-6 * place.abs().max(0.3), "{activation:?}({x}) = {y}");
            // Five points; a step that stays on one side of 0, where some slopes jump.
            let h = 1e-3f64.min(place.abs() / 4.0);
            let expected =
                (at(place - 2.0 * h) - 8.0 * at(place - h) + 8.0 * at(place + h) - at(place + 2.0 * h)) / (12.0 * h);
            assert!((f64::from(slope) - expected).abs() <= 2e-6, "{activation:?}'({x}) = {slope}, not {expected}");
        }
    }
}

#[test]
fn small_numbers_keep_their_digits() {
    // tanh and elu are about x near 0.
    for activation in [Activation::Tanh, Activation::Elu] {
        let x: Vec<f32> = (1..40).flat_map(|n| [0.7f32.powi(n), -(0.7f32.powi(n))]).collect();
        let mut y = vec![f32::NAN; x.len()];
        let finish = Finish { activation, dropout: Dropout::NONE };
        finish::forward(&x, None, x.len(), 1, &finish, &mut y);
        for (&x, y) in x.iter().zip(y) {
            let exact = reference::activate(activation, f64::from(x));
            assert!((f64::from(y) / exact - 1.0).abs() < 1e-6, "{activation:?}({x}) = {y}, not {exact}");
        }
    }
}

#[test]
fn not_a_number_stays_so() {
    for activation in Activation::ALL {
        let mut y = [0.0];
        finish::forward(&[f32::NAN], None, 1, 1, &Finish { activation, dropout: Dropout::NONE }, &mut y);
        assert!(y[0].is_nan(), "{activation:?}");
    }
}

#[test]
fn the_error_function_has_its_known_values() {
    // Abramowitz and Stegun, table 7.1.
    for (x, value) in [(0.0, 0.0), (0.5, 0.520_499_877_8), (1.0, 0.842_700_792_9), (2.0, 0.995_322_265_0)] {
        assert!((reference::erf(x) - value).abs() < 1e-9 && (reference::erf(-x) + value).abs() < 1e-9, "erf({x})");
    }
}
