"""Models in which something spreads, and elimination on three of them."""
import json

import numpy as np

from cases import GRADS, bn_, case, fd, fill, finish, graph, lin_, module, rnd, save


def simple(model):
    m = module(model)
    return m, (lambda d, cfg, train: m.forward(d, cfg, train)['out_train' if train else 'out'])


def with_par(m, extra=None):
    def f(d, cfg, train):
        par = {k[6:]: v for k, v in d.items() if k.startswith('param/')}
        return m.forward(d, cfg, d['x'], par, **(extra(d, train) if extra else {}))['out']
    return f


@case
def appnp():
    m, f = simple('appnp')
    for name, g, K, alpha, dims in [('k1', graph([9], 1), 1, .5, [5, 8, 3]), ('batch', graph([4, 1, 7], 2, lone=(4,)), 6, .2, [5, 6, 4]),
                              ('one_node', graph([1], 3, lone=(0,)), 2, .1, [5, 8, 3]), ('no_edges', graph([4], 3, lone=(0, 1, 2, 3)), 2, .1, [5, 8, 3]), ('two_classes', graph([9], 4), 10, .1, [7, 16, 2])]:
        r = np.random.default_rng(5); d = dict(g); n = int(d['num_nodes'])
        d['x'] = rnd(r, (n, dims[0]), 1)
        fill(d, r, {'lin1.weight': (dims[1], dims[0]), 'lin1.bias': (dims[1],), 'lin2.weight': (dims[2], dims[1]), 'lin2.bias': (dims[2],)})
        finish('appnp', name, d, {'model': 'appnp', 'dims': dims, 'K': K, 'alpha': alpha, 'edge_dropout': 0.0}, f)


@case
def dagnn():
    m = module('dagnn'); f = with_par(m, lambda d, train: {'train': train})
    r = np.random.default_rng(13)
    for name, g, K, bn, C in [('isolated', graph([11], 1, lone=(4,)), 3, False, 3), ('bn_isolated', graph([11], 1, lone=(4,)), 2, True, 3), ('deep', graph([11], 1), 12, False, 2)]:
        d = dict(g); d.pop('batch'); n = int(d['num_nodes']); d['x'] = rnd(r, (n, 5), 1); H = 8
        fill(d, r, {'lin1.weight': (H, 5), 'lin1.bias': (H,), 'lin2.weight': (C, H), 'lin2.bias': (C,), 'prop.proj.weight': (1, C), 'prop.proj.bias': (1,)})
        if bn: fill(d, r, {'bn.weight': (H,), 'bn.bias': (H,)}); fill(d, r, {'bn.running_mean': (H,), 'bn.running_var': (H,)}, 'buffer/')
        finish('dagnn', name, d, {"model": "dagnn", "K": K, "hidden": H, "classes": C, "in_dim": 5, "batch_norm": bn, "bn_eps": 1e-05, "bn_momentum": 0.1, "dropout": 0.0}, f, ('x',), (False, True) if bn else (False,))


@case
def fsgnn():
    m = module('fsgnn'); f = with_par(m)
    r = np.random.default_rng(14)
    for name, K, kind, large, norm, lone in [('cycles_large', 2, 'all', True, True, ()), ('heterophily', 3, 'heterophily', False, True, (4,)), ('large_nonorm', 2, 'homophily', True, False, (4,)), ('k1', 1, 'all', False, True, ())]:
        d = dict(graph([14], 1, lone=lone)); d.pop('batch'); d['x'] = np.abs(rnd(r, (14, 5), 1)); d['x'] /= d['x'].sum(1, keepdims=True); H = 8
        n = 2 * K + 1 if kind == 'all' else K + 1; nm = 'wt1' if large else 'fc1'
        d['param/att'] = rnd(r, (n,), 1)
        for i in range(n): fill(d, r, {f'{nm}.{i}.weight': (H, 5), f'{nm}.{i}.bias': (H,)})
        if large: fill(d, r, {'fc2.weight': (H, H * n), 'fc2.bias': (H,), 'fc3.weight': (3, H), 'fc3.bias': (3,)})
        else: fill(d, r, {'fc2.weight': (3, H * n), 'fc2.bias': (3,)})
        finish('fsgnn', name, d, {"model": "fsgnn_large" if large else "fsgnn", "K": K, "hidden": H, "classes": 3, "in_dim": 5, "feat_type": kind, "layer_norm": norm, "hops_used": n, "dropout": 0.0}, f)


