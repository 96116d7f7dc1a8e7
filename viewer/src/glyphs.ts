// glyphs.ts: signs for events, verdicts and modes; every colour has a shape as well.
import {Mode, VerdictKind} from './run';

const SHAPES: Record<string, string> = {
  unique: '<circle cx="7" cy="7" r="5" fill="var(--unique)" stroke="var(--unique-t)" stroke-width="1.5"/>',
  unstable: '<circle cx="7" cy="7" r="4.8" fill="none" stroke="var(--none)" stroke-width="2.2" stroke-dasharray="3 1.6"/>',
  several: '<path d="M7 1.2 12.8 7 7 12.8 1.2 7z" fill="var(--several)" stroke="var(--several-t)" stroke-width="1.3"/><path d="M5 5v4M7 4v6M9 5v4" stroke="#1a2126" stroke-width="1.1"/>',
  none: '<path d="M2.5 2.5l9 9M11.5 2.5l-9 9" stroke="var(--none)" stroke-width="3" stroke-linecap="round"/>',
  compliant: '<path d="M1.5 4.5q2.7-4 5.5 0t5.5 0M1.5 9.5q2.7-4 5.5 0t5.5 0" fill="none" stroke="var(--comp)" stroke-width="1.9" stroke-linecap="round"/>',
  open: '<circle cx="7" cy="7" r="4.8" fill="none" stroke="var(--sep)" stroke-width="1.7"/>',
  separation: '<path d="M7 2 12 11.5H2z" fill="none" stroke="var(--sep)" stroke-width="1.7" stroke-linejoin="round"/>',
  impact: '<path d="M7 12 2 2.5h10z" fill="var(--ink)"/>',
  landing: '<path d="M7 12 2 2.5h10z" fill="none" stroke="var(--ink)" stroke-width="1.6" stroke-linejoin="round"/>',
  stick: '<rect x="2.6" y="2.6" width="8.8" height="8.8" rx="1" fill="var(--stick)"/>',
  'slip-start': '<path d="M3 2.2 12 7l-9 4.8z" fill="var(--tang)"/>',
  slideL: '<path d="M11 2.2 2 7l9 4.8z" fill="var(--tang)"/>',
  'slip-reversal': '<path d="M1 7l4.2-4v8zM13 7 8.8 3v8z" fill="var(--tang)"/>',
  surface: '<path d="M1 10.5h12" stroke="var(--ink2)" stroke-width="1.8"/><path d="M7 10V3M4.6 5.4 7 3l2.4 2.4" fill="none" stroke="var(--ink2)" stroke-width="1.5"/>',
  'to-rigid': '<path d="M1.5 7h11" stroke="var(--comp)" stroke-width="2.6" stroke-linecap="round"/>',
  touch: '<path d="M7 12.4 2.4 7.8h9.2z" fill="var(--comp)"/><path d="M7 1.6v6" stroke="var(--comp)" stroke-width="1.8"/>',
  'lift-off': '<path d="M7 1.6 2.4 6.2h9.2z" fill="var(--comp)"/><path d="M7 6.4v6" stroke="var(--comp)" stroke-width="1.8"/>',
  rest: '<path d="M2 10.8h10M4 7.6h6" stroke="var(--stick)" stroke-width="2.2" stroke-linecap="round"/>',
  limit: '<path d="M7 1.5v11" stroke="var(--ink2)" stroke-width="2.4"/>',
  scene: '<path d="M3.5 12.5v-11l8 3-8 3" fill="none" stroke="var(--ink2)" stroke-width="1.6" stroke-linejoin="round"/>',
};
const SAME: Record<string, string> = {
  ambiguity: 'several', multiple: 'several', infinite: 'several', 'no-solution': 'none', jam: 'none', 'to-compliant': 'compliant', 'slip-turn': 'slip-reversal', painleve: 'several',
};
export const glyphBody = (type: string): string => SHAPES[SAME[type] ?? type] ?? SHAPES.limit;
export const glyph = (type: string, size = 14): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 14 14" aria-hidden="true">${glyphBody(type)}</svg>`;
export const modeGlyph = (m: Mode, size = 12): string =>
  glyph(m === Mode.Separate ? 'open' : m === Mode.Stick || m === Mode.Closed ? 'stick' : m === Mode.Minus ? 'slideL' : 'slip-start', size);

const JOINTS: Record<string, string> = {
  revolute: '<circle cx="7" cy="7" r="4.6" fill="none" stroke="var(--ink2)" stroke-width="1.8"/><circle cx="7" cy="7" r="1.4" fill="var(--ink2)"/>',
  prismatic: '<path d="M1 3.4h12M1 10.6h12" stroke="var(--ink2)" stroke-width="1.4"/><rect x="4" y="4.6" width="6" height="4.8" fill="var(--ink2)"/>',
  distance: '<path d="M2 7h10" stroke="var(--ink2)" stroke-width="1.6"/><circle cx="2.4" cy="7" r="1.9" fill="var(--ink2)"/><circle cx="11.6" cy="7" r="1.9" fill="var(--ink2)"/>',
  weld: '<rect x="3" y="3" width="8" height="8" fill="var(--ink2)"/>',
};
export const jointGlyph = (kind: string, size = 14): string => `<svg width="${size}" height="${size}" viewBox="0 0 14 14" aria-hidden="true">${JOINTS[kind] ?? JOINTS.revolute}</svg>`;

/** The gravest event names a crowd of marks. */
export const RANK: Record<string, number> = {
  'no-solution': 9, unstable: 9, jam: 9, ambiguity: 8, impact: 7, 'to-compliant': 6, separation: 5, landing: 5, stick: 4, 'slip-reversal': 4, 'slip-turn': 4,
  'slip-start': 4, 'to-rigid': 3, touch: 3, 'lift-off': 3, rest: 3, surface: 2, scene: 2, limit: 1, painleve: 8,
};
const NAMES: Record<string, string> = {
  'no-solution': 'No solution', unstable: 'Not stable', ambiguity: 'Several solutions', impact: 'Impact', landing: 'Landing', 'to-compliant': 'To compliant',
  separation: 'Separation', stick: 'Stick', 'slip-reversal': 'Slip reverses', 'slip-turn': 'Slip turns', 'slip-start': 'Slip starts', 'to-rigid': 'To rigid',
  surface: 'Surface changes', jam: 'Jam', touch: 'Touch', 'lift-off': 'Lift-off', rest: 'Rest', limit: 'Limit', painleve: 'Painlevé',
};
export const eventName = (type: string, label: string): string => (type === 'scene' ? label : NAMES[type] ?? label);
export const VERDICT_TOKEN: Record<VerdictKind, string> = {unique: 'unique', multiple: 'several', none: 'none', infinite: 'several', open: 'sep'};
