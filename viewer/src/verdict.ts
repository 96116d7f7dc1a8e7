// verdict.ts: the verdict at the cursor in words, the force–acceleration diagram, and the table of motions.
import {capital, countWord, escape, fix, nice, num, ticks, tickText} from './format';
import {glyph, modeGlyph} from './glyphs';
import {Mode, Motion, Problem, Touch} from './run';
import {mainContact} from './scene';
import {slideWord, View} from './view';

const $ = (id: string) => document.getElementById(id) as HTMLElement;
const L = (s: string) => `<i class="m">${s}</i>`;
const dirOf = (view: View, slot: number): number[] => {
  const c = view.run.contacts.get(slot);
  const x = c ? view.run.touch(c, view.t) : null;
  return x ? x.dir : [0, 1, 0];
};
const verb = (m: Mode, dir: number[]): string =>
  m === Mode.Separate ? 'separates' : m === Mode.Stick ? 'sticks' : m === Mode.Closed ? 'closed' : m === Mode.Slide ? 'slides' : `slides ${slideWord(m === Mode.Plus, dir)}`;
const noun = (m: Mode, dir: number[]): string =>
  m === Mode.Separate ? 'separation' : m === Mode.Stick ? 'sticking' : m === Mode.Closed ? 'contact' : m === Mode.Slide ? 'sliding' : `sliding ${slideWord(m === Mode.Plus, dir)}`;
export const modeWord = (x: Touch, planar: boolean): string =>
  x.mode === Mode.Separate ? 'separated' : x.mode === Mode.Stick ? 'sticking' : x.mode === Mode.Closed ? 'closed'
    : planar ? `sliding ${slideWord(x.mode === Mode.Plus, x.dir)}` : 'sliding';

interface Words { sign: string; heading: string; text: string }

export class VerdictPanel {
  private last = '';
  private size = [0, 0];
  constructor(private view: View) {}