@case
def glognn():
    m = module('glognn'); f = with_par(m)
    r = np.random.default_rng(15)
    for name, func, nf, L, K, large, lone, C in [('isolated_orders3', 3, 1, 1, 3, False, (4,), 3), ('orders1', 1, 1, 2, 3, False, (), 3), ('orders3_pp', 3, 2, 2, 2, False, (4,), 4), ('large_plain', 2, 1, 1, 3, True, (4,), 3), ('large_orders3', 3, 1, 2, 3, True, (), 3), ('orders1_pp', 1, 2, 1, 2, False, (4,), 3)]:
        n = 11; d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (n, 5), 1); H = 8
        fill(d, r, {'fc1.weight': (H, 5), 'fc1.bias': (H,), 'fc2.weight': (C, H), 'fc2.bias': (C,)})
        if large: fill(d, r, {'fc3.weight': (H, H), 'fc3.bias': (H,), 'fc4.weight': (H, n), 'fc4.bias': (H,)})
        else: fill(d, r, {'fc3.weight': (H, n), 'fc3.bias': (H,)})
        fill(d, r, {'orders_weight': (K, 1), 'orders_weight_matrix': (C, K), 'orders_weight_matrix2': (K, K), 'diag_weight': (C, 1)})
        cfg = {"model": "glognn_large" if large else "glognn", "norm_func": nf, "orders_func": func, "norm_layers": L, "orders": K, "alpha": 0.6, "beta": 0.8, "gamma": 0.3, "delta": 0.7, "hidden": H, "classes": C, "in_dim": 5, "dropout": 0.0}
        finish('glognn', name, d, cfg, f)


