// lists.ts: events, contacts, parameters and the run itself, beside the verdict.
import {capital, escape, fix, middle, num, timePlaces} from './format';
import {eventName, glyph, jointGlyph, modeGlyph} from './glyphs';
import {Joint, Mode, Parameter, Touch} from './run';
import {mainContact} from './scene';
import {modeWord} from './verdict';
import type {View} from './view';

const $ = (id: string) => document.getElementById(id) as HTMLElement;

/** What a live session can do to a parameter; null: a report. */
export interface Sliders { set(p: Parameter, value: number): void; reset(): void; rail(p: Parameter): {at: number; kind: string}[]; locked(): boolean }

export class Lists {
  sliders: Sliders | null = null;
  private shownEvents = -1;
  private current = -2;
  private order: 'scene' | 'trouble' = 'trouble';
  private filter = '';
  private contactKey = '';
  constructor(private view: View, private act: {time(t: number, say?: string): void; focusContact(slot: number): void; focusJoint(joint: number): void}) {
    $('events').addEventListener('click', (e) => {
      const b = (e.target as HTMLElement).closest<HTMLElement>('[data-ev]');
      if (b) this.act.time(this.view.run.events[Number(b.dataset.ev)].t);
    });
    $('contacts').addEventListener('click', (e) => {
      const row = (e.target as HTMLElement).closest<HTMLElement>('[data-slot]');
      if (row) this.act.focusContact(Number(row.dataset.slot));
      const joint = (e.target as HTMLElement).closest<HTMLElement>('[data-joint]');
      if (joint) this.act.focusJoint(Number(joint.dataset.joint));
    });
    $('contacts').addEventListener('input', (e) => {
      const input = e.target as HTMLInputElement;
      if (input.id === 'ctfilter') { this.filter = input.value.toLowerCase(); this.contactKey = ''; this.drawContacts(); }
    });
    $('contacts').addEventListener('change', (e) => {
      const input = e.target as HTMLSelectElement;
      if (input.id === 'ctorder') { this.order = input.value as 'scene'; this.contactKey = ''; this.drawContacts(); }
    });
  }

