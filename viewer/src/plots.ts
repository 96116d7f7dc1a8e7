// plots.ts: signals over time, one axis for all; the verdict as tints behind them.
import uPlot from 'uplot';
import {clamp, fix, num, reading, tickText, ticks, timePlaces} from './format';
import {Column, Contact, Mode, Run} from './run';
import type {Tokens, View} from './view';

interface Series { label: string; title?: string; token: string; dash?: number[]; values: (number | null)[]; at: (t: number) => number; area?: boolean }
interface Panel {
  id: string; name: string; unit: string; series: Series[]; stack?: boolean; zero?: boolean; asinh?: number; below?: boolean; band?: boolean; faint?: (number | null)[][]; crowd?: boolean; note?: string;
  plot?: uPlot; box?: HTMLElement; read?: HTMLElement; scale: number; data?: uPlot.AlignedData; low: number; high: number;
}

const math = (s: string) => `<i class="m">${s}</i>`;
const column = (run: Run, c: Column<Float32Array>): (number | null)[] => Array.from(c.a.subarray(0, run.n), (v) => (isFinite(v) ? v : null));
function contactColumn(run: Run, c: Contact, get: (k: number) => number): (number | null)[] {
  const out: (number | null)[] = new Array(run.n);
  for (let i = 0; i < run.n; i++) {
    const k = i < c.place.length ? c.place.a[i] : -1, v = k >= 0 ? get(k) : NaN;
    out[i] = isFinite(v) ? v : null;
  }
  return out;
}
const median = (values: number[]): number => {
  if (!values.length) return 0;
  const s = values.sort((a, b) => a - b);
  return s[s.length >> 1];
};

/** Least, median and greatest normal force of many contacts at each sample; open ones do not count. */
function envelope(run: Run, list: Contact[]): (number | null)[][] {
  const out: (number | null)[][] = [0, 1, 2].map(() => new Array<number | null>(run.n).fill(null)), now: number[] = [];
  for (let i = 0; i < run.n; i++) {
    now.length = 0;
    for (const c of list) {
      const k = i < c.place.length ? c.place.a[i] : -1;
      if (k >= 0 && (c.state.a[k] & 7) !== Mode.Separate && isFinite(c.normal.a[k])) now.push(c.normal.a[k]);
    }
    if (!now.length) continue;
    now.sort((a, b) => a - b);
    [out[0][i], out[1][i], out[2][i]] = [now[0], now[now.length >> 1], now[now.length - 1]];
  }
  return out;
}

