"""Measures the suite training with PyTorch, compiled by torch.compile, for bench_peers.py."""
from bench_peers_work import Work

EPS = 1e-5  # epsilon of the norms
LR, BETA1, BETA2, TINY, DECAY = 1e-3, 0.9, 0.999, 1e-2, 0.01


def apart(got, expected, relative):
    """Return a description of the difference of two arrays, or None if it is below `relative` of
    the largest number."""
    error, most = float((got.double() - expected).abs().max()), float(expected.abs().max())
    return None if error <= relative * most else f"off by up to {error:g}, of {most:g}"


class TorchTraining:
    """PyTorch's gradients; expects the methods of TorchArrays."""

    def training_norm(self, axes, norm, factors):
        """Define the backward pass of a norm with `factors` vectors of the weight and the bias."""
        torch = self.torch
        torch.cuda.empty_cache()
        torch.manual_seed(self.seed)
        dtype, rows, columns = self.dtype_of(axes), axes["rows"], axes["columns"]
        inputs = [self.random(dtype, rows, columns), *(self.random(dtype, columns) for _ in range(factors))]
        for x in inputs:
            x.requires_grad_()
        dy = self.random(dtype, rows, columns)
        y = torch.compile(norm, dynamic=False)(*inputs)

        def run(_number):
            return torch.autograd.grad(y, inputs, dy, retain_graph=True)

        def check():
            wide = [x.detach().double().requires_grad_() for x in inputs]
            right = torch.autograd.grad(norm(*wide), wide, dy.double())
            # Compiled code may round a gradient of the weight for each part of the rows.
            found = [apart(g, r, 8 * torch.finfo(dtype).eps) for g, r in zip(run(0), right)]
            return next((f for f in found if f), None)

        run(0)  # compiles the backward pass
        return Work(run, check)

    def training_rms_norm(self, axes):
        functional = self.torch.nn.functional
        return self.training_norm(axes, lambda x, w: functional.rms_norm(x, x.shape[1:], w, EPS), 1)

    def training_layer_norm(self, axes):
        functional = self.torch.nn.functional
        return self.training_norm(axes, lambda x, w, b: functional.layer_norm(x, x.shape[1:], w, b, EPS), 2)

    def projection(self, axes):
        """Make the features, the words, the targets and the compiled loss."""
        torch = self.torch
        torch.cuda.empty_cache()
        torch.manual_seed(self.seed)
        dtype, rows, columns, words = (self.dtype_of(axes), axes["rows"], axes["columns"], axes["words"])
        x, w = self.random(dtype, rows, columns), self.random(dtype, words, columns)
        target = torch.randint(0, words, (rows,), device="cuda")

        def loss(x, w):
            return torch.nn.functional.cross_entropy(torch.nn.functional.linear(x, w).float(), target, reduction="none")

        return x, w, target, torch.compile(loss, dynamic=False)

    def training_projection(self, axes):
        torch = self.torch
        x, w, target, loss = self.projection(axes)

        def run(_number):
            with torch.no_grad():
                return loss(x, w)

        def check():
            z = x[:8].double() @ w.double().t()
            right = torch.nn.functional.cross_entropy(z, target[:8], reduction="none")
            return apart(run(0)[:8], right, 2 * torch.finfo(x.dtype).eps)

        return Work(run, check)

    def training_projection_backward(self, axes):
        torch = self.torch
        x, w, target, loss = self.projection(axes)
        x.requires_grad_()
        w.requires_grad_()
        dloss = self.random(torch.float32, axes["rows"])
        out = loss(x, w)

        def run(_number):
            return torch.autograd.grad(out, (x, w), dloss, retain_graph=True)

        def check():
            z = x[:8].detach().double() @ w.detach().double().t()
            dz = torch.softmax(z, 1)
            dz[range(len(dz)), target[:8]] -= 1
            right = (dz * dloss[:8, None].double()) @ w.detach().double()
            return apart(run(0)[0][:8], right, 8 * torch.finfo(x.dtype).eps)

        run(0)  # compiles the backward pass
        return Work(run, check)

    def training_adamw(self, axes):
        torch = self.torch
        torch.cuda.empty_cache()
        torch.manual_seed(self.seed)
        mean, count = axes["columns"], axes["rows"]
        parameters = []
        for k in range(count):  # as length_of() in training.c
            length = mean // 2 + (k * 7919 + 13) % max(mean, 1) + (mean < 2)
            parameter = torch.nn.Parameter(torch.zeros(length, device="cuda"))
            parameter.grad = self.random(torch.float32, length)
            parameters.append(parameter)
        step = torch.optim.AdamW(parameters, lr=LR, betas=(BETA1, BETA2), eps=TINY, weight_decay=DECAY, fused=True)
        step.step()
        first = parameters[0].detach().clone()

        def check():
            g = parameters[0].grad.double()
            return apart(first, -LR * g / (g.abs() + TINY), 1e-5)

        return Work(lambda _number: step.step(), check)