  /** Once a run, and when more of it has come. */
  draw(): void {
    this.drawEvents();
    this.drawRun();
    const joints = (this.view.run.head.joints ?? []).length, many = this.view.run.contacts.size > 1 || joints > 0;
    $('t-ct').hidden = !many;
    $('t-ct').textContent = joints && this.view.run.contacts.size < 2 ? 'Joints' : 'Contacts';
    $('p-ct').classList.toggle('gone', !many);
    this.contactKey = '';
  }
  private drawEvents(): void {
    const {run} = this.view, places = timePlaces(run.duration), list = $('events');
    if (run.events.length === this.shownEvents) return;
    if (run.events.length < this.shownEvents || this.shownEvents < 0 || !run.events.length) { list.innerHTML = ''; this.shownEvents = 0; }
    if (!run.events.length) {
      list.innerHTML = `<li class="empty">${run.end ? `Nothing happened: ${run.intervals.length <= 1 && run.intervals[0]?.kind === 'unique' ? 'one solution throughout.' : 'no event in this run.'}` : 'Nothing has happened yet.'}</li>`;
      this.shownEvents = 0;
      return;
    }
    if (this.shownEvents === 0) list.innerHTML = '';
    const most = 5000, part = run.events.slice(this.shownEvents, most);
    list.insertAdjacentHTML('beforeend', part.map((e, i) => {
      const contact = e.contact >= 0 ? run.head.contacts[e.contact]?.name ?? '' : '';
      return `<li><button data-ev="${this.shownEvents + i}">${glyph(e.type, 14)}<span class="t">${fix(e.t, places)} s</span><span>${escape(eventName(e.type, e.label))}</span><span class="d" title="${escape(contact)}">${contact && run.contacts.size > 1 ? escape(middle(contact, 34)) + ': ' : ''}${escape(e.detail)}</span></button></li>`;
    }).join(''));
    if (run.events.length > most && this.shownEvents < most) list.insertAdjacentHTML('beforeend', `<li class="empty">${run.events.length - most} more events</li>`);
    this.shownEvents = run.events.length;
    this.current = -2;
  }
  private drawRun(): void {
    const {run} = this.view, h = run.head, end = run.end, T = run.T1 - run.T0;
    const share: Record<string, number> = {};
    for (const v of run.intervals) share[v.kind] = (share[v.kind] ?? 0) + Math.max(0, v.to - v.from);
    const words: Record<string, string> = {unique: 'one', multiple: 'several', none: 'none', infinite: 'a continuum', open: 'no contact'};
    const e0 = run.energy.map((c) => c.a[0]), e1 = run.n ? run.energyAt(run.T1) : e0, rows: [string, string][] = [];
    const add = (k: string, v: string) => { if (v) rows.push([k, v]); };
    add('scene', escape(h.name));
    add('file', `<span class="mono">${escape(h.file)}</span>`);
    add('motion', escape(String(h.settings.motion)));
    add('time', `${num(run.T1)} s`);
    if (end) add('ended', `${escape(end.outcome)}${end.reason ? ': ' + escape(end.reason) : ''}`);
    const fewer = end && end.samples > run.n;
    add('samples', `${run.n}${fewer ? ` <span class="fewer">of ${end.samples} in a CSV</span>` : ''}`);
    add('events', String(run.events.length));
    add('tolerance', num(Number(h.settings.tolerance)));
    add('output step', `${num(Number(h.settings.outputStep))} s`);
    if (end) add('steps', `${end.steps}, ${end.evaluations} evaluations, ${end.solves} searches`);
    if (T > 0) add('solutions', Object.entries(share).map(([k, v]) => `${words[k]} ${num((100 * v) / T)} %`).join(', '));
    add('energy at start', `${num(e0[0] + e0[1] + e0[2])} J`);
    add('work of loads', `${num(e1[3])} J`);
    add('lost to friction', `${num(e1[4])} J`);
    add('lost in impacts', `${num(e1[5])} J`);
    if (e1[6]) add('lost to damping', `${num(e1[6])} J`);
    if (e1[7]) add('lost at switches', `${num(e1[7])} J`);
    if (end) add('drift', `${num(end.drift)} J`);
    add('Sprag', escape(h.version));
    $('runinfo').innerHTML = `<table class="kv">${rows.map(([k, v]) => `<tr><td>${k}</td><td>${v}</td></tr>`).join('')}</table>`
      + (fewer ? '<p class="fewer">The page keeps fewer samples than the CSV file of this run, and both sides of every event.</p>' : '')
      + (h.command ? `<div class="cmd"><code>${escape(h.command)}</code><button class="btn" data-copy="${escape(h.command)}">Copy</button></div>` : '')
      + (h.notes.length ? `<ul class="fewer">${h.notes.map((n) => `<li>${escape(n)}</li>`).join('')}</ul>` : '');
  }

