// curve.ts: normal acceleration of one contact as a function of its normal force, friction and all other contacts solved again at each force.
//
// The problem is a = W λ + b (theory.md (1.4)). In the plane the curve is made of straight pieces, one for each choice of modes: its forces are affine
// in the given one, and the laws of contact cut an interval out of the line. In space it is sampled: contacts are swept until nothing changes
// (nonsmooth Gauss–Seidel), from the forces of each motion and from none; where that does not settle there is a gap.
import {Mode, Problem} from './run';

/** A straight piece: from (force, acceleration) to (force, acceleration). */
export type Piece = [number, number, number, number];
/** The slip of each contact of the problem along its tangents; only the direction counts. */
export type Slips = number[][];

const MOST_ENUMERATED = 5;
const OPEN = 0, STICK = 1, PLUS = 2, MINUS = 3;

/** Gauss with pivoting for two right-hand sides; null: singular. */
function solve(A: number[][], c: number[][]): number[][] | null {
  const n = A.length;
  let largest = 0;
  for (const row of A) for (const v of row) largest = Math.max(largest, Math.abs(v));
  for (let i = 0; i < n; i++) {
    let p = i;
    for (let k = i + 1; k < n; k++) if (Math.abs(A[k][i]) > Math.abs(A[p][i])) p = k;
    if (!(Math.abs(A[p][i]) > 1e-6 * largest)) return null;
    [A[i], A[p]] = [A[p], A[i]];
    [c[i], c[p]] = [c[p], c[i]];
    for (let k = i + 1; k < n; k++) {
      const f = A[k][i] / A[i][i];
      if (!f) continue;
      for (let j = i; j < n; j++) A[k][j] -= f * A[i][j];
      c[k][0] -= f * c[i][0];
      c[k][1] -= f * c[i][1];
    }
  }
  for (let i = n - 1; i >= 0; i--)
    for (let s = 0; s < 2; s++) {
      let v = c[i][s];
      for (let j = i + 1; j < n; j++) v -= A[i][j] * c[j][s];
      c[i][s] = v / A[i][i];
    }
  return c;
}

class Flat {
  private first: number[] = [];
  private n = 0;
  constructor(private p: Problem, private slips: Slips, private focus: number) {
    for (const k of p.rows) { this.first.push(this.n); this.n += k; }
  }
  /** Modes that a contact may have. */
  private choices(i: number): number[] {
    const {p} = this, out = i === this.focus ? [] : [OPEN];
    if (p.rows[i] < 2 || !(p.friction[i] > 0)) return [...out, PLUS];
    if (p.sliding[i]) return [...out, (this.slips[i]?.[0] ?? 0) < 0 ? MINUS : PLUS];
    return [...out, STICK, PLUS, MINUS];
  }
  private piece(modes: number[], far: number): Piece | null {
    const {p, first, n, focus} = this, W = p.W as Float32Array, b = p.b as Float32Array;
    // columns of forces: the given one, and the unknown ones
    const given = new Array<number>(n).fill(0), columns: number[][] = [], rows: number[] = [], unit = (k: number) => { const c = new Array<number>(n).fill(0); c[k] = 1; return c; };
    const pushed = (i: number) => { const c = unit(first[i]); if (p.rows[i] > 1 && modes[i] !== STICK) c[first[i] + 1] = (modes[i] === PLUS ? -1 : 1) * p.friction[i]; return c; };
    modes.forEach((m, i) => {
      if (i === focus) pushed(i).forEach((v, k) => { given[k] = v; });
      else if (m !== OPEN) { columns.push(pushed(i)); rows.push(first[i]); }
      if (m === STICK) { columns.push(unit(first[i] + 1)); rows.push(first[i] + 1); }
    });
    const apply = (f: number[]) => { const a = new Array<number>(n).fill(0); for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) a[i] += W[i * n + j] * f[j]; return a; };
    const answers = columns.map(apply), own = apply(given);
    const x = columns.length ? solve(rows.map((r) => answers.map((a) => a[r])), rows.map((r) => [-b[r], -own[r]])) : [];
    if (!x) return null;
    const force = [new Array<number>(n).fill(0), [...given]], a = [[...b], [...own]];
    columns.forEach((c, k) => { for (let i = 0; i < n; i++) for (let s = 0; s < 2; s++) { force[s][i] += c[i] * x[k][s]; a[s][i] += answers[k][i] * x[k][s]; } });
    let low = 0, high = far;
    const scale = [Math.max(1e-30, ...b.map(Math.abs)), Math.max(1e-30, far)];
    const least = (g0: number, g1: number, size: number) => {
      const slack = 1e-6 * size;
      if (Math.abs(g1) * far < slack) { if (g0 < -slack) high = -1; return; }
      const at = -g0 / g1;
      if (g1 > 0) low = Math.max(low, at); else high = Math.min(high, at);
    };
    modes.forEach((m, i) => {
      const k = first[i], mu = p.friction[i];
      if (m === OPEN) { least(a[0][k], a[1][k], scale[0]); return; }
      if (i !== focus) least(force[0][k], force[1][k], scale[1]);
      if (p.rows[i] < 2) return;
      if (m === STICK) for (const s of [1, -1]) least(mu * force[0][k] - s * force[0][k + 1], mu * force[1][k] - s * force[1][k + 1], scale[1]);
      else if (!p.sliding[i] && mu > 0) { const s = m === PLUS ? 1 : -1; least(s * a[0][k + 1], s * a[1][k + 1], scale[0]); }
    });
    if (!(high - low > 1e-9 * far)) return null;
    const k = first[focus];
    return [low, a[0][k] + a[1][k] * low, high, a[0][k] + a[1][k] * high];
  }
  pieces(far: number): Piece[] {
    const {p, focus} = this, out: Piece[] = [], count = p.slots.length;
    const add = (modes: number[]) => { const x = this.piece(modes, far); if (x) out.push(x); };
    if (count <= MOST_ENUMERATED) {
      const all = p.slots.map((_, i) => this.choices(i)), at = all.map(() => 0);
      for (;;) {
        add(at.map((k, i) => all[i][k]));
        let i = 0;
        while (i < count && ++at[i] === all[i].length) at[i++] = 0;
        if (i === count) break;
      }
      return out;
    }
    // too many choices: around each motion, the modes of the others stay
    const known: Record<number, number> = {[Mode.Separate]: OPEN, [Mode.Stick]: STICK, [Mode.Plus]: PLUS, [Mode.Minus]: MINUS, [Mode.Closed]: PLUS, [Mode.Slide]: PLUS};
    for (const m of p.motions) for (const own of this.choices(focus)) add(m.modes.map((x, i) => (i === focus ? own : known[x])));
    return out;
  }
}

