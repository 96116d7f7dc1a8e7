// format.ts: numbers and small pieces of text as people read them.
export const clamp = (x: number, a: number, b: number): number => Math.min(b, Math.max(a, x));
export const escape = (s: string): string =>
  s.replace(/[&<>"']/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'}[c] as string));
const minus = (s: string): string => s.replace('-', '−');

/** Three to four significant digits; powers of ten only where nothing else is readable. */
export function num(x: number | null | undefined): string {
  if (x == null || !isFinite(x)) return '–';
  const a = Math.abs(x);
  if (a === 0) return '0';
  if (a >= 1e6 || a < 1e-4) {
    const e = Math.floor(Math.log10(a) + 1e-12);
    const m = (x / 10 ** e).toFixed(2);
    return minus(m) + '·10' + String(e).replace(/[-0-9]/g, (c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[+c] ?? '⁻');
  }
  const places = a >= 100 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : a >= 0.1 ? 3 : a >= 0.01 ? 4 : 5;
  return minus(x.toFixed(places));
}

/** A fixed number of places; never −0. */
export function fix(x: number, places: number): string {
  if (!isFinite(x)) return '–';
  return minus((Math.abs(x) < 0.5 * 10 ** -places ? 0 : x).toFixed(places));
}

/** A reading beside a plot: as many places as the size of the plot asks for. */
export function reading(x: number, scale: number, digits = 4): string {
  if (!isFinite(x)) return '–';
  const span = Math.max(Math.abs(scale), 1e-12);
  if (span < 1e-3 || span >= 1e6) return num(x);
  const places = clamp(digits - 1 - Math.floor(Math.log10(span)), 0, 6);
  return fix(x, places);
}

/** Digits after the point so that a time is told to a ten-thousandth of the run. */
export const timePlaces = (duration: number): number => clamp(Math.ceil(3.7 - Math.log10(Math.max(duration, 1e-9))), 2, 9);

export function nice(x: number): number {
  if (!(x > 0)) return 1;
  const p = 10 ** Math.floor(Math.log10(x)), m = x / p;
  return p * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

/** Round places for ticks between a and b, at most about `count`. */
export function ticks(a: number, b: number, count: number): number[] {
  const step = nice((b - a) / Math.max(1, count));
  const out: number[] = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; k++) out.push(k * step);
  return out;
}
export const tickText = (x: number, step: number): string => fix(x, clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 9));

/** An ellipsis in the middle: both ends of a name tell. */
export function middle(s: string, most: number): string {
  if (s.length <= most) return s;
  const k = Math.floor((most - 1) / 2);
  return s.slice(0, most - 1 - k) + '…' + s.slice(s.length - k);
}
export const capital = (s: string): string => (s ? s[0].toUpperCase() + s.slice(1) : s);
const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
export const countWord = (n: number): string => COUNTS[n] ?? String(n);
