"""Models whose nodes attend to tokens or to each other along linear attention."""
import json

import numpy as np

from cases import GRADS, bn_, case, fd, fill, finish, graph, lin_, module, rnd, save


@case
def nagphormer():
    m = module('nagphormer')

    def f(d, cfg, train):
        par = {k[6:]: v for k, v in d.items() if k.startswith('param/')}
        return m.forward(d, cfg, d['x'], d['lappe'], par)['mid/logits']
    r = np.random.default_rng(18)
    for name, K, L, M, hid, pe, lone in [('h1', 1, 1, 1, 4, 2, ()), ('h8', 5, 3, 8, 16, 3, (4,)), ('one_pe', 2, 2, 2, 8, 1, ())]:
        d = dict(graph([9], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (9, 5), 1); d['lappe'] = rnd(r, (9, pe), 1)
        sh = {'att_embeddings_nope.weight': (hid, 5 + pe), 'att_embeddings_nope.bias': (hid,), 'final_ln.weight': (hid,), 'final_ln.bias': (hid,), 'attn_layer.weight': (1, 2 * hid), 'attn_layer.bias': (1,), 'out_proj.weight': (hid // 2, hid), 'out_proj.bias': (hid // 2,), 'Linear1.weight': (3, hid // 2), 'Linear1.bias': (3,)}
        for l in range(L):
            for k in ('linear_q', 'linear_k', 'linear_v', 'output_layer'): sh |= {f'layers.{l}.self_attention.{k}.weight': (hid, hid), f'layers.{l}.self_attention.{k}.bias': (hid,)}
            for k in ('self_attention_norm', 'ffn_norm'): sh |= {f'layers.{l}.{k}.weight': (hid,), f'layers.{l}.{k}.bias': (hid,)}
            sh |= {f'layers.{l}.ffn.layer1.weight': (2 * hid, hid), f'layers.{l}.ffn.layer1.bias': (2 * hid,), f'layers.{l}.ffn.layer2.weight': (hid, 2 * hid), f'layers.{l}.ffn.layer2.bias': (hid,)}
        fill(d, r, sh)
        cfg = {"model": "nagphormer", "hops": K, "layers": L, "heads": M, "head_dim": hid // M, "hidden": hid, "ffn_dim": 2 * hid, "classes": 3, "in_dim": 5, "pe_dim": pe, "ln_eps": 1e-05, "dropout": 0.0, "attention_dropout": 0.0}
        logits = f(d, cfg, False); G = r.standard_normal(logits.shape)
        d['cotangent'] = G; d['grad/mid/logits'] = G; d['mid/logits'] = logits; d['out'] = logits
        if GRADS:
            keys = ['x', 'lappe'] + [k for k in d if k.startswith('param/')]
            for k, v in fd(lambda: float((f(d, cfg, False) * G).sum()), d, keys).items(): d[f'grad/{k}'] = v
        save('nagphormer', name, d, cfg)


@case
def sgformer():
    m = module('sgformer')
    f = lambda d, cfg, train: m.forward(d, cfg, train)
    for name, n, lone, large, H, TL, GL, ln, res, alpha, val, act, jk, init, bn, w, agg in [
        ('medium_cora', 10, (5,), False, 1, 1, 4, False, False, .5, False, False, False, False, False, .8, 'add'),
        ('medium_val', 10, (5,), False, 2, 1, 2, True, True, .3, True, True, False, False, True, .8, 'cat'),
        ('medium3', 12, (), False, 1, 3, 3, True, True, .5, False, False, True, False, True, .5, 'add'),
        ('large_jk', 12, (2,), True, 3, 2, 1, False, True, .5, True, True, True, True, True, .5, 'add'),
        ('large_nores', 12, (2,), True, 2, 1, 3, True, False, .5, False, False, False, False, True, .2, 'cat'),
        ('large_nobn', 12, (2,), True, 2, 1, 2, True, True, .5, True, False, False, False, True, .2, 'add'),
    ]:
        r = np.random.default_rng(25); d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (n, 5), 1); D = 8
        li = lambda nm, i, o: {f'{nm}.weight': (i, o), f'{nm}.bias': (o,)}
        fill(d, r, li('trans.in', 5, D))
        if ln:
            for i in range(TL + 1): fill(d, r, {f'trans.ln.{i}.weight': (D,), f'trans.ln.{i}.bias': (D,)})
        for i in range(TL):
            for k in ['Wq', 'Wk'] + (['Wv'] if val else []): fill(d, r, li(f'trans.{i}.{k}', D, H * D))
        def bnp(nm): fill(d, r, {f'{nm}.weight': (D,), f'{nm}.bias': (D,)}); fill(d, r, {f'{nm}.running_mean': (D,), f'{nm}.running_var': (D,)}, 'buffer/')
        if large:
            fill(d, r, li('gnn.in', 5, D)); bnp('gnn.bn.0')
            for i in range(GL): fill(d, r, li(f'gnn.{i}.W', 2 * D if init else D, D)); bnp(f'gnn.bn.{i + 1}')
        else:
            for i in range(GL):
                fill(d, r, li(f'gnn.{i}', 5 if i == 0 else D, D))
                if bn and i < GL - 1: bnp(f'gnn.bn.{i}')
        fill(d, r, li('fc', 2 * D if agg == 'cat' else D, 3))
        cfg = {"variant": "large" if large else "medium", "in_channels": 5, "hidden_channels": D, "out_channels": 3, "trans_layers": TL, "heads": H, "trans_ln": ln, "trans_residual": res, "alpha": alpha, "trans_value_weight": val, "trans_act": act, "jk": jk, "gnn": "gcn_residual" if large else "gcn_stack", "gnn_layers": GL, "gnn_init": init, "gnn_bn": bn, "gnn_act": True, "graph_weight": w, "aggregate": agg, "ln_eps": 1e-05, "bn_eps": 1e-05, "bn_momentum": 0.1, "dropout": 0.0, "self_loops": "added"}
        finish('sgformer', name, d, cfg, f, ('x',), (False, True) if bn else (False,))


@case
def polynormer():
    m = module('polynormer')
    for name, n, lone, large, H, c, LL, GL, mode, beta, pre, post, conv in [
        ('h1', 12, (5,), False, 1, 6, 1, 1, 'sigmoid', -1., False, False, 'gat'), ('free3', 12, (5,), False, 3, 4, 3, 1, 'free', .4, True, False, 'gat'),
        ('large_gat', 12, (5,), True, 2, 4, 2, 1, 'fixed', .9, False, True, 'gat'), ('large3', 12, (5,), True, 4, 2, 1, 3, 'fixed', .5, False, True, 'gcn')]:
        r = np.random.default_rng(29); d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (n, 5), 1); D = H * c
        li = lambda nm, i, o: {f'{nm}.weight': (i, o), f'{nm}.bias': (o,)}
        w = lambda nm, k: {f'{nm}.weight': (k,), f'{nm}.bias': (k,)}
        fin = D
        if not large: fill(d, r, li('lin_in', 5, D))
        else: fin = 5
        for i in range(LL):
            a = fin if i == 0 else D
            fill(d, r, li(f'h_lin.{i}', a, D)); fill(d, r, li(f'lin.{i}', a, D)); fill(d, r, w(f'ln.{i}', D))
            if pre: fill(d, r, w(f'pre_ln.{i}', a))
            if conv == 'gat': fill(d, r, {f'conv.{i}.weight': (a, D), f'conv.{i}.att_src': (H, c), f'conv.{i}.att_dst': (H, c)})
            else: fill(d, r, li(f'conv.{i}', a, D))
            if post: fill(d, r, w(f'post_bn.{i}', D)); fill(d, r, {f'post_bn.{i}.running_mean': (D,), f'post_bn.{i}.running_var': (D,)}, 'buffer/')
        fill(d, r, w('glob_in_ln', D)); fill(d, r, li('glob.lin_out', D, D)); fill(d, r, li('pred_local', D, 3)); fill(d, r, li('pred_global', D, 3))
        for i in range(GL):
            for k in ('h_lin', 'k_lin', 'v_lin'): fill(d, r, li(f'glob.{k}.{i}', D, D))
            fill(d, r, w(f'glob.ln.{i}', D))
        if mode != 'fixed': fill(d, r, {'betas': (LL, D), 'glob.betas': (GL, D)})
        cfg = {"variant": "large" if large else "medium", "in_channels": 5, "hidden_channels": c, "heads": H, "out_channels": 3, "local_layers": LL, "global_layers": GL, "beta": beta, "beta_mode": mode, "pre_ln": pre, "post_bn": post, "local_conv": conv, "qk_shared": True, "dropout": 0.0, "negative_slope": 0.2, "self_loops": "added", "ln_eps": 1e-05, "bn_eps": 1e-05, "bn_momentum": 0.1}
        d['out_local'] = m.forward(d, cfg, False)
        finish('polynormer', name, d, cfg, lambda d, cfg, train: m.forward(d, cfg, True, train), ('x',), (False, True) if post else (False,))


@case
def nodeformer():
    m = module('nodeformer')
    def f(d, cfg, train):
        o = m.forward(d, cfg, train)
        return o[0] if isinstance(o, tuple) else o
    for name, n, lone, H, R, trans, tau, M, K, act, jk, res, L in [('h4', 9, (5,), 4, 2, 'sigmoid', .25, 6, 2, False, False, True, 1), ('order0', 9, (), 1, 0, 'sigmoid', 1., 10, 2, True, False, True, 2), ('identity2', 9, (2,), 2, 2, 'identity', 1., 5, 1, False, True, True, 3)]:
        r = np.random.default_rng(30); d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (n, 5), 1); D = 8
        li = lambda nm, i, o: {f'{nm}.weight': (i, o), f'{nm}.bias': (o,)}
        w = lambda nm, k: {f'{nm}.weight': (k,), f'{nm}.bias': (k,)}
        fill(d, r, li('in', 5, D)); fill(d, r, w('ln.0', D))
        for i in range(L):
            for k in ('Wq', 'Wk', 'Wv'): fill(d, r, li(f'{i}.{k}', D, H * D))
            fill(d, r, li(f'{i}.Wo', H * D, D)); d[f'param/{i}.b'] = rnd(r, (R, H)); fill(d, r, w(f'ln.{i + 1}', D))
            d[f'draw/P_eval_{i}'] = rnd(r, (M, D), 1); d[f'draw/P_train_{i}'] = rnd(r, (M, D), 1); d[f'draw/exp_{i}'] = r.exponential(size=(n, H, K))
        fill(d, r, li('out', (L + 1) * D if jk else D, 3))
        cfg = {"in_channels": 5, "hidden_channels": D, "out_channels": 3, "layers": L, "heads": H, "tau": tau, "random_features": M, "gumbel_samples": K, "rb_order": R, "rb_trans": trans, "use_ln": True, "use_residual": res, "use_act": act, "use_jk": jk, "kernel_eps": 1e-06, "ln_eps": 1e-05, "dropout": 0.0, "self_loops": "added"}
        d['link_loss_train'] = m.forward(d, cfg, True)[1]
        if GRADS:
            keys = ['x'] + [k for k in d if k.startswith('param/')]
            for k, v in fd(lambda: float(m.forward(d, cfg, True)[1].mean()), d, keys).items(): d['grad_link/' + k] = v
        finish('nodeformer', name, d, cfg, f, ('x',), (False, True))
