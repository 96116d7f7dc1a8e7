// verdict.ts: the verdict at the cursor in words, the force–acceleration diagram, and the table of motions.
import {corner, emptyDiagram, roots} from './diagram';
import {capital, countWord, escape, fix, num} from './format';
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

const sentence = (s: string): string => (s ? capital(escape(s)) + (/[.!?]$/.test(s) ? '' : '.') : '');
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
    if (closed.length && run.stepped) return this.stepped(closed);
    if (!closed.length || kind === 'open') return this.open();
    if (!p) {
      const count = run.solutionCount(t), heading = kind === 'none' ? 'No rigid solution' : v ? this.heading(count, v.stable, true) : 'Not analysed';
      return {sign: kind, heading, text: sentence(v?.reason ?? 'The verdict of this instant was not recorded; the plots are not affected.')};
    }
    const stable = p.motions.filter((m) => m.stable).length;
    if (p.count === 0) return this.none(p, closed, v?.reason ?? '');
    if (p.kind === 'infinite') return {sign: 'several', heading: 'A continuum of motions', text: sentence(v?.reason ?? '')};
    if (p.count === 1) return this.one(p, closed, stable, compliant, v?.reason ?? '');
    return this.several(p, closed, stable);
  }
  private stepped(closed: Touch[]): Words {
    const {run, t} = this.view, c = run.extra('stepping.residual'), r = c ? run.extraAt(c, t) : NaN;
    return {sign: 'open', heading: 'Not analysed', text: `Time stepping solves one friction problem a step for ${closed.length === 1 ? 'its contact' : `<b>${closed.length}</b> contacts`} and looks for no other motions.${isFinite(r) ? ` The residual of this step is <b>${num(r)}</b>.` : ''}`};
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
    if (!x || p.slots.length !== 1 || !isFinite(p.A)) return {sign: 'none', heading: 'No rigid solution', text: sentence(reason)};
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
    const name = (m: Motion) => {
      const all = m.modes.map((x, i) => noun(x, dir(i)));
      return all.length === 2 && all[0] === all[1] ? `${all[0]} at both` : all.join(' with ');
    };
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
    if (this.view.run.branchesAt(this.view.t)) text += '<button class="btn" data-do="branch">Compare branches</button>';
    return {sign: 'several', heading: this.heading(p.count, stable, p.complete), text};
  }

  draw(force = false): void {
    const {view} = this, {run, t} = view, i = run.index(t), closed = run.closedAt(t), now = run.problem(t), p = closed.length ? now?.problem ?? null : null;
    const soft = closed.find((x) => x.compliant);
    const key = [i, mainContact(view), run.n, soft ? soft.normal : ''].join();
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
    const svg = $('char') as unknown as SVGSVGElement, [W, H] = this.size, {view} = this, {run} = view, swap = $('swap');
    if (!W) return;
    const main = mainContact(view), focus = p ? p.slots.indexOf(main) : -1, drawn = p !== null && p.W !== null && focus >= 0 && p.kinds.every((k) => k === 0 || k === 2);
    const eigen = p !== null && p.motions.some((m) => m.roots.length > 0), asRoots = !drawn || (view.roots && eigen);
    swap.hidden = !(drawn && eigen && closed.length);
    swap.textContent = asRoots ? 'force diagram' : 'eigenvalues';
    if (!closed.length) { svg.innerHTML = emptyDiagram(W, H, 'nothing to solve while contacts are open'); return; }
    if (!p) { svg.innerHTML = emptyDiagram(W, H, run.stepped ? 'time stepping: not analysed' : 'not analysed at this instant'); return; }
    const use = this.inUse(p);
    svg.innerHTML = asRoots ? roots(p, use, W, H) : corner({p, focus, touches: p.slots.map((slot) => run.touch(run.contact(slot), view.t)), use}, W, H);
  }
}
