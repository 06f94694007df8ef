"""GAT, GIN, GraphSAGE, JK-Net, MixHop and GatedGCN."""
import json

import numpy as np

from cases import GRADS, bn_, case, fd, fill, finish, graph, lin_, module, rnd, save


def simple(model):
    m = module(model)
    return m, (lambda d, cfg, train: m.forward(d, cfg, train)['out_train' if train else 'out'])


@case
def gat():
    m, f = simple('gat')
    for name, g, heads, dims, res, edim, slope in [
        ('isolated', graph([11], 1, lone=(4,)), [2, 2], [4, 3], True, None, .2),
        ('heads_4_1', graph([11], 2, lone=(3,)), [4, 1], [3, 3], False, None, .2),
        ('heads_1_3', graph([11], 2), [1, 3], [6, 4], True, None, .1),
        ('three', graph([11], 2), [2, 2, 2], [4, 4, 3], False, None, .2),
        ('three_res', graph([11], 2), [2, 2, 2], [4, 4, 3], True, None, .2),
        ('one_layer', graph([11], 2), [2], [3], False, None, .2),
        ('edges_res', graph([6, 1, 5], 2, lone=(11,)), [2, 2], [4, 3], True, 4, .2),
        ('one_node', graph([1], 2, lone=(0,)), [2, 2], [4, 3], True, None, .2),
    ]:
        r = np.random.default_rng(6); d = dict(g); n = int(d['num_nodes'])
        if name != 'edges_res': d.pop('batch')
        d['x'] = rnd(r, (n, 5), 1); L = len(heads)
        if edim: d['edge_attr'] = rnd(r, (d['edge_index'].shape[1], edim), 1)
        ins, fin = [], 5
        for l in range(L):
            H, C = heads[l], dims[l]; concat = l + 1 < L
            sh = {'weight': (H * C, fin), 'att_src': (H, C), 'att_dst': (H, C), 'bias': (H * C if concat else C,)}
            if edim: sh |= {'w_edge': (H * C, edim), 'att_edge': (H, C)}
            if res: sh['w_res'] = (H * C if concat else C, fin)
            fill(d, r, {f'layer{l}.{k}': v for k, v in sh.items()})
            ins.append(fin); fin = H * C
        cfg = {'model': 'gat', 'layers': L, 'in_dims': ins, 'heads': heads, 'head_dims': dims, 'concat': [l + 1 < L for l in range(L)], 'negative_slope': slope,
               'edge_dim': edim, 'residual': res, 'bias': True, 'self_loop_edge_attr': None}
        finish('gat', name, d, cfg, f, ('x', 'edge_attr'))
    # the wrapper with three layers
    for name, L, width, edim in [('tuned3', 3, 6, None), ('tuned1', 1, 6, None)]:
        r = np.random.default_rng(7); d = dict(graph([12], 3, lone=(5,))); d.pop('batch'); n = 12
        d['x'] = rnd(r, (n, 5), 1)
        fill(d, r, {'input.weight': (width, 5), 'input.bias': (width,), 'head.weight': (3, width), 'head.bias': (3,)})
        for l in range(L):
            fill(d, r, {f'layer{l}.{k}': v for k, v in {'weight': (width, width), 'att_src': (1, width), 'att_dst': (1, width), 'w_res': (width, width), 'b_res': (width,), 'bn_gain': (width,), 'bn_shift': (width,)}.items()})
            fill(d, r, {f'layer{l}.bn_mean': (width,), f'layer{l}.bn_var': (width,)}, 'buffer/')
        cfg = {"model": "gat", "layers": L, "in_dims": [width] * L, "heads": [1] * L, "head_dims": [width] * L, "concat": [True] * L, "negative_slope": 0.2, "edge_dim": None, "residual": False, "wrapper_residual": "linear with bias", "norm": "batch_norm", "bn_eps": 1e-05, "bn_momentum": 0.1, "pre_linear": True, "jk": None, "bias": False, "classes": 3}
        finish('gat', name, d, cfg, f, ('x',), (False, True))


