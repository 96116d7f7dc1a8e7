// space.ts: a scene in space: three.js for bodies, a flat layer above it for contacts and words.
//
// Bodies of one kind of shape share a geometry and are drawn as instances, so that a thousand spheres cost one call.
import {
  AmbientLight, BoxGeometry, BufferGeometry, Color, CylinderGeometry, DirectionalLight, DoubleSide, Float32BufferAttribute, Fog, GridHelper, Group, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, MeshLambertMaterial, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {arrow, Ctx, fit, force, label, mark, scaleBars} from './draw';
import {num, tickText} from './format';
import {DrawnJoint, drawJoint} from './joints';
import {lensBox, spaceLens} from './lens';
import type {Followed} from './branches';
import {Body, BranchStart, Mode, Pose, Shape, Touch} from './run';
import {cross, Hit, mainContact, measure, Measures, Pull, SceneView, worldForce, worldSlip} from './scene';
import type {Tokens, View} from './view';

interface Part { body: number; local: Matrix4 }
interface Batch { mesh: InstancedMesh; parts: Part[] }
const newPose = (): Pose => ({x: 0, y: 0, z: 0, angle: 0, q: [1, 0, 0, 0]});

/** A shape as a geometry that instances share, its key, and its place in the body. */
function geometryOf(s: Shape, count: number): {key: string; make: () => BufferGeometry; local: Matrix4} | null {
  const r = s.radius ?? 0, a = s.points[0] ? new Vector3(...(s.points[0] as [number, number, number])) : new Vector3();
  const b = s.points[1] ? new Vector3(...(s.points[1] as [number, number, number])) : a.clone();
  const along = (length: number): Matrix4 => {
    const d = b.clone().sub(a), q = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), d.lengthSq() > 0 ? d.clone().normalize() : new Vector3(0, 0, 1));
    void length;
    return new Matrix4().compose(a.clone().add(b).multiplyScalar(0.5), q, new Vector3(1, 1, 1));
  };
  switch (s.kind) {
    case 'sphere': case 'circle': return {key: 'sphere', make: () => new SphereGeometry(1, count > 200 ? 12 : 24, count > 200 ? 8 : 16), local: new Matrix4().compose(a, new Quaternion(), new Vector3(r, r, r))};
    case 'cylinder': { const l = a.distanceTo(b); return {key: `cylinder ${s.inside}`, make: () => new CylinderGeometry(1, 1, 1, 32, 1, !!s.inside), local: along(l).multiply(new Matrix4().makeScale(r, l, r))}; }
    case 'rod': { const l = a.distanceTo(b), t = l * 0.012; return {key: 'rod', make: () => new CylinderGeometry(1, 1, 1, 12), local: along(l).multiply(new Matrix4().makeScale(t, l, t))}; }
    case 'capsule': { const l = a.distanceTo(b); return {key: `capsule ${r} ${l}`, make: () => capsule(r, l), local: along(l)}; }
    case 'box': if (s.size && s.size[2] > 0 && !s.corners) return {key: 'box', make: () => new BoxGeometry(1, 1, 1), local: new Matrix4().makeTranslation(...(s.centre as [number, number, number])).multiply(new Matrix4().makeScale(...(s.size as [number, number, number])))};
  }
  if (s.corners && s.faces) return {key: 'mesh ' + JSON.stringify(s.corners).slice(0, 4000) + s.faces.length, make: () => polyhedron(s), local: new Matrix4()};
  if (s.kind === 'points') return {key: 'points ' + JSON.stringify(s.points), make: () => pointsGeometry(s.points), local: new Matrix4()};
  return null;
}
function capsule(r: number, l: number): BufferGeometry {
  const rows: number[] = [], index: number[] = [], n = 24, m = 8;
  const rings: [number, number][] = [];
  for (let i = 0; i <= m; i++) { const f = (Math.PI / 2) * (i / m); rings.push([-l / 2 - r * Math.cos(f), r * Math.sin(f)]); }
  for (let i = m; i >= 0; i--) { const f = (Math.PI / 2) * (i / m); rings.push([l / 2 + r * Math.cos(f), r * Math.sin(f)]); }
  for (const [y, q] of rings) for (let j = 0; j < n; j++) { const p = (2 * Math.PI * j) / n; rows.push(q * Math.cos(p), y, -q * Math.sin(p)); }
  for (let i = 0; i + 1 < rings.length; i++) for (let j = 0; j < n; j++) { const a = i * n + j, b = i * n + ((j + 1) % n); index.push(a, b, b + n, a, b + n, a + n); }
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(rows, 3));
  g.setIndex(index);
  g.computeVertexNormals();
  return g;
}
/** Flat faces: every triangle has corners of its own. */
function polyhedron(s: Shape): BufferGeometry {
  const rows: number[] = [], corners = s.corners as number[][];
  for (const f of s.faces as number[][]) for (let i = 1; i + 1 < f.length; i++) for (const k of [f[0], f[i], f[i + 1]]) rows.push(...corners[k]);
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(rows, 3));
  g.computeVertexNormals();
  return g;
}
function pointsGeometry(points: number[][]): BufferGeometry {
  const rows: number[] = [], size = 0.03 * Math.max(1e-6, ...points.map((p) => Math.hypot(...p)));
  for (const p of points) {
    // a thin spoke from the centre of mass, so that the points are seen to be one body
    const l = Math.hypot(...p), d = new Vector3(...(p as [number, number, number])).normalize(), u = new Vector3(Math.abs(d.x) < 0.9 ? 1 : 0, Math.abs(d.x) < 0.9 ? 0 : 1, 0).cross(d).normalize(), v = d.clone().cross(u);
    const ring = (k: number, at: number[]) => { const a = (2 * Math.PI * k) / 3, r = 0.25 * size; return at.map((x, i) => x + r * (Math.cos(a) * u.getComponent(i) + Math.sin(a) * v.getComponent(i))); };
    if (l > 0) for (let k = 0; k < 3; k++) for (const t of [ring(k, [0, 0, 0]), ring(k + 1, [0, 0, 0]), ring(k + 1, p), ring(k, [0, 0, 0]), ring(k + 1, p), ring(k, p)]) rows.push(...t);
    const c = (i: number, s: number) => p.map((x, k) => x + (k === i ? s * size : 0));
    for (const [a, b, d] of [[1, 1, 1], [-1, 1, 1], [1, -1, 1], [-1, -1, 1], [1, 1, -1], [-1, 1, -1], [1, -1, -1], [-1, -1, -1]]) {
      const t = [c(0, a), c(1, b), c(2, d)];
      if (a * b * d < 0) t.reverse();
      for (const v of t) rows.push(...v);
    }
  }
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(rows, 3));
  g.computeVertexNormals();
  return g;
}