  drawParameters(): void {
    const {run} = this.view, box = $('params'), live = this.sliders;
    const list = [...run.head.parameters].sort((a, b) => Number(b.from !== undefined) - Number(a.from !== undefined));
    if (!list.length) {
      box.innerHTML = '<p class="empty">This scene declares no parameters. Names under <code>parameters:</code> appear here.</p>' + (live ? this.liveButtons() : '');
      return;
    }
    box.innerHTML = (live ? this.liveButtons() : '') + list.map((p) => {
      const s = p.scale ?? 1, unit = p.unit ?? '', id = 'par-' + p.name, range = this.range(p), value = p.value / s;
      const slider = live ? `<div class="rng set"><span class="rail" data-rail="${escape(p.name)}"></span><input type="range" id="${id}" data-par="${escape(p.name)}" min="${range[0] / s}" max="${range[1] / s}" step="any" value="${value}" aria-valuetext="${num(value)} ${unit}"></div>` : '';
      return `<div class="par"><div class="r"><label ${live ? `for="${id}"` : ''}>${escape(p.name)}</label><output data-out="${escape(p.name)}">${num(value)} ${escape(unit)}</output></div>${slider}<div class="path" data-path="${escape(p.name)}">${this.path(p, value)}</div></div>`;
    }).join('') + this.command();
    this.rails();
  }
  /** How to give it on the command line, and its range. */
  path(p: Parameter, value: number): string {
    const s = p.scale ?? 1;
    return `--set ${escape(p.name)}=${+value.toPrecision(5)}${escape(p.unit ?? '')}${p.from !== undefined && p.to !== undefined ? ` · ${num(p.from / s)} to ${num(p.to / s)}` : ''}`;
  }
  range(p: Parameter): [number, number] {
    if (p.from !== undefined && p.to !== undefined) return [p.from, p.to];
    const a = Math.abs(p.value) || 1;
    return [p.value - a, p.value + a];
  }
  private liveButtons(): string {
    return '<div class="lv"><button class="btn" data-do="reset">Reset</button><button class="btn" data-do="restart">From the start</button></div>';
  }
  /** The command that reproduces the view. */
  command(): string {
    const {run} = this.view, sets = new Map(run.head.sets), word = (v: string) => (isNaN(+v) ? v : String(+(+v).toPrecision(6)));
    const text = run.head.command || `sprag run ${run.head.file}${[...sets].map(([k, v]) => ` --set ${k}=${word(v)}`).join('')} -o run.html`;
    return `<div class="cmd" id="cmd"><code>${escape(text)}</code><button class="btn" data-copy="${escape(text)}">Copy</button></div>`;
  }
  /** The rail of a slider: the worst verdict known at each value. */
  rails(): void {
    const live = this.sliders;
    if (!live) return;
    const colour: Record<string, string> = {unique: 'var(--unique)', open: 'var(--line)', multiple: 'var(--several)', infinite: 'var(--several)', none: 'var(--none)'};
    for (const p of this.view.run.head.parameters) {
      const rail = document.querySelector<HTMLElement>(`[data-rail="${CSS.escape(p.name)}"]`), [a, b] = this.range(p);
      if (!rail) continue;
      const known = live.rail(p).sort((x, y) => x.at - y.at);
      rail.innerHTML = known.map((x, i) => {
        const from = i ? (known[i - 1].at + x.at) / 2 : Math.max(a, x.at - (b - a) * 0.02), to = i + 1 < known.length ? (known[i + 1].at + x.at) / 2 : Math.min(b, x.at + (b - a) * 0.02);
        const lo = Math.max(from, x.at - (b - a) * 0.04), hi = Math.min(to, x.at + (b - a) * 0.04);
        return `<i style="left:${((lo - a) / (b - a)) * 100}%;width:${((hi - lo) / (b - a)) * 100}%;background:${colour[x.kind]}"></i>`;
      }).join('');
    }
  }

  drawContacts(): void {
    const {run, t} = this.view;
    const joints = run.head.joints ?? [];
    if ((run.contacts.size < 2 && !joints.length) || ($('p-ct').hidden && innerWidth < 1600 && innerWidth >= 900)) return;
    const key = [run.index(t), run.n, this.view.focus.contact, this.view.focus.joint].join();
    if (key === this.contactKey) return;
    this.contactKey = key;
    const all: Touch[] = [];
    for (const c of run.ordered()) { const x = run.touch(c, t); if (x) all.push(x); }
    const used = (x: Touch) => (x.friction > 0 && x.normal > 0 ? Math.hypot(...x.tang) / (x.friction * x.normal) : 0);
    const rank = (x: Touch) => (x.compliant ? 3 : 0) + (x.mode === Mode.Separate ? -1 - Math.min(1, x.gap) : used(x));
    let list = all.filter((x) => !this.filter || x.contact.name.toLowerCase().includes(this.filter) || modeWord(x, run.planar).includes(this.filter));
    if (this.order === 'trouble') list = [...list].sort((a, b) => rank(b) - rank(a));
    const most = Math.max(1e-12, ...all.map((x) => x.normal)), main = mainContact(this.view), shown = list.slice(0, 60);
    const box = $('contacts');
    if (!box.querySelector('#ctfilter'))
      box.innerHTML = '<div style="display:flex;gap:6px"><input class="filter" id="ctfilter" placeholder="name or mode" aria-label="Filter contacts"><select class="filter" id="ctorder" style="width:auto" aria-label="Order"><option value="trouble">nearest to trouble</option><option value="scene">scene order</option></select></div><div id="ctlist"></div>';
    $('ctlist').innerHTML = `<table class="cts"><thead><tr><th scope="col">Contact</th><th scope="col"><i class="m">λ<sub>N</sub></i> N</th><th scope="col">friction</th><th scope="col">slip m/s</th></tr></thead><tbody>${shown.map((x) =>
      `<tr data-slot="${x.contact.slot}" aria-current="${x.contact.slot === main}"><td title="${escape(x.contact.name)}, ${modeWord(x, run.planar)}"><button>${x.compliant ? glyph('compliant', 12) : modeGlyph(x.mode)}${escape(middle(x.contact.name, 20))}</button></td><td>${x.mode === Mode.Separate ? '–' : num(x.normal)}</td><td>${x.mode === Mode.Separate ? '–' : `<span class="bar2" style="width:${Math.min(1, used(x)) * 26}px;background:var(--tang)"></span> ${Math.round(Math.min(1, used(x)) * 100)} %`}</td><td>${x.mode === Mode.Separate ? '–' : num(Math.abs(x.slip[0]) < 1e-9 && x.slip.length === 1 ? 0 : x.slip.length > 1 ? Math.hypot(...x.slip) : x.slip[0])}</td></tr>`).join('')}</tbody></table>${list.length > shown.length ? `<p class="empty">${list.length - shown.length} more</p>` : ''}${all.length ? '' : '<p class="empty">No contact is near.</p>'}`;
    $('ctfilter').parentElement!.hidden = run.contacts.size < 2;
    if (run.contacts.size < 2) $('ctlist').innerHTML = '';
    $('ctlist').insertAdjacentHTML('beforeend', this.jointTable(joints));
    void most;
  }

