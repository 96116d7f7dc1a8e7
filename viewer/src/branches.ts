// branches.ts: several motions side by side, each followed from one instant on until it ends.
import {escape, fix, num, timePlaces} from './format';
import {modeGlyph} from './glyphs';
import {Branch, BranchStart, Pose, Run} from './run';
import type {SceneView} from './scene';
import {modeWord} from './verdict';
import type {View} from './view';

/** A branch as a scene draws it: poses of the free bodies at a time after its start. */
export interface Followed { stable: boolean; lasted: number; pose(column: number, tau: number, out: Pose): Pose; modes: number[]; slots: number[] }

function followed(run: Run, start: BranchStart, b: Branch): Followed {
  const width = run.planar ? 3 : 7, last = b.frames.length - 1, step = start.span / 16;
  return {stable: b.stable, lasted: b.lasted, modes: b.modes, slots: start.slots,
    pose(column, tau, out) {
      // frames lie evenly but for the last one, which is where the branch ended
      const t = Math.min(Math.max(tau, 0), b.lasted), i = Math.max(0, Math.min(Math.floor(t / step), last - 1));
      const from = i * step, to = i + 1 === last ? b.lasted : (i + 1) * step, f = last > 0 && to > from ? (t - from) / (to - from) : 0;
      const at = (k: number) => { const a = b.frames[i][column * width + k], c = b.frames[Math.min(i + 1, last)][column * width + k]; return a + (c - a) * Math.min(1, f); };
      [out.x, out.y] = [at(0), at(1)];
      if (run.planar) { out.z = 0; out.angle = at(2); out.q = [Math.cos(out.angle / 2), 0, 0, Math.sin(out.angle / 2)]; return out; }
      out.z = at(2);
      const q = [at(3), at(4), at(5), at(6)], l = Math.hypot(...q) || 1;
      out.q = [q[0] / l, q[1] / l, q[2] / l, q[3] / l];
      return out;
    }};
}

export class BranchView {
  /** Time after the start of the branches that is shown. */
  tau = Infinity;
  private key = '';
  private box = document.getElementById('branches') as HTMLElement;
  private shown: BranchStart | null = null;
  constructor(private view: View) {}

  start(): BranchStart | null { return this.view.branches ? this.view.run.branchesAt(this.view.t) : null; }
  stale(): void { this.key = ''; }
  /** Goes on by some seconds of the clock; false: the end is reached. */
  play(seconds: number): boolean {
    const start = this.start();
    if (!start) return false;
    this.tau = Math.min(start.span, this.tau + (seconds * start.span) / 4);
    return this.tau < start.span;
  }
  begin(): void {
    const start = this.start();
    if (start && this.tau >= start.span) this.tau = 0;
  }

  draw(scene: SceneView): void {
    const start = this.start(), {box} = this;
    if (!start) {
      if (!box.hidden) { box.hidden = true; this.key = ''; this.shown = null; }
      return;
    }
    const list = start.branches.filter((b) => b.frames.length).slice(0, innerWidth < 700 ? 2 : 4);
    const key = [start.t, list.length, innerWidth, innerHeight, document.documentElement.dataset.theme].join();
    if (start !== this.shown) { this.tau = this.view.playing ? 0 : Infinity; this.shown = start; }
    if (key !== this.key) this.build(start, list);
    const now = `${key} ${this.tau}`;
    if (box.dataset.now === now && key === this.key) return;
    this.key = key;
    box.dataset.now = now;
    const all = list.map((b) => followed(this.view.run, start, b));
    box.querySelectorAll('canvas').forEach((c, i) => scene.branch(c, all[i], all, start, Math.min(this.tau, start.span)));
  }
  private build(start: BranchStart, list: Branch[]): void {
    const {run} = this.view, {box} = this, problem = run.problem(start.t)?.problem;
    box.hidden = false;
    delete box.dataset.now;
    box.style.gridTemplateColumns = `repeat(${list.length}, minmax(0, 1fr))`;
    box.innerHTML = list.map((b) => {
      const names = b.modes.map((m, i) => { const c = run.contacts.get(start.slots[i]), x = c ? run.touch(c, start.t) : null; return x ? modeWord({...x, mode: m}, run.planar) : ''; });
      const motion = problem?.motions.find((m) => m.modes.length === b.modes.length && m.modes.every((x, i) => x === b.modes[i]));
      const title = names.length > 2 ? `${names.length} contacts` : names.filter((x, i) => names.indexOf(x) === i).join(', ');
      const rate = motion && isFinite(motion.rate) && motion.rate > 0 ? `, +${num(motion.rate)} 1/s` : '';
      const state = b.stable ? 'stable' : `${motion?.stability === 'flutter' ? 'flutter' : 'saddle'}${rate}: no run stays on it`;
      return `<figure><canvas></canvas><figcaption><b>${b.modes.slice(0, 12).map((m) => modeGlyph(m, 13)).join('')}${escape(title)}</b>${state}<br>${this.fate(start, b)}</figcaption></figure>`;
    }).join('') + `<p class="from">from ${fix(start.t, timePlaces(run.duration))} s</p><button class="btn x" data-do="branch" aria-label="Close branch view">Close (b)</button>`;
  }
  private fate(start: BranchStart, b: Branch): string {
    const ms = `${num(b.lasted * 1e3)} ms`;
    if (!b.end) return `holds for ${ms}`;
    const name = b.contact !== undefined && b.contact >= 0 && (start.slots.length > 1 || b.end === 'closes') ? this.view.run.head.contacts[b.contact]?.name : '';
    return `ends after ${ms}: ${name ? escape(name) + ' ' : ''}${escape(b.end)}`;
  }
}