/** The panels of a focus. */
function panelsOf(view: View): Panel[] {
  const {run} = view, out: Panel[] = [];
  const add = (p: Omit<Panel, 'scale' | 'low' | 'high'>) => out.push({...p, scale: 1, low: 0, high: 1});
  const c = run.contacts.get(view.focus.contact), joint = run.head.joints?.[view.focus.joint ?? -1];
  if (joint) jointPanels(run, joint.name, add);
  else if (c) {
    const at = (get: (x: NonNullable<ReturnType<Run['touch']>>) => number) => (t: number) => {
      const x = run.touch(c, t);
      return x ? get(x) : NaN;
    };
    const others = run.ordered().filter((o) => o !== c && o.closed > 0);
    const faint = (get: (o: Contact) => (number | null)[]) => (others.length && others.length <= 24 ? others.map(get) : []);
    const crowd = others.length > 24 ? envelope(run, others) : [];
    const mm = run.head.size < 5;
    add({id: 'gap', name: 'Gap', unit: mm ? 'mm' : 'm', zero: true,
      series: [{label: math('φ'), token: 'normal', values: contactColumn(run, c, (k) => c.gap.a[k] * (mm ? 1e3 : 1)), at: at((x) => x.gap * (mm ? 1e3 : 1))}]});
    // in space the sizes count: directions are in the picture
    const size = (list: Column<Float32Array>[], k: number) => (list.length > 1 ? Math.hypot(...list.map((x) => x.a[k])) : list[0].a[k]);
    const total = (list: number[]) => (list.length > 1 ? Math.hypot(...list) : list[0]);
    const tang = {label: math('λ<sub>T</sub>'), token: 'tang', values: contactColumn(run, c, (k) => size(c.tang, k)), at: at((x) => total(x.tang))};
    add({id: 'force', name: 'Contact force', unit: 'N', zero: true, band: true,
      series: [{label: math('λ<sub>N</sub>'), token: 'normal', values: contactColumn(run, c, (k) => c.normal.a[k]), at: at((x) => x.normal)}, tang],
      faint: crowd.length ? crowd : faint((o) => contactColumn(run, o, (k) => o.normal.a[k])), crowd: crowd.length > 0, note: crowd.length ? `least, median and greatest of ${others.length} others` : undefined});
    add({id: 'slip', name: 'Slip', unit: 'm/s', zero: true,
      series: [{label: math('v<sub>T</sub>'), token: 'tang',
        values: contactColumn(run, c, (k) => ((c.state.a[k] & 7) === Mode.Separate && !(c.gap.a[k] <= 0.02 * run.head.size) ? NaN : size(c.slip, k))),
        at: at((x) => total(x.slip))}]});
    const margin = marginPanel(run, c);
    if (margin) add(margin);
  } else if (view.focus.body >= 0 && run.columnOf[view.focus.body] >= 0) bodyPanels(run, view.focus.body, add);
  else {
    const free = run.head.bodies.findIndex((b) => !b.fixed);
    if (free >= 0) bodyPanels(run, free, add);
  }
  residualPanel(run, add);
  energyPanel(run, add);
  return out;
}
type Add = (p: Omit<Panel, 'scale' | 'low' | 'high'>) => void;

/** Of stepping the residual of each step, in powers of ten. */
function residualPanel(run: Run, add: Add): void {
  const c = run.extra('stepping.residual');
  if (!c || !run.stepped) return;
  const log = (v: number) => Math.log10(Math.max(v, 1e-16));
  add({id: 'residual', name: 'Residual', unit: 'log₁₀', series: [{label: math('r'), token: 'none', values: column(run, c).map((v) => (v == null ? v : log(v))), at: (t) => log(run.extraAt(c, t))}]});
}
/** Whatever is known of a joint: a panel a signal, with the components of vectors; what is always zero is left out. */
function jointPanels(run: Run, name: string, add: Add): void {
  const tokens = ['ink', 'tang', 'normal', 'stick'], groups = new Map<string, {unit: string; series: Series[]}>();
  const words: Record<string, string> = {position: `Position of ${name}`, force: 'Force along it', error: 'Error'};
  (run.head.extras ?? []).forEach((e, i) => {
    if (!e.name.startsWith(name + '.')) return;
    const c = run.extras[i], [part, axis] = e.name.slice(name.length + 1).split('.'), turn = e.unit === 'rad' || e.unit === 'rad/s', s = turn ? 180 / Math.PI : 1;
    if (!c.a.subarray(0, run.n).some((v) => Math.abs(v) > 1e-12)) return;
    const group = groups.get(part) ?? {unit: turn ? e.unit.replace('rad', 'deg') : e.unit, series: []};
    if (group.series.length >= 4) return;
    group.series.push({label: axis ? math(`${part[0]}<sub>${axis}</sub>`) : part === 'reaction' || part === 'moment' ? math(`|${part[0]}|`) : part, title: e.name, token: tokens[group.series.length],
      values: column(run, c).map((v) => (v == null ? v : v * s)), at: (t) => s * run.extraAt(c, t)});
    groups.set(part, group);
  });
  for (const [part, {unit, series}] of groups) add({id: `joint-${part}`, name: words[part] ?? part[0].toUpperCase() + part.slice(1), unit, zero: part !== 'position' && part !== 'way', series});
}