@case
def gprgnn():
    m = module('gprgnn'); f = with_par(m)
    r = np.random.default_rng(16)
    for name, K, lone in [('isolated', 3, (4,)), ('k1', 1, ())]:
        d = dict(graph([11], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (11, 5), 1)
        fill(d, r, {'lin1.weight': (8, 5), 'lin1.bias': (8,), 'lin2.weight': (3, 8), 'lin2.bias': (3,), 'prop1.temp': (K + 1,)})
        finish('gprgnn', name, d, {"model": "gprgnn", "K": K, "hidden": 8, "classes": 3, "in_dim": 5, "dropout": 0.0, "dprate": 0.0}, f)


@case
def magna():
    m = module('magna'); f = with_par(m)
    r = np.random.default_rng(17)
    for name, L, K, H, hid, shared, topk, kind, proj, lone in [('cycles_topk', 2, 3, 2, 8, True, 3, 'local', -1, ()), ('topk_unshared', 1, 4, 4, 8, False, 2, 'local', 6, (4,)), ('global2', 2, 2, 2, 8, False, 2, 'global', -1, (4,)), ('one_head', 3, 6, 1, 6, True, -1, 'local', -1, (4,)), ('one_layer', 1, 1, 2, 4, True, 5, 'global', 3, ())]:
        d = dict(graph([11], 1, lone=lone, chords=1)); d.pop('batch'); d['x'] = rnd(r, (11, 5), 1); D = hid // H
        fin = 5
        if proj > 1: fill(d, r, {'project.weight': (proj, 5), 'project.bias': (proj,)}); fin = proj
        for l in range(L):
            sh = {'graph_norm.a_2': (fin,), 'graph_norm.b_2': (fin,), 'fc.weight': (hid, fin), 'attn_h': (1, H, D), 'attn_t': (1, H, D), 'fc_out.weight': (hid, hid), 'ff_norm.a_2': (hid,), 'ff_norm.b_2': (hid,), 'feed_forward.w_1.weight': (4 * hid, hid), 'feed_forward.w_1.bias': (4 * hid,), 'feed_forward.w_2.weight': (hid, 4 * hid), 'feed_forward.w_2.bias': (hid,)}
            if not shared: sh |= {'fc_head.weight': (hid, fin), 'fc_tail.weight': (hid, fin)}
            if fin != hid: sh['res_fc.weight'] = (hid, fin)
            fill(d, r, {f'gdt_layers.{l}.{k}': v for k, v in sh.items()}); fin = hid
        fill(d, r, {'classifier.weight': (3, hid), 'classifier.bias': (3,)})
        cfg = {"model": "magna", "layers": L, "K": K, "heads": H, "hidden": hid, "head_dim": D, "classes": 3, "in_dim": 5, "alpha": 0.15, "negative_slope": 0.2, "top_k": topk, "topk_type": kind, "head_tail_shared": shared, "project_dim": proj, "norm_eps": 1e-06, "ffn_dim": 4 * hid, "feat_drop": 0.0, "attn_drop": 0.0, "edge_drop": 0.6 if name == 'cycles_topk' else 0.0}
        finish('magna', name, d, cfg, f)


@case
def gea():
    m = module('gea-on-others')
    li = lambda nw, nb, i, o: {nw: (i, o), nb: (o,)}
    for name, g, model, K, coef, kw in [
        ('gcn-concat-cycles', graph([14], 1), 'gcn-concat', 4, 'sym', {}), ('appnp-isolated', graph([11], 2, lone=(4,)), 'appnp', 4, 'sym', {'alpha': .1}),
        ('mixhop-isolated', graph([11], 2, lone=(4,)), 'mixhop', 3, 'sym', {'powers': [0, 1, 3], 'block': 4}),
        ('mixhop-order', graph([11], 2, lone=(4,)), 'mixhop', 3, 'sym', {'powers': [2, 0], 'block': 3}),
        ('appnp-k1', graph([11], 2), 'appnp', 1, 'sym', {'alpha': .3}), ('gcn-sum-k1', graph([11], 2), 'gcn-sum', 1, 'ones', {}), ('gcn-concat-k2', graph([1], 2, lone=(0,)), 'gcn-concat', 2, 'ones', {})]:
        r = np.random.default_rng(26); d = dict(g); d.pop('batch'); n = int(d['num_nodes']); d['x'] = rnd(r, (n, 5), 1)
        s = .2
        if model.startswith('gcn'):
            w = (K + 1) if model == 'gcn-concat' else 1
            fill(d, r, li('W1', 'b1', 5 * w, 8)); fill(d, r, li('W2', 'b2', 8 * w, 3))
        elif model == 'appnp': fill(d, r, li('W1', 'b1', 5, 8)); fill(d, r, li('W2', 'b2', 8, 3))
        else:
            W = kw['block'] * len(kw['powers'])
            for l, fin in ((1, 5), (2, W)):
                for p in kw['powers']: d[f'param/W{l}_{p}'] = rnd(r, (fin, kw['block']))
                d[f'param/b{l}'] = rnd(r, (W,))
            fill(d, r, li('Wout', 'bout', W, 3))
        cfg = {"model": model, "coefficients": coef, "F_in": 5, "hidden": 8, "classes": 3, "K": K, "seed": 1, "layers": 2, **kw}
        def f(d, cfg, train):
            gr = m.Graph(d['edge_index'], n, coef)
            return m.forward(cfg, gr, {k[6:]: v for k, v in d.items() if k.startswith('param/')}, d['x'], gr.increments)
        finish('gea-on-others', name, d, cfg, f)


@case
def h2gcn():
    m = module('h2gcn')
    f = lambda d, cfg, train: m.forward(d, cfg)
    for name, n, lone, K, relu in [('three', 10, (4,), 3, True), ('clique', 3, (), 2, True), ('norelu2', 12, (), 2, False)]:
        r = np.random.default_rng(27); d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = np.abs(rnd(r, (n, 5), 1))
        if name == 'clique': d['edge_index'] = np.array([[1, 2, 0, 2, 0, 1], [0, 0, 1, 1, 2, 2]])
        fill(d, r, {'W_embed': (5, 8), 'W_class': ((2 ** (K + 1) - 1) * 8, 3)})
        finish('h2gcn', name, d, {"in_channels": 5, "hidden": 8, "classes": 3, "rounds": K, "relu": relu, "hops": [1, 2], "l2": 0.0005, "dropout": 0.0}, f)


@case
def cpgnn():
    m = module('cpgnn')
    def f(d, cfg, train):
        o = m.forward(d, cfg)
        return o['out'] if isinstance(o, dict) else (o[0] if isinstance(o, tuple) else o)
    for name, n, lone, prior, T, C in [('cheby1', 10, (5,), 'cheby', 1, 3), ('mlp3', 10, (), 'mlp', 3, 4)]:
        r = np.random.default_rng(28); d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (n, 5), 1)
        if prior == 'cheby': fill(d, r, {'W0.0': (5, 8), 'W0.1': (5, 8), 'W0.2': (5, 8), 'W1': (3, 8, C), 'H_hat': (C, C)})
        else: fill(d, r, {'W0': (5, 8), 'W1': (8, C), 'H_hat': (C, C)})
        d['labels'] = r.integers(0, C, n); d['train_mask'] = np.arange(n) % 2 == 0
        finish('cpgnn', name, d, {"prior": prior, "in_channels": 5, "hidden": 8, "classes": C, "bp_iterations": T, "l2": 0.0005, "cotrain_weight": 1.0, "zero_reg_weight": 1.0, "dropout": 0.0, "sinkhorn_tol": 1e-12, "sinkhorn_max": 3000}, f)
