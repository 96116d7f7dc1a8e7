// run.ts: a run as the page keeps it: columns that grow as chunks arrive, and what holds at a time.
export interface Shape {
  kind: string; name?: string; points: number[][]; radius?: number; normal?: number[]; offset?: number; closed?: boolean;
  inside?: boolean; centre?: number[]; size?: number[]; material?: string; belt?: number[]; corners?: number[][]; faces?: number[][];
}
export interface Body {
  name: string; fixed: boolean; mass: number; position: number[]; angle: number; quaternion?: number[]; belt?: number[]; shapes: Shape[];
}
export interface Parameter { name: string; value: number; from?: number; to?: number; unit?: string; scale?: number }
export interface Place { body: number; local: number[] }
export interface Load { body: number; force: number[]; torque: number; moment: number[]; local: number[]; turns: boolean }
/** A joint: its ends in the frames of their bodies (−1: the world); axis: along which it slides (plane), its axis (space). */
export interface Joint { name: string; kind: string; placed: boolean; sprung: boolean; driven: boolean; ends: {body: number; local: number[]; axis: number[]}[]; limits?: number[] }
export interface Head {
  joints?: Joint[]; extras?: {name: string; unit: string}[];
  format: number; version: string; name: string; file: string; command: string; dimension: 2 | 3; gravity: number[]; size: number;
  bodies: Body[]; contacts: {name: string; bodies: [number, number]; joint?: number}[]; loads: Load[]; springs: {name: string; ends: [Place, Place]}[];
  parameters: Parameter[]; settings: Record<string, number | string>; sets: [string, string][]; notes: string[];
}
export interface RunEvent {
  t: number; type: string; contact: number; label: string; detail: string;
  impact?: {before: number[]; after: number[]; impulse: number[]; lost: number};
}
export interface Interval { from: number; to: number; kind: VerdictKind; solutions: number; stable: number; chosen: string; reason: string }
export interface End { outcome: string; reason: string; steps: number; evaluations: number; solves: number; samples: number; drift: number }
/** A motion that was followed: poses of the free bodies, evenly in time but for the last, where it ended. */
export interface Branch { stable: boolean; modes: Mode[]; frames: number[][]; lasted: number; end?: string; contact?: number }
export interface BranchStart { t: number; span: number; slots: number[]; branches: Branch[] }
export interface Tail { branches?: BranchStart[]; events: RunEvent[]; verdicts: Interval[]; end?: End; named?: number; contacts?: Head['contacts'] }

export const VERDICTS = ['unique', 'multiple', 'none', 'infinite', 'open'] as const;
export type VerdictKind = (typeof VERDICTS)[number];
export const STABILITIES = ['stable', 'divergent', 'flutter', 'depends', 'free'] as const;
export enum Mode { Separate, Stick, Plus, Minus, Closed, Slide }
export const ENERGIES = ['kinetic', 'potential', 'elastic', 'actuation', 'friction', 'impact', 'damping', 'change'] as const;

/** One motion of the contact problem. */
export interface Motion {
  stability: (typeof STABILITIES)[number]; stable: boolean; chosen: boolean; indeterminate: boolean; continuum: boolean;
  rate: number; roots: [number, number][]; modes: Mode[]; force: number[][]; acceleration: number[][]; body: number[];
}
/** The contact problem at a sample and all its motions. */
export interface Problem {
  /** Of each: contact, bilateral, limit, guide, bearing. */
  kinds: number[];
  slots: number[]; rows: number[]; sliding: boolean[]; friction: number[]; kind: VerdictKind; complete: boolean; unique: boolean; held: boolean;
  A: number; B: number; W: Float32Array | null; b: Float32Array | null; count: number; motions: Motion[];
}

