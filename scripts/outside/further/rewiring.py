"""IPR-MPNN, with gradients straight through its draws."""
import json

import numpy as np

from cases import GRADS, case, fd, fill, graph, lin_, module, rnd, save


class Z(dict):
    @property
    def files(self): return list(self)


@case
def ipr_mpnn():
    # The file checks the cases of its folder when it is read, and ends.
    m = module('ipr-mpnn')
    for name, g, F, Fc, L, delay, C, k, R, resid, jk, target, pool, lazy, pe in [
        ('one_layer', graph([9], 1, lone=(4,)), 8, 4, 1, 1, 2, 1, 1, True, None, 'base', None, 'rand', False),
        ('gnn_graphs', graph([6, 5, 7], 2, lone=(11,)), 8, 5, 2, 1, 3, 2, 2, False, 'identity', 'base', 'mean', None, True),
        ('encoded', graph([9, 6], 3), 8, 6, 3, 1, 3, 2, 2, True, None, 'base', None, 'rand', True),
        ('centroids', graph([6, 1, 7, 5], 4, lone=(6,)), 6, 8, 4, 3, 2, 1, 3, True, 'identity', 'centroid', 'mean', 'rand', False),
        ('zero', graph([6, 5, 7], 5), 8, 6, 2, 1, 3, 1, 2, True, None, 'centroid', 'mean', 'zero', False),
    ]:
        r = np.random.default_rng(34); d = Z(g); n, G = int(d['num_nodes']), int(d['batch'].max()) + 1; E = d['edge_index'].shape[1]
        d['x'] = rnd(r, (n, 5), 1); d['edge_attr'] = rnd(r, (E, 2), 1)
        def norm(nm, width): fill(d, r, {f'{nm}.weight': (width,), f'{nm}.bias': (width,)}); fill(d, r, {f'{nm}.mean': (width,), f'{nm}.var': (width,)}, 'buffer/')
        def enc(pre):
            fill(d, r, lin_(pre + 'enc.x', 5, F - (4 if pe else 0)))
            if pe: fill(d, r, lin_(pre + 'enc.lap', 3, 2) | lin_(pre + 'enc.rw.0', 4, 4) | lin_(pre + 'enc.rw.1', 4, 2)); norm(pre + 'enc.rw_norm', 4); norm(pre + 'enc.rw_bn', 4)
        def mlp(pre, widths):
            for i, (a, b) in enumerate(zip(widths, widths[1:])):
                fill(d, r, lin_(f'{pre}mlp.{i}', a, b))
                if i + 2 < len(widths): norm(f'{pre}mlp_bn.{i}', b)
        if pe: d['rwse'] = np.abs(rnd(r, (n, 4), 1)); d['lappe'] = rnd(r, (n, 3), 1); d['lappe'][-2:, 2] = np.nan
        enc('scorer.'); mlp('scorer.', [F, F, C])
        if not lazy:
            enc('init.'); mlp('init.', [F, F, F, Fc])
            for i in range(2):
                p = f'init.convs.{i}.'
                fill(d, r, {p + 'eps': (1,)} | lin_(p + 'mlp.0', F, F) | lin_(p + 'mlp.2', F, F) | lin_(p + 'edge', 2, F)); norm(f'init.bn.{i}', F)
        enc('')
        for l in range(L):
            wide = lambda at: (F, Fc) if at == 0 else (2 * F, 2 * Fc)
            kinds = [] if l + 1 == L and target == 'centroid' else [('bb', 0, 0, l), ('cb', 1, 0, l)] + ([('cb_delay', 1, 0, l - delay)] if l >= delay else [])
            kinds += [] if l + 1 == L and target == 'base' else [('bc', 0, 1, l), ('cc', 1, 1, l)] + ([('bc_delay', 0, 1, l - delay)] if l >= delay else [])
            for kind, source, end, at in kinds:
                p, out = f'layers.{l}.{kind}.', (F, Fc)[end]
                fill(d, r, {p + 'eps': (1,)} | lin_(p + 'lin_src', wide(at)[source], out) | lin_(p + 'lin_dst', wide(l)[end], out)); mlp(p, [out, out, out])
                if kind == 'bb': fill(d, r, lin_(p + 'edge.0', 2, F) | lin_(p + 'edge.1', F, F))
        for h in [f'head.{l}.' for l in range(L)] if jk else ['head.']:
            fill(d, r, lin_(h + 'inter.0', 2 * (F if target == 'base' else Fc), F) | lin_(h + 'inter.1', F, F) | lin_(h + 'intra.0', F, F) | lin_(h + 'intra.1', F, 3))
        for ending in ('', '_train'):
            if ending or R > 1: d[f'draw/uniform{ending}'] = r.random((R, n, 4))
            if lazy: d[f'draw/centroid_init{ending}'] = rnd(r, (R, C, G, Fc), 1 if lazy == 'rand' else 0)
        if pe: d['draw/lap_flip_train'] = np.sign(rnd(r, (2 if lazy else 3, 3)))
        cfg = {"hidden": F, "cent_hidden": Fc, "layers": L, "delay": delay, "centroids": C, "k": k, "samples": R, "residual": resid, "jk": jk, "target": target, "pool": pool, "lazy": lazy, "pe": pe, "F_in": 5, "edge_dim": 2, "classes": 3, "scorer_layers": 2, "mlp_layers": 2, "init_convs": 0 if lazy else 2, "init_mlp_layers": 0 if lazy else 3, "bn_eps": 1e-05, "seed": 1}
        d['config'] = np.array(json.dumps(cfg))
        model = m.Model(d)
        d['out'] = model.forward(d['x'], d['edge_attr'], False); d['cotangent'] = r.standard_normal(d['out'].shape)
        # Virtual nodes that start alike have nothing to normalise: only evaluation says something.
        if lazy != 'zero':
            d['out_train'] = model.forward(d['x'], d['edge_attr'], True, True)
            arrays = {'x': d['x'], 'edge_attr': d['edge_attr']} | {f'param/{key}': value for key, value in model.p.items()}
            if GRADS:
                loss = lambda: float((model.forward(d['x'], d['edge_attr'], True, True) * d['cotangent']).sum())
                for key, value in fd(loss, arrays, list(arrays)).items(): d[f'grad/{key}'] = value
        save('ipr-mpnn', name, d, cfg)
