// flat.ts: a scene in the plane: flat, to scale, with a camera that stands still.
//
// Drawn on a plain canvas: its lines are sharper than WebGL's, it starts at once, and it works where WebGL is not at hand.
import {arrow, barValue, Ctx, fit, force, label, mark, scaleBars, wedge} from './draw';
import {clamp, fix, middle, num, tickText} from './format';
import {DrawnJoint, drawJoint, zigzag} from './joints';
import {Box, lensBox, lensWords, openLens} from './lens';
import type {Followed} from './branches';
import {Body, BranchStart, Mode, Pose, Shape, Touch} from './run';
import {Hit, mainContact, measure, Measures, Pull, SceneView, tangentOf, worldForce} from './scene';
import type {Tokens, View} from './view';

interface Camera { s: number; ox: number; oy: number }
const newPose = (): Pose => ({x: 0, y: 0, z: 0, angle: 0, q: [1, 0, 0, 0]});

/** A place of a body in the world. */
export function placed(p: Pose, x: number, y: number): [number, number] {
  const c = Math.cos(p.angle), s = Math.sin(p.angle);
  return [p.x + c * x - s * y, p.y + s * x + c * y];
}
const reach = (b: Body): number => {
  let r = 0;
  for (const s of b.shapes) if (s.kind !== 'plane') for (const p of s.points) r = Math.max(r, Math.hypot(p[0], p[1]) + (s.radius ?? 0));
  return r;
};

export class FlatScene implements SceneView {
  pull: Pull | null = null;
  private cam: Camera = {s: 200, ox: 0, oy: 0};
  private moved = false;
  private poses: Pose[];
  private measures: Measures;
  private w = 0;
  private h = 0;
  private key = '';
  private floor = Infinity;
  constructor(private canvas: HTMLCanvasElement, private view: View, private k: Tokens) {
    this.poses = view.run.head.bodies.map(newPose);
    this.measures = measure(view.run);
  }
  restyle(tokens: Tokens): void { this.k = tokens; }
  changed(): void {
    this.measures = measure(this.view.run);
    if (!this.moved) this.key = '';
  }
  dispose(): void { /* nothing is held */ }

  // ---- camera ----------------------------------------------------------------------------------

