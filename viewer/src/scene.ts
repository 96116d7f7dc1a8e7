// scene.ts: what both pictures of a scene, the flat and the spatial one, can do.
import {typicalForce} from './draw';
import type {Followed} from './branches';
import {BranchStart, Contact, Mode, Run, Touch} from './run';
import type {Focus, Tokens, View} from './view';

export interface Hit { focus: Focus; body: number; local: number[]; world: number[] }
export interface Pull { body: number; local: number[]; to: number[]; force: number }
export interface SceneView {
  /** Everything at the time of the view. */
  draw(): void;
  /** The whole motion in view. */
  frame(): void;
  restyle(tokens: Tokens): void;
  /** Other samples, or another run. */
  changed(): void;
  pick(x: number, y: number): Hit | null;
  /** A place of the screen in the world: at the depth of a body. */
  world(x: number, y: number, body: number): number[];
  /** Pointer and wheel; true: taken. */
  look?(direction: number): void;
  /** A frame of the branch view: one of `all` branches, tau after its start. */
  branch(canvas: HTMLCanvasElement, branch: Followed, all: Followed[], start: BranchStart, tau: number): void;
  pull: Pull | null;
  dispose(): void;
}

export interface Measures { force: number; slip: number; depth: number }
export function measure(run: Run): Measures {
  const forces: number[] = [];
  let slip = 0, depth = 0;
  for (const c of run.contacts.values()) {
    if (c.joint >= 0) continue;
    const step = Math.max(1, Math.floor(c.state.length / 500));
    for (let k = 0; k < c.state.length; k += step) {
      if ((c.state.a[k] & 7) === Mode.Separate) continue;
      if (!(c.state.a[k] & 8)) forces.push(Math.hypot(c.normal.a[k], ...c.tang.map((x) => x.a[k])));
      slip = Math.max(slip, Math.hypot(...c.slip.map((x) => x.a[k])));
      depth = Math.max(depth, c.depth.a[k]);
    }
  }
  const g = Math.hypot(...run.head.gravity) || 9.81;
  const weight = run.head.bodies.reduce((m, b) => m + (b.fixed ? 0 : b.mass), 0) * g;
  return {force: forces.length ? typicalForce(forces) : weight || 1, slip: slip || 1, depth};
}

/** The tangent of a contact in the plane, theory.md (0.1). */
export const tangentOf = (dir: number[]): [number, number] => [dir[1], -dir[0]];
/** The force on the first body, in the world. */
export function worldForce(x: Touch, planar: boolean): number[] {
  const n = x.dir;
  if (planar) {
    const [tx, ty] = tangentOf(n);
    return [n[0] * x.normal + tx * x.tang[0], n[1] * x.normal + ty * x.tang[0], 0];
  }
  const t = x.tangent, o = cross(n, t);
  return [0, 1, 2].map((i) => n[i] * x.normal + t[i] * x.tang[0] + o[i] * (x.tang[1] ?? 0));
}
export function worldSlip(x: Touch, planar: boolean): number[] {
  if (planar) { const [tx, ty] = tangentOf(x.dir); return [tx * x.slip[0], ty * x.slip[0], 0]; }
  const t = x.tangent, o = cross(x.dir, t);
  return [0, 1, 2].map((i) => t[i] * x.slip[0] + o[i] * (x.slip[1] ?? 0));
}
export const cross = (a: number[], b: number[]): number[] => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** A contact, or the one that presses most while it is open. */
function nowClosed(view: View, chosen: Contact): number {
  const {run, t} = view, own = run.touch(chosen, t);
  if (own && own.mode !== Mode.Separate) return chosen.slot;
  let best = chosen.slot, most = 0;
  for (const c of run.ordered()) {
    const x = c.joint < 0 ? run.touch(c, t) : null;
    if (x && x.mode !== Mode.Separate && x.normal > most) { best = c.slot; most = x.normal; }
  }
  return best;
}
/** The contact that the marks, plots and diagrams are of: the chosen one, or the one that is closed most. */
export function mainContact(view: View): number {
  const {run} = view;
  const chosen = run.contacts.get(view.focus.contact);
  if (chosen) return view.focus.auto && run.contacts.size <= 64 ? nowClosed(view, chosen) : chosen.slot;
  let best = -1, most = 0;
  for (const c of run.ordered()) {
    if (c.joint >= 0 || (view.focus.body >= 0 && !c.bodies.includes(view.focus.body))) continue;
    if (c.closed > most) { best = c.slot; most = c.closed; }
  }
  return best;
}