  /** Which motion the run is on; −1: none of them (a compliant phase, or an age). */
  private inUse(p: Problem): number {
    const {run, t} = this.view;
    for (let i = 0; i < p.motions.length; i++) {
      const m = p.motions[i];
      if (p.slots.every((slot, j) => {
        const x = run.touch(run.contact(slot), t);
        return x !== null && !x.compliant && (x.mode === m.modes[j] || x.friction === 0);
      })) return i;
    }
    return -1;
  }
  private heading(count: number, stable: number, complete: boolean): string {
    const s = `${complete ? capital(countWord(count)) : 'At least ' + countWord(count)} solution${count === 1 ? '' : 's'}`;
    if (count === 1) return s + (stable ? ', stable' : ', not stable');
    return `${s}, ${countWord(stable)} stable`;
  }
  private words(p: Problem | null, closed: Touch[]): Words {
    const {run, t} = this.view, v = run.interval(t), kind = run.verdict(t), compliant = closed.some((x) => x.compliant);
    if (!closed.length || kind === 'open') return this.open();
    if (!p) {
      const count = run.solutionCount(t), heading = kind === 'none' ? 'No rigid solution' : v ? this.heading(count, v.stable, true) : 'Not analysed';
      return {sign: kind, heading, text: escape(v?.reason ?? 'The verdict of this instant was not recorded; the plots are not affected.')};
    }
    const stable = p.motions.filter((m) => m.stable).length;
    if (p.count === 0) return this.none(p, closed, v?.reason ?? '');
    if (p.kind === 'infinite') return {sign: 'several', heading: 'A continuum of motions', text: escape(v?.reason ?? '')};
    if (p.count === 1) return this.one(p, closed, stable, compliant, v?.reason ?? '');
    return this.several(p, closed, stable);
  }
  private open(): Words {
    const {run, t} = this.view;
    let least = Infinity, name = '';
    for (const c of run.ordered()) {
      const x = run.touch(c, t);
      if (x && x.gap < least) { least = x.gap; name = c.name; }
    }
    const text = isFinite(least) ? `${escape(name)} is <b>${num(least * 1e3)} mm</b> apart. There is no contact problem to solve.` : 'Nothing touches. There is no contact problem to solve.';
    return {sign: 'open', heading: 'No contact', text};
  }
  private none(p: Problem, closed: Touch[], reason: string): Words {
    const x = closed.length === 1 ? closed[0] : null;
    if (!x || p.slots.length !== 1 || !isFinite(p.A)) return {sign: 'none', heading: 'No rigid solution', text: escape(reason)};
    const way = x.mode === Mode.Plus || x.mode === Mode.Minus ? capital(noun(x.mode, x.dir)) : 'Sliding';
    let text = `${way} would need ${L('λ<sub>N</sub>')} = <b>${num(-p.B / p.A)} N</b>: ${L('A')} = ${num(p.A)} 1/kg and ${L('B')} = ${num(p.B)} m/s² are both negative, so the contact digs in.`;
    if (x.compliant) text += ` The compliant contact carries <b>${num(x.normal)} N</b>.`;
    return {sign: 'none', heading: 'No rigid solution', text};
  }
  private one(p: Problem, closed: Touch[], stable: number, compliant: boolean, reason: string): Words {
    const m = p.motions[0], soft = closed.find((x) => x.compliant);
    if (compliant && soft) {
      const i = Math.max(0, p.slots.indexOf(soft.contact.slot)), dir = soft.dir;
      return {sign: 'compliant', heading: stable ? 'One solution, not yet reached' : 'One solution, not stable',
        text: `Rigid, ${escape(soft.contact.name)} ${verb(m.modes[i], dir)} with ${num(m.force[i][0])} N${stable ? ', stable' : ''}. The compliant contact carries <b>${num(soft.normal)} N</b> at <b>${num(soft.depth * 1e3)} mm</b> depth.`};
    }
    const sign = stable ? 'unique' : 'unstable', heading = this.heading(1, stable, p.complete);
    if (p.slots.length > 1) {
      const many = m.indeterminate ? ' One motion, many force distributions: those shown are one of them.' : '';
      const held = p.held ? 'Everything is held: it is at rest and stays so.' : reason ? capital(escape(reason)) + '.' : `${capital(m.modes.map((x, i) => noun(x, dirOf(this.view, p.slots[i]))).slice(0, 4).join(', '))}.`;
      return {sign, heading, text: held + many};
    }
    const x = closed[0], dir = x?.dir ?? [0, 1, 0], f = m.force[0], mu = p.friction[0];
    const used = mu > 0 && f[0] > 0 ? Math.hypot(...f.slice(1)) / (mu * f[0]) : NaN;
    let text = `${escape(x ? x.contact.name : 'The contact')} ${verb(m.modes[0], dir)}`;
    if (m.modes[0] === Mode.Separate) text += `: nothing presses it on (${L('B')} = ${num(p.B)} m/s²).`;
    else if (m.modes[0] === Mode.Stick) text += ` with ${num(f[0])} N${isFinite(used) ? ` and uses <b>${Math.round(100 * used)} %</b> of its friction` : ''}.`;
    else text += ` with ${num(f[0])} N${isFinite(m.rate) ? `; disturbances ${m.rate < 0 ? `die out at ${num(-m.rate)} 1/s` : `grow at <b>${num(m.rate)} 1/s</b>`}` : ''}.`;
    if (p.W && this.view.run.planar && mu > 0) {
      const critical = p.W[0] / Math.abs(p.W[1]);
      if (isFinite(critical) && m.modes[0] !== Mode.Separate)
        text += critical > mu ? ` Rigid mechanics is safe here up to ${L('μ<sub>c</sub>')} = <b>${fix(critical, 2)}</b>; ${L('μ')} is ${fix(mu, 2)}.`
          : ` ${L('μ')} = ${fix(mu, 2)} is above ${L('μ<sub>c</sub>')} = ${fix(critical, 2)}: the slip the other way would not be stable.`;
    }
    return {sign, heading, text};
  }
  private several(p: Problem, closed: Touch[], stable: number): Words {
    const dir = (i: number) => dirOf(this.view, p.slots[i]);
    const name = (m: Motion) => (p.slots.length === 1 ? noun(m.modes[0], dir(0)) : m.modes.map((x, i) => noun(x, dir(i))).join(' and '));
    const good = p.motions.filter((m) => m.stable).map(name), bad = p.motions.filter((m) => !m.stable);
    const use = this.inUse(p);
    const list = (a: string[]) => (a.length > 1 ? a.slice(0, -1).join(', ') + ' and ' + a[a.length - 1] : a[0] ?? '');
    let text = '';
    if (p.slots.length <= 2) {
      text = good.length ? `${capital(list(good))} ${good.length > 1 ? 'are stable' : 'is stable'}` : 'None is stable';
      if (bad.length) text += '; ' + bad.slice(0, 3).map((m) => `${name(m)} is ${m.stability === 'flutter' ? 'a flutter' : 'a saddle'}${isFinite(m.rate) ? `, growth <b>${num(m.rate)} 1/s</b>` : ''}`).join('; ');
      text += '. ';
    } else text = `${capital(countWord(p.count))} motions of ${p.slots.length} contacts obey the laws of contact here. `;
    if (use >= 0) text += `<b>${capital(p.slots.length <= 2 ? name(p.motions[use]) : 'The one marked')}</b> is in use. `;
    else if (closed.some((x) => x.compliant)) text += 'The compliant contact decides. ';
    if (this.view.run.velocities && this.view.run.planar) text += '<button class="btn" data-do="branch">Compare branches</button>';
    return {sign: 'several', heading: this.heading(p.count, stable, p.complete), text};
  }

