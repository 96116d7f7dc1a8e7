// diagram.ts: the force–acceleration diagram of the focused contact, and the eigenvalues of the contact layer.
import {curve, Slips} from './curve';
import {escape, middle, nice, num, ticks, tickText} from './format';
import type {Problem, Touch} from './run';

const axes = (W: number, H: number) => { const gl = 36, gb = 31, gt = 16; return {gl, gb, gt, W, H}; };

export function emptyDiagram(W: number, H: number, text: string): string {
  const {gl, gb, gt} = axes(W, H);
  return `<path d="M${gl} ${gt}V${H - gb}" stroke="var(--line)"/><path d="M${gl} ${gt + (H - gb - gt) * 0.55}H${W - 8}" stroke="var(--line)"/><text x="${gl + (W - gl) / 2}" y="${gt + (H - gb - gt) * 0.42}" text-anchor="middle">${escape(text)}</text>`;
}

/** What the diagram needs: the problem, the focused contact in it, and what all its contacts do now. */
export interface Situation { p: Problem; focus: number; touches: (Touch | null)[]; use: number }

/** Normal acceleration over normal force, friction and the other contacts resolved at each; the thick corner is what contact allows. */
export function corner({p, focus, touches, use}: Situation, W: number, H: number): string {
  const first = p.rows.slice(0, focus).reduce((a, k) => a + k, 0), n = p.rows.reduce((a, k) => a + k, 0), M = p.W as Float32Array, b = p.b as Float32Array;
  const x = touches[focus], slips: Slips = touches.map((t) => t?.slip ?? [0]), nn = M[first * n + first], bn = b[first];
  // in the plane a contact that has only begun to slide has its direction in its mode
  touches.forEach((t, i) => { if (t && p.rows[i] === 2 && p.sliding[i]) slips[i] = [t.mode === 3 ? -1 : 1]; });
  const soft = x?.compliant ? x.normal : 0, weight = Math.abs(bn / nn) || 1;
  const far = nice(1.35 * Math.max(soft, ...p.motions.map((m) => m.force[focus][0]), 0.6 * weight));
  const pieces = curve(p, slips, focus, far), all = pieces.flatMap((q) => [q[1], q[3]]);
  let st = bn;
  touches.forEach((t, i) => {
    const k = p.rows.slice(0, i).reduce((a, r) => a + r, 0);
    if (t) [t.normal, ...t.tang].slice(0, p.rows[i]).forEach((v, j) => { st += M[first * n + k + j] * v; });
  });
  const seen = [...all, ...p.motions.map((m) => m.acceleration[focus][0]), ...(soft ? [st] : []), 0];
  let high = Math.max(...seen), low = Math.min(...seen);
  // rounding is not drawn large: where forces are not unique the line lies on the axis
  const size = Math.max(...p.rows.map((_, i) => Math.abs(b[p.rows.slice(0, i).reduce((a, k) => a + k, 0)])), 1e-6);
  high = Math.max(high * 1.15, 0.25 * -low, 0.05 * (size > 1e-3 ? size : 1));
  low = Math.min(low * 1.15, -0.45 * high);
  const gl = 40, gb = 31, gt = 18, gr = 8, w = W - gl - gr, h = H - gb - gt;
  const X = (l: number) => gl + (l / far) * w, Y = (v: number) => gt + ((high - v) / (high - low)) * h, y0 = Y(0);
  // the note stands where the line is not
  const lowest = pieces.flatMap((q) => [[q[0], q[1]], [q[2], q[3]]]).reduce((m, q) => (q[1] < m[1] ? q : m), [0, Infinity]), right = lowest[0] < far / 2;
  let o = `<rect x="${gl}" y="${y0}" width="${w}" height="${Math.max(0, H - gb - y0)}" fill="var(--line2)" opacity=".6"/>`;
  if (H - gb - y0 > 16) o += `<text x="${right ? W - gr - 5 : gl + 6}" y="${H - gb - 6}" text-anchor="${right ? 'end' : 'start'}" style="font-size:10px">bodies would interpenetrate</text>`;
  const xt = ticks(0, far, 4), yt = ticks(low, high, 3);
  for (const t of xt.slice(1)) o += `<path d="M${X(t)} ${H - gb}v3" stroke="var(--ink3)"/><text x="${X(t)}" y="${H - gb + 13}" text-anchor="${X(t) > W - gr - 12 ? 'end' : 'middle'}" style="font-size:10px">${tickText(t, xt[1] - xt[0])}</text>`;
  for (const t of yt) o += `<text x="${gl - 6}" y="${Y(t) + 3.5}" text-anchor="end" style="font-size:10px">${tickText(t, yt.length > 1 ? yt[1] - yt[0] : 1)}</text>`;
  o += `<path d="M${gl} ${gt}V${y0}H${W - gr}" fill="none" stroke="var(--unique)" stroke-width="4.5" stroke-linejoin="round" stroke-linecap="round"/>`;
  const flat = 1e-3 * (high - low);
  for (const up of [true, false]) {
    let d = '', end = '';
    for (const q of pieces) {
      if (q[3] - q[1] > -flat !== up) continue;
      const from = `${X(q[0]).toFixed(1)} ${Y(q[1]).toFixed(1)}`, to = `${X(q[2]).toFixed(1)} ${Y(q[3]).toFixed(1)}`;
      d += (from === end ? '' : `M${from}`) + `L${to}`;
      end = to;
    }
    if (d) o += `<path class="line" d="${d}" stroke="var(${up ? '--ink' : '--none'})" stroke-width="2" ${up ? '' : 'stroke-dasharray="5 3"'} fill="none"/>`;
  }
  p.motions.forEach((m, i) => {
    const px = X(m.force[focus][0]), py = Y(m.acceleration[focus][0]);
    if (i === use) o += `<circle cx="${px}" cy="${py}" r="8.5" fill="none" stroke="var(--ink)" stroke-width="1.5"/>`;
    o += `<circle class="motion" cx="${px}" cy="${py}" r="4.6" fill="${m.stable ? 'var(--ink)' : 'var(--panel)'}" stroke="${m.stable ? 'var(--panel)' : 'var(--none)'}" stroke-width="${m.stable ? 1.2 : 2.4}"/>`;
  });
  if (soft) o += `<path d="M${X(soft)} ${y0 - 7}V${Y(st)}" stroke="var(--comp)" stroke-dasharray="2 2"/><path d="M${X(soft)} ${Y(st) - 7}l7 7-7 7-7-7z" fill="var(--comp)" stroke="var(--panel)" stroke-width="1.3"/>`;
  const name = p.slots.length > 1 && x ? `: ${escape(middle(x.contact.name, 22))}` : '';
  o += `<text x="${gl - 34}" y="11" style="font-size:10.5px">${name ? `normal acceleration, m/s²${name}` : 'normal acceleration if the force were as below, m/s²'}</text><text x="${W - gr}" y="${H - 3}" text-anchor="end" style="font-size:10.5px">normal force, N</text><text x="${gl}" y="${H - gb + 13}" text-anchor="middle" style="font-size:10px">0</text>`;
  return o;
}