export class SpaceScene implements SceneView {
  pull: Pull | null = null;
  private renderer: WebGLRenderer | null = null;
  private three = new Scene();
  private camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  private controls: OrbitControls;
  private batches: Batch[] = [];
  private ground = new Group();
  private poses: Pose[];
  private measures: Measures;
  private framed = false;
  private size = 1;
  private centre = new Vector3();
  private drops: InstancedMesh | null = null;
  private floor: number | null = null;
  constructor(private canvas: HTMLCanvasElement, private gl: HTMLCanvasElement, private view: View, private k: Tokens, changed: () => void) {
    this.camera.up.set(0, 0, 1);
    this.poses = view.run.head.bodies.map(newPose);
    this.measures = measure(view.run);
    gl.hidden = false;
    try { this.renderer = new WebGLRenderer({canvas: gl, antialias: true, alpha: true, preserveDrawingBuffer: true}); } catch { this.renderer = null; }
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', changed);
    this.build();
  }
  dispose(): void {
    this.controls.dispose();
    this.batches.forEach((b) => { b.mesh.geometry.dispose(); b.mesh.dispose(); });
    this.renderer?.dispose();
    this.gl.hidden = true;
    // a canvas keeps its context: the next scene gets a fresh one
    const fresh = this.gl.cloneNode(false) as HTMLCanvasElement;
    this.gl.replaceWith(fresh);
  }

  // ---- building --------------------------------------------------------------------------------