  draw(force = false): void {
    const {view} = this, {run, t} = view, i = run.index(t), closed = run.closedAt(t), now = run.problem(t), p = closed.length ? now?.problem ?? null : null;
    const soft = closed.find((x) => x.compliant);
    const key = [i, view.focus.contact, run.n, soft ? soft.normal : ''].join();
    if (!force && key === this.last) return;
    this.last = key;
    // measured only when it may have changed: reading sizes between writes makes the browser lay out the page again
    const svg = $('char');
    if (force || !this.size[0]) this.size = [svg.clientWidth, svg.clientHeight];
    const w = this.words(p, closed);
    $('vhead').innerHTML = glyph(w.sign, 18) + `<span>${w.heading}</span>`;
    $('words').innerHTML = w.text + (now && now.age > 0 && closed.length ? ` <span class="fewer">(as of ${num(now.age * 1e3)} ms before)</span>` : '');
    this.table(p, closed);
    this.diagram(p, closed);
  }

  // ---- table of motions ------------------------------------------------------------------------

  private table(p: Problem | null, closed: Touch[]): void {
    const rows: string[] = [], use = p ? this.inUse(p) : -1, chip = ' <span class="chip" style="height:17px;padding:0 6px;font-size:10.5px;font-weight:400">in use</span>';
    const main = p ? Math.max(0, p.slots.indexOf(mainContact(this.view))) : 0;
    const order = p ? p.motions.map((_, i) => i).sort((a, b) => Number(p.motions[b].stable) - Number(p.motions[a].stable)) : [];
    for (const i of order) {
      const m = (p as Problem).motions[i], slots = (p as Problem).slots, dir = dirOf(this.view, slots[main]);
      const what = slots.length === 1 ? modeGlyph(m.modes[0]) + verb(m.modes[0], dir)
        : `<span class="marks" title="${slots.map((s, j) => escape(this.view.run.contact(s).name + ': ' + verb(m.modes[j], dirOf(this.view, s)))).join(', ')}">${m.modes.map((x) => modeGlyph(x, 11)).join('')}</span>`;
      const tang = m.force[main].slice(1), lt = tang.length > 1 ? Math.hypot(...tang) : tang[0] ?? 0;
      const rate = isFinite(m.rate) ? ` <small>${m.rate > 0 ? '+' : ''}${num(m.rate)}/s</small>` : '';
      const word = m.stability === 'free' ? 'stable <small>free</small>' : m.stable ? `stable${rate}` : `<span style="color:var(--none-t)">${m.stability === 'flutter' ? 'flutter' : m.stability === 'depends' ? 'depends' : 'saddle'}${rate}</span>`;
      rows.push(`<tr class="${i === use ? 'use' : ''}"><td>${what}${i === use && slots.length <= 2 ? chip : ''}</td><td>${num(m.force[main][0])}</td><td>${num(Math.abs(lt) < 1e-6 * Math.abs(m.force[main][0]) ? 0 : lt)}</td><td>${num(Math.abs(m.acceleration[main][0]) < 1e-6 ? 0 : m.acceleration[main][0])}</td><td>${word}</td></tr>`);
    }
    if (p && p.count > p.motions.length) rows.push(`<tr><td colspan="5">${p.count - p.motions.length} more</td></tr>`);
    if (p && p.count === 0) rows.push('<tr class="no"><td colspan="5">no rigid solution</td></tr>');
    const soft = closed.find((x) => x.compliant && x.contact.slot === mainContact(this.view)) ?? closed.find((x) => x.compliant);
    if (soft) rows.push(`<tr class="use"><td>${glyph('compliant', 12)}compliant${chip}</td><td>${num(soft.normal)}</td><td>${num(soft.tang.length > 1 ? Math.hypot(...soft.tang) : soft.tang[0])}</td><td>–</td><td>transient</td></tr>`);
    while (rows.length < 3) rows.push('<tr class="blank" aria-hidden="true"><td>–</td><td></td><td></td><td></td><td></td></tr>');
    $('sol').innerHTML = rows.join('');
  }

