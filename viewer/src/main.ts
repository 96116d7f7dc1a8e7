// main.ts: the page: one run, one time, one cursor, everywhere.
import {BranchView} from './branches';
import {addChunk, fromBase64} from './decode';
import {FlatScene} from './flat';
import {capital, clamp, escape, fix, num, timePlaces} from './format';
import {eventName, glyph, modeGlyph} from './glyphs';
import {Lists} from './lists';
import {Live} from './live';
import {Plots} from './plots';
import {Head, Mode, Run, Tail} from './run';
import {mainContact, SceneView} from './scene';
import {SpaceScene} from './space';
import {Track} from './track';
import {modeWord, VerdictPanel} from './verdict';
import {readTokens, Tokens, View} from './view';

const $ = (id: string) => document.getElementById(id) as HTMLElement;
const SPEEDS = [1, 0.5, 0.25, 0.1, 0.01, 0.001];
const PLAY = '<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d="M4 2.5v11l9-5.5z" fill="currentColor"/></svg>';
const PAUSE = '<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor"/></svg>';

export class Page {
  view: View;
  tokens: Tokens;
  scene!: SceneView;
  plots: Plots;
  track: Track;
  verdict: VerdictPanel;
  lists: Lists;
  branches: BranchView;
  live: Live | null = null;
  frames = {count: 0, total: 0, longest: 0};
  private dirty = true;
  private last = 0;
  private hashTimer = 0;

  constructor(public run: Run) {
    this.view = new View(run);
    this.applyTheme();
    this.tokens = readTokens();
    const act = {
      time: (t: number) => this.seek(t), changed: () => this.mark(), window: (a: number, b: number) => { this.view.setWindow(a, b); this.windowChanged(); }, whole: () => this.whole(),
      focusContact: (slot: number) => this.focus(slot, -1), focusJoint: (joint: number) => this.focus(-1, -1, joint),
    };
    this.track = new Track(this.view, act.time);
    this.plots = new Plots(this.view, () => this.tokens, act);
    this.verdict = new VerdictPanel(this.view);
    this.lists = new Lists(this.view, act);
    this.branches = new BranchView(this.view);
  }

