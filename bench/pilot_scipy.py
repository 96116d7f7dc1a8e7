"""The compliant rod of pilot_rod.h by SciPy, for bench_pilot.

pilot_scipy.py STIFFNESS DAMPING EXPONENT ALPHA SHEAR_STIFFNESS SHEAR_DAMPING END DEPTH REPEATS

prints a line "method tolerance seconds evaluations x angle" for LSODA and Radau at tolerances from loose to tight; seconds are
the least of the repeats. The equations are written for speed: plain floats, one set a mode, the Jacobian given.
"""
import math
import sys
import time

import numpy
from scipy.integrate import solve_ivp

MASS, INERTIA, ARM, MU, GRAVITY = 0.088, 1.606176e-3, 0.234, 0.27, 9.81
ANGLE, SLIP, APPROACH = math.radians(42.3), -0.1, 1e-8
MOST_CALLS = 60000  # of the right-hand side in an arc: longer runs are given up, and tighter tolerances not tried


class TooLong(Exception):
    pass


def normal(k, c, exponent, alpha, gap, rate):
    depth = max(-gap, 0.0)
    if alpha > 0:
        elastic, factor = k * depth**exponent, 1 - 1.5 * alpha * rate
        force, by_gap = elastic * factor, -exponent * elastic / depth * factor if depth > 0 else 0.0
        by_rate = -1.5 * alpha * elastic
    else:
        force, by_gap, by_rate = k * depth - c * rate, -k, -c
    return (force, by_gap, by_rate) if force > 0 else (0.0, 0.0, 0.0)


def equations(k, c, exponent, alpha, kt, ct, sign):
    left = MOST_CALLS

    def derivative(_t, s):
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLong
        _x, _y, angle, vx, vy, spin, gap, shear = s.tolist()
        sine, cosine = math.sin(angle), math.cos(angle)
        rate, slip = vy - ARM * cosine * spin, vx + ARM * sine * spin
        force = normal(k, c, exponent, alpha, gap, rate)[0]
        friction = -sign * MU * force if sign else kt * shear - ct * slip
        return (vx, vy, spin, friction / MASS, force / MASS - GRAVITY, ARM * (sine * friction - cosine * force) / INERTIA,
                rate, (friction - kt * shear) / ct if sign else -slip)

    def jacobian(_t, s):
        _x, _y, angle, vx, vy, spin, gap, shear = s.tolist()
        sine, cosine = math.sin(angle), math.cos(angle)
        rate, slip = vy - ARM * cosine * spin, vx + ARM * sine * spin
        force, by_gap, by_rate = normal(k, c, exponent, alpha, gap, rate)
        friction = -sign * MU * force if sign else kt * shear - ct * slip
        rates = (0, 0, ARM * sine * spin, 0, 1, -ARM * cosine, 0, 0)
        slips = (0, 0, ARM * cosine * spin, 1, 0, ARM * sine, 0, 0)
        n = [by_rate * r for r in rates]
        n[6] += by_gap
        t = [-sign * MU * v for v in n] if sign else [-ct * v for v in slips]
        if not sign:
            t[7] += kt
        turn = [ARM * (sine * b - cosine * a) / INERTIA for a, b in zip(n, t)]
        turn[2] += ARM * (cosine * friction + sine * force) / INERTIA
        last = [v / ct for v in t] if sign else [-v for v in slips]
        if sign:
            last[7] -= kt / ct
        return [[0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0], [v / MASS for v in t], [v / MASS for v in n], turn, rates, last]

    def root(_t, s):
        _x, _y, angle, vx, vy, spin, gap, shear = s.tolist()
        sine, cosine = math.sin(angle), math.cos(angle)
        rate, slip = vy - ARM * cosine * spin, vx + ARM * sine * spin
        force = normal(k, c, exponent, alpha, gap, rate)[0]
        trial = kt * shear - ct * slip
        return (-sign * MU * force - trial) / ct if sign else MU * force - abs(trial)

    root.terminal, root.direction = True, -sign if sign else -1
    return derivative, jacobian, root


def run(method, tolerance, numbers, end, depth):
    k, c, exponent, alpha, kt, ct = numbers
    s = numpy.array([0, ARM * math.sin(ANGLE), ANGLE, SLIP, -APPROACH, 0, 0, 0])
    absolute = [tolerance] * 6 + [tolerance * depth, tolerance * depth]
    t, sign, calls = 0.0, -1, 0
    begin = time.process_time()
    while t < end:
        derivative, jacobian, root = equations(k, c, exponent, alpha, kt, ct, sign)
        done = solve_ivp(derivative, (t, end), s, method, events=root, rtol=max(tolerance, 1e-13), atol=absolute, jac=jacobian)
        calls += done.nfev
        if done.status < 0:
            return None
        t, s = done.t[-1], done.y[:, -1]
        if done.status == 1:
            slip = s[3] + ARM * math.sin(s[2]) * s[5]
            sign = 0 if sign else -1 if kt * s[7] - ct * slip > 0 else 1
    return time.process_time() - begin, calls, s[0], s[2]


def main():
    numbers, end, depth = [float(v) for v in sys.argv[1:7]], float(sys.argv[7]), float(sys.argv[8])
    repeats = int(sys.argv[9])
    for method in ("LSODA", "Radau"):
        for half in range(8, 25) if method == "LSODA" else range(6, 17):
            tolerance = 10.0 ** (-0.5 * half)
            try:
                results = [run(method, tolerance, numbers, end, depth) for _ in range(repeats)]
            except TooLong:
                break
            if None not in results:
                print(method, tolerance, *(float(v) for v in min(results)), flush=True)


main()