  /** Joints with what is known of them now. */
  private jointTable(joints: Joint[]): string {
    const {run, t} = this.view;
    if (!joints.length) return '';
    const units = new Map((run.head.extras ?? []).map((e) => [e.name, e.unit]));
    const value = (name: string): string => {
      const c = run.extra(name), angle = units.get(name) === 'rad' || units.get(name) === 'rad/s';
      return c ? num(run.extraAt(c, t) * (angle ? 180 / Math.PI : 1)) + (angle ? '°' : '') : '–';
    };
    const size = (name: string): string => {
      const parts = ['x', 'y', 'z'].map((a) => run.extra(`${name}.reaction.${a}`)), whole = run.extra(`${name}.reaction`);
      if (whole) return num(Math.abs(run.extraAt(whole, t)));
      return parts[0] ? num(Math.hypot(...parts.map((c) => (c ? run.extraAt(c, t) : 0)))) : '–';
    };
    return `<table class="cts"><thead><tr><th scope="col">Joint</th><th scope="col">position</th><th scope="col">velocity</th><th scope="col">reaction N</th></tr></thead><tbody>${joints.slice(0, 60).map((j, i) =>
      `<tr data-joint="${i}" aria-current="${this.view.focus.joint === i}"><td title="${escape(j.name)}, ${escape(j.kind)}"><button>${jointGlyph(j.kind, 12)}${escape(middle(j.name, 20))}</button></td><td>${value(j.name + '.position')}</td><td>${value(j.name + '.velocity')}</td><td>${size(j.name)}</td></tr>`).join('')}</tbody></table>`;
  }

  /** The event at the cursor is marked and kept in view. */
  cursor(): void {
    const {run, t} = this.view;
    let k = -1;
    for (let i = 0; i < run.events.length && run.events[i].t <= t + 1e-9 * Math.max(1e-3, Math.abs(t)); i++) k = i;
    if (k !== this.current) {
      const list = $('events');
      list.querySelector('[aria-current]')?.removeAttribute('aria-current');
      const b = list.querySelector<HTMLElement>(`[data-ev="${k}"]`);
      if (b) {
        b.setAttribute('aria-current', 'true');
        const panel = $('p-ev');
        if (panel.scrollHeight > panel.clientHeight && innerWidth >= 900) {
          const top = b.offsetTop - panel.offsetTop;
          if (top < panel.scrollTop + 30) panel.scrollTop = top - 34;
          else if (top + b.offsetHeight > panel.scrollTop + panel.clientHeight) panel.scrollTop = top + b.offsetHeight - panel.clientHeight + 10;
        }
      }
      this.current = k;
    }
    const e = run.events[k], now = $('now');
    const text = e ? `${glyph(e.type, 14)}<span>${t - e.t < 1e-9 ? capital(eventName(e.type, e.label)) : `${num((t - e.t) * 1e3)} ms after ${eventName(e.type, e.label).toLowerCase()}`}</span>` : '';
    if (now.dataset.text !== text) { now.innerHTML = text; now.dataset.text = text; }
    this.drawContacts();
  }
}
