// draw.ts: marks on a canvas that the flat and the spatial scene share: arrows, cones, contact marks, scale bars.
import {Mode} from './run';
import type {Tokens} from './view';

export type Ctx = CanvasRenderingContext2D;

export function arrow(c: Ctx, x: number, y: number, dx: number, dy: number, colour: string, width: number, head = 8, dash: number[] = []): void {
  const l = Math.hypot(dx, dy);
  if (!(l > 1.5)) return;
  const ux = dx / l, uy = dy / l, b = Math.min(head, l), ex = x + dx, ey = y + dy;
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = width;
  c.lineCap = dash.length ? 'butt' : 'round';
  c.setLineDash(dash);
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(ex - ux * b * 0.8, ey - uy * b * 0.8);
  c.stroke();
  c.setLineDash([]);
  c.beginPath();
  c.moveTo(ex, ey);
  c.lineTo(ex - ux * b - uy * b * 0.5, ey - uy * b + ux * b * 0.5);
  c.lineTo(ex - ux * b + uy * b * 0.5, ey - uy * b - ux * b * 0.5);
  c.fill();
}

/** A force; one longer than `most` is cut by a double bar. */
export function force(c: Ctx, x: number, y: number, fx: number, fy: number, most: number, width: number, k: Tokens, colour = k.ink): void {
  const l = Math.hypot(fx, fy);
  if (l <= most) { arrow(c, x, y, fx, fy, colour, width, 9); return; }
  const ux = fx / l, uy = fy / l;
  arrow(c, x, y, ux * most, uy * most, colour, width, 9);
  const mx = x + ux * most * 0.55, my = y + uy * most * 0.55;
  c.strokeStyle = k.panel;
  c.lineWidth = 2.5;
  c.lineCap = 'butt';
  c.beginPath();
  for (const s of [-2, 3]) {
    c.moveTo(mx - uy * 6 + ux * s, my + ux * 6 + uy * s);
    c.lineTo(mx + uy * 6 + ux * s, my - ux * 6 + uy * s);
  }
  c.stroke();
}

/** The cone of friction in the plane, about the unit vector (nx, ny) on the screen. */
export function wedge(c: Ctx, x: number, y: number, nx: number, ny: number, mu: number, r: number, k: Tokens): void {
  const a = Math.atan(mu), middle = Math.atan2(ny, nx);
  c.fillStyle = k['cone-w'];
  c.beginPath();
  c.moveTo(x, y);
  c.arc(x, y, r, middle - a, middle + a);
  c.closePath();
  c.fill();
  c.strokeStyle = k.ink3;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(x + r * Math.cos(middle - a), y + r * Math.sin(middle - a));
  c.lineTo(x, y);
  c.lineTo(x + r * Math.cos(middle + a), y + r * Math.sin(middle + a));
  c.stroke();
}

/** Ring, square, triangle towards the slip, diamond. (tx, ty): the tangent on the screen, unit. */
export function mark(c: Ctx, x: number, y: number, mode: Mode, compliant: boolean, tx: number, ty: number, r: number, k: Tokens): void {
  c.lineWidth = 1.5;
  c.strokeStyle = k.panel;
  c.beginPath();
  if (mode === Mode.Separate) {
    c.arc(x, y, r, 0, 2 * Math.PI);
    c.fillStyle = k.panel;
    c.fill();
    c.strokeStyle = k.sep;
    c.lineWidth = 2;
    c.stroke();
    return;
  }
  const corner = (a: number, b: number, first: boolean) => {
    const px = x + a * tx - b * ty, py = y + a * ty + b * tx;
    if (first) c.moveTo(px, py); else c.lineTo(px, py);
  };
  if (compliant) {
    const d = r + 2;
    [[0, -d], [d, 0], [0, d], [-d, 0]].forEach(([a, b], i) => corner(a, b, i === 0));
    c.fillStyle = k.comp;
  } else if (mode === Mode.Stick || mode === Mode.Closed) {
    [[-r, -r], [r, -r], [r, r], [-r, r]].forEach(([a, b], i) => corner(a, b, i === 0));
    c.fillStyle = k.stick;
  } else {
    const s = mode === Mode.Minus ? -1 : 1;
    [[s * (r + 2), 0], [-s * r, -r - 1], [-s * r, r + 1]].forEach(([a, b], i) => corner(a, b, i === 0));
    c.fillStyle = k.tang;
  }
  c.closePath();
  c.fill();
  c.stroke();
}

export function label(c: Ctx, text: string, x: number, y: number, k: Tokens, align: CanvasTextAlign = 'left', colour = k.ink3, size = 11): void {
  c.font = `${size}px ${k.ui}`;
  c.textAlign = align;
  c.textBaseline = 'alphabetic';
  c.lineJoin = 'round';
  c.strokeStyle = k.panel;
  c.lineWidth = 3.5;
  c.setLineDash([]);
  c.strokeText(text, x, y);
  c.fillStyle = colour;
  c.fillText(text, x, y);
}

/** Largest of 1, 2, 5 times a power of ten that is no longer than `most` pixels. */
export function barValue(perPixel: number, most: number): number {
  const x = perPixel * most;
  if (!(x > 0) || !isFinite(x)) return 1;
  const p = 10 ** Math.floor(Math.log10(x)), m = x / p;
  return p * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}
export function lengthText(m: number): string {
  const clean = (v: number) => String(+v.toPrecision(3));
  return m >= 1 ? `${clean(m)} m` : m >= 0.1 ? `${clean(m)} m` : m >= 1e-3 ? `${clean(m * 1e3)} mm` : `${clean(m * 1e6)} µm`;
}
export function scaleBars(c: Ctx, x: number, y: number, metresPerPixel: number, newtonsPerPixel: number, k: Tokens): void {
  const m = barValue(metresPerPixel, 64), w = m / metresPerPixel;
  c.strokeStyle = k.ink3;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(x, y); c.lineTo(x + w, y);
  c.moveTo(x, y - 4); c.lineTo(x, y + 4);
  c.moveTo(x + w, y - 4); c.lineTo(x + w, y + 4);
  c.stroke();
  label(c, lengthText(m), x + w + 8, y + 4, k);
  if (!(newtonsPerPixel > 0)) return;
  const f = barValue(newtonsPerPixel, 64), l = f / newtonsPerPixel;
  arrow(c, x, y - 19, l, 0, k.ink, 2.4, 7);
  label(c, f >= 1000 ? `${f / 1000} kN` : `${+f.toPrecision(3)} N`, x + l + 8, y - 15, k);
}

/** Sets the size of a canvas to that of its box; false: nothing to draw on. */
export function fit(canvas: HTMLCanvasElement): Ctx | null {
  const w = canvas.clientWidth, h = canvas.clientHeight, dpr = Math.min(devicePixelRatio || 1, 3);
  if (!w || !h) return null;
  if (canvas.width !== Math.round(w * dpr) || canvas.height !== Math.round(h * dpr)) {
    canvas.width = Math.round(w * dpr);
    canvas.height = Math.round(h * dpr);
  }
  const c = canvas.getContext('2d') as Ctx;
  c.setTransform(dpr, 0, 0, dpr, 0, 0);
  c.clearRect(0, 0, w, h);
  return c;
}

/** What the force arrows of a run are measured by: the median contact force. */
export function typicalForce(sample: Iterable<number>): number {
  const all = [...sample].filter((x) => x > 0 && isFinite(x)).sort((a, b) => a - b);
  return all.length ? all[all.length >> 1] : 1;
}
