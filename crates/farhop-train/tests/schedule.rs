//! The learning rate over the epochs, and early stopping.

use farhop_data::metrics::Metric;
use farhop_train::fit::EarlyStopping;
use farhop_train::{Schedule, TieBreak, TrainConfig};

fn config(schedule: Schedule, warmup_epochs: usize, epochs: usize) -> TrainConfig {
    TrainConfig { schedule, warmup_epochs, epochs, learning_rate: 0.1, ..TrainConfig::default() }
}

#[test]
fn warm_up_rises_in_equal_steps_to_the_full_rate() {
    for schedule in [Schedule::Constant, Schedule::Cosine] {
        let config = config(schedule, 4, 20);
        for epoch in 1..=4 {
            let expected = 0.1 * epoch as f64 / 4.0;
            assert!((config.learning_rate_at(epoch, 0, 1) - expected).abs() < 1e-15);
        }
        assert_eq!(config.learning_rate_at(5, 0, 1), 0.1);
    }
}

#[test]
fn constant_stays_and_cosine_falls_to_nearly_nothing() {
    let constant = config(Schedule::Constant, 0, 30);
    assert!((1..=30).all(|epoch| constant.learning_rate_at(epoch, 0, 1) == 0.1));
    let cosine = config(Schedule::Cosine, 5, 105);
    let rates: Vec<f64> = (6..=105).map(|epoch| cosine.learning_rate_at(epoch, 0, 1)).collect();
    assert!(rates.windows(2).all(|pair| pair[1] < pair[0]));
    assert!((rates[50] - 0.05).abs() < 1e-12, "half way, half the rate");
    assert!(rates[99] > 0.0 && rates[99] < 0.1 * 0.001);
}

#[test]
fn a_warm_up_longer_than_the_run_is_just_a_rise() {
    for schedule in [Schedule::Constant, Schedule::Cosine] {
        let config = config(schedule, 50, 10);
        assert!((config.learning_rate_at(10, 0, 1) - 0.02).abs() < 1e-15);
        assert!(config.learning_rate_at(60, 0, 1).is_finite());
    }
}

#[test]
fn the_best_is_the_highest_score_then_the_lowest_loss_then_the_first() {
    let mut stopping = EarlyStopping::default();
    assert!(!stopping.should_stop(1000, Some(1)), "nothing was seen yet");
    assert!(stopping.observe(Metric::Accuracy, TieBreak::LowestLoss, 1, 0.5, 2.0));
    assert!(!stopping.observe(Metric::Accuracy, TieBreak::LowestLoss, 2, 0.4, 0.1));
    assert!(stopping.observe(Metric::Accuracy, TieBreak::LowestLoss, 3, 0.5, 1.0));
    assert!(!stopping.observe(Metric::Accuracy, TieBreak::LowestLoss, 4, 0.5, 1.0));
    assert!(stopping.observe(Metric::Accuracy, TieBreak::LowestLoss, 5, 0.6, 9.0));
    assert!(!stopping.should_stop(14, Some(10)));
    assert!(stopping.should_stop(15, Some(10)));
    assert!(!stopping.should_stop(1_000_000, None));
    let mut errors = EarlyStopping::default();
    assert!(errors.observe(Metric::Mae, TieBreak::LowestLoss, 1, 0.5, 2.0));
    assert!(!errors.observe(Metric::Mae, TieBreak::LowestLoss, 2, 0.6, 1.0), "of errors, the lowest is the best");
    assert!(errors.observe(Metric::Mae, TieBreak::LowestLoss, 3, 0.4, 3.0));
}

#[test]
fn steps_of_an_epoch_go_on_where_the_epoch_before_ended() {
    for schedule in [Schedule::Constant, Schedule::Cosine] {
        let config = config(schedule, 4, 20);
        let rates: Vec<f64> = (1..=20)
            .flat_map(|epoch| (0..5).map(move |step| (epoch, step)))
            .map(|(e, s)| config.learning_rate_at(e, s, 5))
            .collect();
        assert!(rates[..20].windows(2).all(|pair| (pair[1] - pair[0] - 0.1 / 20.0).abs() < 1e-12));
        assert!((rates[19] - 0.1).abs() < 1e-15);
        assert!(rates[20..].windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!(rates[5 * 9], config.learning_rate_at(10, 0, 1));
    }
}