function bodyPanels(run: Run, body: number, add: Add): void {
  const cols = run.bodies[run.columnOf[body]], name = run.head.bodies[body].name;
  if (!cols.length) return;
  const pose = {x: 0, y: 0, z: 0, angle: 0, q: [1, 0, 0, 0] as [number, number, number, number]};
  const axes = run.planar ? ['x', 'y'] : ['x', 'y', 'z'], tokens = ['tang', 'normal', 'stick'];
  add({id: 'position', name: `Position of ${name}`, unit: 'm',
    series: axes.map((a, i) => ({label: math(a), token: tokens[i], values: column(run, cols[i]), at: (t: number) => (run.pose(body, t, pose) as unknown as Record<string, number>)[a]}))});
  if (run.planar)
    add({id: 'angle', name: 'Angle', unit: 'deg',
      series: [{label: math('θ'), token: 'ink', values: column(run, cols[2]).map((v) => (v == null ? v : (v * 180) / Math.PI)), at: (t) => (run.pose(body, t, pose).angle * 180) / Math.PI}]});
  if (run.velocities)
    add({id: 'speed', name: 'Velocity', unit: 'm/s', zero: true,
      series: axes.map((a, i) => ({label: math(`v<sub>${a}</sub>`), token: tokens[i], values: column(run, cols[(run.planar ? 3 : 7) + i]), at: (t: number) => run.speed(body, t)[i] ?? NaN}))});
}

/** A/a_nn and B/g where one contact is closed: how near trouble is. */
function marginPanel(run: Run, c: Contact): Omit<Panel, 'scale' | 'low' | 'high'> | null {
  const g = Math.hypot(...run.head.gravity) || 9.81;
  const value = (i: number, which: 0 | 1): number => {
    const p = run.problems[i];
    if (!p || p.slots.length !== 1 || p.slots[0] !== c.slot || !p.W || !isFinite(p.A)) return NaN;
    return which ? p.B / g : p.A / p.W[0];
  };
  const both = [0, 1].map((w) => Array.from({length: run.n}, (_, i) => { const v = value(i, w as 0 | 1); return isFinite(v) ? v : null; }));
  if (!both[0].some((v) => v != null)) return null;
  const at = (w: 0 | 1) => (t: number) => value(run.index(t), w);
  return {id: 'margin', name: 'Margin', unit: '', zero: true, below: true,
    series: [{label: math('A/a<sub>nn</sub>'), token: 'ink', values: both[0], at: at(0)}, {label: math('B/g'), token: 'ink3', dash: [4, 3], values: both[1], at: at(1)}]};
}

function energyPanel(run: Run, add: Add): void {
  const lost = (e: number[]) => e[4] + e[5] + e[6] + e[7];
  let floor = 0;
  for (let i = 0; i < run.n; i++) floor = Math.min(floor, run.energy[1].a[i]);
  const rows = (get: (e: number[]) => number) => Array.from({length: run.n}, (_, i) => get(run.energy.map((c) => c.a[i])));
  const any = (v: number[]) => v.some((x) => Math.abs(x) > 1e-12);
  const names: Record<string, string> = {'pot.': 'potential', 'ela.': 'elastic', 'kin.': 'kinetic', lost: 'lost'};
  const parts: {label: string; token: string; get: (e: number[]) => number}[] = [
    {label: 'pot.', token: 'e-pot', get: (e) => e[1] - floor}, {label: 'ela.', token: 'e-ela', get: (e) => e[2]},
    {label: 'kin.', token: 'e-kin', get: (e) => e[0]}, {label: 'lost', token: 'e-dis', get: lost}];
  add({id: 'energy', name: 'Energy', unit: 'J', stack: true, zero: true,
    series: parts.map((p) => ({p, v: rows(p.get)})).filter(({p, v}) => p.label !== 'ela.' || any(v))
      .map(({p, v}) => ({label: p.label, title: names[p.label], token: p.token, area: true, values: v, at: (t: number) => p.get(run.energyAt(t)) + (p.label === 'pot.' ? floor : 0)}))});
}