@case
def gin():
    m, f = simple('gin')
    r = np.random.default_rng(8)
    for name, g, L, H, resid in [('gine_cycles', graph([14], 1), 2, 8, False), ('gine_cycles3', graph([11], 1, lone=(4,)), 3, 6, False)]:
        d = dict(g); d.pop('batch'); n = int(d['num_nodes'])
        d['x'] = rnd(r, (n, 5), 1); d['edge_attr'] = rnd(r, (d['edge_index'].shape[1], 4), 1)
        fin = 5
        for l in range(L):
            fill(d, r, {f'layer{l}.eps': (1,), f'layer{l}.edge.weight': (fin, 4), f'layer{l}.edge.bias': (fin,), f'layer{l}.lin1.weight': (H, fin), f'layer{l}.lin1.bias': (H,), f'layer{l}.lin2.weight': (H, H), f'layer{l}.lin2.bias': (H,)})
            fin = H
        fill(d, r, {'head0.weight': (3, H), 'head0.bias': (3,)})
        cfg = {"model": "gin", "kind": "gine", "layers": L, "classes": 3, "mlp": "linear, relu, linear", "train_eps": True, "edge_projection": "per layer, 4 -> width of the layer's input", "after_layer": "relu", "readout": "linear on each node", "linear": "y = x W^T"}
        if name == 'gine_cycles3': cfg['residual'] = False
        finish('gin', name, d, cfg, f, ('x', 'edge_attr'))
    for name, g, L, read in [('batch3', graph([5, 1, 6], 4, lone=(5,)), 3, 'sum of linear(sum pool) over h0..h3'), ('mean_batch', graph([5, 1, 6], 4, lone=(5,)), 2, 'mean pool, linear'), ('one_layer', graph([9], 2), 1, 'linear on each node')]:
        d = dict(g); n = int(d['num_nodes']); H = 6
        if name == 'one_layer': d.pop('batch')
        d['x'] = rnd(r, (n, 5), 1); fin = 5
        for l in range(L):
            fill(d, r, {f'layer{l}.eps': (1,), f'layer{l}.lin1.weight': (H, fin), f'layer{l}.lin1.bias': (H,), f'layer{l}.lin2.weight': (H, H), f'layer{l}.lin2.bias': (H,), f'layer{l}.bn.gain': (H,), f'layer{l}.bn.shift': (H,), f'layer{l}.outer_bn.gain': (H,), f'layer{l}.outer_bn.shift': (H,)})
            fill(d, r, {f'layer{l}.{b}.{k}': (H,) for b in ('bn', 'outer_bn') for k in ('mean', 'var')}, 'buffer/')
            fin = H
        if read.startswith('sum'):
            for l in range(L + 1): fill(d, r, {f'head{l}.weight': (3, 5 if l == 0 else H), f'head{l}.bias': (3,)})
        else: fill(d, r, {'head0.weight': (3, H), 'head0.bias': (3,)})
        cfg = {"model": "gin", "kind": "gin", "layers": L, "dims": [5] + [H] * L, "classes": 3, "train_eps": True, "after_layer": "batch norm, relu", "readout": read, "bn_eps": 1e-05, "bn_momentum": 0.1}
        finish('gin', name, d, cfg, f, ('x',), (False, True))