  private bounds(): [number, number, number, number] {
    const {run} = this.view;
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    const see = (x: number, y: number, r: number) => { x0 = Math.min(x0, x - r); x1 = Math.max(x1, x + r); y0 = Math.min(y0, y - r); y1 = Math.max(y1, y + r); };
    const p = newPose(), near = this.nearby();
    this.middle = [(near[0] + near[1]) / 2, (near[2] + near[3]) / 2];
    run.head.bodies.forEach((b, i) => {
      const r = reach(b), cols = run.columnOf[i] >= 0 ? run.bodies[run.columnOf[i]] : null;
      if (!b.fixed && cols && cols.length) {
        const step = Math.max(1, Math.floor(run.n / 400));
        for (let j = 0; j < run.n; j += step) this.see(b, run.pose(i, run.t.a[j], p), see);
        this.see(b, run.pose(i, run.T1, p), see);
      } else if (!b.fixed) this.see(b, run.pose(i, 0, p), see);
      else if (r > 0) run.pose(i, 0, p);
    });
    // fixed bodies belong to the picture as far as they are not much larger than the motion
    const span = Math.max(x1 - x0, y1 - y0, run.head.size, 1e-9);
    run.head.bodies.forEach((b, i) => {
      if (!b.fixed) return;
      run.pose(i, 0, p);
      for (const s of b.shapes) {
        if (s.kind === 'plane') continue;
        for (const q of s.points) {
          const [x, y] = placed(p, q[0], q[1]);
          if (!isFinite(x0)) see(x, y, s.radius ?? 0);
          else see(clamp(x, x0 - 0.3 * span, x1 + 0.3 * span), clamp(y, y0 - 0.3 * span, y1 + 0.3 * span), 0);
        }
      }
    });
    for (const c of run.ordered()) {
      const k = c.state.length - 1;
      if (c.joint < 0 && c.closed > 0 && k >= 0 && isFinite(c.point[0].a[k])) see(c.point[0].a[k], c.point[1].a[k], 0);
    }
    if (!isFinite(x0)) return [-1, 1, -1, 1];
    // small bodies on a long way: near them, where they are now
    const most = 20 * run.head.size;
    this.follows = Math.max(x1 - x0, y1 - y0) > most && Math.max(near[1] - near[0], near[3] - near[2]) < 0.3 * most;
    if (!this.follows) return [x0, x1, y0, y1];
    const half = 0.5 * Math.max(near[1] - near[0], near[3] - near[2], run.head.size) + 0.6 * run.head.size;
    [x0, x1, y0, y1] = [(near[0] + near[1]) / 2 - half, (near[0] + near[1]) / 2 + half, (near[2] + near[3]) / 2 - half, (near[2] + near[3]) / 2 + half];
    return [x0, x1, y0, y1];
  }
  /** The free bodies as they stand now. */
  private nearby(): [number, number, number, number] {
    const {run} = this.view, p = newPose(), out: [number, number, number, number] = [Infinity, -Infinity, Infinity, -Infinity];
    run.head.bodies.forEach((b, i) => { if (!b.fixed) this.see(b, run.pose(i, this.view.t, p), (x, y, r) => { out[0] = Math.min(out[0], x - r); out[1] = Math.max(out[1], x + r); out[2] = Math.min(out[2], y - r); out[3] = Math.max(out[3], y + r); }); });
    return out;
  }
  private follows = false;
  private middle: [number, number] = [0, 0];
  /** A camera that is near to small bodies goes with them. */
  private follow(): void {
    if (!this.follows || this.moved) return;
    const n = this.nearby(), at: [number, number] = [(n[0] + n[1]) / 2, (n[2] + n[3]) / 2];
    this.cam.ox -= (at[0] - this.middle[0]) * this.cam.s;
    this.cam.oy += (at[1] - this.middle[1]) * this.cam.s;
    this.middle = at;
  }
  private see(b: Body, p: Pose, see: (x: number, y: number, r: number) => void): void {
    if (!b.shapes.length) {
      see(p.x, p.y, 0);
      const i = this.view.run.head.bodies.indexOf(b);
      for (const j of this.view.run.head.joints ?? []) for (const e of j.ends) {
        if (e.body === i) { const [x, y] = placed(p, e.local[0], e.local[1]); see(x, y, 0); }
        else if (e.body < 0 && !j.placed) see(e.local[0], e.local[1], 0);
      }
    }
    for (const s of b.shapes) {
      if (s.kind === 'plane') continue;
      for (const q of s.points) { const [x, y] = placed(p, q[0], q[1]); see(x, y, s.radius ?? 0); }
    }
  }
  frame(): void {
    this.moved = false;
    this.key = '';
  }
  private aim(): void {
    const {run} = this.view, small = this.w < 600;
    const key = [this.w, this.h, this.view.lens, run.n > 0, Math.round(Math.log2(run.n + 1))].join();
    if (this.moved || key === this.key) return;
    this.key = key;
    const [x0, x1, y0, y1] = this.bounds();
    const lens = (this.lensBox()?.w ?? -20) + 20, top = small ? 66 : 40, bottom = small ? 34 : 48, side = small ? 24 : 56, left = small ? 34 : 110;
    const w = Math.max(x1 - x0, 1e-9), h = Math.max(y1 - y0, 1e-9);
    const s = Math.min((this.w - left - side - lens) / w, (this.h - top - bottom) / h);
    this.cam.s = Math.max(s, 1e-6);
    this.cam.ox = left + (this.w - left - side - lens) / 2 - ((x0 + x1) / 2) * this.cam.s;
    this.cam.oy = this.h - bottom - ((this.h - top - bottom) - h * this.cam.s) * 0.35 + y0 * this.cam.s;
  }
  private X = (x: number): number => this.cam.ox + x * this.cam.s;
  private Y = (y: number): number => this.cam.oy - y * this.cam.s;
  world(x: number, y: number): number[] { return [(x - this.cam.ox) / this.cam.s, (this.cam.oy - y) / this.cam.s, 0]; }
  zoom(x: number, y: number, f: number): void {
    const [wx, wy] = this.world(x, y);
    this.moved = true;
    this.cam.s = clamp(this.cam.s * f, 1e-4, 1e9);
    this.cam.ox = x - wx * this.cam.s;
    this.cam.oy = y + wy * this.cam.s;
  }
  pan(dx: number, dy: number): void {
    this.moved = true;
    this.cam.ox += dx;
    this.cam.oy += dy;
  }

  // ---- drawing ---------------------------------------------------------------------------------