export class Plots {
  private panels: Panel[] = [];
  private wrap = document.querySelector('#plotwrap') as HTMLElement;
  private over: HTMLCanvasElement;
  private axis: SVGSVGElement | null = null;
  private unit: HTMLElement | null = null;
  private left = 52;
  private size = {w: 0, h: 0, ax: 0, tops: [] as number[], heights: [] as number[]};
  constructor(private view: View, private tokens: () => Tokens, private act: {time(t: number): void; changed(): void; window(a: number, b: number): void; whole(): void}) {
    this.over = document.createElement('canvas');
    this.over.className = 'plotover';
    this.bindPointer();
  }

  /** Other signals, or other data: everything anew. */
  rebuild(): void {
    for (const p of this.panels) p.plot?.destroy();
    this.panels = panelsOf(this.view);
    this.wrap.innerHTML = this.panels.map((p) => `<div class="plot" data-panel="${p.id}"><div class="ax"></div><div class="read${p.series.length > 2 ? ' two' : ''}"><h3 title="${p.name}">${p.name}<small>${p.unit}</small></h3><dl>${p.series.map((s, i) =>
      `<div${s.title ? ` title="${s.title}"` : ''}><dt><span class="sw${s.area ? ' area' : ''}" style="background:${s.dash ? `repeating-linear-gradient(90deg,var(--${s.token}) 0 4px,transparent 4px 6px)` : `var(--${s.token})`}"></span>${s.label}</dt><dd data-read="${p.id}.${i}"></dd></div>`).join('')}</dl></div></div>`).join('')
      + '<div class="taxis"><svg aria-hidden="true"></svg><span class="u"></span></div>';
    this.wrap.append(this.over);
    this.axis = this.wrap.querySelector('.taxis svg');
    this.unit = this.wrap.querySelector('.taxis .u');
    const boxes = this.wrap.querySelectorAll<HTMLElement>('.plot');
    this.panels.forEach((p, i) => {
      p.box = boxes[i].querySelector('.ax') as HTMLElement;
      p.read = boxes[i];
      this.make(p);
    });
    this.resize();
  }

  private prepare(p: Panel): void {
    const {run} = this.view, t = Array.from(run.t.a.subarray(0, run.n));
    const rows: (number | null)[][] = [t];
    let low = Infinity, high = -Infinity;
    const sizes: number[] = [];
    const see = (v: (number | null)[]) => { for (const x of v) if (x != null) { low = Math.min(low, x); high = Math.max(high, x); if (x) sizes.push(Math.abs(x)); } };
    if (p.stack) {
      let sum: number[] = new Array(run.n).fill(0);
      const sums = p.series.map((s) => (sum = sum.map((a, i) => a + (s.values[i] ?? 0))));
      for (const s of [...sums].reverse()) { rows.push(s); see(s); }
    } else {
      for (const s of [...p.series].reverse()) { rows.push(s.values); see(s.values); }
      for (const f of p.faint ?? []) { rows.push(f); see(f); }
    }
    if (p.zero) { low = Math.min(low, 0); high = Math.max(high, 0); }
    if (p.below) { low = Math.min(low, -0.1); high = Math.max(high, 0.1); }
    if (!(high > low)) {
      const h = isFinite(high) ? Math.abs(high) || 1 : 1;
      if (!isFinite(low)) low = 0;
      low -= h * 0.5;
      high = low + h;
    }
    const middle = median(sizes), largest = Math.max(Math.abs(low), Math.abs(high));
    p.asinh = p.id === 'force' && middle > 0 && largest > 12 * middle ? middle : undefined;
    // an axis never resolves finer than the run does
    const least = p.id === 'slip' ? 1e-3 : p.id === 'joint-error' ? 1e-12 : 1e-5;
    if (high - low < least) { const m = (high + low) / 2; low = m - least / 2; high = m + least / 2; }
    p.scale = p.asinh ? middle : largest;
    const pad = p.asinh ? 0 : (high - low) * 0.07;
    p.low = p.zero && low === 0 ? -pad * 0.6 : low - pad;
    p.high = p.asinh ? high * 1.5 : high + pad;
    if (p.asinh && low < 0) p.low = low * 1.3;
    p.data = rows as uPlot.AlignedData;
  }