@case
def graphsage():
    m, f = simple('graphsage')
    r = np.random.default_rng(9)
    for name, g, dims, proj, l2, loops in [('isolated', graph([11], 1, lone=(4,)), [5, 8, 3], False, False, False), ('three', graph([11], 1, lone=(4,)), [5, 8, 8, 3], False, False, False), ('l2', graph([11], 1), [5, 8, 3], False, True, False),
                                           ('project', graph([11], 1, lone=(4,)), [5, 8, 3], True, False, False), ('loops', graph([11], 1, lone=(4,)), [5, 8, 3], False, False, True), ('one', graph([1], 1, lone=(0,)), [5, 8, 3], True, True, False), ('one_layer', graph([7], 1), [5, 3], False, False, False)]:
        d = dict(g); d.pop('batch'); n = int(d['num_nodes']); d['x'] = rnd(r, (n, 5), 1); L = len(dims) - 1
        for l in range(L):
            sh = {'w_neigh': (dims[l + 1], dims[l]), 'w_root': (dims[l + 1], dims[l]), 'bias': (dims[l + 1],)}
            if proj: sh |= {'w_proj': (dims[l], dims[l]), 'b_proj': (dims[l],)}
            fill(d, r, {f'layer{l}.{k}': v for k, v in sh.items()})
        cfg = {"model": "graphsage", "layers": L, "dims": dims, "aggregation": "mean", "root_weight": True, "bias": True, "l2_normalize": l2, "project": proj, "self_loops_in_graph": loops}
        finish('graphsage', name, d, cfg, f)
    for name, L in [('tuned3', 3)]:
        d = dict(graph([12], 3, lone=(5,))); d.pop('batch'); d['x'] = rnd(r, (12, 5), 1); H = 8; fin = 5
        for l in range(L):
            fill(d, r, {f'layer{l}.{k}': v for k, v in {'w_neigh': (H, fin), 'w_root': (H, fin), 'bias': (H,), 'w_res': (H, fin), 'b_res': (H,), 'ln_gain': (H,), 'ln_shift': (H,)}.items()})
            fin = H
        fill(d, r, {'head.weight': (3, H), 'head.bias': (3,)})
        cfg = {"model": "graphsage", "layers": L, "dims": [5] + [H] * L, "classes": 3, "aggregation": "mean", "self_loops_in_graph": True, "residual": "linear", "norm": "layer_norm", "layer_norm_eps": 1e-05, "jk": "sum", "l2_normalize": False, "project": False, "root_weight": True, "bias": True}
        finish('graphsage', name, d, cfg, f)


@case
def jknet():
    m, f = simple('jknet')
    r = np.random.default_rng(10)
    for name, g, mode, L, C in [('cycles_max', graph([14], 1), 'max', 3, 8), ('isolated_lstm', graph([11], 1, lone=(4,)), 'lstm', 3, 7), ('lstm2', graph([11], 1), 'lstm', 2, 5), ('cat1', graph([11], 1), 'cat', 1, 6), ('max5', graph([11], 1, lone=(0,)), 'max', 5, 6), ('lstm5', graph([9], 1), 'lstm', 5, 3)]:
        d = dict(g); d.pop('batch'); n = int(d['num_nodes']); d['x'] = rnd(r, (n, 5), 1); fin = 5; M = L * C // 2
        for l in range(L):
            fill(d, r, {f'layer{l}.weight': (C, fin), f'layer{l}.bias': (C,)}); fin = C
        if mode == 'lstm':
            for way in ('forward', 'backward'):
                fill(d, r, {f'lstm.{way}.w_in': (4 * M, C), f'lstm.{way}.w_rec': (4 * M, M), f'lstm.{way}.b_in': (4 * M,), f'lstm.{way}.b_rec': (4 * M,)})
            fill(d, r, {'att.weight': (1, 2 * M), 'att.bias': (1,)})
        fill(d, r, {'head.weight': (3, L * C if mode == 'cat' else C), 'head.bias': (3,)})
        finish('jknet', name, d, {"model": "jknet", "mode": mode, "layers": L, "in_dim": 5, "hidden": C, "classes": 3, "lstm_hidden": M if mode == 'lstm' else None}, f)


