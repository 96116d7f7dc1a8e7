// joints.ts: marks of joints on the flat layer: pins, sliders, rods and ropes, springs, welds.
import {Ctx} from './draw';
import type {Joint} from './run';
import type {Tokens} from './view';

type Point = [number, number];
export interface DrawnJoint { joint: Joint; a: Point; b: Point; /** Axis on the screen, as a vector of a length that suits. */ axis: Point; focused: boolean; space: boolean }

export function zigzag(c: Ctx, a: Point, b: Point, colour: string): void {
  const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy);
  if (l < 2) return;
  const ux = dx / l, uy = dy / l, n = 10, w = Math.min(6, l / 6);
  c.strokeStyle = colour;
  c.lineWidth = 1.5;
  c.setLineDash([]);
  c.beginPath();
  c.moveTo(...a);
  for (let i = 1; i < n; i++) {
    const f = 0.12 + (0.76 * i) / n, s = i % 2 ? w : -w;
    c.lineTo(a[0] + dx * f - uy * s, a[1] + dy * f + ux * s);
  }
  c.lineTo(...b);
  c.stroke();
}
function ring(c: Ctx, p: Point, r: number, k: Tokens, colour: string, dot: boolean): void {
  c.fillStyle = k.panel;
  c.strokeStyle = colour;
  c.lineWidth = 1.8;
  c.beginPath();
  c.arc(...p, r, 0, 2 * Math.PI);
  c.fill();
  c.stroke();
  if (!dot) return;
  c.fillStyle = colour;
  c.beginPath();
  c.arc(...p, 1.6, 0, 2 * Math.PI);
  c.fill();
}
/** Rails along the axis and a block at the second end. */
function slider(c: Ctx, d: DrawnJoint, k: Tokens, colour: string): void {
  const l = Math.hypot(...d.axis) || 1, ux = d.axis[0] / l, uy = d.axis[1] / l, long = d.space ? l : Math.max(26, Math.hypot(d.b[0] - d.a[0], d.b[1] - d.a[1]) + 14);
  c.strokeStyle = colour;
  c.lineWidth = 1.3;
  c.beginPath();
  for (const s of [-6, 6]) {
    c.moveTo(d.a[0] - ux * long - uy * s, d.a[1] - uy * long + ux * s);
    c.lineTo(d.a[0] + ux * long - uy * s, d.a[1] + uy * long + ux * s);
  }
  c.stroke();
  // the block goes along the rails only
  const along = (d.b[0] - d.a[0]) * ux + (d.b[1] - d.a[1]) * uy, x = d.a[0] + ux * along, y = d.a[1] + uy * along;
  c.fillStyle = k.panel;
  c.beginPath();
  [[-9, -5], [9, -5], [9, 5], [-9, 5]].forEach(([p, q], i) => (i ? c.lineTo(x + p * ux - q * uy, y + p * uy + q * ux) : c.moveTo(x + p * ux - q * uy, y + p * uy + q * ux)));
  c.closePath();
  c.fill();
  c.lineWidth = 1.8;
  c.stroke();
}

export function drawJoint(c: Ctx, d: DrawnJoint, k: Tokens): void {
  const colour = d.focused ? k.focus : k.ink2, {joint} = d;
  c.setLineDash([]);
  switch (joint.kind) {
    case 'distance':
      if (joint.sprung) zigzag(c, d.a, d.b, colour); else {
        c.strokeStyle = colour;
        c.lineWidth = joint.limits ? 1.2 : 2.2;
        c.setLineDash(joint.limits ? [5, 3] : []); // a rope
        c.beginPath();
        c.moveTo(...d.a);
        c.lineTo(...d.b);
        c.stroke();
        c.setLineDash([]);
      }
      ring(c, d.a, 3, k, colour, false);
      ring(c, d.b, 3, k, colour, false);
      return;
    case 'prismatic': slider(c, d, k, colour); return;
    case 'weld':
      c.fillStyle = colour;
      c.fillRect(d.a[0] - 3.5, d.a[1] - 3.5, 7, 7);
      return;
    default:
      if (d.space && joint.kind !== 'ball') {
        c.strokeStyle = colour;
        c.lineWidth = 2;
        c.beginPath();
        c.moveTo(d.a[0] - d.axis[0], d.a[1] - d.axis[1]);
        c.lineTo(d.a[0] + d.axis[0], d.a[1] + d.axis[1]);
        c.stroke();
      }
      ring(c, d.a, joint.kind === 'ball' ? 6 : 5, k, colour, joint.kind !== 'ball');
      if (joint.sprung) { c.strokeStyle = colour; c.lineWidth = 1.2; c.beginPath(); c.arc(...d.a, 9, -2.4, 1.4); c.stroke(); }
  }
}
