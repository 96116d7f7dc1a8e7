// track.ts: the whole run in one line: event marks, the verdict, the model in use, the cursor.
import {clamp, fix, timePlaces} from './format';
import {RANK, eventName, glyphBody} from './glyphs';
import {Contact, Mode} from './run';
import type {View} from './view';

const DEFS = '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="var(--comp)"/><path d="M0 0v5" stroke="var(--panel)" stroke-width="2.2"/></pattern><pattern id="stripe" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="var(--several)"/><path d="M1 0v4" stroke="#1a2126" stroke-opacity=".6" stroke-width="1"/></pattern></defs>';
const FILL: Record<string, string> = {unique: 'var(--unique)', multiple: 'url(#stripe)', infinite: 'url(#stripe)', none: 'var(--none)', open: 'none'};
const GRAVE: Record<string, number> = {open: 0, unique: 1, infinite: 2, multiple: 3, none: 4};

export class Track {
  private svg: SVGSVGElement;
  private lanes = 0;
  private width = 0;
  constructor(private view: View, private set: (t: number) => void) {
    this.svg = document.querySelector('#track') as SVGSVGElement;
    const move = (e: PointerEvent) => this.set(this.time(e.clientX));
    this.svg.addEventListener('pointerdown', (e) => {
      this.svg.setPointerCapture(e.pointerId);
      move(e);
    });
    this.svg.addEventListener('pointermove', (e) => { if (this.svg.hasPointerCapture(e.pointerId)) move(e); });
  }
  private time(clientX: number): number {
    const box = this.svg.getBoundingClientRect(), {T0, T1} = this.view.run;
    return T0 + clamp((clientX - box.left) / Math.max(1, box.width), 0, 1) * (T1 - T0);
  }
  private end(): number { return Math.max(this.view.run.T1, this.view.run.T0 + 1e-9); }