@case
def mixhop():
    m, f = simple('mixhop')
    r = np.random.default_rng(11)
    for name, g, powers, L, bn, C in [('isolated', graph([11], 1, lone=(4,)), [0, 1, 2], 2, True, 4), ('one_power', graph([11], 1), [2], 2, False, 4), ('three', graph([11], 1, lone=(4,)), [1, 0, 4], 3, False, 3), ('three_bn', graph([11], 1, lone=(4,)), [0, 2], 3, True, 3), ('one_layer', graph([9], 1), [0, 1], 1, False, 4)]:
        d = dict(g); d.pop('batch'); n = int(d['num_nodes']); d['x'] = rnd(r, (n, 5), 1); fin = 5; W = C * len(powers)
        for l in range(L):
            fill(d, r, {f'layer{l}.w_power{p}': (C, fin) for p in powers} | {f'layer{l}.bias': (W,)})
            if bn and l + 1 < L:
                fill(d, r, {f'layer{l}.bn.gain': (W,), f'layer{l}.bn.shift': (W,)}); fill(d, r, {f'layer{l}.bn.mean': (W,), f'layer{l}.bn.var': (W,)}, 'buffer/')
            fin = W
        fill(d, r, {'head.weight': (3, W), 'head.bias': (3,)})
        cfg = {"model": "mixhop", "layers": L, "in_dims": [5] + [W] * (L - 1), "out_per_power": C, "powers": powers, "classes": 3, "between": "batch norm, relu" if bn else "relu", "bn_eps": 1e-05, "bn_momentum": 0.1}
        finish('mixhop', name, d, cfg, f, ('x',), (False, True) if bn else (False,))


@case
def gatedgcn():
    m = module('gatedgcn')
    r = np.random.default_rng(12)
    for name, g, dims, res, enc, graphs in [('deep', graph([9], 1, lone=(3,)), [8, 8, 8, 8], [True] * 3, True, False), ('plain', graph([9], 1, lone=(3,)), [5, 8, 8], [False, False], False, False), ('batch3', graph([4, 1, 6], 1, lone=(4,)), [6, 6, 6, 6], [True] * 3, True, True), ('batch_plain', graph([4, 1, 6], 1, lone=(4,)), [6, 6, 6], [False] * 2, True, True), ('batch1', graph([4, 1, 6], 1, lone=(4,)), [6, 6], [True], True, True)]:
        d = dict(g); n = int(d['num_nodes']); L = len(res); E = d['edge_index'].shape[1]
        if not graphs: d.pop('batch')
        d['x'] = rnd(r, (n, 5), 1); d['edge_attr'] = rnd(r, (E, 4 if enc else dims[0]), 1)
        if enc: fill(d, r, {'node_encoder.weight': (dims[0], 5), 'node_encoder.bias': (dims[0],), 'edge_encoder.weight': (dims[0], 4), 'edge_encoder.bias': (dims[0],)})
        for l in range(L):
            fill(d, r, {f'layer{l}.{k}.{p}': ((dims[l + 1], dims[l]) if p == 'weight' else (dims[l + 1],)) for k in 'ABCDE' for p in ('weight', 'bias')})
            fill(d, r, {f'layer{l}.{k}.{p}': (dims[l + 1],) for k in ('bn_node', 'bn_edge') for p in ('gain', 'shift')})
            fill(d, r, {f'layer{l}.{k}.{p}': (dims[l + 1],) for k in ('bn_node', 'bn_edge') for p in ('mean', 'var')}, 'buffer/')
        if graphs: fill(d, r, {'head.weight': (3, dims[-1]), 'head.bias': (3,)})
        cfg = {"model": "gatedgcn", "layers": L, "dims": dims, "residual": res, "encoders": enc, "gate_eps": 1e-06, "bn_eps": 1e-05, "bn_momentum": 0.1, "readout": "mean pool, linear" if graphs else "none"}
        if not graphs:
            d['cotangent_e'] = r.standard_normal((E, dims[-1]))
        def both(d, cfg, train):
            out = m.forward(d, cfg, train); t = '_train' if train else ''
            return out, t
        for t, train in (('', False), ('_train', True)):
            o = m.forward(d, cfg, train)
            d['out' + t] = o['out' + t]
            if not graphs: d['out_e' + t] = o['out_e' + t]
        d['cotangent'] = r.standard_normal(d['out'].shape)
        keys = ['x', 'edge_attr'] + [k for k in d if k.startswith('param/')]
        if GRADS:
            for t, train in (('', False), ('_train', True)):
                for k, v in fd(lambda: m.loss_of(d, cfg, train), d, keys).items(): d[f'grad{t}/{k}'] = v
        save('gatedgcn', name, d, cfg)