  private make(p: Panel): void {
    this.prepare(p);
    const k = this.tokens();
    const series: uPlot.Series[] = [{}];
    const path = uPlot.paths.linear!({alignGaps: 1});
    for (const s of [...p.series].reverse())
      series.push({stroke: p.stack ? k.panel : k[s.token], width: p.stack ? 0.6 : 1.7, dash: s.dash, fill: p.stack ? k[s.token] : undefined, points: {show: false}, paths: path, spanGaps: false, pxAlign: 0,
        fillTo: p.stack ? () => 0 : undefined});
    for (let i = 0; i < (p.faint?.length ?? 0); i++) series.push({stroke: k.ink3, width: p.crowd && i === 1 ? 1.2 : 0.7, points: {show: false}, paths: path, alpha: 0.6, pxAlign: 0});
    const last = series.length - 1, bands: uPlot.Band[] | undefined = p.crowd ? [{series: [last, last - 2], fill: k['cone-w']}] : undefined;
    const step = (u: uPlot) => Math.max(2, Math.round(u.bbox.height / devicePixelRatio / 16));
    const options: uPlot.Options = {
      width: 10, height: 10, legend: {show: false}, cursor: {show: false}, padding: [3, 0, 3, 0],
      scales: {x: {time: false, range: () => this.view.window()}, y: {range: () => [p.low, p.high], ...(p.asinh ? {distr: 4, asinh: p.asinh} : {})}},
      axes: [{show: false},
        {stroke: k.ink3, grid: {stroke: k.line2, width: 1}, ticks: {show: false}, size: this.left, gap: 6, font: `11px ${k.ui}`,
          splits: (u) => (p.asinh ? asinhTicks(p.low, p.high, p.asinh, Math.min(step(u), 4)) : ticks(p.low, p.high, Math.min(step(u), 6))),
          values: (_u, v) => { const d = v.length > 1 ? Math.min(...v.slice(1).map((x, i) => Math.abs(x - v[i]))) : 1; const all = v.map((x) => tickText(x, p.asinh ? Math.min(1, Math.abs(x) || 1) : d)); return all.some((s) => s.length > 8) ? v.map((x) => (Math.abs(x) < 1e-3 * d ? '0' : x.toExponential(0).replace(/-/g, '−'))) : all; }}],
      series, bands,
      hooks: {drawClear: [(u) => this.behind(u, p)], draw: [(u) => this.front(u, p)]},
    };
    const box = p.box as HTMLElement;
    box.innerHTML = p.asinh || p.note ? `<span class="ash">${[p.note, p.asinh ? 'asinh scale' : ''].filter(Boolean).join(' · ')}</span>` : '';
    p.plot = new uPlot(options, p.data as uPlot.AlignedData, box);
  }