type Numbers = Float32Array | Float64Array | Uint8Array | Int32Array | Uint32Array;
/** A typed array that grows. */
export class Column<T extends Numbers> {
  length = 0;
  constructor(public a: T, private fill = 0) {}
  append(more: ArrayLike<number>): void {
    this.reserve(this.length + more.length);
    this.a.set(more, this.length);
    this.length += more.length;
  }
  extend(to: number): void {
    this.reserve(to);
    if (to > this.length) this.length = to;
  }
  private reserve(n: number): void {
    if (n <= this.a.length) return;
    const bigger = new (this.a.constructor as new (n: number) => T)(Math.max(n, 2 * this.a.length, 64));
    if (this.fill) bigger.fill(this.fill);
    bigger.set(this.a);
    this.a = bigger;
  }
}
const floats = () => new Column(new Float32Array(0));

export class Contact {
  state = new Column(new Uint8Array(0));
  gap = floats(); normal = floats(); friction = floats(); depth = floats();
  slip: Column<Float32Array>[] = []; tang: Column<Float32Array>[] = [];
  point = [floats(), floats(), floats()]; dir = [floats(), floats(), floats()]; tangent = [floats(), floats(), floats()];
  /** Sample number to place in the columns; −1: the contact was not stored there. */
  place = new Column(new Int32Array(0), -1);
  /** Samples at which it was closed. */
  closed = 0;
  /** The joint that it belongs to (a limit, or its friction); −1: it is one of shapes. */
  joint = -1;
  constructor(public slot: number, public name: string, public bodies: [number, number], tangents: number) {
    for (let i = 0; i < tangents; i++) { this.slip.push(floats()); this.tang.push(floats()); }
  }
}

/** A contact at a time. */
export interface Touch {
  contact: Contact; mode: Mode; compliant: boolean; unique: boolean; gap: number; slip: number[]; normal: number; tang: number[];
  friction: number; depth: number; point: number[]; dir: number[]; tangent: number[];
}
export interface Pose { x: number; y: number; z: number; angle: number; q: [number, number, number, number] }

export class Run {
  n = 0;
  t = new Column(new Float64Array(0));
  flags = new Column(new Uint8Array(0));
  solutions = new Column(new Uint8Array(0));
  energy = ENERGIES.map(floats);
  /** Per free body: positions, then velocities where they are stored. */
  bodies: Column<Float32Array>[][] = [];
  /** Further signals, as head.extras names them. */
  extras: Column<Float32Array>[] = [];
  columnOf: number[];
  contacts = new Map<number, Contact>();
  problems: (Problem | null)[] = [];
  events: RunEvent[] = [];
  intervals: Interval[] = [];
  branches: BranchStart[] = [];
  end: End | null = null;
  velocities = false;
  readonly planar: boolean;
  constructor(public head: Head) {
    this.planar = head.dimension === 2;
    let k = 0;
    this.columnOf = head.bodies.map((b) => (b.fixed ? -1 : k++));
    for (let i = 0; i < k; i++) this.bodies.push([]);
    this.extras = (head.extras ?? []).map(floats);
  }
  /** A further signal by name; null: it is not there. */
  extra(name: string): Column<Float32Array> | null {
    const i = (this.head.extras ?? []).findIndex((e) => e.name === name);
    return i >= 0 && this.extras[i].length ? this.extras[i] : null;
  }
  extraAt(c: Column<Float32Array>, t: number): number { const [i, f] = this.share(t); return this.mix(c, i, f); }
  /** Time stepping: no motions are looked for. */
  get stepped(): boolean {
    if (this.head.settings.motion === 'stepping') return true;
    const c = this.extra('stepping.residual');
    return !!c && c.a.subarray(0, this.n).some((v) => v > 0);
  }
  get T0(): number { return this.n ? this.t.a[0] : 0; }
  /** What digits of times are measured by. */
  get duration(): number { return Number(this.head.settings.until) || this.T1 - this.T0; }
  get T1(): number { return this.n ? this.t.a[this.n - 1] : 0; }

