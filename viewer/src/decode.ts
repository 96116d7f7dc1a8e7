// decode.ts: chunks of a run (docs/guide/viewer.md has their format) into its columns.
import {Column, Contact, Mode, Motion, Problem, Run, STABILITIES, VERDICTS} from './run';

class Reader {
  p = 0;
  readonly view: DataView;
  constructor(readonly b: Uint8Array) { this.view = new DataView(b.buffer, b.byteOffset, b.byteLength); }
  byte(): number {
    if (this.p >= this.b.length) throw new Error('the data end too early');
    return this.b[this.p++];
  }
  count(): number {
    let value = 0, scale = 1;
    for (;;) {
      const x = this.byte();
      value += (x & 127) * scale;
      if (x < 128) return value;
      scale *= 128;
    }
  }
  float(): number {
    const x = this.view.getFloat32(this.p, true);
    this.p += 4;
    return x;
  }
  floats(n: number): Float32Array {
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) out[i] = this.float();
    return out;
  }
  runs(n: number): Uint8Array {
    const out = new Uint8Array(n);
    for (let i = 0; i < n;) {
      const value = this.byte(), length = this.count();
      if (length === 0 || i + length > n) throw new Error('a run of bytes is too long');
      out.fill(value, i, i + length);
      i += length;
    }
    return out;
  }
  /** Floats, predicted from those before. */
  column(n: number): Float32Array {
    const kind = this.byte(), order = kind & 3, shift = kind >> 2;
    const bits = new Uint32Array(n);
    let before = 0x80000000 >>> shift, earlier = before;
    for (let i = 0, zeros = 0; i < n; i++) {
      let rest = 0;
      if (zeros > 0) zeros--;
      else {
        rest = this.count();
        if (rest === 0) zeros = this.count();
      }
      const difference = (rest >>> 1) ^ (rest & 1 ? 0xffffffff : 0);
      const now = (difference + (order === 2 ? 2 * before - earlier : before)) >>> 0;
      earlier = i === 0 ? now : before;
      before = now;
      const u = (now << shift) >>> 0;
      bits[i] = u >>> 31 ? u ^ 0x80000000 : ~u;
    }
    return new Float32Array(bits.buffer);
  }
}

function readContact(r: Reader, run: Run, base: number): void {
  const c: Contact = run.contact(r.count());
  const spans = r.count(), start = c.state.length;
  let at = base, k = start;
  const places: [number, number][] = [];
  for (let i = 0; i < spans; i++) {
    at += r.count();
    const length = r.count();
    places.push([at, length]);
    k += length;
    at += length;
  }
  const n = k - start;
  c.place.extend(at);
  k = start;
  for (const [from, length] of places) for (let i = 0; i < length; i++) c.place.a[from + i] = k++;
  const states = r.runs(n);
  for (const s of states) if ((s & 7) !== Mode.Separate) c.closed++;
  c.state.append(states);
  const read = (col: Column<Float32Array>) => col.append(r.column(n));
  read(c.gap);
  c.slip.forEach(read);
  read(c.normal);
  c.tang.forEach(read);
  read(c.friction);
  read(c.depth);
  c.point.forEach(read);
  c.dir.forEach(read);
  if (!run.planar) c.tangent.forEach(read);
}

function readMotion(r: Reader, rows: number[], velocities: number): Motion {
  const about = r.byte(), rate = r.float(), roots: [number, number][] = [];
  for (let i = r.count(); i > 0; i--) roots.push([r.float(), r.float()]);
  const modes: Mode[] = [], force: number[][] = [], acceleration: number[][] = [];
  for (const k of rows) {
    modes.push(r.byte());
    force.push([...r.floats(k)]);
    acceleration.push([...r.floats(k)]);
  }
  return {
    stability: STABILITIES[about & 7], stable: (about & 8) !== 0, chosen: (about & 16) !== 0, indeterminate: (about & 32) !== 0,
    continuum: (about & 64) !== 0, rate, roots, modes, force, acceleration, body: [...r.floats(velocities)],
  };
}

function readProblem(r: Reader): Problem {
  const slots: number[] = [], rows: number[] = [], kinds: number[] = [], sliding: boolean[] = [], friction: number[] = [];
  for (let i = r.count(); i > 0; i--) {
    slots.push(r.count());
    rows.push(r.count());
    const about = r.byte();
    sliding.push((about & 1) !== 0);
    kinds.push(about >> 1);
    friction.push(r.float());
  }
  const about = r.byte(), A = r.float(), B = r.float(), n = rows.reduce((a, b) => a + b, 0);
  const small = (about & 128) !== 0;
  const W = small ? r.floats(n * n) : null, b = small ? r.floats(n) : null;
  const count = r.count(), velocities = r.count(), motions: Motion[] = [];
  for (let i = Math.min(count, 8); i > 0; i--) motions.push(readMotion(r, rows, velocities));
  return {
    slots, rows, kinds, sliding, friction, kind: VERDICTS[about & 7], complete: (about & 8) !== 0, unique: (about & 16) !== 0, held: (about & 64) !== 0,
    A, B, W, b, count, motions,
  };
}

/** Adds a chunk to a run. */
export function addChunk(run: Run, bytes: Uint8Array): void {
  const r = new Reader(bytes), base = run.n;
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'SPRG') throw new Error('these are not the data of a run');
  r.p = 4;
  if (r.byte() !== 1) throw new Error('the data have a format that this page does not know');
  r.byte();
  run.velocities = r.byte() !== 0;
  r.byte();
  const n = r.count(), times = new Float64Array(n);
  for (let i = 0; i < n; i++) { times[i] = r.view.getFloat64(r.p, true); r.p += 8; }
  const flags = r.runs(n), solutions = r.runs(n), width = r.count();
  const perBody = (run.planar ? 3 : 7) + (run.velocities ? (run.planar ? 3 : 6) : 0);
  if (width !== 8 + perBody * run.bodies.length + run.extras.length) throw new Error('the columns do not fit the bodies');
  if (n > 0) {
    for (let i = 0; i < 8; i++) run.energy[i].append(r.column(n));
    for (const b of run.bodies)
      for (let i = 0; i < perBody; i++) (b[i] ??= new Column(new Float32Array(0))).append(r.column(n));
    for (const e of run.extras) e.append(r.column(n));
  }
  for (let i = r.count(); i > 0; i--) readContact(r, run, base);
  const end = r.count() + r.p;
  let last: Problem | null = null;
  for (let i = 0; i < n; i++) {
    const status = r.byte();
    if (status === 2) last = readProblem(r);
    run.problems.push(status === 0 ? null : last);
  }
  if (r.p !== end) throw new Error('the motions do not end where they should');
  run.t.append(times);
  run.flags.append(flags);
  run.solutions.append(solutions);
  run.n += n;
  for (const c of run.contacts.values()) if (c.place.length < run.n) c.place.extend(run.n);
}

export function fromBase64(text: string): Uint8Array {
  const s = atob(text.trim()), out = new Uint8Array(s.length);
  for (let i = 0; i < s.length; i++) out[i] = s.charCodeAt(i);
  return out;
}
