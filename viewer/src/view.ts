// view.ts: what is looked at: time, window, focus, switches; kept in the address.
import {clamp} from './format';
import type {Run} from './run';

/** auto: nobody has chosen; while that contact is open another one stands for it. */
export interface Focus { contact: number; body: number; joint?: number; auto?: boolean }

export class View {
  t = 0;
  playing = false;
  speed = 1;
  slow = true;
  win: [number, number] | null = null;
  lens = true;
  poses = true;
  branches = false;
  /** Eigenvalues instead of the force diagram. */
  roots = false;
  hover: number | null = null;
  select: [number, number] | null = null;
  focus: Focus = {contact: -1, body: -1};
  tab = 0;
  follow = false;
  constructor(public run: Run) {}

  window(): [number, number] {
    const {T0, T1} = this.run;
    return this.win ?? [T0, T1 > T0 ? T1 : T0 + 1];
  }
  setWindow(a: number, b: number): void {
    const {T0, T1} = this.run;
    const least = Math.max((T1 - T0) * 1e-6, 1e-9);
    a = clamp(Math.min(a, b), T0, T1);
    b = clamp(Math.max(a, b), T0, T1);
    if (b - a < least) return;
    this.win = b - a > (T1 - T0) * 0.999 ? null : [a, b];
  }

  /** The address: a link opens at the moment that is meant. */
  hash(): string {
    const parts = [`t=${+this.t.toPrecision(9)}`];
    const theme = document.documentElement.dataset.chosen;
    if (theme) parts.push(`theme=${theme}`);
    if (this.win) parts.push(`win=${this.win.map((x) => +x.toPrecision(9)).join(',')}`);
    if (this.tab) parts.push(`tab=${this.tab}`);
    if (this.focus.contact >= 0) parts.push(`contact=${this.focus.contact}`);
    if (this.focus.body >= 0) parts.push(`body=${this.focus.body}`);
    if ((this.focus.joint ?? -1) >= 0) parts.push(`joint=${this.focus.joint}`);
    if (this.branches) parts.push('branch=1');
    return '#' + parts.join('&');
  }
  read(hash: string): void {
    const p = new URLSearchParams(hash.replace(/^#/, ''));
    const number = (key: string): number | null => {
      const x = p.get(key);
      return x !== null && x !== '' && isFinite(+x) ? +x : null;
    };
    const {T0, T1} = this.run;
    const t = number('t');
    if (t !== null) this.t = clamp(t, T0, T1);
    const w = p.get('win')?.split(',').map(Number);
    if (w && w.length === 2 && w.every(isFinite)) this.setWindow(w[0], w[1]);
    this.tab = clamp(number('tab') ?? 0, 0, 3) | 0;
    const c = number('contact'), b = number('body');
    if (c !== null && this.run.contacts.has(c)) this.focus = {contact: c, body: -1};
    if (b !== null && b >= 0 && b < this.run.head.bodies.length) this.focus = {contact: -1, body: b | 0};
    const j = number('joint');
    if (j !== null && j >= 0 && j < (this.run.head.joints ?? []).length) this.focus = {contact: -1, body: -1, joint: j | 0};
    this.branches = p.get('branch') === '1';
    const theme = p.get('theme');
    if (theme === 'dark' || theme === 'light') document.documentElement.dataset.chosen = theme;
  }
}

/** The colours of the present theme, by role. */
export type Tokens = Record<string, string>;
const NAMES = ['bg', 'panel', 'sunk', 'line', 'line2', 'ink', 'ink2', 'ink3', 'focus', 'normal', 'tang', 'stick', 'sep', 'unique', 'unique-t', 'several',
  'several-t', 'none', 'none-t', 'comp', 'comp-t', 'several-w', 'none-w', 'comp-w', 'cone-w', 'e-kin', 'e-pot', 'e-ela', 'e-dis', 'rod', 'floor', 'rough',
  'ui', 'math'];
export function readTokens(): Tokens {
  const style = getComputedStyle(document.documentElement), out: Tokens = {};
  for (const n of NAMES) out[n] = style.getPropertyValue('--' + n).trim();
  return out;
}

/** Names for modes at a contact, with the direction that slip has on the screen. */
export function slideWord(plus: boolean, dir: number[]): string {
  const tx = dir[1], ty = -dir[0], s = plus ? 1 : -1;
  if (Math.abs(tx) >= Math.abs(ty)) return s * tx > 0 ? 'right' : 'left';
  return s * ty > 0 ? 'up' : 'down';
}