  draw(): void {
    const c = fit(this.canvas);
    if (!c) return;
    this.w = this.canvas.clientWidth;
    this.h = this.canvas.clientHeight;
    this.aim();
    this.follow();
    const {view} = this, {run} = view, t = view.t;
    this.floor = Infinity;
    run.poses(t, this.poses);
    run.head.bodies.forEach((b, i) => { if (b.fixed) this.fixed(c, b, this.poses[i]); });
    if (view.poses) this.ghosts(c);
    const main = mainContact(view), touches: Touch[] = [];
    for (const x of run.ordered()) { const y = x.joint < 0 ? run.touch(x, t) : null; if (y && (y.mode !== Mode.Separate || x.slot === main)) touches.push(y); }
    const focus = touches.find((x) => x.contact.slot === main && x.mode !== Mode.Separate);
    if (focus) this.cone(c, focus);
    this.springs(c);
    run.head.bodies.forEach((b, i) => { if (!b.fixed) this.body(c, b, this.poses[i], view.focus.body === i); });
    const joints = this.drawn();
    this.links(c, joints);
    for (const d of joints) drawJoint(c, d, this.k);
    this.loads(c);
    for (const x of touches) this.contact(c, x, x === focus, touches.length);
    this.pulling(c);
    if (focus) this.lens(c, focus);
    if (this.w >= 600) scaleBars(c, 16, Math.min(this.h - 14, this.floor - 16), 1 / this.cam.s, touches.length ? 1 / this.perNewton() : 0, this.k);
  }
  private perNewton(): number { return clamp(Math.min(this.w, this.h) * 0.16, 26, 70) / this.measures.force; }