  draw(): void {
    const {run} = this.view, W = (this.width = this.svg.clientWidth);
    if (!W) return;
    const T0 = run.T0, T1 = this.end(), x = (t: number) => ((t - T0) / (T1 - T0)) * W;
    let o = DEFS + `<rect x="0" y="13" width="${W}" height="13" fill="none" stroke="var(--line)"/>`;
    // gravest last, so that a short interval is never hidden by its neighbours
    const parts = run.stepped ? [] : run.intervals;
    if (!parts.length && run.n > 1) o += `<rect x="0" y="13" width="${W}" height="13" fill="none" stroke="var(--ink3)" stroke-dasharray="2 3"/><text x="6" y="23" style="font-size:10.5px">not analysed</text>`;
    for (const v of [...parts].sort((a, b) => GRAVE[a.kind] - GRAVE[b.kind])) {
      if (v.kind === 'open') continue;
      const least = v.kind === 'none' ? 4 : 3, a = x(v.from), w = Math.max(least, x(Math.min(v.to, T1)) - a);
      const unstable = v.kind === 'unique' && v.stable === 0 && v.solutions > 0;
      o += `<rect x="${Math.min(a, W - w).toFixed(1)}" y="13" width="${w.toFixed(1)}" height="13" fill="${unstable ? 'var(--none)' : FILL[v.kind]}"${unstable ? ' opacity=".55"' : ''}/>`;
    }
    o += `<path d="M0 32.5H${W}" stroke="var(--line)"/>`;
    for (const [a, b] of run.compliantSpans()) {
      const w = Math.max(3, x(b) - x(a));
      o += `<rect x="${Math.min(x(a), W - w).toFixed(1)}" y="30" width="${w.toFixed(1)}" height="5.5" fill="url(#hatch)"/>`;
    }
    o += this.contactLanes(x, W) + this.marks(x, W);
    if (run.end && run.end.outcome !== 'done' && run.end.outcome !== 'stopped') o += `<path d="M${W - 1} 8V40" stroke="var(--none)" stroke-width="2"/>`;
    o += '<g id="zoomframe"></g><g id="head"></g>';
    this.svg.innerHTML = o;
    const height = 44 + this.lanes;
    this.svg.style.height = height + 'px';
    (this.svg.parentElement as HTMLElement).style.height = height + 'px';
    this.cursor();
  }
  /** One thin lane a contact up to 16; above that one with the gravest mode. */
  private contactLanes(x: (t: number) => number, W: number): string {
    const {run} = this.view, all = run.ordered().filter((c) => c.closed > 0);
    this.lanes = 0;
    if (all.length < 2) return '';
    const colour = (s: number) => ((s & 8) ? 'var(--comp)' : (s & 7) === Mode.Stick || (s & 7) === Mode.Closed ? 'var(--stick)' : 'var(--tang)');
    if (all.length > 16) return this.crowd(all, x, W, colour);
    const list = all;
    let o = '', y = 40;
    for (const c of list) {
      let i = 0;
      while (i < run.n) {
        const k = c.place.a[i], s = k >= 0 ? c.state.a[k] : 0;
        let j = i + 1;
        while (j < run.n && (c.place.a[j] >= 0 ? c.state.a[c.place.a[j]] : 0) === s) j++;
        if (s & 7) {
          const a = x(run.t.a[i]), b = x(run.t.a[Math.min(j, run.n - 1)]);
          o += `<rect x="${a.toFixed(1)}" y="${y}" width="${Math.max(1, Math.min(b, W) - a).toFixed(1)}" height="3" fill="${colour(s)}"/>`;
        }
        i = j;
      }
      y += 4;
    }
    this.lanes = list.length * 4;
    return o;
  }
  /** One lane for many contacts: the gravest mode at each time. */
  private crowd(all: Contact[], x: (t: number) => number, W: number, colour: (s: number) => string): string {
    const {run} = this.view, rank = (s: number) => ((s & 7) === Mode.Separate ? 0 : s & 8 ? 3 : (s & 7) === Mode.Stick || (s & 7) === Mode.Closed ? 1 : 2);
    const worst = new Uint8Array(run.n);
    for (const c of all)
      for (let i = 0; i < run.n && i < c.place.length; i++) {
        const k = c.place.a[i], s = k >= 0 ? c.state.a[k] & 15 : 0;
        if (rank(s) > rank(worst[i])) worst[i] = s;
      }
    let o = '';
    for (let i = 0; i < run.n;) {
      let j = i + 1;
      while (j < run.n && rank(worst[j]) === rank(worst[i])) j++;
      if (rank(worst[i])) { const a = x(run.t.a[i]), b = x(run.t.a[Math.min(j, run.n - 1)]); o += `<rect class="crowd" x="${a.toFixed(1)}" y="40" width="${Math.max(1, Math.min(b, W) - a).toFixed(1)}" height="4" fill="${colour(worst[i])}"/>`; }
      i = j;
    }
    this.lanes = 6;
    return o;
  }
  private marks(x: (t: number) => number, W: number): string {
    const {run} = this.view;
    let o = '';
    for (let i = 0; i < run.events.length;) {
      let j = i, worst = i;
      while (j + 1 < run.events.length && x(run.events[j + 1].t) - x(run.events[i].t) < 9) {
        j++;
        if ((RANK[run.events[j].type] ?? 0) > (RANK[run.events[worst].type] ?? 0)) worst = j;
      }
      const e = run.events[worst], px = clamp(x(e.t), 5, W - 5), count = j - i + 1;
      o += `<g transform="translate(${(px - 5).toFixed(1)} 0) scale(.72)">${glyphBody(e.type)}<title>${eventName(e.type, e.label)}</title></g>`;
      const room = (j + 1 < run.events.length ? x(run.events[j + 1].t) : W) - px;
      if (count > 1 && room > 22) o += `<text x="${px + 7}" y="8.5" style="font-size:10px">${count}</text>`;
      i = j + 1;
    }
    return o;
  }
  cursor(): void {
    const head = this.svg.querySelector('#head'), frame = this.svg.querySelector('#zoomframe');
    if (!head || !frame) return;
    const {run} = this.view, W = this.width, T0 = run.T0, T1 = this.end();
    const x = (t: number) => ((t - T0) / (T1 - T0)) * W, px = clamp(x(this.view.t), 0, W), bottom = 44 + this.lanes;
    head.innerHTML = `<path d="M${px} 10V${bottom}" stroke="var(--ink)" stroke-width="1.5"/><path d="M${px - 5} ${bottom - 8}h10v4l-5 5-5-5z" fill="var(--ink)" stroke="var(--panel)" stroke-width="1"/>`;
    const w = this.view.win;
    frame.innerHTML = w ? `<rect x="${x(w[0])}" y="10.5" width="${Math.max(3, x(w[1]) - x(w[0]))}" height="${bottom - 15}" fill="none" stroke="var(--ink)" stroke-width="1.2" rx="2"/>` : '';
    const t = this.view.t;
    this.svg.setAttribute('aria-valuemin', String(T0));
    this.svg.setAttribute('aria-valuemax', String(T1));
    this.svg.setAttribute('aria-valuenow', String(+t.toPrecision(7)));
    this.svg.setAttribute('aria-valuetext', `${fix(t, timePlaces(run.duration))} seconds, ${run.verdict(t)}`);
  }
}