  start(): void {
    const {view} = this;
    view.speed = this.naturalSpeed();
    view.read(location.hash);
    this.applyTheme();
    this.tokens = readTokens();
    this.makeScene();
    this.bind();
    this.key();
    this.showRun();
    this.tab(view.tab);
    new ResizeObserver(() => this.resized()).observe(document.body);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.restyle());
    requestAnimationFrame((now) => this.frame(now));
  }
  /** A short run is slowed down so that it can be seen. */
  private naturalSpeed(): number {
    const T = this.run.T1 - this.run.T0;
    return this.live || T > 2.5 ? 1 : SPEEDS.find((s) => T / s >= 4) ?? 0.001;
  }
  private makeScene(): void {
    this.scene?.dispose();
    const canvas = $('view') as HTMLCanvasElement;
    this.scene = this.run.planar ? new FlatScene(canvas, this.view, this.tokens) : new SpaceScene(canvas, $('gl') as HTMLCanvasElement, this.view, this.tokens, () => this.mark());
  }
  /** Everything that depends on the whole run. */
  showRun(): void {
    const {run, view} = this, h = run.head;
    document.title = `${h.name || h.file || 'run'} · Sprag`;
    $('name').textContent = h.name || h.file;
    $('name').title = h.name;
    $('file').textContent = h.name ? h.file.replace(/^.*\//, '') : '';
    $('k-3d').hidden = run.planar;
    $('k-live').hidden = !this.live;
    if (view.focus.contact < 0 && view.focus.body < 0 && (view.focus.joint ?? -1) < 0) view.focus = {contact: mainContact(view), body: -1, auto: true};
    if (view.focus.contact >= 0 && !run.contacts.has(view.focus.contact)) view.focus = {contact: mainContact(view), body: -1, auto: true};
    this.lists.draw();
    this.lists.drawParameters();
    this.plots.rebuild();
    this.track.draw();
    this.endNotice();
    this.mark();
  }
  /** More of the run has come. */
  showLive(): void {
    const {view, run} = this;
    if (view.focus.contact < 0 && view.focus.body < 0 && (view.focus.joint ?? -1) < 0) view.focus = {contact: mainContact(view), body: -1, auto: true};
    if (view.focus.contact >= 0 && !run.contacts.has(view.focus.contact)) view.focus = {contact: mainContact(view), body: -1, auto: true};
    this.lists.draw();
    this.lists.rails();
    this.plots.refresh();
    this.track.draw();
    this.verdict.draw(true);
    this.mark();
  }
  /** Another run of the same session. */
  replace(run: Run): void {
    const same = this.run.head.bodies.length === run.head.bodies.length && this.run.planar === run.planar;
    this.run = run;
    this.view.run = run;
    this.view.win = null;
    this.makeScene();
    if (!same) this.view.focus = {contact: -1, body: -1};
  }
  private endNotice(): void {
    const end = this.run.end;
    if (this.live || !end || end.outcome === 'done' || end.outcome === 'stopped') return;
    const t = `${num(this.run.T1)} s`;
    this.notice(end.outcome === 'interrupted' ? `The run was interrupted at ${t}.` : `The run ended at ${t}: ${end.outcome.replace(/-/g, ' ')}${end.reason ? `. ${capital(end.reason)}.` : '.'}`);
  }
  notice(text: string | null, buttons = ''): void {
    const n = $('notice');
    n.hidden = !text;
    n.innerHTML = text ? `${glyph('none', 14)}<span>${escape(text)}</span>${buttons}` : '';
    this.resized();
  }

  // ---- theme -----------------------------------------------------------------------------------

  private applyTheme(): void {
    const root = document.documentElement, chosen = root.dataset.chosen;
    root.dataset.theme = chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }
  restyle(): void {
    this.applyTheme();
    this.tokens = readTokens();
    this.scene.restyle(this.tokens);
    this.plots.rebuild();
    this.mark();
  }

  // ---- time ------------------------------------------------------------------------------------

  mark(): void { this.dirty = true; }
  seek(t: number, say = ''): void {
    const {run, view} = this;
    view.t = clamp(t, run.T0, run.T1);
    if (this.live) view.follow = run.n > 0 && view.t >= run.T1 - 1e-12;
    if (view.win && (view.t < view.win[0] || view.t > view.win[1])) {
      const w = view.win[1] - view.win[0];
      view.setWindow(clamp(view.t - w / 2, run.T0, run.T1 - w), clamp(view.t - w / 2, run.T0, run.T1 - w) + w);
      this.windowChanged();
    }
    if (say) $('live').textContent = say;
    this.mark();
  }
  private sample(by: number): void {
    const {run, view} = this;
    if (!run.n) return;
    let i = run.index(view.t);
    const T = run.t.a;
    if (by < 0) {
      if (view.t - T[i] < 1e-12) { while (i > 0 && T[i] >= view.t - 1e-12) i--; }
      while (i + 1 < run.n && T[i + 1] <= T[i]) i++;
    } else {
      if (this.live && view.follow && i >= run.n - 1) { this.live.send('step'); return; }
      const from = T[i];
      while (i < run.n - 1 && T[i] <= Math.max(from, view.t)) i++;
      while (i + 1 < run.n && T[i + 1] <= T[i]) i++;
    }
    this.pause();
    this.seek(T[i]);
  }
  private event(by: number): void {
    const {run, view} = this, eps = 1e-9 * Math.max(1e-3, Math.abs(view.t));
    const list = run.events.filter((e) => (by > 0 ? e.t > view.t + eps : e.t < view.t - eps));
    if (!list.length) return;
    const e = by > 0 ? list[0] : list[list.length - 1];
    this.pause();
    this.seek(e.t, `${fix(e.t, timePlaces(run.duration))} seconds: ${eventName(e.type, e.label)}. ${e.detail}`);
  }
  pause(): void {
    if (this.live && this.view.playing && this.view.follow && !this.branches.start()) this.live.send('pause');
    this.view.playing = false;
    this.playButton();
  }
  play(): void {
    const {run, view} = this;
    if (view.playing) { this.pause(); return; }
    if (this.branches.start()) { this.branches.begin(); view.playing = true; this.playButton(); this.mark(); return; }
    if (this.live) {
      if (run.end && view.t >= run.T1) this.seek(run.T0);
      view.follow = !run.end && view.t >= run.T1 - 1e-12;
      if (!run.end) this.live.send('go');
    } else if (view.t >= run.T1 - 1e-12) view.t = run.T0;
    view.playing = true;
    this.playButton();
    this.mark();
  }
  playButton(): void {
    const b = $('play');
    b.innerHTML = this.view.playing ? PAUSE : PLAY;
    b.setAttribute('aria-label', this.view.playing ? 'Pause' : 'Play');
  }
  private advance(seconds: number): void {
    const {run, view} = this;
    // the branch view plays its frames together, and time stands still
    if (this.branches.start()) {
      if (!this.branches.play(seconds)) this.pause();
      this.mark();
      return;
    }
    if (view.follow) { view.t = run.T1; return; }
    let rate = view.speed;
    if (view.slow) {
      const kind = run.verdict(view.t);
      rate /= kind === 'none' ? 20 : run.compliantAt(view.t) ? 7 : kind === 'multiple' ? 3 : 1;
    }
    let t = view.t + rate * seconds;
    // an interval that is shorter than a frame is not jumped over
    const next = view.slow ? run.events.find((e) => e.t > view.t + 1e-12 && e.t < t) : undefined;
    if (next) t = next.t;
    if (t >= run.T1) {
      t = run.T1;
      if (this.live && !run.end) view.follow = true;
      else { view.playing = false; this.playButton(); }
    }
    this.seek(t);
  }
  private frame(now: number): void {
    const seconds = Math.min(0.1, (now - this.last) / 1e3);
    this.last = now;
    if (this.view.playing) this.advance(seconds);
    if (this.dirty) {
      this.dirty = false;
      const begin = performance.now();
      this.draw();
      const spent = performance.now() - begin;
      this.frames.count++;
      this.frames.total += spent;
      this.frames.longest = Math.max(this.frames.longest, spent);
    }
    requestAnimationFrame((n) => this.frame(n));
  }
  private draw(): void {
    this.scene.draw();
    this.plots.cursor();
    this.track.cursor();
    this.verdict.draw();
    this.lists.cursor();
    this.hud();
    this.branches.draw(this.scene);
    if (!this.hashTimer) this.hashTimer = window.setTimeout(() => {
      this.hashTimer = 0;
      if (!this.view.playing) history.replaceState(null, '', this.view.hash());
    }, 250);
  }
  private hud(): void {
    const {run, view} = this, clock = fix(view.t, timePlaces(run.duration));
    if ($('clock').textContent !== clock) $('clock').textContent = clock;
    const closed = run.closedAt(view.t), main = closed.find((x) => x.contact.slot === mainContact(view)) ?? (closed.length === 1 ? closed[0] : null);
    const parts: string[] = [];
    if (!closed.length) parts.push(`${modeGlyph(Mode.Separate)}${run.contacts.size ? 'no contact' : 'free'}`);
    else if (main) parts.push(`${modeGlyph(main.mode)}${modeWord(main, run.planar)}${closed.length > 1 ? ` <span class="fewer">1 of ${closed.length}</span>` : ''}`);
    else parts.push(`${closed.length} contacts closed`);
    parts.push(closed.some((x) => x.compliant) ? `${glyph('compliant', 12)}compliant contact` : 'rigid');
    if (main && innerWidth < 700) {
      const used = main.friction > 0 && main.normal > 0 ? Math.hypot(...main.tang) / (main.friction * main.normal) : NaN;
      parts.push(`${num(Math.hypot(main.normal, ...main.tang))} N${isFinite(used) ? `, ${Math.min(100, Math.round(100 * used))} % of friction` : ''}`);
    }
    const html = parts.map((p) => `<span class="chip">${p}</span>`).join('');
    const chips = $('chips');
    if (chips.dataset.html !== html) { chips.innerHTML = html; chips.dataset.html = html; }
    const about = `At ${clock} seconds: ${closed.length ? closed.slice(0, 3).map((x) => `${x.contact.name} ${modeWord(x, run.planar)}, ${num(x.normal)} newtons`).join('; ') : 'no contact is closed'}.`;
    if (!view.playing) $('sceneDesc').textContent = about;
  }
  // ---- what people do --------------------------------------------------------------------------

  focus(contact: number, body: number, joint = -1): void {
    this.view.focus = {contact, body, joint};
    if (contact < 0 && body < 0 && joint < 0) this.view.focus = {contact: mainContact(this.view), body: -1, auto: true};
    this.plots.rebuild();
    this.verdict.draw(true);
    this.mark();
  }
  private windowChanged(): void {
    this.plots.redraw();
    $('zoomb').textContent = this.view.win ? 'Whole run' : 'Zoom to interval';
    this.mark();
  }
  private whole(): void { this.view.win = null; this.windowChanged(); }
  private zoom(): void {
    const {run, view} = this;
    if (view.win) { this.whole(); return; }
    // the interval of the verdict, or the phase between the events around the cursor
    let v = run.intervals.find((x) => x.from <= view.t && view.t <= x.to && x.to > x.from);
    const spans = run.compliantSpans().find(([a, b]) => a <= view.t && view.t <= b);
    if (v && spans && spans[1] - spans[0] < v.to - v.from) v = {...v, from: spans[0], to: spans[1]};
    if (!v) return;
    const pad = 0.15 * Math.max(v.to - v.from, (run.T1 - run.T0) * 1e-4);
    view.setWindow(v.from - pad, v.to + pad);
    this.windowChanged();
  }
  private setSpeed(by: number): void {
    const i = clamp(SPEEDS.indexOf(this.view.speed) - by, 0, SPEEDS.length - 1);
    this.view.speed = SPEEDS[i];
    this.showSpeed();
  }
  private showSpeed(): void {
    ($('speed') as HTMLSelectElement).value = String(this.view.speed);
    if (this.live) this.live.send(`speed ${this.view.speed}`);
  }
  tab(i: number): void {
    const names = ['ev', 'ct', 'par', 'run'];
    if ($('t-' + names[i]).hidden) i = 0;
    this.view.tab = i;
    names.forEach((n, k) => {
      const t = $('t-' + n);
      t.setAttribute('aria-selected', String(k === i));
      t.tabIndex = k === i ? 0 : -1;
      $('p-' + n).hidden = k !== i;
    });
    this.lists.drawContacts();
    this.mark();
  }
  toggleTheme(): void {
    const root = document.documentElement;
    root.dataset.chosen = root.dataset.theme === 'dark' ? 'light' : 'dark';
    this.restyle();
  }
  do(what: string): void {
    const {view} = this;
    switch (what) {
      case 'home': this.seek(this.run.T0); break;
      case 'end': this.seek(this.run.T1); break;
      case 'prev': this.sample(-1); break;
      case 'next': this.sample(1); break;
      case 'evprev': this.event(-1); break;
      case 'evnext': this.event(1); break;
      case 'play': this.play(); break;
      case 'zoom': this.zoom(); break;
      case 'branch': this.pause(); view.branches = !view.branches; break;
      case 'swap': view.roots = !view.roots; this.verdict.draw(true); break;
      case 'slow': view.slow = !view.slow; $('slow').setAttribute('aria-pressed', String(view.slow)); break;
      case 'reset': this.live?.send('reset'); break;
      case 'restart': this.live?.send('restart'); this.seek(this.run.T0); break;
      case 'retry': this.live?.retry(); break;
    }
    this.mark();
  }
  private keyDown(e: KeyboardEvent): void {
    const on = e.target as HTMLElement, typing = on.matches('input:not([type=range]), select, textarea');
    if (typing || e.altKey || e.metaKey || e.ctrlKey || ($('dlg') as HTMLDialogElement).open) return;
    const range = on.matches('input[type=range]'), button = on.matches('button');
    const keys: Record<string, () => void> = {
      ArrowLeft: () => this.do(e.shiftKey ? 'evprev' : 'prev'), ArrowRight: () => this.do(e.shiftKey ? 'evnext' : 'next'), Home: () => this.do('home'), End: () => this.do('end'),
      '+': () => this.setSpeed(1), '=': () => this.setSpeed(1), '-': () => this.setSpeed(-1), s: () => this.do('slow'), z: () => this.do('zoom'), '0': () => this.whole(),
      Escape: () => (this.view.branches ? this.do('branch') : this.view.win ? this.whole() : this.focus(-1, -1)), f: () => { this.scene.frame(); this.mark(); },
      l: () => { this.view.lens = !this.view.lens; this.scene.changed(); this.mark(); }, g: () => { this.view.poses = !this.view.poses; this.mark(); }, b: () => this.do('branch'),
      t: () => this.toggleTheme(), '?': () => ($('dlg') as HTMLDialogElement).showModal(),
      '1': () => this.scene.look?.(0), '2': () => this.scene.look?.(1), '3': () => this.scene.look?.(2),
    };
    if (e.key === ' ') { if (!button) { e.preventDefault(); this.do('play'); } return; }
    if (range && e.key.startsWith('Arrow')) return;
    const act = keys[e.key] ?? keys[e.key.toLowerCase()];
    if (!act || (on.id === 'split' && e.key.startsWith('Arrow'))) return;
    if ((on.getAttribute('role') === 'tab') && e.key.startsWith('Arrow')) return;
    e.preventDefault();
    act();
    this.mark();
  }
  private bind(): void {
    document.addEventListener('click', (e) => {
      const b = (e.target as HTMLElement).closest<HTMLElement>('[data-do],[data-copy]');
      if (b?.dataset.do) this.do(b.dataset.do);
      if (b?.dataset.copy) { void navigator.clipboard?.writeText(b.dataset.copy).catch(() => undefined); b.textContent = 'Copied'; }
    });
    document.addEventListener('keydown', (e) => this.keyDown(e));
    $('theme').addEventListener('click', () => this.toggleTheme());
    $('help').addEventListener('click', () => ($('dlg') as HTMLDialogElement).showModal());
    $('slow').addEventListener('click', () => this.do('slow'));
    const speed = $('speed') as HTMLSelectElement;
    speed.innerHTML = SPEEDS.map((s) => `<option value="${s}">${s === 1 ? '1×' : '1/' + Math.round(1 / s)}</option>`).join('') + (this.live ? '<option value="0">max</option>' : '');
    speed.value = String(this.view.speed);
    speed.addEventListener('change', () => { this.view.speed = Number(speed.value) || 1; if (this.live) this.live.send(`speed ${speed.value}`); this.mark(); });
    const tabs = ['ev', 'ct', 'par', 'run'];
    tabs.forEach((n, i) => {
      $('t-' + n).addEventListener('click', () => this.tab(i));
      $('t-' + n).addEventListener('keydown', (e) => {
        if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
        const shown = tabs.map((_, k) => k).filter((k) => !$('t-' + tabs[k]).hidden), at = shown.indexOf(i);
        const to = shown[(at + (e.key === 'ArrowRight' ? 1 : shown.length - 1)) % shown.length];
        this.tab(to);
        $('t-' + tabs[to]).focus();
      });
    });
    window.addEventListener('hashchange', () => { this.view.read(location.hash); this.restyle(); this.windowChanged(); this.tab(this.view.tab); });
    this.bindSplitter();
    this.bindScene();
    this.playButton();
  }
  private bindSplitter(): void {
    const split = $('split'), set = (h: number) => { document.documentElement.style.setProperty('--plots', `${clamp(h, 160, innerHeight - 300)}px`); this.resized(); };
    split.addEventListener('pointerdown', (e) => split.setPointerCapture(e.pointerId));
    split.addEventListener('pointermove', (e) => { if (split.hasPointerCapture(e.pointerId)) set(innerHeight - e.clientY - 96); });
    split.addEventListener('keydown', (e) => { if (e.key === 'ArrowUp' || e.key === 'ArrowDown') { set($('plots').clientHeight + (e.key === 'ArrowUp' ? 24 : -24)); e.preventDefault(); } });
  }
  private bindScene(): void {
    const canvas = $('view') as HTMLCanvasElement;
    let from: {x: number; y: number; pull: boolean; moved: boolean} | null = null;
    const at = (e: MouseEvent): [number, number] => { const b = canvas.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
    canvas.addEventListener('pointerdown', (e) => {
      const [x, y] = at(e), hit = this.live && e.ctrlKey ? this.scene.pick(x, y) : null;
      from = {x, y, pull: !!hit && hit.body >= 0, moved: false};
      if (hit && hit.body >= 0) { this.scene.pull = {body: hit.body, local: hit.local, to: hit.world, force: 0}; this.live?.pull(this.scene.pull); }
      if (this.run.planar || from.pull) canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      const [x, y] = at(e);
      if (!from) { canvas.style.cursor = this.scene.pick(x, y) ? 'pointer' : 'default'; return; }
      if (Math.hypot(x - from.x, y - from.y) > 4) from.moved = true;
      if (from.pull && this.scene.pull) { this.scene.pull.to = this.scene.world(x, y, this.scene.pull.body); this.live?.pull(this.scene.pull); }
      else if (from.moved && this.scene instanceof FlatScene && e.pointerType !== 'touch') { this.scene.pan(e.movementX, e.movementY); }
      this.mark();
    });
    const up = (e: PointerEvent) => {
      if (!from) return;
      const [x, y] = at(e);
      if (from.pull) { this.scene.pull = null; this.live?.release(); }
      else if (!from.moved) { const hit = this.scene.pick(x, y); if (hit) this.focus(hit.focus.contact, hit.focus.body, hit.focus.joint ?? -1); }
      from = null;
      this.mark();
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', () => { if (from?.pull) { this.scene.pull = null; this.live?.release(); } from = null; });
    canvas.addEventListener('wheel', (e) => {
      if (!(this.scene instanceof FlatScene)) return;
      e.preventDefault();
      const [x, y] = at(e);
      this.scene.zoom(x, y, Math.exp(-clamp(e.deltaY, -60, 60) / 300));
      this.mark();
    }, {passive: false});
    canvas.addEventListener('dblclick', (e) => {
      const hit = this.scene instanceof SpaceScene ? this.scene.pick(...at(e)) : null;
      if (this.run.planar) this.scene.frame();
      else if (hit && hit.body >= 0 && this.scene instanceof SpaceScene) this.scene.centreOn(hit.world);
      this.mark();
    });
  }
  private key(): void {
    const box = (inner: string) => `<svg viewBox="0 0 12 9">${inner}</svg>`;
    $('key').innerHTML = [[box('<rect width="12" height="9" fill="var(--unique)"/>'), 'one, stable'], [box('<rect width="12" height="9" fill="url(#stripe)"/>'), 'several'],
      [box('<rect width="12" height="9" fill="var(--none)"/>'), 'none'], [box('<rect width="12" height="9" fill="url(#hatch)"/>'), 'compliant'],
      [box('<rect x=".5" y=".5" width="11" height="8" fill="none" stroke="var(--ink3)"/>'), 'no contact']].map(([s, t]) => `<span>${s}${t}</span>`).join('');
  }
  private resizing = 0;
  resized(): void {
    if (this.resizing) return;
    this.resizing = requestAnimationFrame(() => {
      this.resizing = 0;
      this.plots.resize();
      this.track.draw();
      this.verdict.draw(true);
      this.scene.changed();
      this.branches.stale();
      this.mark();
    });
  }
}

function fail(what: string): void {
  document.querySelector('.page')?.remove();
  const p = document.createElement('p');
  p.style.cssText = 'padding:24px;max-width:60ch';
  p.id = 'failed';
  p.textContent = `This page cannot show its run: ${what}. The numbers of the same run are in the CSV file that sprag run -o run.csv writes.`;
  document.body.append(p);
}
const json = (id: string): unknown => JSON.parse(document.getElementById(id)?.textContent ?? 'null');

function boot(): void {
  const live = json('sprag-live') as {token: string} | null;
  if (live) { Live.open(live.token, (run) => { const page = new Page(run); (window as unknown as {sprag: Page}).sprag = page; return page; }); return; }
  const head = json('sprag-head') as Head | null;
  if (!head) throw new Error('there are no data in it');
  if (head.format !== 1) throw new Error(`its data have format ${head.format}, which it does not know`);
  const run = new Run(head);
  addChunk(run, fromBase64(document.getElementById('sprag-chunk')?.textContent ?? ''));
  run.addTail(json('sprag-tail') as Tail);
  const page = new Page(run);
  (window as unknown as {sprag: Page}).sprag = page;
  page.start();
}
try { boot(); } catch (e) { fail(e instanceof Error ? e.message : String(e)); }