  private ground(c: Ctx, p: Pose, s: Shape, name: string): void {
    const k = this.k, cosine = Math.cos(p.angle), sine = Math.sin(p.angle), n = s.normal as number[];
    const nx = cosine * n[0] - sine * n[1], ny = sine * n[0] + cosine * n[1];
    const ax = this.X(p.x + nx * (s.offset ?? 0)), ay = this.Y(p.y + ny * (s.offset ?? 0)), tx = ny, ty = nx, far = 4 * (this.w + this.h);
    // the line passes the screen near the foot of its centre
    const mx = this.w / 2 - ax, my = this.h / 2 - ay, along = mx * tx + my * ty, bx = ax + along * tx, by = ay + along * ty;
    c.fillStyle = k.sunk;
    c.beginPath();
    c.moveTo(bx - far * tx, by - far * ty);
    c.lineTo(bx + far * tx, by + far * ty);
    c.lineTo(bx + far * tx - far * nx, by + far * ty + far * ny);
    c.lineTo(bx - far * tx - far * nx, by - far * ty + far * ny);
    c.fill();
    c.strokeStyle = k.ink2;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(bx - far * tx, by - far * ty);
    c.lineTo(bx + far * tx, by + far * ty);
    c.stroke();
    if (Math.abs(nx) < 1e-9 && ny > 0) { this.ruler(c, ay); this.groundName(c, name, ay); if (ay > 120) this.floor = Math.min(this.floor, ay); }
    else this.hatch(c, bx, by, tx, ty, nx, -ny);
  }
  /** The name of the ground, with the friction that holds on it now. */
  private groundName(c: Ctx, name: string, y: number): void {
    if (y + 24 > this.h - 14 || this.w < 600) return;
    const {run, t} = this.view, found = new Set<string>();
    for (const x of run.ordered()) {
      const touch = x.bodies.some((b) => run.head.bodies[b]?.name === name) ? run.touch(x, t) : null;
      if (touch && touch.friction > 0) found.add(fix(touch.friction, 2));
    }
    label(c, `${middle(name, 30)}${found.size === 1 ? `, μ = ${[...found][0]}` : ''}`, 16, y + 20, this.grounded());
  }
  private ruler(c: Ctx, y: number): void {
    const k = this.k, step = barValue(1 / this.cam.s, 110), x0 = Math.ceil(-this.cam.ox / this.cam.s / step);
    for (let i = x0; this.X(i * step) < this.w; i++) {
      const px = this.X(i * step);
      c.strokeStyle = k.ink3;
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(px, y);
      c.lineTo(px, y + 5);
      c.stroke();
      if (px > 22 && px < this.w - 26) label(c, tickText(i * step, step) + (i === 0 ? ' m' : ''), px, Math.min(y + 36, this.h - 7), this.grounded(), 'center');
    }
  }
  private grounded(): Tokens { return {...this.k, panel: this.k.sunk}; }
  private hatch(c: Ctx, x: number, y: number, tx: number, ty: number, nx: number, ny: number): void {
    c.strokeStyle = this.k.floor;
    c.lineWidth = 1;
    c.beginPath();
    for (let s = -600; s <= 600; s += 9) {
      const px = x + s * tx, py = y + s * ty;
      c.moveTo(px, py);
      c.lineTo(px - 7 * nx - 5 * tx, py - 7 * ny - 5 * ty);
    }
    c.stroke();
  }
  private path(c: Ctx, p: Pose, s: Shape): void {
    c.beginPath();
    s.points.forEach((q, i) => {
      const [x, y] = placed(p, q[0], q[1]);
      if (i) c.lineTo(this.X(x), this.Y(y)); else c.moveTo(this.X(x), this.Y(y));
    });
    if (s.kind !== 'chain' || s.closed) c.closePath();
  }
  private fixed(c: Ctx, b: Body, p: Pose): void {
    const k = this.k;
    for (const s of b.shapes) {
      if (s.kind === 'plane') { this.ground(c, p, s, b.name); this.belt(c, b, s, p); continue; }
      this.shape(c, p, s, s.kind === 'chain' ? null : k.floor, k.ink2, s.kind === 'chain' ? 2 : 1.5);
      this.belt(c, b, s, p);
    }
  }
  /** A belt shows which way it runs. */
  private belt(c: Ctx, b: Body, s: Shape, p: Pose): void {
    const v = s.belt ?? b.belt;
    if (!v || !Math.hypot(v[0], v[1])) return;
    const l = Math.hypot(v[0], v[1]);
    let x = this.w * 0.5, y = this.Y(p.y) + 14;
    if (s.kind === 'plane') y = this.Y(p.y + (s.offset ?? 0)) + 14;
    else { const top = Math.max(...s.points.map((q) => placed(p, q[0], q[1])[1])); y = this.Y(top) + 14; x = this.X(p.x); }
    for (let i = -1; i <= 1; i++) arrow(c, x + i * 70 - (20 * v[0]) / l, y, (40 * v[0]) / l, (-40 * v[1]) / l, this.k.ink3, 1.6, 7);
    label(c, `belt ${num(l)} m/s`, x + 118, y + 4, this.grounded());
  }
  private shape(c: Ctx, p: Pose, s: Shape, fill: string | null, stroke: string, width: number, dash: number[] = []): void {
    const r = (s.radius ?? 0) * this.cam.s;
    const at = (q: number[]): [number, number] => { const [x, y] = placed(p, q[0], q[1]); return [this.X(x), this.Y(y)]; };
    c.setLineDash(dash);
    c.lineJoin = 'round';
    c.lineCap = dash.length ? 'butt' : 'round';
    if (s.kind === 'circle') {
      const [x, y] = at(s.points[0]);
      c.beginPath();
      c.arc(x, y, r, 0, 2 * Math.PI);
      if (fill) { c.fillStyle = fill; c.fill(); }
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.stroke();
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x + r * Math.cos(p.angle), y - r * Math.sin(p.angle));
      c.stroke();
      return;
    }
    if (s.kind === 'rod' || s.kind === 'capsule') {
      const [a, b] = s.points.map(at), thick = s.kind === 'rod' ? clamp(Math.hypot(b[0] - a[0], b[1] - a[1]) * 0.03, 3.5, 9) : 2 * r;
      c.setLineDash([]);
      c.strokeStyle = this.k.panel;
      c.lineWidth = thick + 3;
      c.beginPath(); c.moveTo(...a); c.lineTo(...b); c.stroke();
      c.setLineDash(dash);
      c.strokeStyle = stroke;
      c.lineWidth = Math.max(thick, 2);
      c.stroke();
      c.setLineDash([]);
      if (s.kind === 'capsule' && fill && thick > 5) { c.strokeStyle = fill; c.lineWidth = thick - 3; c.stroke(); }
      return;
    }
    if (s.kind === 'points') {
      c.strokeStyle = stroke;
      c.lineWidth = 2;
      c.beginPath();
      for (const q of s.points) { const [x, y] = at(q); c.moveTo(this.X(p.x), this.Y(p.y)); c.lineTo(x, y); }
      c.stroke();
      c.fillStyle = stroke;
      for (const q of s.points) { const [x, y] = at(q); c.beginPath(); c.arc(x, y, 3.5, 0, 2 * Math.PI); c.fill(); }
      return;
    }
    this.path(c, p, s);
    if (fill) { c.fillStyle = fill; c.fill(); }
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.stroke();
  }
  private body(c: Ctx, b: Body, p: Pose, focused: boolean): void {
    const k = this.k;
    for (const s of b.shapes) this.shape(c, p, s, k.line2, k.rod, focused ? 2.8 : 1.8);
    const x = this.X(p.x), y = this.Y(p.y), r = clamp(reach(b) * this.cam.s * 0.12, 3.5, 6);
    if (reach(b) * this.cam.s < 12 && b.shapes.length) return;
    c.fillStyle = k.panel;
    c.strokeStyle = k.rod;
    c.lineWidth = 1.4;
    c.beginPath(); c.arc(x, y, r, 0, 2 * Math.PI); c.fill(); c.stroke();
    c.fillStyle = k.rod;
    for (const a of [-Math.PI / 2, Math.PI / 2]) { c.beginPath(); c.moveTo(x, y); c.arc(x, y, r, a, a + Math.PI / 2); c.fill(); }
  }
  /** Pale poses at events and the dotted path of the centres of mass. */
  private ghosts(c: Ctx): void {
    const {run} = this.view, p = newPose(), free = run.head.bodies.map((_, i) => i).filter((i) => !run.head.bodies[i].fixed);
    if (free.length > 8 || run.n < 2) return;
    const gap = (run.T1 - run.T0) / 40;
    c.globalAlpha = 0.13;
    let last = -Infinity, count = 0;
    for (const e of run.events) {
      if (e.t - last < gap || count >= 12) continue;
      last = e.t;
      count++;
      for (const i of free) { run.pose(i, e.t, p); for (const s of run.head.bodies[i].shapes) this.shape(c, p, s, null, this.k.rod, 1.5); }
    }
    c.globalAlpha = 0.45;
    c.strokeStyle = this.k.ink3;
    c.lineWidth = 1;
    c.setLineDash([2, 4]);
    for (const i of free) {
      const cols = run.bodies[run.columnOf[i]];
      c.beginPath();
      const step = Math.max(1, Math.floor(run.n / 600));
      for (let j = 0; j < run.n; j += step) c[j ? 'lineTo' : 'moveTo'](this.X(cols[0].a[j]), this.Y(cols[1].a[j]));
      c.stroke();
    }
    c.setLineDash([]);
    c.globalAlpha = 1;
  }
  private springs(c: Ctx): void {
    const {run} = this.view;
    const at = (e: {body: number; local: number[]}): [number, number] => {
      const [x, y] = e.body < 0 ? e.local : placed(this.poses[e.body], e.local[0], e.local[1]);
      return [this.X(x), this.Y(y)];
    };
    for (const s of run.head.springs) { const [a, b] = [at(s.ends[0]), at(s.ends[1])]; zigzag(c, a, b, this.k.ink3); }
  }
  /** Joints as they stand now: on the screen. */
  private drawn(): DrawnJoint[] {
    const {run, focus} = this.view;
    return (run.head.joints ?? []).map((joint, i) => {
      const at = (k: number): [number, number] => {
        const e = joint.ends[k], p = e.body < 0 ? null : this.poses[e.body];
        // a second end that is as placed lies where the first is when it moves on nothing but the joint
        if (k === 1 && joint.placed && joint.kind !== 'distance') return p && joint.kind === 'prismatic' ? [this.X(p.x), this.Y(p.y)] : at(0);
        const [x, y] = p ? placed(p, e.local[0], e.local[1]) : e.local;
        return [this.X(x), this.Y(y)];
      };
      const e = joint.ends[0], turn = e.body < 0 ? 0 : this.poses[e.body].angle, c = Math.cos(turn), s = Math.sin(turn);
      return {joint, a: at(0), b: at(1), axis: [40 * (c * e.axis[0] - s * e.axis[1]), -40 * (s * e.axis[0] + c * e.axis[1])], focused: focus.joint === i, space: false};
    });
  }
  /** Bodies without shapes: lines from their centres of mass to their joints. */
  private links(c: Ctx, joints: DrawnJoint[]): void {
    const {bodies} = this.view.run.head;
    c.strokeStyle = this.k.rod;
    c.lineWidth = 3.5;
    c.lineCap = 'round';
    c.setLineDash([]);
    c.beginPath();
    for (const d of joints)
      d.joint.ends.forEach((e, k) => {
        if (e.body < 0 || bodies[e.body].shapes.length || d.joint.kind === 'prismatic') return;
        c.moveTo(this.X(this.poses[e.body].x), this.Y(this.poses[e.body].y));
        c.lineTo(...(k ? d.b : d.a));
      });
    c.stroke();
  }
  private loads(c: Ctx): void {
    const {run} = this.view, k = this.k;
    for (const l of run.head.loads) {
      if (l.body < 0 || run.head.bodies[l.body]?.fixed) continue;
      const p = this.poses[l.body], [wx, wy] = placed(p, l.local[0], l.local[1]), x = this.X(wx), y = this.Y(wy);
      const turn = l.turns ? p.angle : 0, fx = Math.cos(turn) * l.force[0] - Math.sin(turn) * l.force[1], fy = Math.sin(turn) * l.force[0] + Math.cos(turn) * l.force[1];
      if (Math.hypot(fx, fy) > 0) force(c, x, y, fx * this.perNewton(), -fy * this.perNewton(), 110, 2, k, k.ink3);
      if (Math.abs(l.torque) > 0) {
        const r = 20, s = l.torque > 0 ? -1 : 1, a0 = -Math.PI / 2 - s * 1.3, a1 = a0 + s * 4;
        c.strokeStyle = k.ink2;
        c.lineWidth = 2;
        c.beginPath();
        c.arc(x, y, r, a0, a1, s < 0);
        c.stroke();
        arrow(c, x + r * Math.cos(a1), y + r * Math.sin(a1), -s * 8 * Math.sin(a1), s * 8 * Math.cos(a1), k.ink2, 2, 8);
        label(c, `${num(l.torque)} N m`, x + r + 8, y - 12, k);
      }
    }
  }
  private screenFrame(x: Touch): {px: number; py: number; nx: number; ny: number; tx: number; ty: number} {
    const [tx, ty] = tangentOf(x.dir);
    return {px: this.X(x.point[0]), py: this.Y(x.point[1]), nx: x.dir[0], ny: -x.dir[1], tx, ty: -ty};
  }
  private coneSize(): number { return clamp(Math.min(this.w, this.h) * 0.2, 44, 96); }
  private cone(c: Ctx, x: Touch): void {
    const f = this.screenFrame(x), r = this.coneSize();
    if (x.friction > 0) wedge(c, f.px, f.py, f.nx, f.ny, x.friction, r, this.k);
    arrow(c, f.px, f.py, f.nx * (r + 14), f.ny * (r + 14), this.k.normal, 1.4, 6);
  }
  private contact(c: Ctx, x: Touch, focused: boolean, count: number): void {
    if (!isFinite(x.point[0])) return;
    const f = this.screenFrame(x), k = this.k, scale = this.perNewton();
    if (x.mode !== Mode.Separate) {
      const [fx, fy] = worldForce(x, true);
      force(c, f.px, f.py, fx * scale, -fy * scale, this.coneSize() * 1.15, focused ? 3 : 1.6, k, focused ? k.ink : k.ink2);
      const s = (x.slip[0] / this.measures.slip) * 72;
      if (x.mode !== Mode.Stick && Math.abs(s) > 1.5 && (focused || count <= 4)) arrow(c, f.px - f.nx * 14, f.py - f.ny * 14, f.tx * s, f.ty * s, k.tang, focused ? 2.6 : 1.6, 8);
    }
    mark(c, f.px, f.py, x.mode, x.compliant, f.tx, f.ty, focused ? 5.5 : 4, k);
  }
  private pulling(c: Ctx): void {
    if (!this.pull) return;
    const [x, y] = placed(this.poses[this.pull.body], this.pull.local[0], this.pull.local[1]);
    const a: [number, number] = [this.X(x), this.Y(y)], b: [number, number] = [this.X(this.pull.to[0]), this.Y(this.pull.to[1])];
    zigzag(c, a, b, this.k.focus);
    c.fillStyle = this.k.focus;
    c.beginPath(); c.arc(...b, 4, 0, 2 * Math.PI); c.fill();
    label(c, `${num(this.pull.force)} N`, b[0] + 10, b[1] + 4, this.k, 'left', this.k.focus);
  }

  // ---- the lens: the contact itself, magnified --------------------------------------------------

  private lensBox(): Box | null { return this.view.lens && this.view.run.contacts.size > 0 ? lensBox(this.w, this.h) : null; }
  private lens(c: Ctx, x: Touch): void {
    const k = this.k, box = this.lensBox();
    if (!box) return;
    const {w: W, h: H} = box, f = this.screenFrame(x), cx = box.x + W / 2, cy = box.y + H * 0.56, R = clamp(H * 0.36, 30, 110);
    openLens(c, box, k);
    // the surface, dented by the depth with a magnification of its own
    const depth = x.compliant ? x.depth : 0, dent = this.measures.depth > 0 ? (depth / this.measures.depth) * 20 : 0;
    const along = (a: number, n: number): [number, number] => [cx + a * f.tx + n * f.nx, cy + a * f.ty + n * f.ny];
    c.fillStyle = k.sunk;
    c.strokeStyle = k.ink2;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(...along(-W, 0));
    c.lineTo(...along(-44, 0));
    c.quadraticCurveTo(...along(-20, 0), ...along(0, -dent));
    c.quadraticCurveTo(...along(20, 0), ...along(44, 0));
    c.lineTo(...along(W, 0));
    c.stroke();
    c.lineTo(...along(W, -W));
    c.lineTo(...along(-W, -W));
    c.fill();
    const [px, py] = along(0, -dent);
    this.magnified(c, x, px, py);
    if (x.friction > 0) wedge(c, px, py, f.nx, f.ny, x.friction, R, k);
    arrow(c, px, py, f.nx * (R + 16), f.ny * (R + 16), k.normal, 1.6, 7);
    this.others(c, x, px, py, R);
    const [fx, fy] = worldForce(x, true), scale = (R * 0.8) / this.measures.force;
    force(c, px, py, fx * scale, -fy * scale, R * 1.1, 3.4, k);
    const s = x.mode === Mode.Stick ? 0 : (x.slip[0] / this.measures.slip) * (W * 0.32);
    arrow(c, px - f.nx * 22, py - f.ny * 22, f.tx * s, f.ty * s, k.tang, 3, 9);
    mark(c, px, py, x.mode, x.compliant, f.tx, f.ty, 7, k);
    lensWords(c, box, x, k, this.grounded());
    c.restore();
  }
  /** The bodies at the contact, three times as large as in the scene. */
  private magnified(c: Ctx, x: Touch, px: number, py: number): void {
    const keep = {...this.cam}, {run} = this.view;
    this.cam = {s: 3 * keep.s, ox: px - 3 * keep.s * x.point[0], oy: py + 3 * keep.s * x.point[1]};
    c.globalAlpha = 0.3;
    for (const i of x.contact.bodies) {
      const b = run.head.bodies[i];
      if (!b || b.fixed) continue;
      for (const s of b.shapes) this.shape(c, this.poses[i], s, this.k.line2, this.k.rod, 2);
    }
    c.globalAlpha = 1;
    this.cam = keep;
  }
  /** Forces of the motions that are not taken, dashed. */
  private others(c: Ctx, x: Touch, px: number, py: number, R: number): void {
    const now = this.view.run.problem(this.view.t)?.problem;
    if (!now || now.count < 2) return;
    const i = now.slots.indexOf(x.contact.slot), f = this.screenFrame(x), scale = (R * 0.8) / this.measures.force;
    if (i < 0) return;
    for (const m of now.motions) {
      if (m.modes[i] === x.mode || m.force[i][0] <= 0) continue;
      let fx = (f.nx * m.force[i][0] + f.tx * m.force[i][1]) * scale, fy = (f.ny * m.force[i][0] + f.ty * m.force[i][1]) * scale;
      const l = Math.hypot(fx, fy);
      if (l > R * 1.1) { fx *= (R * 1.1) / l; fy *= (R * 1.1) / l; }
      arrow(c, px, py, fx, fy, m.stable ? this.k.ink2 : this.k.none, 2, 7, [5, 3]);
    }
  }

  // ---- picking ---------------------------------------------------------------------------------

  pick(x: number, y: number): Hit | null {
    const {run} = this.view, w = this.world(x, y);
    let best = 12, found = -1;
    for (const c of run.ordered()) {
      if (c.joint >= 0) continue;
      const t = run.touch(c, this.view.t);
      if (!t || t.mode === Mode.Separate) continue;
      const d = Math.hypot(this.X(t.point[0]) - x, this.Y(t.point[1]) - y);
      if (d < best) { best = d; found = c.slot; }
    }
    const joint = this.drawn().findIndex((d) => Math.hypot(d.a[0] - x, d.a[1] - y) < 9);
    let body = -1, least = 8;
    run.head.bodies.forEach((b, i) => {
      if (b.fixed) return;
      for (const s of b.shapes) {
        const d = this.distance(s, this.poses[i], w) * this.cam.s;
        if (d < least) { least = d; body = i; }
      }
    });
    if (found < 0 && body < 0 && joint < 0) return null;
    const p = body >= 0 ? this.poses[body] : newPose(), dx = w[0] - p.x, dy = w[1] - p.y, c = Math.cos(p.angle), s = Math.sin(p.angle);
    return {focus: found >= 0 ? {contact: found, body: -1} : joint >= 0 ? {contact: -1, body: -1, joint} : {contact: -1, body}, body, local: [c * dx + s * dy, -s * dx + c * dy, 0], world: w};
  }
  private distance(s: Shape, p: Pose, w: number[]): number {
    const at = s.points.map((q) => placed(p, q[0], q[1]));
    if (s.kind === 'plane') return Infinity;
    if (s.kind === 'circle') return Math.max(0, Math.hypot(w[0] - at[0][0], w[1] - at[0][1]) - (s.radius ?? 0));
    if (s.kind === 'points') return Math.min(...at.map((q) => Math.hypot(w[0] - q[0], w[1] - q[1])));
    let inside = at.length > 2 && s.kind !== 'chain', d = Infinity;
    for (let i = 0; i < at.length; i++) {
      const a = at[i], b = at[(i + 1) % at.length], ex = b[0] - a[0], ey = b[1] - a[1];
      const f = clamp(((w[0] - a[0]) * ex + (w[1] - a[1]) * ey) / (ex * ex + ey * ey || 1), 0, 1);
      d = Math.min(d, Math.hypot(w[0] - a[0] - f * ex, w[1] - a[1] - f * ey));
      if (ex * (w[1] - a[1]) - ey * (w[0] - a[0]) < 0) inside = false;
    }
    return inside ? 0 : Math.max(0, d - (s.radius ?? 0));
  }

  /** A frame of the branch view: the bodies some time after an instant, if it is this motion. */
  branch(canvas: HTMLCanvasElement, branch: Followed, all: Followed[], start: BranchStart, tau: number): void {
    const c = fit(canvas);
    if (!c) return;
    const {run} = this.view, w = canvas.clientWidth, h = canvas.clientHeight, keep = {...this.cam}, size = [this.w, this.h], p = newPose();
    const free = run.head.bodies.map((_, i) => i).filter((i) => run.columnOf[i] >= 0);
    // one camera for all frames: everything that moves in any of them
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    const see = (x: number, y: number, r: number) => { x0 = Math.min(x0, x - r); x1 = Math.max(x1, x + r); y0 = Math.min(y0, y - r); y1 = Math.max(y1, y + r); };
    for (const f of all) for (let s = 0; s <= 4; s++) for (const i of free) this.see(run.head.bodies[i], f.pose(run.columnOf[i], (start.span * s) / 4, p), see);
    const top = 66, scale = Math.min((w - 40) / Math.max(x1 - x0, 1e-9), (h - top - 44) / Math.max(y1 - y0, 1e-9));
    this.cam = {s: scale, ox: w / 2 - ((x0 + x1) / 2) * scale, oy: h - 30 + y0 * scale};
    [this.w, this.h] = [w, h];
    run.head.bodies.forEach((b, i) => { if (b.fixed) this.fixed(c, b, run.pose(i, start.t, newPose())); });
    const steps = 4, until = Math.min(tau, branch.lasted);
    for (let step = 0; step <= steps; step++) {
      c.globalAlpha = step === steps ? 1 : 0.14 + (0.14 * step) / steps;
      for (const i of free) {
        branch.pose(run.columnOf[i], (until * step) / steps, p);
        for (const shape of run.head.bodies[i].shapes) this.shape(c, p, shape, step === steps ? this.k.line2 : null, branch.stable ? this.k.rod : this.k.none, 2, branch.stable ? [] : [9, 7]);
      }
    }
    c.globalAlpha = 1;
    branch.slots.forEach((slot, i) => {
      const contact = run.contacts.get(slot), x = contact ? run.touch(contact, start.t) : null;
      if (!x || !isFinite(x.point[0])) return;
      const f = this.screenFrame(x);
      mark(c, f.px, f.py, branch.modes[i], false, f.tx, f.ty, 5, this.k);
    });
    this.cam = keep;
    [this.w, this.h] = size;
  }
}