  // ---- the diagram -----------------------------------------------------------------------------

  private diagram(p: Problem | null, closed: Touch[]): void {
    const svg = $('char') as unknown as SVGSVGElement, [W, H] = this.size;
    if (!W) return;
    if (!closed.length) { svg.innerHTML = this.emptyDiagram(W, H, 'nothing to solve while contacts are open'); return; }
    if (p && p.W && p.slots.length === 1 && p.rows[0] === 2) { svg.innerHTML = this.corner(p, closed[0], W, H); return; }
    svg.innerHTML = p ? this.roots(p, W, H) : this.emptyDiagram(W, H, 'not analysed at this instant');
  }
  private emptyDiagram(W: number, H: number, text: string): string {
    const gl = 36, gb = 31, gt = 16;
    return `<path d="M${gl} ${gt}V${H - gb}" stroke="var(--line)"/><path d="M${gl} ${gt + (H - gb - gt) * 0.55}H${W - 8}" stroke="var(--line)"/><text x="${gl + (W - gl) / 2}" y="${gt + (H - gb - gt) * 0.42}" text-anchor="middle">${text}</text>`;
  }
  /** Normal acceleration over normal force, friction resolved at each; the corner is what contact allows. */
  private corner(p: Problem, x: Touch, W: number, H: number): string {
    const [nn, nt, , tt] = p.W as Float32Array, [bn, bt] = p.b as Float32Array, mu = p.friction[0];
    const side = p.sliding[0] ? (x.mode === Mode.Minus ? -1 : 1) : 0;
    const a = (l: number): number => {
      const want = tt > 0 ? -(nt * l + bt) / tt : 0;
      const lt = side ? -side * mu * l : Math.min(mu * l, Math.max(-mu * l, want));
      return nn * l + nt * lt + bn;
    };
    const soft = x.compliant ? x.normal : 0, weight = Math.abs(bn / nn) || 1;
    const far = nice(1.35 * Math.max(soft, ...p.motions.map((m) => m.force[0][0]), 0.6 * weight));
    const ends = [0, far];
    if (!side) for (const s of [1, -1]) { const b = -bt / (nt + s * mu * tt); if (b > 0 && b < far) ends.push(b); }
    ends.sort((u, v) => u - v);
    const values = ends.map(a), st = x.compliant ? nn * x.normal + nt * x.tang[0] + bn : 0;
    let high = Math.max(...values, st, 0), low = Math.min(...values, st, 0);
    high = Math.max(high * 1.15, 0.25 * -low, 1e-6);
    low = Math.min(low * 1.15, -0.45 * high);
    const gl = 40, gb = 31, gt = 18, gr = 8, w = W - gl - gr, h = H - gb - gt;
    const X = (l: number) => gl + (l / far) * w, Y = (v: number) => gt + ((high - v) / (high - low)) * h, y0 = Y(0);
    const rising = values[0] < 0 && values[values.length - 1] > values[0];
    let o = `<rect x="${gl}" y="${y0}" width="${w}" height="${Math.max(0, H - gb - y0)}" fill="var(--line2)" opacity=".6"/>`;
    if (H - gb - y0 > 16) o += `<text x="${rising ? W - gr - 5 : gl + 6}" y="${H - gb - 6}" text-anchor="${rising ? 'end' : 'start'}" style="font-size:10px">bodies would interpenetrate</text>`;
    const xt = ticks(0, far, 4), yt = ticks(low, high, 3);
    for (const t of xt.slice(1)) o += `<path d="M${X(t)} ${H - gb}v3" stroke="var(--ink3)"/><text x="${X(t)}" y="${H - gb + 13}" text-anchor="${X(t) > W - gr - 12 ? 'end' : 'middle'}" style="font-size:10px">${tickText(t, xt[1] - xt[0])}</text>`;
    for (const t of yt) o += `<text x="${gl - 6}" y="${Y(t) + 3.5}" text-anchor="end" style="font-size:10px">${tickText(t, yt.length > 1 ? yt[1] - yt[0] : 1)}</text>`;
    o += `<path d="M${gl} ${gt}V${y0}H${W - gr}" fill="none" stroke="var(--unique)" stroke-width="4.5" stroke-linejoin="round" stroke-linecap="round"/>`;
    for (let i = 0; i < ends.length - 1; i++) {
      const up = values[i + 1] >= values[i];
      o += `<path d="M${X(ends[i])} ${Y(values[i])}L${X(ends[i + 1])} ${Y(values[i + 1])}" stroke="var(${up ? '--ink' : '--none'})" stroke-width="2" ${up ? '' : 'stroke-dasharray="5 3"'} fill="none"/>`;
    }
    const use = this.inUse(p);
    p.motions.forEach((m, i) => {
      const px = X(m.force[0][0]), py = Y(m.acceleration[0][0]);
      if (i === use) o += `<circle cx="${px}" cy="${py}" r="8.5" fill="none" stroke="var(--ink)" stroke-width="1.5"/>`;
      o += `<circle cx="${px}" cy="${py}" r="4.6" fill="${m.stable ? 'var(--ink)' : 'var(--panel)'}" stroke="${m.stable ? 'var(--panel)' : 'var(--none)'}" stroke-width="${m.stable ? 1.2 : 2.4}"/>`;
    });
    if (x.compliant) o += `<path d="M${X(soft)} ${y0 - 7}V${Y(st)}" stroke="var(--comp)" stroke-dasharray="2 2"/><path d="M${X(soft)} ${Y(st) - 7}l7 7-7 7-7-7z" fill="var(--comp)" stroke="var(--panel)" stroke-width="1.3"/>`;
    o += `<text x="${gl - 34}" y="11" style="font-size:10.5px">normal acceleration if the force were as below, m/s²</text><text x="${W - gr}" y="${H - 3}" text-anchor="end" style="font-size:10.5px">normal force, N</text><text x="${gl}" y="${H - gb + 13}" text-anchor="middle" style="font-size:10px">0</text>`;
    return o;
  }
  /** Eigenvalues of the contact layer of every motion: the left half is stable. */
  private roots(p: Problem, W: number, H: number): string {
    const use = this.inUse(p), all = p.motions.flatMap((m, i) => m.roots.map((r) => ({r, m, i})));
    if (!all.length) return this.emptyDiagram(W, H, p.count ? 'nothing presses: nothing to be unstable' : 'no motion to be tested');
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
}
