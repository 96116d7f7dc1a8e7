// lens.ts: the focused contact magnified: what the flat and the spatial lens share, and the spatial one.
import {arrow, Ctx, force, label, mark} from './draw';
import {clamp, fix, middle, num} from './format';
import {Mode, Run, Touch} from './run';
import {cross, Measures, worldForce, worldSlip} from './scene';
import type {Tokens} from './view';

export interface Box { x: number; y: number; w: number; h: number }
/** Where the lens stands in a scene of that size; null: there is no room. */
export function lensBox(w: number, h: number): Box | null {
  if (w < 700 || h < 190) return null;
  const size = clamp(h * 0.74, 216, 300);
  return {x: w - size - 12, y: 10, w: size, h: Math.min(h - 46, size * 0.98)};
}
/** Begins to draw inside; c.restore() ends it. */
export function openLens(c: Ctx, b: Box, k: Tokens): void {
  c.save();
  c.beginPath();
  c.roundRect(b.x, b.y, b.w, b.h, 8);
  c.fillStyle = k.panel;
  c.fill();
  c.strokeStyle = k.line;
  c.lineWidth = 1;
  c.setLineDash([]);
  c.stroke();
  c.clip();
}
export function lensWords(c: Ctx, b: Box, x: Touch, k: Tokens, ground: Tokens): void {
  const total = Math.hypot(x.normal, ...x.tang), used = x.friction > 0 && x.normal > 0 ? Math.hypot(...x.tang) / (x.friction * x.normal) : NaN;
  const depth = x.compliant ? x.depth : 0, slip = x.slip.length > 1 ? Math.hypot(...x.slip) : x.slip[0];
  label(c, middle(x.contact.name, 34), b.x + 10, b.y + 17, k);
  label(c, `${num(total)} N`, b.x + 10, b.y + b.h - 26, ground, 'left', k.ink, 12);
  label(c, isFinite(used) ? `${Math.min(100, Math.round(100 * used))} % of friction` : `μ ${fix(x.friction, 2)}`, b.x + 10, b.y + b.h - 10, ground);
  if (Math.abs(slip) > 1e-9 && x.mode !== Mode.Stick) label(c, `slip ${num(slip)} m/s`, b.x + b.w - 10, b.y + b.h - 26, ground, 'right', k.tang);
  if (depth > 0) label(c, `${+(depth * 1e3).toPrecision(2)} mm deep`, b.x + b.w - 10, b.y + b.h - 10, ground, 'right', k['comp-t']);
  else label(c, `μ ${fix(x.friction, 2)}`, b.x + b.w - 10, b.y + b.h - 10, ground, 'right');
}

type Flat = [number, number];
/** Looks at the contact as the camera does: `right` and `up` are the axes of the screen in the world. */
export function spaceLens(c: Ctx, b: Box, run: Run, t: number, x: Touch, right: number[], up: number[], measures: Measures, k: Tokens, hull: (points: Flat[]) => Flat[]): void {
  const dot = (a: number[], d: number[]) => a[0] * d[0] + a[1] * d[1] + a[2] * d[2], n = x.dir, e = x.tangent, o = cross(n, e);
  const R = clamp(b.h * 0.34, 30, 100), px = b.x + b.w / 2, py = b.y + b.h * 0.6;
  const to = (v: number[], s = 1): Flat => [dot(v, right) * s, -dot(v, up) * s];
  const at = (v: number[], s: number): Flat => { const [dx, dy] = to(v, s); return [px + dx, py + dy]; };
  const path = (list: Flat[]) => { c.beginPath(); list.forEach((q, i) => (i ? c.lineTo(...q) : c.moveTo(...q))); c.closePath(); };
  openLens(c, b, k);
  // the tangent plane
  const corner = (i: number, j: number) => at([0, 1, 2].map((m) => i * e[m] + j * o[m]), R * 1.05);
  path([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]);
  c.fillStyle = k.sunk;
  c.fill();
  c.strokeStyle = k.line;
  c.stroke();
  if (x.friction > 0) {
    const a = Math.atan(x.friction), rim: Flat[] = [];
    for (let i = 0; i < 48; i++) { const f = (2 * Math.PI * i) / 48; rim.push(at([0, 1, 2].map((m) => Math.cos(a) * n[m] + Math.sin(a) * (Math.cos(f) * e[m] + Math.sin(f) * o[m])), R)); }
    c.fillStyle = k['cone-w'];
    c.strokeStyle = k.ink3;
    c.lineWidth = 1;
    path(hull([[px, py], ...rim]));
    c.fill();
    c.stroke();
    path(rim);
    c.stroke();
  }
  arrow(c, px, py, ...to(n, R + 16), k.normal, 1.6, 7);
  const scale = (R * 0.8) / measures.force, now = run.problem(t)?.problem, i = now ? now.slots.indexOf(x.contact.slot) : -1;
  for (const m of now && i >= 0 && now.count > 1 ? now.motions : []) {
    const f = m.force[i];
    if (m.modes[i] === x.mode || !(f[0] > 0)) continue;
    const v = [0, 1, 2].map((j) => n[j] * f[0] + e[j] * f[1] + o[j] * (f[2] ?? 0)), size = Math.min(1, (R * 1.1) / (Math.hypot(...v) * scale || 1));
    arrow(c, px, py, ...to(v, scale * size), m.stable ? k.ink2 : k.none, 2, 7, [5, 3]);
  }
  const f = worldForce(x, false), long = Math.hypot(...f) * scale, fx = to(f, scale), shown = Math.hypot(...fx);
  force(c, px, py, fx[0], fx[1], long > R * 1.1 ? (R * 1.1 * shown) / long : 1e9, 3.4, k);
  const s = worldSlip(x, false), speed = Math.hypot(...s);
  if (x.mode !== Mode.Stick && speed > 0.02 * measures.slip) arrow(c, px, py, ...to(s, ((b.w * 0.3) / measures.slip)), k.tang, 3, 9);
  if (x.mode === Mode.Stick && !x.compliant) {
    // a plate in the tangent plane
    const plate = (p: number, q: number) => at([0, 1, 2].map((m) => p * e[m] + q * o[m]), 9);
    path([plate(-1, -1), plate(1, -1), plate(1, 1), plate(-1, 1)]);
    c.fillStyle = k.stick;
    c.fill();
    c.strokeStyle = k.panel;
    c.stroke();
  } else {
    const [tx, ty] = speed > 0 ? to(s, 1 / speed) : [1, 0], l = Math.hypot(tx, ty) || 1;
    mark(c, px, py, x.mode, x.compliant, tx / l, ty / l, 7, k);
  }
  lensWords(c, b, x, k, k);
  c.restore();
}
