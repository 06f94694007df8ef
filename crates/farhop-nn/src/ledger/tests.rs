//! Small passes counted by hand.

use super::*;

fn plain(output: u64) -> Work {
    Work { name: "step".into(), output, ..Work::default() }
}

#[test]
fn inference_lets_go_of_what_nobody_holds() {
    let ledger = Ledger::new(false);
    let mut x = ledger.data(100);
    for _ in 0..5 {
        x = ledger.run(plain(100), [(x, true)]);
    }
    let estimate = ledger.finish(x);
    // Two neighbours at a time.
    assert_eq!((estimate.kept, estimate.transient), (0, 200));
}

#[test]
fn training_keeps_inputs_and_has_gradients() {
    let ledger = Ledger::new(true);
    let mut x = ledger.data(0);
    for _ in 0..3 {
        x = ledger.run(plain(100), [(x, true)]);
    }
    let estimate = ledger.finish(x);
    // All three outputs are kept: by the next operation, the last by the loss. Back: the gradients of two of them.
    assert_eq!((estimate.kept, estimate.transient), (300, 100));
    assert_eq!(estimate.parts, [("step".to_string(), 300)]);
}

#[test]
fn a_tensor_that_two_read_has_one_gradient() {
    let ledger = Ledger::new(true);
    let x = ledger.run(plain(100), [(ledger.data(0), false)]);
    let left = ledger.run(plain(100), [(x.clone(), false)]);
    let right = ledger.run(plain(100), [(x, false)]);
    let sum = ledger.run(plain(100), [(left, false), (right, false)]);
    let estimate = ledger.finish(sum);
    // Forward: x goes with the second. Back: the gradient of the sum and two more, then those two and one for x.
    assert_eq!((estimate.kept, estimate.total()), (100, 300));
}

#[test]
fn in_place_there_is_one_array_less() {
    let ledger = Ledger::new(true);
    let x = ledger.run(plain(100), [(ledger.data(0), false)]);
    let left = ledger.run(plain(100), [(x.clone(), false)]);
    let right = ledger.run(plain(100), [(x, false)]);
    let sum = ledger.run(Work { in_place: true, back_in_place: true, ..plain(100) }, [(left, false), (right, false)]);
    let estimate = ledger.finish(sum);
    // Forward: the sum is in the place of the left. Back: two gradients at a time; that of x is added up.
    assert_eq!((estimate.kept, estimate.total()), (100, 300));
    let ledger = Ledger::new(false);
    let x = ledger.run(plain(100), [(ledger.data(0), false)]);
    let held = x.clone();
    let y = ledger.run(Work { in_place: true, ..plain(100) }, [(x, false)]);
    let z = ledger.run(Work { in_place: true, ..plain(100) }, [(y, false)]);
    drop(held);
    // The first is held elsewhere, the second is not.
    assert_eq!(ledger.finish(z).total(), 200);
}

#[test]
fn the_deeper_branch_goes_back_first() {
    let ledger = Ledger::new(true);
    let x = ledger.run(plain(10), [(ledger.data(0), false)]);
    let mut deep = x.clone();
    for _ in 0..3 {
        deep = ledger.run(plain(10), [(deep, true)]);
    }
    let shallow = ledger.run(Work { kept: 1000, ..plain(10) }, [(x, false)]);
    let sum = ledger.run(plain(10), [(deep, false), (shallow, false)]);
    let estimate = ledger.finish(sum);
    // What the shallow one kept is still there while the deep one goes back, with two gradients of its own and that of the shallow one.
    assert_eq!(estimate.total(), 1000 + 3 * 10 + 3 * 10);
}

#[test]
fn what_an_operation_needs_in_passing_counts_once() {
    let ledger = Ledger::new(true);
    let work = Work { forward: 1000, backward: 2000, kept: 50, ..plain(100) };
    let x = ledger.run(work, [(ledger.data(0), false)]);
    let estimate = ledger.finish(x);
    // The loss lets go of the outputs before the operation's turn comes.
    assert_eq!(estimate.total(), 2000);
}
