// live.ts: a session with `sprag view`: samples come over a socket, wishes go back.
import {addChunk} from './decode';
import {escape, num} from './format';
import type {Page} from './main';
import {Head, Parameter, Run, Tail} from './run';
import type {Pull} from './scene';

const GRAVE: Record<string, number> = {open: 0, unique: 1, infinite: 2, multiple: 3, none: 4};

export class Live {
  page: Page | null = null;
  private socket: WebSocket | null = null;
  private run: Run | null = null;
  private wait = 1;
  private timer = 0;
  private countdown = 0;
  private seen = new Map<string, Map<number, string>>();
  private state = {running: false, rate: 1, reached: 0};
  private painted = 0;
  private pullTimer = 0;
  private nextPull: Pull | null = null;
  private busy = false;
  private generation = -1;

  static open(token: string, make: (run: Run) => Page): Live {
    const live = new Live(token, make);
    live.connect();
    return live;
  }
  constructor(private token: string, private make: (run: Run) => Page) {}

  private connect(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const s = (this.socket = new WebSocket(`${scheme}://${location.host}/live?token=${encodeURIComponent(this.token)}`, 'sprag'));
    s.binaryType = 'arraybuffer';
    let opened = false;
    s.onopen = () => { opened = true; this.wait = 1; this.page?.notice(null); this.show(); };
    s.onmessage = (e) => { try { this.hear(e.data as string | ArrayBuffer); } catch (x) { this.page?.notice(`A message of the server cannot be read: ${x instanceof Error ? x.message : x}`); } };
    s.onclose = () => { void this.lost(opened); };
  }
  /** Whether the server that answers now is another one than that of this page. */
  private async foreign(): Promise<boolean> {
    try { return (await fetch(`/?token=${encodeURIComponent(this.token)}`, {method: 'GET', cache: 'no-store'})).status === 403; } catch { return false; }
  }
  retry(): void {
    clearTimeout(this.timer);
    clearInterval(this.countdown);
    this.connect();
  }
  private async lost(opened: boolean): Promise<void> {
    this.socket = null;
    this.lock(true);
    this.show();
    if (!opened && (await this.foreign())) {
      this.page?.notice('This page belongs to an earlier session. Open the address that sprag view printed.');
      return;
    }
    let left = this.wait;
    const say = () => this.page?.notice(`The connection was lost. Trying again in ${left} s; what has arrived can still be played.`, '<button class="btn" data-do="retry" style="border-color:var(--line)">Try now</button>');
    say();
    clearInterval(this.countdown);
    this.countdown = window.setInterval(() => { left = Math.max(0, left - 1); say(); }, 1000);
    this.timer = window.setTimeout(() => { clearInterval(this.countdown); this.connect(); }, this.wait * 1e3);
    this.wait = Math.min(16, 2 * this.wait);
  }
  send(text: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }
  private hear(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      if (!this.run) return;
      addChunk(this.run, new Uint8Array(data));
      this.grown();
      return;
    }
    const m = JSON.parse(data) as {head?: Head; generation?: number; tail?: Tail; state?: {running: boolean; rate: number; reached: number}; error?: string};
    if (m.head) this.begin(m.head, m.generation ?? 0);
    if (m.tail && this.run) { this.run.addTail(m.tail); this.note(); this.grown(); }
    if (m.state) { this.state = m.state; this.follow(); this.show(); }
    if (m.error !== undefined) this.page?.notice(m.error || null);
  }
  private begin(head: Head, generation: number): void {
    const run = (this.run = new Run(head));
    this.generation = generation;
    if (!this.page) {
      this.page = this.make(run);
      this.page.live = this;
      this.page.view.follow = true;
      this.page.lists.sliders = {set: (p, v) => this.set(p, v), reset: () => this.send('reset'), rail: (p) => [...(this.seen.get(p.name) ?? new Map())].map(([at, kind]) => ({at, kind})), locked: () => !this.socket};
      this.page.start();
      this.page.tab(2);
      this.bind();
    } else {
      const keep = this.page.view.t, following = this.page.view.follow, playing = this.page.view.playing;
      this.page.replace(run);
      this.page.view.t = keep;
      this.page.view.follow = following;
      this.page.view.playing = playing;
      this.syncParameters();
    }
    this.lock(false);
    this.show();
  }
  /** Sliders follow what another viewer did, but not under one's own hand. */
  private syncParameters(): void {
    const {lists} = (this.page as Page);
    const active = document.activeElement as HTMLInputElement | null;
    for (const p of (this.run as Run).head.parameters) {
      const s = p.scale ?? 1, out = document.querySelector<HTMLElement>(`[data-out="${CSS.escape(p.name)}"]`), input = document.querySelector<HTMLInputElement>(`[data-par="${CSS.escape(p.name)}"]`);
      if (input && input !== active) input.value = String(p.value / s);
      if (out && input !== active) out.textContent = `${num(p.value / s)} ${p.unit ?? ''}`;
      const path = document.querySelector<HTMLElement>(`[data-path="${CSS.escape(p.name)}"]`);
      if (path) path.innerHTML = lists.path(p, p.value / s);
    }
    const command = document.getElementById('cmd');
    if (command) command.outerHTML = lists.command();
    lists.rails();
  }
  private bind(): void {
    document.getElementById('params')?.addEventListener('input', (e) => {
      const input = e.target as HTMLInputElement, name = input.dataset.par, p = this.run?.head.parameters.find((x) => x.name === name);
      if (!p) return;
      const value = Number(input.value) * (p.scale ?? 1), out = document.querySelector<HTMLElement>(`[data-out="${CSS.escape(p.name)}"]`);
      if (out) out.textContent = `${num(Number(input.value))} ${p.unit ?? ''}`;
      input.setAttribute('aria-valuetext', `${num(Number(input.value))} ${p.unit ?? ''}`);
      this.set(p, value);
    });
    document.getElementById('params')?.addEventListener('click', (e) => {
      if ((e.target as HTMLElement).closest('[data-do=reset]')) (document.activeElement as HTMLElement | null)?.blur();
    });
  }
  private wish: [Parameter, number] | null = null;
  /** One wish at a time: the server answers with a new head before the next is sent. */
  private set(p: Parameter, value: number): void {
    this.wish = [p, value];
    if (this.busy) return;
    this.busy = true;
    const [q, v] = this.wish;
    this.wish = null;
    this.send(`set ${q.name} ${v}`);
    window.setTimeout(() => { this.busy = false; if (this.wish) this.set(...this.wish); }, 60);
  }
  pull(p: Pull): void {
    this.nextPull = p;
    if (this.pullTimer) return;
    const tell = () => {
      this.pullTimer = 0;
      if (!this.nextPull) return;
      const q = this.nextPull;
      this.send(`pull ${q.body} ${q.local.join(' ')} ${q.to.join(' ')}`);
    };
    this.pullTimer = window.setTimeout(tell, 40);
  }
  release(): void {
    this.nextPull = null;
    clearTimeout(this.pullTimer);
    this.pullTimer = 0;
    this.send('release');
  }
  /** The verdicts met at the present values, for the rails of the sliders. */
  private note(): void {
    const run = this.run as Run;
    let worst = 'open';
    for (const v of run.intervals) if (GRAVE[v.kind] > GRAVE[worst]) worst = v.kind;
    for (const p of run.head.parameters) {
      let m = this.seen.get(p.name);
      if (!m) this.seen.set(p.name, (m = new Map()));
      m.set(p.value, worst);
      if (m.size > 200) m.delete(m.keys().next().value as number);
    }
  }
  private grown(): void {
    const page = this.page as Page, now = performance.now();
    page.frames.count += 0;
    if (page.view.follow || page.view.t > page.run.T1) page.view.t = page.run.T1;
    page.mark();
    if (this.painted) return;
    this.painted = window.setTimeout(() => {
      this.painted = 0;
      page.scene.changed();
      page.showLive();
    }, this.run && this.run.n < 50 ? 0 : Math.max(120, performance.now() - now));
  }
  private follow(): void {
    const page = this.page;
    if (!page) return;
    if (page.view.follow && page.view.playing !== this.state.running) { page.view.playing = this.state.running; page.playButton(); }
  }
  private lock(on: boolean): void {
    document.querySelectorAll<HTMLInputElement>('[data-par]').forEach((i) => { i.disabled = on; });
  }
  private show(): void {
    const conn = document.getElementById('conn') as HTMLElement, open = this.socket?.readyState === WebSocket.OPEN;
    conn.hidden = false;
    conn.classList.toggle('lost', !open);
    const text = !open ? 'Not connected' : this.state.running ? (this.state.rate ? `Live, ${num(this.state.rate)}× real time` : 'Live, as fast as it can') : 'Live, paused';
    (conn.querySelector('.l') as HTMLElement).innerHTML = escape(text);
    conn.title = `session ${this.generation}`;
  }
}
