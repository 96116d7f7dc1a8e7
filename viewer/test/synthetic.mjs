// synthetic.mjs: runs that no scene makes, as the writer in src/report/page_chunk.c would code them: for tests of size and speed.

class Bytes {
  constructor() { this.a = []; }
  byte(x) { this.a.push(x & 255); }
  count(x) { do { const low = x % 128; x = Math.floor(x / 128); this.byte(x ? low | 128 : low); } while (x); }
  times(list) { const f = new Float64Array(list); for (const b of new Uint8Array(f.buffer)) this.a.push(b); }
  runs(value, n) { if (n) { this.byte(value); this.count(n); } }
  /** Plain differences of the ordered integers of floats. */
  column(values) {
    const bits = new Uint32Array(new Float32Array(values).buffer);
    this.byte(1);
    let before = 0x80000000, zeros = 0;
    const flush = () => { if (zeros) { this.byte(0); this.count(zeros - 1); zeros = 0; } };
    for (let b of bits) {
      if (b === 0x80000000) b = 0;
      const now = (b >>> 31 ? ~b : b ^ 0x80000000) >>> 0, d = (now - before) >>> 0, rest = ((d << 1) ^ (d >>> 31 ? 0xffffffff : 0)) >>> 0;
      if (rest === 0) zeros++; else { flush(); this.count(rest); }
      before = now;
    }
    flush();
  }
  base64() { return Buffer.from(this.a).toString('base64'); }
}

function make(bodies, dimension, samples, pose) {
  const until = samples / 60, b = new Bytes(), t = Array.from({length: samples}, (_, i) => i / 60), per = dimension === 3 ? 7 : 3;
  for (const c of 'SPRG') b.byte(c.charCodeAt(0));
  b.byte(1); b.byte(dimension - 1); b.byte(0); b.byte(0);
  b.count(samples);
  b.times(t);
  b.runs(16, samples); // verdict: open
  b.runs(1, samples);
  b.count(8 + per * bodies.length);
  for (let i = 0; i < 8; i++) b.column(t.map(() => (i === 0 ? 1 : 0)));
  bodies.forEach((_, k) => { for (let i = 0; i < per; i++) b.column(t.map((x) => pose(k, x)[i])); });
  b.count(0);
  b.count(samples);
  for (let i = 0; i < samples; i++) b.byte(0);
  const floor = {name: 'floor', fixed: true, mass: 0, position: [0, 0, 0], angle: 0, quaternion: [1, 0, 0, 0], shapes: [{kind: 'plane', points: [], normal: dimension === 3 ? [0, 0, 1] : [0, 1, 0], offset: 0}]};
  const head = {format: 1, version: 'test', name: `${bodies.length} bodies`, file: '', command: '', dimension, gravity: dimension === 3 ? [0, 0, -9.81] : [0, -9.81, 0], size: 1, bodies: [floor, ...bodies], contacts: [], loads: [],
    springs: [], parameters: [], settings: {motion: 'auto', until, tolerance: 1e-9, outputStep: 1 / 60}, sets: [], notes: []};
  return {head, tail: {events: [], verdicts: [{from: 0, to: until, kind: 'open', solutions: 1, stable: 1, chosen: '', reason: ''}], end: {outcome: 'done', reason: '', steps: 1, evaluations: 1, solves: 1, samples, drift: 0}}, chunk: b.base64()};
}
const body = (i, shape) => ({name: `b${i}`, fixed: false, mass: 1, position: [0, 0, 0], angle: 0, quaternion: [1, 0, 0, 0], shapes: [shape]});

export function flatCrowd(count) {
  const bodies = Array.from({length: count}, (_, i) => body(i, {kind: 'box', points: [[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]]}));
  return make(bodies, 2, 120, (k, t) => [(k % 20) * 0.3 + 0.1 * Math.sin(t + k), 0.2 + 0.3 * Math.floor(k / 20), t + k]);
}
export function manySpheres(count) {
  const bodies = Array.from({length: count}, (_, i) => body(i, {kind: 'sphere', points: [[0, 0, 0]], radius: 0.1}));
  return make(bodies, 3, 30, (k, t) => [(k % 10) * 0.25, (Math.floor(k / 10) % 10) * 0.25, 0.1 + Math.floor(k / 100) * 0.25 + 0.05 * Math.sin(3 * t + k), 1, 0, 0, 0]);
}
