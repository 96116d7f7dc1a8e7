// space.ts: a scene in space.
import {fit} from './draw';
import type {Hit, Pull, SceneView} from './scene';
import type {Tokens, View} from './view';
export class SpaceScene implements SceneView {
  pull: Pull | null = null;
  constructor(private canvas: HTMLCanvasElement, _gl: HTMLCanvasElement, _view: View, _k: Tokens, _changed: () => void) {}
  draw(): void { fit(this.canvas); }
  frame(): void {}
  restyle(): void {}
  changed(): void {}
  pick(): Hit | null { return null; }
  world(): number[] { return [0, 0, 0]; }
  dispose(): void {}
}