/** Eigenvalues of the contact layer of every motion: the left half is stable. */
export function roots(p: Problem, use: number, W: number, H: number): string {
  const all = p.motions.flatMap((m, i) => m.roots.map((r) => ({r, m, i})));
  if (!all.length) return emptyDiagram(W, H, p.count ? 'nothing presses: nothing to be unstable' : 'no motion to be tested');
  const sx = Math.max(...all.map(({r}) => Math.abs(r[0])), 1e-9), sy = Math.max(...all.map(({r}) => Math.abs(r[1])), sx * 1e-3, 1e-9);
  const gl = 14, gr = 14, gt = 20, gb = 20, w = W - gl - gr, h = H - gt - gb, cx = gl + w * 0.66, cy = gt + h / 2;
  const f = (v: number, s: number) => Math.asinh((v / s) * 50) / Math.asinh(50), X = (v: number) => cx + f(v, sx) * (v < 0 ? w * 0.64 : w * 0.32), Y = (v: number) => cy - f(v, sy) * h * 0.46;
  let o = `<rect x="${cx}" y="${gt}" width="${gl + w - cx}" height="${h}" fill="var(--none-w)"/><path d="M${cx} ${gt}V${gt + h}M${gl} ${cy}H${gl + w}" stroke="var(--line)"/>`;
  for (const {r, m, i} of all) {
    if (i === use) o += `<circle cx="${X(r[0])}" cy="${Y(r[1])}" r="6.5" fill="none" stroke="var(--ink)" stroke-width="1.1"/>`;
    o += `<circle cx="${X(r[0])}" cy="${Y(r[1])}" r="3.4" fill="${m.stable ? 'var(--ink)' : 'var(--panel)'}" stroke="${m.stable ? 'var(--panel)' : 'var(--none)'}" stroke-width="${m.stable ? 1 : 2}"/>`;
  }
  o += `<text x="${gl}" y="12" style="font-size:10.5px">eigenvalues of the contact layer, 1/s (asinh)</text><text x="${gl}" y="${H - 5}" style="font-size:10px">−${num(sx)}</text><text x="${cx}" y="${H - 5}" text-anchor="middle" style="font-size:10px">0</text><text x="${W - gr}" y="${H - 5}" text-anchor="end" style="font-size:10px;fill:var(--none-t)">grows</text>`;
  return o;
}