  private build(): void {
    const {run} = this.view, batches = new Map<string, {parts: Part[]; make: () => BufferGeometry; fixed: boolean; open: boolean}>();
    run.head.bodies.forEach((b, i) => {
      for (const s of b.shapes) {
        if (s.kind === 'plane') { this.addPlane(b, s); continue; }
        const g = geometryOf(s, run.head.bodies.length);
        if (!g) continue;
        const key = `${b.fixed} ${g.key}`;
        let batch = batches.get(key);
        if (!batch) batches.set(key, (batch = {parts: [], make: g.make, fixed: b.fixed, open: !!s.inside || (b.fixed && !!s.faces)}));
        batch.parts.push({body: i, local: g.local});
      }
    });
    for (const b of batches.values()) {
      const material = new MeshLambertMaterial({fog: false, color: 0xffffff, flatShading: true, side: b.open ? DoubleSide : undefined, transparent: b.open, opacity: b.open ? 0.55 : 1});
      const mesh = new InstancedMesh(b.make(), material, b.parts.length);
      mesh.frustumCulled = false;
      mesh.userData.fixed = b.fixed;
      this.batches.push({mesh, parts: b.parts});
      this.three.add(mesh);
    }
    this.three.add(this.ground);
    this.three.add(new AmbientLight(0xffffff, 1.5));
    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.set(-0.5, -0.8, 1.6);
    this.three.add(sun);
    const free = run.head.bodies.filter((b) => !b.fixed).length;
    if (this.floor !== null && free <= 200) {
      this.drops = new InstancedMesh(new CylinderGeometry(1, 1, 1e-4, 24), new MeshLambertMaterial({fog: false, color: 0, transparent: true, opacity: 0.12}), Math.max(1, free));
      this.drops.frustumCulled = false;
      this.three.add(this.drops);
    }
    this.restyle(this.k);
  }
  /** A grid in metres on a level plane; a sheet on others. */
  private addPlane(b: Body, s: Shape): void {
    const q = b.quaternion ? new Quaternion(b.quaternion[1], b.quaternion[2], b.quaternion[3], b.quaternion[0]) : new Quaternion();
    const n = new Vector3(...(s.normal as [number, number, number])).applyQuaternion(q), at = new Vector3(...(b.position as [number, number, number])).addScaledVector(n, s.offset ?? 0);
    const level = n.z > 0.999, group = new Group();
    if (level && this.floor === null) this.floor = at.z;
    group.userData = {normal: n.toArray(), level};
    group.position.copy(at);
    group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), n);
    this.ground.add(group);
  }
  private fillGround(): void {
    const step = 10 ** Math.floor(Math.log10(Math.max(this.size, 1e-6) / 2)), cells = 40;
    for (const g of this.ground.children as Group[]) {
      g.clear();
      const span = g.userData.level ? step * cells : 2.2 * this.size;
      const shift = new Vector3().subVectors(this.centre, g.position), n = new Vector3(...(g.userData.normal as [number, number, number]));
      const foot = shift.addScaledVector(n, -shift.dot(n)).applyQuaternion(g.quaternion.clone().invert());
      if (g.userData.level) {
        const grid = new GridHelper(span, cells, new Color(this.k.line), new Color(this.k.line2));
        grid.rotation.x = Math.PI / 2;
        grid.position.set(Math.round(foot.x / step) * step, Math.round(foot.y / step) * step, 0);
        g.add(grid);
        this.ruled = {step, x: g.position.x + grid.position.x, y: g.position.y + grid.position.y, z: g.position.z};
      } else {
        const sheet = new Mesh(new PlaneGeometry(span, span), new MeshLambertMaterial({fog: false, color: new Color(this.k.floor), transparent: true, opacity: 0.35, depthWrite: false}));
        sheet.position.copy(foot);
        const w = span / 2, edge = new BufferGeometry();
        edge.setAttribute('position', new Float32BufferAttribute([-w, -w, 0, w, -w, 0, w, -w, 0, w, w, 0, w, w, 0, -w, w, 0, -w, w, 0, -w, -w, 0], 3));
        const line = new LineSegments(edge, new LineBasicMaterial({color: new Color(this.k.ink3)}));
        line.position.copy(foot);
        g.add(sheet, line);
      }
    }
  }
  restyle(k: Tokens): void {
    this.k = k;
    const free = new Color(k.unique), second = new Color(k.unique).lerp(new Color(k.panel), 0.35), fixed = new Color(k.floor), chosen = new Color(k.rod);
    for (const b of this.batches) {
      b.parts.forEach((p, i) => b.mesh.setColorAt(i, b.mesh.userData.fixed ? fixed : p.body === this.view.focus.body ? chosen : p.body % 2 ? free : second));
      if (b.mesh.instanceColor) b.mesh.instanceColor.needsUpdate = true;
    }
    this.styled = this.view.focus.body;
    this.three.fog?.color.set(k.panel);
    this.fillGround();
  }
  private ruled: {step: number; x: number; y: number; z: number} | null = null;
  /** Metres at every fifth line of the ground, along the two edges of the scene that are near. */
  private ruler(c: Ctx, w: number, h: number): void {
    if (!this.ruled || w < 600) return;
    const {step, x, y, z} = this.ruled, five = 5 * step, half = Math.max(1, Math.ceil((0.55 * this.size) / five)), cx = Math.round(x / five), cy = Math.round(y / five), eye = this.camera.position;
    const sx = eye.x > x ? 1 : -1, sy = eye.y > y ? 1 : -1, lens = this.side > 0 ? w - this.side - 16 : w;
    for (let i = -half; i <= half; i++)
      for (const [px, py, v] of [[(cx + i) * five, (cy + sy * half) * five, (cx + i) * five], [(cx + sx * half) * five, (cy + i) * five, (cy + i) * five]] as [number, number, number][]) {
        const [ax, ay, depth] = this.project([px, py, z]);
        if (depth > 1 || ax < 150 || ax > lens - 20 || ay < 60 || ay > h - 14) continue;
        label(c, tickText(v, five), ax, ay + 4, this.k, 'center', this.k.ink3, 10);
      }
  }
  private styled = -2;
  private side = -1;
  private placed = '';

  // ---- camera ----------------------------------------------------------------------------------

  changed(): void { this.measures = measure(this.view.run); }
  private bounds(): void {
    const {run} = this.view, low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = newPose();
    const see = (x: number, y: number, z: number, r: number) => {
      low.min(new Vector3(x - r, y - r, z - r));
      high.max(new Vector3(x + r, y + r, z + r));
    };
    run.head.bodies.forEach((b, i) => {
      if (b.fixed) return;
      let r = 0;
      for (const s of b.shapes) for (const q of s.corners ?? s.points) r = Math.max(r, Math.hypot(...q) + (s.radius ?? 0));
      const step = Math.max(1, Math.floor(run.n / 60));
      for (let j = 0; j < run.n; j += step) { run.pose(i, run.t.a[j], p); see(p.x, p.y, p.z, r); }
      run.pose(i, run.T1, p);
      see(p.x, p.y, p.z, r);
    });
    if (!isFinite(low.x)) { low.set(-1, -1, -1); high.set(1, 1, 1); }
    this.centre = low.clone().add(high).multiplyScalar(0.5);
    this.size = Math.max(low.distanceTo(high), run.head.size, 1e-6);
    // small bodies on a long way: near them, where they are now
    const most = 9 * run.head.size;
    this.follows = this.size > most;
    if (!this.follows) return;
    this.size = most;
    this.centre = this.middle();
  }
  /** The mean place of the free bodies now. */
  private middle(): Vector3 {
    const {run} = this.view, p = newPose(), sum = new Vector3();
    let count = 0;
    run.head.bodies.forEach((b, i) => { if (!b.fixed) { run.pose(i, this.view.t, p); sum.add(new Vector3(p.x, p.y, p.z)); count++; } });
    return sum.multiplyScalar(1 / Math.max(1, count));
  }
  private follows = false;
  /** A camera that is near to small bodies goes with them. */
  private follow(): void {
    if (!this.follows || !this.framed) return;
    const now = this.middle(), shift = now.clone().sub(this.centre);
    if (shift.lengthSq() === 0) return;
    this.centre = now;
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.fillGround();
  }
  frame(): void { this.framed = false; }
  private aim(): void {
    if (this.framed || !this.view.run.n) return;
    this.framed = true;
    this.bounds();
    this.fillGround();
    const far = (0.62 * this.size) / Math.tan((35 * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    // lines of the ground fade with distance
    this.three.fog = new Fog(new Color(this.k.panel), 1.2 * far, 3.2 * far);
    this.camera.near = far / 200;
    this.camera.far = far * 60;
    this.camera.position.copy(this.centre).add(new Vector3(0.55, -0.75, 0.42).normalize().multiplyScalar(far));
    this.controls.target.copy(this.centre);
    this.controls.update();
    this.camera.updateProjectionMatrix();
  }
  look(direction: number): void {
    const far = this.camera.position.distanceTo(this.controls.target), way = new Vector3(direction === 0 ? 1 : 0, direction === 1 ? 1 : 0, direction === 2 ? 1 : 0);
    if (direction === 2) way.y = -1e-3;
    this.camera.position.copy(this.controls.target).addScaledVector(way.normalize(), far);
    this.controls.update();
  }
  private project(p: number[]): [number, number, number] {
    const v = new Vector3(p[0], p[1], p[2]).project(this.camera);
    return [((v.x + 1) / 2) * this.canvas.clientWidth, ((1 - v.y) / 2) * this.canvas.clientHeight, v.z];
  }
  /** Metres a pixel at a place. */
  private scaleAt(p: number[]): number {
    const d = this.camera.position.distanceTo(new Vector3(p[0], p[1], p[2]));
    return (2 * d * Math.tan((35 * Math.PI) / 360)) / Math.max(1, this.canvas.clientHeight);
  }

  // ---- drawing ---------------------------------------------------------------------------------

  private matrix = new Matrix4();
  private turn = new Quaternion();
  private one = new Vector3(1, 1, 1);
  private origin = new Vector3();
  private span = new Vector3();
  private lying = new Quaternion(Math.SQRT1_2, 0, 0, Math.SQRT1_2);
  private radii: number[] = [];
  draw(): void {
    const c = fit(this.canvas), w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!c) return;
    const {view} = this, {run} = view;
    // the lens does not cover what is looked at
    const side = view.lens && run.contacts.size ? lensBox(w, h)?.w ?? 0 : 0;
    if (this.camera.aspect !== w / h || this.side !== side) {
      this.camera.aspect = w / h;
      this.side = side;
      if (side) this.camera.setViewOffset(w, h, side / 2, 0, w, h); else this.camera.clearViewOffset();
      this.camera.updateProjectionMatrix();
    }
    this.follow();
    this.aim();
    if (this.styled !== view.focus.body) this.restyle(this.k);
    // while only the camera moves, nothing else does
    const key = `${view.t} ${run.n}`;
    if (key !== this.placed) {
      this.placed = key;
      run.poses(view.t, this.poses);
      this.place();
    }
    if (this.renderer) {
      this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
      this.renderer.setSize(w, h, false);
      this.renderer.setClearColor(new Color(this.k.panel), 1);
      this.renderer.render(this.three, this.camera);
    } else label(c, 'This browser has no WebGL: the scene in space cannot be drawn.', 16, 130, this.k);
    this.ruler(c, w, h);
    const main = mainContact(view), touches = run.closedAt(view.t);
    const joints = this.drawn();
    c.strokeStyle = this.k.rod;
    c.lineWidth = 3;
    c.setLineDash([]);
    c.beginPath();
    for (const d of joints)
      d.joint.ends.forEach((e, k) => {
        // bodies without shapes: lines from their centres of mass to their joints
        if (e.body < 0 || run.head.bodies[e.body].shapes.length || d.joint.kind === 'prismatic') return;
        const p = this.poses[e.body], [ax, ay] = this.project([p.x, p.y, p.z]);
        c.moveTo(ax, ay);
        c.lineTo(...(k ? d.b : d.a));
      });
    c.stroke();
    for (const d of joints) drawJoint(c, d, this.k);
    for (const x of touches) if (x.contact.joint < 0) this.contact(c, x, x.contact.slot === main, touches.length);
    const focus = touches.find((x) => x.contact.slot === main && x.contact.joint < 0), box = view.lens && focus ? lensBox(w, h) : null;
    if (focus && box) {
      const e = this.camera.matrixWorld.elements;
      spaceLens(c, box, run, view.t, focus, [e[0], e[1], e[2]], [e[4], e[5], e[6]], this.measures, this.k, outline);
    }
    if (this.pull) this.pulling(c);
    this.triad(c, h);
    if (w >= 600) scaleBars(c, 70, h - 16, this.scaleAt(this.controls.target.toArray()), touches.length ? this.measures.force / 56 : 0, this.k);
  }
  private place(): void {
    for (const b of this.batches) {
      b.parts.forEach((p, i) => {
        const q = this.poses[p.body];
        this.turn.set(q.q[1], q.q[2], q.q[3], q.q[0]);
        this.matrix.compose(this.origin.set(q.x, q.y, q.z), this.turn, this.one).multiply(p.local);
        b.mesh.setMatrixAt(i, this.matrix);
      });
      b.mesh.instanceMatrix.needsUpdate = true;
    }
    if (!this.drops || this.floor === null) return;
    let k = 0;
    this.view.run.head.bodies.forEach((b, i) => {
      if (b.fixed) return;
      const p = this.poses[i], r = (this.radii[i] ??= Math.max(0, ...b.shapes.map((s) => Math.max(s.radius ?? 0, ...(s.corners ?? s.points).map((q) => 0.6 * Math.hypot(q[0], q[1], q[2]))))));
      this.matrix.compose(this.origin.set(p.x, p.y, (this.floor as number) + 1e-4 * this.size), this.lying, this.span.set(r, 1, r));
      (this.drops as InstancedMesh).setMatrixAt(k++, this.matrix);
    });
    this.drops.instanceMatrix.needsUpdate = true;
  }
  private contact(c: Ctx, x: Touch, focused: boolean, count: number): void {
    const [px, py, depth] = this.project(x.point);
    if (depth > 1) return;
    const m = this.scaleAt(x.point), k = this.k;
    const to = (v: number[], length: number): [number, number] => {
      const l = Math.hypot(...v) || 1, [ex, ey] = this.project(x.point.map((p, i) => p + (v[i] / l) * length * m));
      return [ex - px, ey - py];
    };
    if (focused && x.friction > 0) this.cone(c, x, m);
    if (focused) { const [nx, ny] = to(x.dir, 74); arrow(c, px, py, nx, ny, k.normal, 1.4, 6); }
    const f = worldForce(x, false), size = Math.hypot(...f);
    if (size > 0 && (focused || count <= 200)) {
      const [fx, fy] = to(f, Math.min(1.6, size / this.measures.force) * 56);
      const far = focused ? this.hiddenFrom(x.point, f, Math.min(1.6, size / this.measures.force) * 56 * m) : 1;
      if (far < 1) {
        // the part behind a body is dotted
        c.strokeStyle = k.ink;
        c.lineWidth = 2;
        c.setLineDash([2, 4]);
        c.beginPath();
        c.moveTo(px, py);
        c.lineTo(px + fx * (1 - far), py + fy * (1 - far));
        c.stroke();
        c.setLineDash([]);
        arrow(c, px + fx * (1 - far), py + fy * (1 - far), fx * far, fy * far, k.ink, 3, 9);
      } else force(c, px, py, fx, fy, 1e9, focused ? 3 : 1.5, k, focused ? k.ink : k.ink2);
    }
    const s = worldSlip(x, false), speed = Math.hypot(...s);
    if (x.mode !== Mode.Stick && speed > 0.02 * this.measures.slip && (focused || count <= 8)) { const [sx, sy] = to(s, 60 * Math.min(1, speed / this.measures.slip)); arrow(c, px, py, sx, sy, k.tang, focused ? 2.6 : 1.5, 8); }
    const [tx, ty] = x.mode === Mode.Slide && speed > 0 ? to(s, 10) : [1, 0], l = Math.hypot(tx, ty) || 1;
    if (focused || count <= 400) mark(c, px, py, x.mode, x.compliant, tx / l, ty / l, focused ? 5.5 : 3.5, k);
  }
  /** The share of an arrow, from its tip, that no body hides: its foot is often behind one. */
  private hiddenFrom(foot: number[], direction: number[], length: number): number {
    if (this.poses.length > 24) return 1;
    const l = Math.hypot(...direction) || 1, eye = this.camera.position, ray = new Raycaster(), steps = 8;
    const meshes = this.batches.filter((b) => !b.mesh.userData.fixed).map((b) => b.mesh);
    for (const m of meshes) m.computeBoundingSphere();
    const seen = (s: number) => {
      const at = new Vector3(...(foot.map((p, i) => p + (direction[i] / l) * length * s) as [number, number, number])), way = at.clone().sub(eye), far = way.length();
      ray.set(eye, way.normalize());
      const hit = ray.intersectObjects(meshes)[0];
      return !hit || hit.distance > far * (1 - 2e-3);
    };
    let hidden = 0;
    for (let i = 1; i <= steps; i++) if (!seen(i / steps)) hidden = i;
    return hidden === steps ? 0.15 : 1 - hidden / steps;
  }
  /** A double click: what is there becomes the middle. */
  centreOn(p: number[]): void {
    const shift = new Vector3(p[0], p[1], p[2]).sub(this.controls.target);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.controls.update();
  }
  /** Constant on the screen, so that it stays legible. */
  private cone(c: Ctx, x: Touch, m: number): void {
    const n = x.dir, t = x.tangent, o = cross(n, t), a = Math.atan(x.friction), r = 64 * m, rim: [number, number][] = [];
    for (let i = 0; i < 40; i++) {
      const f = (2 * Math.PI * i) / 40, u = Math.sin(a) * Math.cos(f), v = Math.sin(a) * Math.sin(f), w = Math.cos(a);
      const [px, py] = this.project(x.point.map((p, j) => p + r * (w * n[j] + u * t[j] + v * o[j])));
      rim.push([px, py]);
    }
    const [ax, ay] = this.project(x.point), hull = outline([[ax, ay], ...rim]);
    c.globalAlpha = 1;
    c.fillStyle = this.k['cone-w'];
    c.strokeStyle = this.k.ink3;
    c.lineWidth = 1;
    for (const path of [hull, rim]) {
      c.beginPath();
      path.forEach((p, i) => (i ? c.lineTo(...p) : c.moveTo(...p)));
      c.closePath();
      if (path === hull) c.fill();
      c.stroke();
    }
  }
  /** Joints as they stand now: on the screen. */
  private drawn(): DrawnJoint[] {
    const {run, focus} = this.view;
    return (run.head.joints ?? []).map((joint, i) => {
      const turned = (k: number, v: number[]) => { const b = joint.ends[k].body, q = b < 0 ? null : this.poses[b].q, w = new Vector3(v[0], v[1], v[2]); return q ? w.applyQuaternion(this.turn.set(q[1], q[2], q[3], q[0])) : w; };
      const place = (k: number): Vector3 => {
        const e = joint.ends[k], p = e.body < 0 ? null : this.poses[e.body];
        if (k === 1 && joint.placed && joint.kind !== 'distance') return p && joint.kind === 'prismatic' ? new Vector3(p.x, p.y, p.z) : place(0);
        const w = turned(k, e.local);
        return p ? w.add(new Vector3(p.x, p.y, p.z)) : w;
      };
      const at = place(0), a = this.project(at.toArray()), b = this.project(place(1).toArray());
      const tip = this.project(at.clone().addScaledVector(turned(0, joint.ends[0].axis), 22 * this.scaleAt(at.toArray())).toArray());
      return {joint, a: [a[0], a[1]], b: [b[0], b[1]], axis: [tip[0] - a[0], tip[1] - a[1]], focused: focus.joint === i, space: true};
    });
  }
  private pulling(c: Ctx): void {
    const p = this.pull as Pull, q = this.poses[p.body], v = new Vector3(...(p.local as [number, number, number])).applyQuaternion(new Quaternion(q.q[1], q.q[2], q.q[3], q.q[0])).add(new Vector3(q.x, q.y, q.z));
    const [ax, ay] = this.project(v.toArray()), [bx, by] = this.project(p.to);
    c.strokeStyle = this.k.focus;
    c.lineWidth = 1.6;
    c.setLineDash([5, 3]);
    c.beginPath(); c.moveTo(ax, ay); c.lineTo(bx, by); c.stroke();
    c.setLineDash([]);
    label(c, `${num(p.force)} N`, bx + 8, by, this.k, 'left', this.k.focus);
  }
  private triad(c: Ctx, h: number): void {
    const x = 34, y = h - 34, q = this.camera.quaternion.clone().invert();
    (['x', 'y', 'z'] as const).forEach((name, i) => {
      const v = new Vector3(i === 0 ? 1 : 0, i === 1 ? 1 : 0, i === 2 ? 1 : 0).applyQuaternion(q);
      arrow(c, x, y, v.x * 22, -v.y * 22, this.k.ink2, 1.4, 5);
      label(c, name, x + v.x * 29, y - v.y * 29 + 4, this.k, 'center', this.k.ink2);
    });
  }

  /** A frame of the branch view: the same camera, the bodies some time after an instant. */
  branch(canvas: HTMLCanvasElement, branch: Followed, _all: Followed[], start: BranchStart, tau: number): void {
    const c = fit(canvas), w = canvas.clientWidth, h = canvas.clientHeight;
    if (!c) return;
    this.camera.clearViewOffset();
    this.side = -1;
    const {run} = this.view, aspect = this.camera.aspect, until = Math.min(tau, branch.lasted), p = newPose();
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    run.head.bodies.forEach((_, i) => { if (run.columnOf[i] >= 0) branch.pose(run.columnOf[i], until, this.poses[i]); else run.pose(i, start.t, this.poses[i]); });
    this.place();
    this.placed = '';
    if (this.renderer) {
      this.renderer.setSize(w, h, false);
      this.renderer.render(this.three, this.camera);
      c.drawImage(this.gl, 0, 0, w, h);
    }
    const project = (x: number[]): [number, number] => { const v = new Vector3(x[0], x[1], x[2]).project(this.camera); return [((v.x + 1) / 2) * w, ((1 - v.y) / 2) * h]; };
    c.strokeStyle = branch.stable ? this.k.ink2 : this.k.none;
    c.lineWidth = 1.6;
    c.setLineDash(branch.stable ? [2, 3] : [7, 5]);
    run.head.bodies.forEach((_, i) => {
      if (run.columnOf[i] < 0) return;
      c.beginPath();
      for (let s = 0; s <= 16; s++) { branch.pose(run.columnOf[i], (until * s) / 16, p); const at = project([p.x, p.y, p.z]); if (s) c.lineTo(...at); else c.moveTo(...at); }
      c.stroke();
    });
    c.setLineDash([]);
    branch.slots.forEach((slot, i) => {
      const contact = run.contacts.get(slot), x = contact ? run.touch(contact, start.t) : null;
      if (x) mark(c, ...project(x.point), branch.modes[i], false, 1, 0, 5, this.k);
    });
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  // ---- picking ---------------------------------------------------------------------------------

  pick(x: number, y: number): Hit | null {
    const {run} = this.view, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    let best = 10, found = -1;
    for (const t of run.closedAt(this.view.t)) {
      if (t.contact.joint >= 0) continue;
      const [px, py] = this.project(t.point), d = Math.hypot(px - x, py - y);
      if (d < best) { best = d; found = t.contact.slot; }
    }
    const joint = this.drawn().findIndex((d) => Math.hypot(d.a[0] - x, d.a[1] - y) < 9);
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((x / w) * 2 - 1, 1 - (y / h) * 2), this.camera);
    let body = -1, near = Infinity, at = new Vector3();
    for (const b of this.batches) {
      if (b.mesh.userData.fixed) continue;
      b.mesh.computeBoundingSphere();
      for (const hit of ray.intersectObject(b.mesh)) if (hit.instanceId !== undefined && hit.distance < near) { near = hit.distance; body = b.parts[hit.instanceId].body; at = hit.point; }
    }
    if (found < 0 && body < 0 && joint < 0) return null;
    let local = [0, 0, 0];
    if (body >= 0) {
      const q = this.poses[body];
      local = at.clone().sub(new Vector3(q.x, q.y, q.z)).applyQuaternion(new Quaternion(q.q[1], q.q[2], q.q[3], q.q[0]).invert()).toArray();
    }
    return {focus: found >= 0 ? {contact: found, body: -1} : joint >= 0 ? {contact: -1, body: -1, joint} : {contact: -1, body}, body, local, world: at.toArray()};
  }
  world(x: number, y: number, body: number): number[] {
    const q = this.poses[body], at = new Vector3(q.x, q.y, q.z), ray = new Raycaster(), out = new Vector3();
    ray.setFromCamera(new Vector2((x / this.canvas.clientWidth) * 2 - 1, 1 - (y / this.canvas.clientHeight) * 2), this.camera);
    const facing = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), at);
    return (ray.ray.intersectPlane(facing, out) ?? at).toArray();
  }
}

/** Convex outline of points on the screen. */
function outline(points: [number, number][]): [number, number][] {
  const p = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: [number, number][]) => {
    const out: [number, number][] = [];
    for (const q of list) {
      while (out.length > 1) {
        const a = out[out.length - 2], b = out[out.length - 1];
        if ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(q);
    }
    return out;
  };
  const lower = half(p), upper = half(p.reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