  /** Tints of the verdict, of compliant phases, what is below zero, the band of friction. */
  private behind(u: uPlot, p: Panel): void {
    const {run} = this.view, c = u.ctx, k = this.tokens(), {left, top, width, height} = u.bbox;
    c.save();
    c.beginPath();
    c.rect(left, top - 8, width, height + 16);
    c.clip();
    const x = (t: number) => u.valToPos(t, 'x', true);
    const span = (a: number, b: number, fill: string) => {
      const x0 = x(a), x1 = Math.max(x(b), x0 + devicePixelRatio);
      if (x1 < left || x0 > left + width) return;
      c.fillStyle = fill;
      c.fillRect(Math.max(x0, left), 0, Math.min(x1, left + width) - Math.max(x0, left), u.ctx.canvas.height);
    };
    for (const [a, b] of run.compliantSpans()) span(a, b, k['comp-w']);
    for (const v of run.intervals) {
      if (v.kind === 'multiple' || v.kind === 'infinite') span(v.from, v.to, k['several-w']);
      else if (v.kind === 'none' || (v.kind === 'unique' && v.solutions > 0 && v.stable === 0)) span(v.from, v.to, k['none-w']);
    }
    if (p.below) {
      const y = u.valToPos(0, 'y', true);
      c.fillStyle = k['none-w'];
      c.globalAlpha = 0.5;
      c.fillRect(left, y, width, u.ctx.canvas.height - y);
      c.globalAlpha = 1;
    }
    if (p.band) this.frictionBand(u, c, k);
    c.strokeStyle = k.line;
    c.lineWidth = devicePixelRatio;
    // many events must not hide the curves
    c.globalAlpha = clamp(40 / Math.max(1, run.events.length), 0.12, 1);
    for (const e of run.events) {
      const px = Math.round(x(e.t)) + 0.5;
      if (px < left || px > left + width) continue;
      c.beginPath();
      c.moveTo(px, 0);
      c.lineTo(px, u.ctx.canvas.height);
      c.stroke();
    }
    c.restore();
  }
  private frictionBand(u: uPlot, c: CanvasRenderingContext2D, k: Tokens): void {
    const {run} = this.view, contact = run.contacts.get(this.view.focus.contact);
    if (!contact) return;
    const [a, b] = this.view.window(), i0 = Math.max(0, run.index(a) - 1), i1 = Math.min(run.n - 1, run.index(b) + 1);
    c.fillStyle = k['cone-w'];
    for (let i = i0; i < i1; i++) {
      const j = contact.place.a[i], m = contact.place.a[i + 1];
      if (j < 0 || m < 0 || run.t.a[i + 1] <= run.t.a[i]) continue;
      const f0 = contact.friction.a[j] * contact.normal.a[j], f1 = contact.friction.a[m] * contact.normal.a[m];
      if (!(f0 > 0) && !(f1 > 0)) continue;
      const x0 = u.valToPos(run.t.a[i], 'x', true), x1 = u.valToPos(run.t.a[i + 1], 'x', true);
      c.beginPath();
      c.moveTo(x0, u.valToPos(f0, 'y', true));
      c.lineTo(x1, u.valToPos(f1, 'y', true));
      c.lineTo(x1, u.valToPos(-f1, 'y', true));
      c.lineTo(x0, u.valToPos(-f0, 'y', true));
      c.fill();
    }
  }
  private front(u: uPlot, p: Panel): void {
    if (!p.below) return;
    const c = u.ctx, y = u.valToPos(0, 'y', true), {left, width} = u.bbox;
    c.strokeStyle = this.tokens().none;
    c.lineWidth = devicePixelRatio;
    c.beginPath();
    c.moveTo(left, y);
    c.lineTo(left + width, y);
    c.stroke();
  }

  resize(): void {
    const style = getComputedStyle(document.documentElement);
    this.left = parseFloat(style.getPropertyValue('--gl')) || 52;
    for (const p of this.panels) {
      const box = p.box as HTMLElement;
      p.plot?.setSize({width: Math.max(20, box.clientWidth), height: Math.max(20, box.clientHeight)});
    }
    this.measure();
    this.redraw();
  }
  /** Sizes are read here only: reading them between writes would make the browser lay out the page again. */
  private measure(): void {
    const base = this.wrap.getBoundingClientRect(), boxes = this.panels.map((p) => (p.box as HTMLElement).getBoundingClientRect());
    this.size = {w: this.wrap.clientWidth, h: this.wrap.clientHeight, ax: this.panels[0]?.box?.clientWidth ?? 0, tops: boxes.map((b) => b.top - base.top), heights: boxes.map((b) => b.height)};
    this.cells = this.panels.map((p) => p.series.map((_, i) => (p.read as HTMLElement).querySelector<HTMLElement>(`[data-read="${p.id}.${i}"]`)));
  }
  private cells: (HTMLElement | null)[][] = [];
  /** The window has changed. */
  redraw(): void {
    for (const p of this.panels) p.plot?.redraw(false, true), p.plot?.setScale('x', {min: this.view.window()[0], max: this.view.window()[1]});
    this.drawAxis();
    this.cursor();
  }
  /** New samples have arrived. */
  refresh(): void {
    const fresh = panelsOf(this.view);
    if (fresh.length !== this.panels.length || fresh.some((f, i) => f.id !== this.panels[i].id || f.series.length !== this.panels[i].series.length || (f.faint?.length ?? 0) !== (this.panels[i].faint?.length ?? 0))) {
      this.rebuild();
      return;
    }
    for (let i = 0; i < fresh.length; i++) {
      const p = this.panels[i], was = p.asinh;
      p.series = fresh[i].series;
      p.faint = fresh[i].faint;
      this.prepare(p);
      if ((was === undefined) !== (p.asinh === undefined)) {
        p.plot?.destroy();
        this.make(p);
      } else p.plot?.setData(p.data as uPlot.AlignedData);
    }
    this.resize();
  }

