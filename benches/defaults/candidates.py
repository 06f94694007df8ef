"""Sets of settings that were tried as general defaults: one for all single graphs, one for many graphs."""

CLASSIC = {"layers": 2, "width": 64, "norm": "none", "residual": False, "dropout": 0.5, "input_dropout": 0.5, "hops": 2, "coefficients": "gcn"}


def training(rate, decay, epochs=200, patience=100, warmup=10):
    return {"epochs": epochs, "learning_rate": rate, "warmup_epochs": warmup, "patience": patience, "optimizer": {"weight_decay": decay}}


CANDIDATES = {
    "single": {
        # What was there: the defaults of models, and the settings of the catalogue's node datasets.
        "old-default": {"model": {}, "train": {}},
        "old-preset": {
            "model": {"width": 128, "layers": 2, "hops": 3, "dropout": 0.5, "input_dropout": 0.3},
            "train": training(0.003, 0.1, 300),
        },
        "classic": {"model": CLASSIC, "train": training(0.01, 0.05)},
        "classic-decay": {"model": CLASSIC, "train": training(0.01, 0.5)},
        # The same for GEN with other hops and coefficients.
        "classic-attention": {"model": {**CLASSIC, "coefficients": "attention-per-round"}, "train": training(0.01, 0.5)},
        "attention-no-feed": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False}, "train": training(0.01, 0.5)},
        "attention-strong": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "dropout": 0.7, "norm": "layer"},
            "train": training(0.01, 0.5)},
        "attention-self": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "hop_zero": True}, "train": training(0.01, 0.5)},
        "attention-one-layer": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "layers": 1, "hops": 4}, "train": training(0.01, 0.5)},
        "no-input-dropout": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.0},
            "train": training(0.01, 0.5)},
        "no-input-dropout-norm": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.0, "norm": "layer", "dropout": 0.7},
            "train": training(0.01, 0.5)},
        "batch-residual": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.0, "norm": "batch", "residual": True},
            "train": training(0.01, 0.5)},
        # With the numbers of arrays standardised.
        "scaled": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2},
            "train": training(0.01, 0.5)},
        "scaled-norm": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "norm": "layer"},
            "train": training(0.01, 0.5)},
        "scaled-far": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "norm": "layer",
                      "hops": 4, "dropout": 0.6},
            "train": training(0.01, 0.5)},
        "far-strong": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "norm": "layer",
                      "hops": 4, "dropout": 0.7},
            "train": training(0.01, 1.0)},
        "far-plain": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "hops": 4, "dropout": 0.6},
            "train": training(0.01, 1.0)},
        "far-one": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "layers": 1, "hops": 4, "dropout": 0.7},
            "train": training(0.01, 0.5)},
        "far-slow": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.7},
            "train": training(0.005, 0.5)},
        "far-one-gcn": {
            "model": {**CLASSIC, "feed_forward": False, "norm": "layer", "layers": 1, "hops": 4, "dropout": 0.7}, "train": training(0.01, 0.5)},
        "far-wet": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.8},
            "train": training(0.01, 2.0)},
        "far-narrow": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.6,
                      "input_dropout": 0.2, "width": 32},
            "train": training(0.01, 2.0)},
        "far-decay": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.6,
                      "input_dropout": 0.2},
            "train": training(0.01, 4.0)},
        "far-layer": {
            "model": {**CLASSIC, "coefficients": "attention-per-layer", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.6,
                      "input_dropout": 0.2, "gamma": 0.0},
            "train": training(0.01, 2.0)},
        "gcn-no-feed": {"model": {**CLASSIC, "feed_forward": False}, "train": training(0.01, 0.5)},
        "classic-one-layer": {"model": {**CLASSIC, "layers": 1, "hops": 4}, "train": training(0.01, 0.5)},
        "classic-self": {"model": {**CLASSIC, "hop_zero": True}, "train": training(0.01, 0.5)},
        "classic-norm": {"model": {**CLASSIC, "norm": "layer"}, "train": training(0.01, 0.5)},
        "layer-norm": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.5}, "train": training(0.01, 0.05)},
        "batch-norm": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.5, "norm": "batch"}, "train": training(0.01, 0.05)},
        "layer-norm-light": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.3}, "train": training(0.01, 0.05)},
        "batch-norm-light": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.3, "norm": "batch"}, "train": training(0.01, 0.05)},
    },
    "many": {
        "old-default": {"model": {}, "train": {}},
        "old-molecules": {
            "model": {"width": 96, "layers": 4, "norm": "batch", "dropout": 0.1, "head_layers": 2},
            "train": {"epochs": 100, "batch_size": 64, "learning_rate": 0.001, "warmup_epochs": 5, "patience": 30},
        },
        "old-tu": {
            "model": {"width": 64, "layers": 3, "hops": 3, "norm": "batch", "dropout": 0.3, "readout": "sum", "head_layers": 2},
            "train": {"epochs": 100, "batch_size": 64, "learning_rate": 0.002, "warmup_epochs": 5, "patience": 40},
        },
    },
}