  addTail(tail: Tail): void {
    if (tail.contacts) {
      this.head.contacts.splice(tail.named ?? 0, Infinity, ...tail.contacts);
      for (const c of this.contacts.values()) if (this.head.contacts[c.slot]) ({name: c.name, bodies: c.bodies} = this.head.contacts[c.slot]);
    }
    for (const e of tail.events) this.events.push(e);
    for (const v of tail.verdicts) {
      // a live run tells its verdict slice by slice: what goes on is one interval
      const last = this.intervals[this.intervals.length - 1];
      if (last && last.kind === v.kind && last.solutions === v.solutions && last.stable === v.stable && last.chosen === v.chosen && v.from <= last.to + 1e-12 * Math.max(1, Math.abs(last.to))) last.to = Math.max(last.to, v.to);
      else this.intervals.push(v);
    }
    for (const b of tail.branches ?? []) this.branches.push(b);
    if (tail.end) this.end = tail.end;
  }
  contact(slot: number): Contact {
    let c = this.contacts.get(slot);
    if (!c) {
      const about: Head['contacts'][number] = this.head.contacts[slot] ?? {name: `contact ${slot}`, bodies: [-1, -1]};
      c = new Contact(slot, about.name, about.bodies, this.planar ? 1 : 2);
      c.joint = about.joint ?? -1;
      this.contacts.set(slot, c);
    }
    return c;
  }