  private x(t: number): number {
    const [a, b] = this.view.window();
    return this.left + ((t - a) / (b - a)) * (this.size.ax - this.left);
  }
  private drawAxis(): void {
    if (!this.axis) return;
    const [a, b] = this.view.window(), w = this.axis.clientWidth;
    const all = ticks(a, b, clamp(w / 78, 2, 14)), step = all.length > 1 ? all[1] - all[0] : b - a;
    this.axis.innerHTML = all.map((t) => {
      const x = ((t - a) / (b - a)) * w;
      return `<path d="M${x.toFixed(1)} 0v4" stroke="var(--ink3)"/>${x > w - 18 && w - x < 18 ? '' : `<text x="${x.toFixed(1)}" y="15" text-anchor="${x < 12 ? 'start' : 'middle'}">${tickText(t, step)}</text>`}`;
    }).join('');
  }

  /** The cursor, the pointer, and the readings: once a frame. */
  cursor(): void {
    const {view} = this, k = this.tokens(), box = this.panels[0]?.box;
    if (!box) return;
    const {w: W, h: H} = this.size, dpr = devicePixelRatio;
    if (this.over.width !== Math.round(W * dpr) || this.over.height !== Math.round(H * dpr)) {
      this.over.width = Math.round(W * dpr);
      this.over.height = Math.round(H * dpr);
      this.over.style.width = W + 'px';
      this.over.style.height = H + 'px';
    }
    const c = this.over.getContext('2d') as CanvasRenderingContext2D;
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.clearRect(0, 0, W, H);
    const [a, b] = view.window(), t = view.hover ?? view.t;
    this.panels.forEach((p, n) => {
      const top = this.size.tops[n], height = this.size.heights[n];
      if (view.select) {
        const x0 = this.x(view.select[0]), x1 = this.x(view.select[1]);
        c.fillStyle = k.focus;
        c.globalAlpha = 0.14;
        c.fillRect(Math.min(x0, x1), top, Math.abs(x1 - x0), height);
        c.globalAlpha = 1;
      }
      for (const [time, colour, dash] of [[view.t, k.ink, []], [view.hover, k.focus, [3, 3]]] as [number | null, string, number[]][]) {
        if (time == null || time < a - 1e-12 || time > b + 1e-12) continue;
        const x = this.x(time);
        c.strokeStyle = colour;
        c.lineWidth = 1.3;
        c.setLineDash(dash);
        c.beginPath();
        c.moveTo(x, top);
        c.lineTo(x, top + height);
        c.stroke();
        c.setLineDash([]);
        if (p.stack || !p.plot) continue;
        for (const s of p.series) {
          const v = s.at(time);
          if (!isFinite(v)) continue;
          const y = top + p.plot.valToPos(v, 'y') + p.plot.bbox.top / dpr;
          c.beginPath();
          c.arc(x, y, 3, 0, 2 * Math.PI);
          c.fillStyle = k[s.token];
          c.fill();
          c.strokeStyle = k.panel;
          c.lineWidth = 1.2;
          c.stroke();
        }
      }
      p.series.forEach((s, i) => {
        const cell = this.cells[n]?.[i], text = reading(s.at(t), p.scale, p.series.length > 2 ? 3 : 4);
        if (cell && cell.textContent !== text) cell.textContent = text;
      });
    });
    this.wrap.classList.toggle('reading', view.hover != null);
    const {duration} = view.run;
    const text = view.hover != null ? `reading t = ${fix(view.hover, timePlaces(duration))} s` : view.win ? `time, s · ${num((b - a) * 1e3)} ms shown` : 'time, s';
    if (this.unit && this.unit.textContent !== text) this.unit.textContent = text;
  }