/** Forces of all contacts where that of the focus is `l`, from a first guess; null: it does not settle. */
function sweep(p: Problem, slips: Slips, focus: number, l: number, guess: Float64Array): number | null {
  const W = p.W as Float32Array, b = p.b as Float32Array, first: number[] = [];
  let n = 0;
  for (const k of p.rows) { first.push(n); n += k; }
  const row = (r: number) => { let a = b[r]; for (let j = 0; j < n; j++) a += W[r * n + j] * guess[j]; return a; };
  guess[first[focus]] = l;
  for (let pass = 0; pass < 150; pass++) {
    let change = 0, size = l;
    for (let i = 0; i < first.length; i++) {
      const k = first[i], before = [guess[k], guess[k + 1], guess[k + 2]];
      if (i !== focus) guess[k] = Math.max(0, guess[k] - row(k) / W[k * n + k]);
      if (p.rows[i] === 3) {
        const most = p.friction[i] * guess[k], s = slips[i] ?? [0, 0], speed = Math.hypot(s[0], s[1] ?? 0);
        if (p.sliding[i] && speed > 0) { guess[k + 1] = (-most * s[0]) / speed; guess[k + 2] = (-most * (s[1] ?? 0)) / speed; } else {
          const rho = 1 / Math.max(W[(k + 1) * n + k + 1] + W[(k + 2) * n + k + 2], 1e-30), x = guess[k + 1] - rho * row(k + 1), y = guess[k + 2] - rho * row(k + 2), r = Math.hypot(x, y);
          const f = r > most ? most / (r || 1) : 1;
          guess[k + 1] = f * x;
          guess[k + 2] = f * y;
        }
      }
      for (let j = 0; j < p.rows[i]; j++) { change = Math.max(change, Math.abs(guess[k + j] - before[j])); size = Math.max(size, Math.abs(guess[k + j])); }
    }
    if (change <= 1e-6 * size) return row(first[focus]);
  }
  return null;
}

function sampled(p: Problem, slips: Slips, focus: number, far: number): Piece[] {
  const out: Piece[] = [], steps = 40, n = p.rows.reduce((a, k) => a + k, 0);
  const starts = [new Float64Array(n), ...p.motions.slice(0, 3).map((m) => Float64Array.from(m.force.flat()))];
  for (const start of p.slots.length === 1 ? [starts[0]] : starts) {
    let before: [number, number] | null = null;
    for (let i = 0; i <= steps; i++) {
      const l = (far * i) / steps, a = sweep(p, slips, focus, l, start);
      if (a !== null && before) out.push([before[0], before[1], l, a]);
      before = a === null ? null : [l, a];
    }
  }
  return out;
}

const cache = new WeakMap<Problem, Map<string, Piece[]>>();
/** The curve of contact number `focus` of the problem, up to the force `far`. */
export function curve(p: Problem, slips: Slips, focus: number, far: number): Piece[] {
  let known = cache.get(p);
  if (!known) cache.set(p, (known = new Map()));
  const key = [focus, far, ...slips.map((s) => s.map((x) => (Math.abs(x) < 1e-12 ? 0 : x > 0 ? 1 : -1)).join(' '))].join();
  let pieces = known.get(key);
  if (!pieces) known.set(key, (pieces = p.rows.some((k) => k === 3) ? sampled(p, slips, focus, far) : new Flat(p, slips, focus).pieces(far)));
  return pieces;
}