  /** Last sample at or before t; of a pair at an event the later one. */
  index(t: number): number {
    const T = this.t.a;
    let a = 0, b = this.n - 1;
    const eps = 1e-9 * Math.max(1e-3, Math.abs(t));
    while (a < b) {
      const m = (a + b + 1) >> 1;
      if (T[m] <= t + eps) a = m; else b = m - 1;
    }
    return Math.max(a, 0);
  }
  /** Sample and the share of the way to the next one. */
  private share(t: number): [number, number] {
    const i = this.index(t);
    if (i >= this.n - 1) return [i, 0];
    const d = this.t.a[i + 1] - this.t.a[i];
    const f = d > 0 ? (t - this.t.a[i]) / d : 0;
    return [i, f < 1e-6 ? 0 : Math.min(f, 1)];
  }
  private mix(c: Column<Float32Array>, i: number, f: number): number {
    return f ? c.a[i] + (c.a[i + 1] - c.a[i]) * f : c.a[i];
  }
  pose(body: number, t: number, out: Pose, at?: [number, number]): Pose {
    const k = this.columnOf[body], b = this.head.bodies[body];
    if (k < 0 || this.n === 0) {
      [out.x, out.y, out.z] = b.position;
      out.angle = b.angle;
      const h = b.angle / 2;
      out.q = b.quaternion ? [b.quaternion[0], b.quaternion[1], b.quaternion[2], b.quaternion[3]] : [Math.cos(h), 0, 0, Math.sin(h)];
      return out;
    }
    const [i, f] = at ?? this.share(t), c = this.bodies[k];
    out.x = this.mix(c[0], i, f);
    out.y = this.mix(c[1], i, f);
    if (this.planar) {
      out.z = 0;
      out.angle = this.mix(c[2], i, f);
      out.q = [Math.cos(out.angle / 2), 0, 0, Math.sin(out.angle / 2)];
      return out;
    }
    out.z = this.mix(c[2], i, f);
    const q: [number, number, number, number] = [c[3].a[i], c[4].a[i], c[5].a[i], c[6].a[i]];
    if (f) {
      const r = [c[3].a[i + 1], c[4].a[i + 1], c[5].a[i + 1], c[6].a[i + 1]];
      const s = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3] < 0 ? -1 : 1;
      let l = 0;
      for (let j = 0; j < 4; j++) { q[j] += (s * r[j] - q[j]) * f; l += q[j] * q[j]; }
      l = Math.sqrt(l) || 1;
      for (let j = 0; j < 4; j++) q[j] /= l;
    }
    out.q = q;
    out.angle = 0;
    return out;
  }
  /** All bodies at a time. */
  poses(t: number, out: Pose[]): void {
    const at = this.share(t);
    for (let i = 0; i < out.length; i++) this.pose(i, t, out[i], at);
  }
  /** Velocity columns of a body at a time; empty if they are not stored. */
  speed(body: number, t: number): number[] {
    const k = this.columnOf[body];
    if (k < 0 || !this.velocities || this.n === 0) return [];
    const [i, f] = this.share(t);
    return this.bodies[k].slice(this.planar ? 3 : 7).map((c) => this.mix(c, i, f));
  }
  energyAt(t: number): number[] {
    const [i, f] = this.share(t);
    return this.energy.map((c) => this.mix(c, i, f));
  }
  touch(c: Contact, t: number): Touch | null {
    const [i, f] = this.share(t);
    const k = i < c.place.length ? c.place.a[i] : -1;
    if (k < 0) return null;
    const next = f && i + 1 < c.place.length ? c.place.a[i + 1] : -1;
    const g = next >= 0 && c.state.a[next] === c.state.a[k] ? f : 0;
    const at = (col: Column<Float32Array>) => {
      const a = col.a[k];
      return g ? a + (col.a[next] - a) * g : a;
    };
    const s = c.state.a[k];
    return {
      contact: c, mode: s & 7, compliant: (s & 8) !== 0, unique: (s & 16) === 0, gap: at(c.gap), slip: c.slip.map(at), normal: at(c.normal),
      tang: c.tang.map(at), friction: at(c.friction), depth: at(c.depth), point: c.point.map(at), dir: c.dir.map(at), tangent: c.tangent.map(at),
    };
  }
  /** Contacts that are closed at a time, in scene order. */
  closedAt(t: number): Touch[] {
    const out: Touch[] = [];
    for (const c of this.ordered()) {
      const touch = this.touch(c, t);
      if (touch && touch.mode !== Mode.Separate) out.push(touch);
    }
    return out;
  }
  private order: Contact[] = [];
  ordered(): Contact[] {
    if (this.order.length !== this.contacts.size) this.order = [...this.contacts.values()].sort((a, b) => a.slot - b.slot);
    return this.order;
  }
  /** The problem at a time, and how old it is. */
  problem(t: number): {problem: Problem; age: number} | null {
    const i = this.index(t);
    const p = this.problems[i];
    if (p) return {problem: p, age: 0};
    const from = this.interval(t)?.from ?? -Infinity;
    for (let k = i - 1; k >= 0 && this.t.a[k] >= from - 1e-12; k--) {
      const q = this.problems[k];
      if (q) return {problem: q, age: t - this.t.a[k]};
    }
    return null;
  }
  /** Where the motions at a time were followed from: the last instant before it that has as many. */
  branchesAt(t: number): BranchStart | null {
    const p = this.problem(t)?.problem;
    if (!p || p.count < 2) return null;
    let found: BranchStart | null = null;
    for (const b of this.branches) if (!found || b.t <= t + 1e-9 * Math.max(1e-3, Math.abs(t))) found = b;
    return found;
  }
  interval(t: number): Interval | null {
    const L = this.intervals;
    let a = 0, b = L.length - 1;
    if (b < 0) return null;
    while (a < b) {
      const m = (a + b + 1) >> 1;
      if (L[m].from <= t + 1e-12) a = m; else b = m - 1;
    }
    return L[a].from <= t + 1e-12 ? L[a] : null;
  }
  verdict(t: number): VerdictKind {
    const f = this.n ? this.flags.a[this.index(t)] : 16;
    return VERDICTS[(f >> 2) & 7] ?? 'open';
  }
  solutionCount(t: number): number { return this.n ? this.solutions.a[this.index(t)] : 0; }
  compliantAt(t: number): boolean { return this.n > 0 && (this.flags.a[this.index(t)] & 32) !== 0; }
  /** When contacts were compliant. */
  compliantSpans(): [number, number][] {
    const out: [number, number][] = [];
    for (let i = 0; i < this.n; i++)
      if (this.flags.a[i] & 32) {
        const t = this.t.a[i], last = out[out.length - 1];
        if (i > 0 && this.flags.a[i - 1] & 32 && last) last[1] = t; else out.push([t, t]);
      }
    return out;
  }
}