  private bindPointer(): void {
    let from: number | null = null, moved = false;
    const time = (e: PointerEvent | WheelEvent | MouseEvent): number | null => {
      const box = this.panels[0]?.box?.getBoundingClientRect();
      if (!box || !(e.target as HTMLElement).closest?.('.ax')) return null;
      const [a, b] = this.view.window(), f = (e.clientX - box.left - this.left) / Math.max(1, box.width - this.left);
      return a + clamp(f, 0, 1) * (b - a);
    };
    this.wrap.addEventListener('pointermove', (e) => {
      const t = time(e);
      if (t == null) return;
      if (e.pointerType === 'touch') { if (from != null) this.act.time(t); return; }
      this.view.hover = t;
      if (from != null) {
        moved = moved || Math.abs(this.x(t) - this.x(from)) > 4;
        this.view.select = moved ? [from, t] : null;
      }
      this.act.changed();
    });
    this.wrap.addEventListener('pointerleave', () => { this.view.hover = null; this.act.changed(); });
    this.wrap.addEventListener('pointerdown', (e) => {
      const t = time(e);
      if (t == null || e.button !== 0) return;
      from = t;
      moved = false;
      if (e.pointerType === 'touch') this.act.time(t);
      else (e.target as Element).setPointerCapture?.(e.pointerId);
    });
    this.wrap.addEventListener('pointerup', (e) => {
      if (from == null) return;
      const select = this.view.select;
      this.view.select = null;
      if (moved && select) this.act.window(select[0], select[1]);
      else if (e.pointerType !== 'touch') this.act.time(from);
      from = null;
    });
    this.wrap.addEventListener('pointercancel', () => { from = null; this.view.select = null; });
    this.wrap.addEventListener('dblclick', (e) => { if (time(e) != null) this.act.whole(); });
    this.wrap.addEventListener('wheel', (e) => {
      const t = time(e);
      if (t == null || !(e.ctrlKey || e.shiftKey)) return;
      e.preventDefault();
      const [a, b] = this.view.window(), f = Math.exp(clamp(e.deltaY || e.deltaX, -60, 60) / 150);
      this.act.window(t - (t - a) * f, t + (b - t) * f);
    }, {passive: false});
  }
  /** What is shown, for tests and for people with a console. */
  readings(): Record<string, string> {
    const out: Record<string, string> = {};
    this.wrap.querySelectorAll<HTMLElement>('[data-read]').forEach((e) => { out[e.dataset.read as string] = e.textContent ?? ''; });
    return out;
  }
}

function asinhTicks(low: number, high: number, scale: number, most: number): number[] {
  const out = [0];
  const all: number[] = [];
  for (let e = Math.floor(Math.log10(scale)); 10 ** e <= high; e++) all.push(10 ** e);
  const every = Math.max(1, Math.ceil(all.length / Math.max(1, most - 1)));
  for (let i = all.length - 1; i >= 0; i -= every) out.push(all[i]);
  if (low < 0) for (let i = all.length - 1; i >= 0; i -= every) if (all[i] <= -low) out.push(-all[i]);
  // those that stand too near to a rounder one are left out
  const place = (v: number) => Math.asinh(v / scale), span = place(high) - place(low) || 1;
  const kept: number[] = [];
  for (const v of out) if (kept.every((o) => Math.abs(place(o) - place(v)) > 0.24 * span)) kept.push(v);
  return kept.sort((a, b) => a - b);
}
