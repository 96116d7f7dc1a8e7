// browser.mjs: the page in a headless browser, offline.  usage: node test/browser.mjs SPRAG SOURCE-FOLDER [NAME]
//
// Prints a line a test and ends with status 1 if one fails. Status 77 (skipped): no browser is at hand.
import {spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {networkInterfaces, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import http from 'node:http';
import net from 'node:net';
import {chromium} from 'playwright-core';
import {manySpheres, flatCrowd} from './synthetic.mjs';

const [tool, tree, only] = process.argv.slice(2), sprag = resolve(tool), source = resolve(tree);
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', process.env.SPRAG_BROWSER].find((p) => p && existsSync(p));
if (!executablePath) { console.log('skipped: chromium-headless-shell is not installed'); process.exit(77); }
const folder = mkdtempSync(join(tmpdir(), 'sprag-viewer-'));
const SIZES = [[390, 844], [1024, 768], [1280, 720], [1920, 1080]];
const env = {...process.env, DISPLAY: '', WAYLAND_DISPLAY: ''};
let failures = 0;
const check = (ok, what) => { if (!ok) throw new Error(what); };
const equal = (a, b, what) => check(Object.is(a, b), `${what}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}`);
const near = (a, b, tolerance, what) => check(Math.abs(a - b) <= tolerance, `${what}: ${a} instead of ${b} (within ${tolerance})`);

// ---- runs ----------------------------------------------------------------------------------------

const run = (example, ...more) => new Promise((resolve, reject) => {
  const child = spawn(sprag, ['run', example, '-q', ...more], {env, cwd: source, stdio: ['ignore', 'ignore', 'pipe']});
  let wrong = '';
  child.stderr.on('data', (d) => { wrong += d; });
  child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`sprag run ${example}: ${wrong}`))));
});
function table(path) {
  const [head, ...rows] = readFileSync(path, 'utf8').trim().split('\n').map((l) => l.split(','));
  return rows.map((r) => Object.fromEntries(r.map((v, i) => [head[i], isNaN(+v) ? v : +v])));
}
const files = {};
/** The page and the table of an example, made once. */
function report(name) {
  files[name] ??= (async () => {
    const page = join(folder, `${name}.html`), csv = join(folder, `${name}.csv`);
    await run(`examples/${name}.yaml`, '-o', page, '-o', csv);
    return {page, csv};
  })();
  return files[name];
}
/** The page of a scene that is no example. */
function scene(name, text, ...more) {
  files[name] ??= (async () => {
    const file = join(folder, `${name}.yaml`), page = join(folder, `${name}.html`);
    writeFileSync(file, text);
    await run(file, '-o', page, ...more);
    return {page, file};
  })();
  return files[name];
}

// ---- pages ---------------------------------------------------------------------------------------

let browser;
/** A page that must not ask the network for anything, nor complain. */
async function open(address, {size = [1280, 720], theme = 'light', allow = null} = {}) {
  const context = await browser.newContext({viewport: {width: size[0], height: size[1]}, colorScheme: theme, reducedMotion: 'reduce'});
  const page = await context.newPage(), complaints = [];
  page.on('console', (m) => { if (m.type() === 'error' && !/GPU stall/.test(m.text())) complaints.push(m.text()); });
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('websocket', (s) => { if (!allow || !s.url().startsWith(allow.replace('http', 'ws'))) complaints.push(`socket ${s.url()}`); });
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (/^(file|data|blob|about):/.test(url) || (allow && url.startsWith(allow))) return route.continue();
    complaints.push(`request ${url}`);
    return route.abort();
  });
  await page.goto(address);
  page.done = async () => {
    await context.close();
    check(!complaints.length, `the page complains: ${complaints.join('; ')}`);
  };
  return page;
}
const openFile = (path, options) => open(`file://${path}`, options);
const frame = (page) => page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
const text = (page, selector) => page.locator(selector).first().innerText();
const number = (s) => +s.replace('−', '-').replace('·10', 'e').replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]/g, (c) => (c === '⁻' ? '-' : String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))));
const clock = async (page) => { await frame(page); return number(await text(page, '#clock')); };
const tests = [];
const test = (name, body) => tests.push([name, body]);
/** One that measures time, and runs while nothing else does. */
const slow = [], alone = (name, body) => slow.push([name, body]);

// ---- reports -------------------------------------------------------------------------------------

test('a report opens from disk and shows its run', async () => {
  const page = await openFile((await report('falling-rod')).page);
  await frame(page);
  equal(await text(page, '#name'), 'falling rod', 'name');
  equal(await page.locator('#events [data-ev]').count(), 5, 'events');
  check((await text(page, '#vhead')).startsWith('One solution'), 'verdict');
  equal(await page.locator('.plot').count(), 5, 'plots');
  check((await page.title()).includes('falling rod'), 'title');
  await page.done();
});

test('numbers equal those of the CSV', async () => {
  for (const name of ['falling-rod', 'painleve-none']) {
    const {page: path, csv} = await report(name), rows = table(csv), page = await openFile(path);
    await frame(page);
    const stored = await page.evaluate(() => Array.from(window.sprag.run.t.a.subarray(0, window.sprag.run.n)));
    equal(stored.length, rows.length, 'every sample of a short run is kept');
    const picks = [0, 7, rows.length >> 2, rows.length >> 1, rows.length - 1];
    for (const i of picks) {
      // at an event the cursor takes the later row
      let k = i;
      while (k + 1 < rows.length && rows[k + 1].t <= rows[k].t) k++;
      const row = rows[k];
      await page.evaluate((t) => window.sprag.seek(t), row.t);
      await frame(page);
      const at = await page.evaluate((t) => {
        const {run, plots} = window.sprag, c = run.ordered().find((x) => x.name === 'tip'), x = run.touch(c, t), p = run.pose(1, t, {});
        return {x: p.x, y: p.y, angle: p.angle, gap: x.gap, slip: x.slip[0], normal: x.normal, tangential: x.tang[0], energy: run.energyAt(t), shown: plots.readings(), solutions: run.solutionCount(t), verdict: run.verdict(t)};
      }, row.t);
      for (const [key, column] of [['x', 'rod.x'], ['y', 'rod.y'], ['angle', 'rod.angle'], ['slip', 'tip.slip'], ['normal', 'tip.normal'], ['tangential', 'tip.tangential']])
        near(at[key], row[column], 1e-6 * Math.max(1e-3, Math.abs(row[column])), `${name} ${column} at ${row.t}`);
      near(at.gap, row['tip.gap'], 1e-6 * Math.max(1e-3, Math.abs(row['tip.gap'])), 'gap');
      near(at.energy[0], row['energy.kinetic'], 1e-6 * Math.max(1e-3, row['energy.kinetic']), 'kinetic energy');
      equal(at.verdict, row.verdict, `verdict at ${row.t}`);
      equal(at.solutions, row.solutions, `solutions at ${row.t}`);
      // what stands beside the plots is the same number, rounded to the places shown
      const shown = at.shown['force.0'], places = (shown.split('.')[1] ?? '').length;
      near(number(shown), row['tip.normal'], 0.51 * 10 ** -places + 1e-6 * Math.abs(row['tip.normal']), `normal force shown at ${row.t}`);
      near(number(at.shown['slip.0']), row['tip.slip'], 6e-4, `slip shown at ${row.t}`);
    }
    await page.done();
  }
});

test('play, scrub, step by sample and by event', async () => {
  const page = await openFile((await report('falling-rod')).page), rows = table((await report('falling-rod')).csv);
  const T1 = rows[rows.length - 1].t;
  equal(await clock(page), 0, 'start');
  await page.keyboard.press('ArrowRight');
  near(await clock(page), 1e-3, 1e-9, 'one sample on');
  await page.keyboard.press('ArrowLeft');
  near(await clock(page), 0, 1e-9, 'one sample back');
  await page.keyboard.press('Shift+ArrowRight');
  near(await clock(page), 0.2031, 1e-4, 'first event');
  check((await text(page, '#live')).includes('Slip reverses'), 'the event is announced');
  equal(await page.locator('#events [aria-current=true]').count(), 1, 'its line is marked');
  await page.locator('[data-do=evnext]').click();
  near(await clock(page), 0.2248, 1e-4, 'second event');
  await page.keyboard.press('Shift+ArrowLeft');
  near(await clock(page), 0.2031, 1e-4, 'back by an event');
  await page.keyboard.press('End');
  near(await clock(page), T1, 1e-4, 'end');
  await page.keyboard.press('Home');
  equal(await clock(page), 0, 'home');
  const track = await page.locator('#track').boundingBox();
  await page.mouse.click(track.x + track.width / 2, track.y + 20);
  near(await clock(page), T1 / 2, T1 / 200, 'scrubbed to the middle');
  check((await page.locator('#track').getAttribute('aria-valuetext')).includes('seconds'), 'the track says its time');
  await page.mouse.move(track.x + track.width * 0.5, track.y + 20);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width * 0.25, track.y + 20);
  await page.mouse.up();
  near(await clock(page), T1 / 4, T1 / 100, 'dragged');
  await page.keyboard.press('Space');
  await page.waitForFunction((t) => window.sprag.view.t > t + 0.002, T1 / 4, {timeout: 30000});
  equal(await page.locator('#play').getAttribute('aria-label'), 'Pause', 'plays');
  await page.keyboard.press('Space');
  const there = await clock(page);
  await page.waitForTimeout(60);
  equal(await clock(page), there, 'paused');
  await page.locator('#events [data-ev="4"]').click();
  near(await clock(page), 0.2467, 1e-4, 'an event by its line');
  await page.done();
});

test('keys, toggles, tabs, focus, plots', async () => {
  const page = await openFile((await report('falling-rod')).page);
  const view = (key) => page.evaluate((k) => window.sprag.view[k], key);
  await frame(page);
  await page.keyboard.press('t');
  equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 't: dark');
  await page.locator('#theme').click();
  equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light', 'button: light');
  for (const [key, name] of [['l', 'lens'], ['g', 'poses'], ['s', 'slow']]) {
    const before = await view(name);
    await page.keyboard.press(key);
    equal(await view(name), !before, key);
    await page.keyboard.press(key);
  }
  const speed = await view('speed');
  await page.keyboard.press('-');
  check((await view('speed')) < speed, '-: slower');
  await page.keyboard.press('+');
  equal(await view('speed'), speed, '+: faster');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('z');
  check((await view('win')) !== null, 'z: zoomed');
  await page.keyboard.press('0');
  equal(await view('win'), null, '0: whole run');
  const ax = await page.locator('.plot .ax').nth(1).boundingBox();
  await page.mouse.move(ax.x + 150, ax.y + 20);
  await frame(page);
  check((await text(page, '.taxis .u')).startsWith('reading t'), 'the pointer reads');
  await page.mouse.down();
  await page.mouse.move(ax.x + 350, ax.y + 20, {steps: 4});
  await page.mouse.up();
  check((await view('win')) !== null, 'a drag selects a window');
  await page.mouse.dblclick(ax.x + 300, ax.y + 30);
  equal(await view('win'), null, 'a double click shows the whole run');
  await page.mouse.click(ax.x + 300, ax.y + 30);
  check((await view('t')) > 0, 'a click sets the cursor');
  for (const [tab, panel] of [['Parameters', '#p-par'], ['Run', '#p-run'], ['Contacts', '#p-ct'], ['Events', '#p-ev']]) {
    await page.getByRole('tab', {name: tab}).click();
    check(await page.locator(panel).isVisible(), `${tab} is shown`);
  }
  await page.keyboard.press('ArrowRight');
  equal(await page.evaluate(() => document.activeElement.id), 't-ct', 'arrows move between tabs');
  await page.locator('#contacts [data-slot]').nth(1).click();
  const focused = await page.evaluate(() => window.sprag.view.focus.contact);
  check(focused >= 0, 'a contact is focused');
  // a click on the rod in the scene focuses the body
  const at = await page.evaluate(() => { const s = window.sprag.scene, p = window.sprag.run.pose(1, window.sprag.view.t, {}); return [s.X(p.x), s.Y(p.y)]; });
  const canvas = await page.locator('#view').boundingBox();
  await page.mouse.click(canvas.x + at[0], canvas.y + at[1]);
  equal(await page.evaluate(() => window.sprag.view.focus.body), 1, 'a body is focused');
  check((await text(page, '.plot h3')).includes('Position'), 'its signals are plotted');
  await page.keyboard.press('Escape');
  equal(await page.evaluate(() => window.sprag.view.focus.body), -1, 'Escape releases');
  await page.keyboard.press('?');
  check(await page.locator('#dlg').isVisible(), '? shows the keys');
  await page.keyboard.press('Escape');
  check(!(await page.locator('#dlg').isVisible()), 'Escape closes them');
  await page.done();
});

test('the address opens at a moment; branches side by side', async () => {
  const {page: path} = await report('painleve-rod'), page = await openFile(`${path}#t=0.5&theme=dark&win=0.4,0.6&tab=2`);
  await frame(page);
  near(await clock(page), 0.5, 1e-4, 'time');
  equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'theme');
  near(await page.evaluate(() => window.sprag.view.win[0]), 0.4, 1e-9, 'window');
  check(await page.locator('#p-par').isVisible(), 'tab');
  await page.done();
  const w = await openFile(`${(await report('song-case2')).page}#t=0.003`);
  await frame(w);
  check((await text(w, '#vhead')).includes('solutions'), 'several solutions');
  await w.keyboard.press('b');
  await frame(w);
  equal(await w.locator('#branches figure').count(), 2, 'a frame a motion');
  const captions = await w.locator('#branches figcaption').allInnerTexts();
  check(captions.some((c) => c.includes('saddle') && c.includes('no run stays on it')), 'the saddle says so');
  check(captions.every((c) => /holds for [0-9.]+ ms|ends after/.test(c)), `how long each lasts: ${captions.join(' | ')}`);
  // frames play together, and the time of the run stands still
  const still = await clock(w);
  await w.keyboard.press('Space');
  await w.waitForFunction(() => window.sprag.branches.tau < 0.02 && window.sprag.branches.tau > 1e-3, null, {timeout: 30000});
  await w.keyboard.press('Space');
  equal(await clock(w), still, 'the cursor stays');
  await w.keyboard.press('b');
  await frame(w);
  check(!(await w.locator('#branches').isVisible()), 'closed again');
  await w.done();
});

const WEDGE = `sprag: 1
name: wedge in space
dimension: 3
bodies:
  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0, 0], offset: -0.5}}]}
  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0, 0], offset: -0.5}}]}
  - {name: wedge, mass: 1, inertia: [0.1, 0.1, 0.1], shapes: [{points: {lower: [-0.5, 0, -0.2], upper: [0.5, 0, 0.2]}}]}
contacts: [{between: [wedge, left], friction: 0.5}, {between: [wedge, right], friction: 0.5}]
simulate: {until: 0.02}
`;
test('branches in space; a lens there', async () => {
  const page = await openFile(`${(await scene('wedge-in-space', WEDGE)).page}#t=0&branch=1`);
  await frame(page);
  equal(await page.locator('#branches figure').count(), 2, 'a frame a motion');
  const pixels = await page.evaluate(() => [...document.querySelectorAll('#branches canvas')].map((c) => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, all = new Set(); for (let i = 0; i < d.length; i += 4) all.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]); return all.size; }));
  check(pixels.every((n) => n > 8), `both frames show something: ${pixels}`);
  // the one falls as free bodies do, the other stays
  const fall = await page.evaluate(() => { const s = window.sprag.run.branches[0]; return s.branches.map((b) => [b.lasted, b.frames[b.frames.length - 1][2]]); });
  for (const [lasted, z] of fall) check(Math.abs(z) < 1e-9 || Math.abs(z + 4.905 * lasted * lasted) < 1e-6, `z = ${z} after ${lasted}`);
  await page.keyboard.press('b');
  await frame(page);
  check(await page.evaluate(() => window.sprag.scene.side > 0), 'the scene makes room for the lens');
  await page.keyboard.press('l');
  await frame(page);
  equal(await page.evaluate(() => window.sprag.scene.side), 0, 'without it the scene has all of the room');
  await page.done();
});

/** Runs in the page: how far the motions of the diagram are from its line, in pixels. */
function offTheLine() {
  const lines = [...document.querySelectorAll('#char .line')].flatMap((p) => {
    const out = [];
    let at = null;
    for (const [, what, x, y] of p.getAttribute('d').matchAll(/([ML])([-\d.]+) ([-\d.]+)/g)) { if (what === 'L') out.push([...at, +x, +y]); at = [+x, +y]; }
    return out;
  });
  const off = ([x0, y0, x1, y1], x, y) => { const dx = x1 - x0, dy = y1 - y0, f = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1))); return Math.hypot(x0 + f * dx - x, y0 + f * dy - y); };
  return {pieces: lines.length, off: [...document.querySelectorAll('#char .motion')].map((c) => Math.min(...lines.map((l) => off(l, +c.getAttribute('cx'), +c.getAttribute('cy')))))};
}
test('the force diagram: every motion lies on its line', async () => {
  // one contact and several, in the plane and in space; the motions come from the search of the library, the line from the page
  const cases = ['painleve-rod', 'song-case2', 'rocking-block', 'ladder', 'wedge', 'rolling-ball', 'capsule-drop', 'box-on-incline-in-space'];
  for (const name of cases) {
    const page = await openFile((await report(name)).page);
    const times = await page.evaluate(() => { const {run} = window.sprag, all = [...Array(run.n).keys()].filter((i) => run.problems[i]?.W && run.problems[i].count); return [0.1, 0.7].map((f) => run.t.a[all[Math.floor(f * all.length)]]); });
    for (const t of times) {
      await page.evaluate((x) => window.sprag.seek(x), t);
      await frame(page);
      const slots = await page.evaluate((x) => window.sprag.run.problem(x)?.problem.slots ?? [], t);
      check(slots.length > 0, `${name}: contacts at ${t}`);
      for (const slot of slots.slice(0, 3)) {
        await page.evaluate((s) => window.sprag.focus(s, -1), slot);
        await frame(page);
        const {pieces, off} = await page.evaluate(offTheLine);
        check(pieces > 0 && off.length > 0, `${name} at ${t}: a line and motions`);
        check(off.every((d) => d < 1.5), `${name} at ${t}, contact ${slot}: motions are ${off.map((d) => d.toFixed(1))} px off the line`);
      }
    }
    if (name === 'rocking-block') {
      await page.locator('#swap').click();
      await frame(page);
      check((await page.locator('#char').textContent()).includes('eigenvalues'), 'eigenvalues instead');
    }
    await page.done();
  }
});

test('joints are drawn and listed; a stepping run says that it is not analysed', async () => {
  const {page: path} = await report('double-pendulum-impact'), page = await openFile(`${path}#t=0.3&tab=1`);
  await frame(page);
  const joints = await page.locator('#contacts [data-joint]').allInnerTexts();
  equal(joints.length, 2, 'joints in the list');
  check(joints[0].includes('ceiling') && joints[1].includes('elbow'), `their names: ${joints.join(' | ')}`);
  await page.locator('#contacts [data-joint]').nth(1).click();
  equal(await page.evaluate(() => window.sprag.view.focus.joint), 1, 'a joint is focused');
  // pins hold: both ends of the elbow are at one place, and a click there focuses it
  const ends = await page.evaluate(() => { const d = window.sprag.scene.drawn()[1]; return [d.a, d.b]; });
  near(Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]), 0, 0.5, 'the ends of the elbow, in pixels');
  await page.keyboard.press('Escape');
  const canvas = await page.locator('#view').boundingBox();
  await page.mouse.click(canvas.x + ends[0][0], canvas.y + ends[0][1]);
  equal(await page.evaluate(() => window.sprag.view.focus.joint), 1, 'a click on the pin');
  // whatever signals of joints the run has are plotted, by name
  const extras = await page.evaluate(() => window.sprag.run.head.extras.filter((e) => e.name.startsWith('elbow.')).map((e) => e.name));
  if (extras.length) check((await page.locator('.plot h3').allInnerTexts()).some((h) => h.includes('elbow')), 'its signals are plotted');
  await page.done();
  const {page: stepped} = await scene('stepped', `sprag: 1
materials: {default: {friction: 0.5}}
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}
  - {name: box$(i), repeat: {i: 3}, density: 500, position: [0.01*i, 0.06 + 0.11*i], shapes: [{box: {size: [0.1, 0.1]}}]}
simulate: {motion: stepping, step: 1e-3, until: 0.3}
`), p = await openFile(`${stepped}#t=0.25`);
  await frame(p);
  equal(await text(p, '#vhead'), 'Not analysed', 'heading');
  check((await p.locator('#track').textContent()).includes('not analysed'), 'the lane says so');
  check((await p.locator('.plot h3').allInnerTexts()).some((h) => h.startsWith('Residual')), 'the residual has a plot');
  check((await text(p, '#words')).includes('residual of this step'), 'and a number');
  await p.done();
});

test('more than 24 contacts: the others as an envelope', async () => {
  const {page: path} = await scene('thirty', `sprag: 1
materials: {default: {friction: 0.3}}
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}
  - {name: disc$(i), repeat: {i: 30}, mass: 1 + i, position: [0.3*i, 0.1], velocity: [0.2, 0], shapes: [{circle: {radius: 0.1}}]}
simulate: {until: 0.05}
`), page = await openFile(path);
  await frame(page);
  check((await text(page, '.ash')).includes('of 29 others'), 'it says so');
  equal(await page.locator('#track .crowd').count(), 2, 'one lane for all contacts: they slide, then roll');
  const rows = await page.evaluate(() => { const p = window.sprag.plots.panels.find((x) => x.id === 'force'), focus = window.sprag.run.contacts.get(window.sprag.view.focus.contact).name; return {faint: p.faint.map((f) => f[5]), focus}; });
  // discs of 1, 2, … 30 kg at rest press with their weights
  const all = Array.from({length: 30}, (_, i) => 9.81 * (i + 1)).filter((_, i) => !rows.focus.startsWith(`disc${i}-`) && !rows.focus.startsWith(`disc${i}.`));
  equal(all.length, 29, 'the focus is left out');
  for (const [k, wanted] of [[0, all[0]], [1, all[14]], [2, all[28]]]) near(rows.faint[k], wanted, 1e-5 * wanted, `envelope ${k}`);
  await page.done();
});

test('no overlap, no clipping, contrast of text', async () => {
  const cases = [['falling-rod', [0, 0.1, 0.21, 0.3]], ['painleve-none', [0.002, 0.012, 0.5, 1]], ['wedge', [0.01, 0.5]], ['double-pendulum-impact', [0.3]]];
  for (const [name, times] of cases) {
    const page = await openFile((await report(name)).page);
    for (const size of name === 'falling-rod' ? SIZES : [SIZES[0], SIZES[2]]) {
      await page.setViewportSize({width: size[0], height: size[1]});
      await frame(page);
      for (const t of [...times, 'theme']) {
        if (t === 'theme') await page.keyboard.press('t'); else await page.evaluate((x) => window.sprag.seek(x), t);
        await frame(page);
        const found = await page.evaluate(layoutFaults), theme = await page.evaluate(() => document.documentElement.dataset.theme);
        check(!found.length, `${name} at ${t}, ${size.join('×')}, ${theme}: ${found.slice(0, 5).join('; ')}`);
      }
    }
    await page.done();
  }
});

/** Runs in the page: texts that overlap, leave their boxes or are hard to read. */
function layoutFaults() {
  const faults = [], boxes = [];
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return [m[0], m[1], m[2], m[3] ?? 1]; };
  const light = (c) => { const f = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const ground = (e) => {
    let c = [255, 255, 255], layers = [];
    for (let x = e; x; x = x.parentElement) { const b = parse(getComputedStyle(x).backgroundColor); if (b[3] > 0) { layers.push(b); if (b[3] === 1) break; } }
    for (const b of layers.reverse()) c = c.map((v, i) => v * (1 - b[3]) + b[i] * b[3]);
    return c;
  };
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement, s = n.textContent.trim();
    if (!s || e.closest('script,style,noscript,title,dialog:not([open]),.vh,.skip,[hidden],option,select')) continue;
    const style = getComputedStyle(e);
    if (style.visibility === 'hidden' || style.color === 'rgba(0, 0, 0, 0)' || e.closest('tr.blank')) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    const r = range.getBoundingClientRect();
    if (!r.width || !r.height) continue;
    // what is scrolled away in its panel is not seen
    let hidden = false;
    for (let x = e; x && x !== document.body; x = x.parentElement) {
      const o = getComputedStyle(x);
      if (o.overflowX !== 'visible' || o.overflowY !== 'visible') {
        const b = x.getBoundingClientRect();
        if (r.bottom < b.top + 2 || r.top > b.bottom - 2 || r.right < b.left + 1 || r.left > b.right - 1) { hidden = true; break; }
        const scrolls = /auto|scroll/.test(o.overflowY) && x.scrollHeight > x.clientHeight + 1;
        const cut = o.textOverflow === 'ellipsis';
        if (!cut && (r.right > b.right + 1.5 || r.left < b.left - 1.5)) faults.push(`"${s.slice(0, 30)}" is cut at the side of ${x.className || x.tagName}`);
        if (!cut && !scrolls && r.bottom > b.bottom + 3) faults.push(`"${s.slice(0, 30)}" is cut below by ${x.className || x.tagName}`);
        if (scrolls) hidden = hidden || r.bottom > b.bottom || r.top < b.top;
      }
    }
    const fixed = !!e.closest('.bar,.top,.scene') && innerWidth < 900;
    if (!hidden && r.right > innerWidth + 1 && !e.closest('.tabp')) faults.push(`"${s.slice(0, 30)}" leaves the window`);
    const size = parseFloat(style.fontSize);
    if (size < 9.9) faults.push(`"${s.slice(0, 30)}" is ${size} px`);
    const colour = parse(e instanceof SVGElement ? style.fill : style.color), back = ground(e instanceof SVGElement ? e.ownerSVGElement.parentElement : e);
    if (colour[3] === 1 && style.opacity === '1') {
      const a = light(colour), b = light(back), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) faults.push(`"${s.slice(0, 30)}" has contrast ${ratio.toFixed(2)}`);
    }
    if (!hidden && !fixed) boxes.push({r, s, e});
  }
  // on a phone the fixed bars cover what scrolls beneath them on purpose
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length; j++) {
      const a = boxes[i].r, b = boxes[j].r, w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (w > 2 && h > 4 && !boxes[i].e.contains(boxes[j].e) && !boxes[j].e.contains(boxes[i].e) && boxes[i].e.parentElement !== boxes[j].e && !(boxes[i].e.closest('.words') && boxes[j].e.closest('.words')))
        faults.push(`"${boxes[i].s.slice(0, 24)}" overlaps "${boxes[j].s.slice(0, 24)}"`);
    }
  return faults;
}

test('empty and broken pages say what is the matter', async () => {
  const whole = readFileSync((await report('falling-rod')).page, 'utf8'), path = join(folder, 'broken.html');
  writeFileSync(path, whole.replace(/(id="sprag-chunk"[^>]*>)[A-Za-z0-9+/=]{400}/, '$1'));
  let page = await openFile(path);
  check((await text(page, '#failed')).includes('CSV'), 'a broken page');
  await page.done();
  page = await openFile((await report('box-at-rest')).page);
  await frame(page);
  check((await text(page, '#events')).includes('Nothing happened'), 'no events');
  check((await text(page, '#vhead')).startsWith('One solution'), 'held');
  await page.done();
});

alone('200 bodies in the plane, 1000 spheres in space', async () => {
  let path = join(folder, 'crowd.html');
  const template = readFileSync((await report('falling-rod')).page, 'utf8');
  const put = ({head, tail, chunk}) => template.replace(/<script id="sprag-head"[^]*?<\/script>\s*<script id="sprag-tail"[^]*?<\/script>\s*<script id="sprag-chunk"[^]*?<\/script>/, () =>
    `<script id="sprag-head" type="application/json">${JSON.stringify(head)}</script><script id="sprag-tail" type="application/json">${JSON.stringify(tail)}</script><script id="sprag-chunk" type="text/plain">${chunk}</script>`);
  const spent = async (page, most, what, count = 15) => {
    await frame(page);
    // other work on the machine only adds: the best of a few rounds is what the page needs
    let median = Infinity;
    for (let round = 0; round < 4 && !(median < most); round++) {
      const times = await page.evaluate(async (count) => {
        const out = [];
        for (let i = 0; i < count; i++) {
          window.sprag.frames.longest = 0;
          window.sprag.seek((i / count) * window.sprag.run.T1);
          await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
          out.push(window.sprag.frames.longest);
        }
        return out.sort((a, b) => a - b);
      }, count);
      median = Math.min(median, times[times.length >> 1]);
    }
    check(median < most, `${what}: ${median.toFixed(1)} ms a frame (median)`);
    console.log(`    ${what}: ${median.toFixed(1)} ms of script a frame`);
  };
  writeFileSync(path, put(flatCrowd(200)));
  let page = await openFile(path);
  await spent(page, 8, '200 bodies');
  await page.done();
  path = join(folder, 'spheres.html');
  writeFileSync(path, put(manySpheres(1000)));
  page = await openFile(path);
  await spent(page, 16, '1000 spheres', 9);
  const before = await page.evaluate(() => window.sprag.scene.camera.position.toArray());
  const canvas = await page.locator('#view').boundingBox();
  await page.mouse.move(canvas.x + 300, canvas.y + 150);
  await page.mouse.down();
  await page.mouse.move(canvas.x + 420, canvas.y + 170, {steps: 3});
  await page.mouse.up();
  const after = await page.evaluate(() => window.sprag.scene.camera.position.toArray());
  check(Math.hypot(...before.map((v, i) => v - after[i])) > 0.05, 'the camera turns');
  // while only the camera turns, script has little to do
  const turning = await page.evaluate(async () => {
    const out = [], {scene} = window.sprag;
    for (let i = 0; i < 8; i++) {
      window.sprag.frames.longest = 0;
      scene.camera.position.applyAxisAngle(scene.camera.up, 0.05);
      scene.controls.update();
      window.sprag.mark();
      await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
      out.push(window.sprag.frames.longest);
    }
    return out.sort((a, b) => a - b)[4];
  });
  console.log(`    1000 spheres, camera: ${turning.toFixed(1)} ms of script a frame`);
  await page.done();
});

const TWENTY = `sprag: 1
name: twenty discs
materials: {default: {friction: 0.3}}
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}
  - {name: disc$(i), repeat: {i: 20}, mass: 1, position: [0.3*i, 0.5 + 0.02*i], velocity: [0.2, 0], shapes: [{circle: {radius: 0.1}}]}
simulate: {until: 60, output-step: 0.005}
`;
alone('60 s of 20 bodies stay below 5 MB and load within a second', async () => {
  const {page} = await scene('twenty', TWENTY), size = statSync(page).size;
  console.log(`    ${(size / 1e6).toFixed(2)} MB`);
  check(size < 5e6, `${size} bytes`);
  const p = await openFile(page);
  await frame(p);
  const {loaded, shown} = await p.evaluate(() => ({loaded: performance.getEntriesByType('navigation')[0].domComplete, shown: performance.now()}));
  console.log(`    loaded after ${loaded.toFixed(0)} ms, its first frame after ${shown.toFixed(0)} ms`);
  check(loaded < 4000, `it loads in ${loaded.toFixed(0)} ms`); // a second on a machine that does nothing else
  await p.locator('#t-run').click();
  check((await text(p, '#runinfo')).includes('in a CSV'), 'the page says that it has fewer samples');
  await p.done();
});

// A build without libwebsockets has no live viewer, and says so.
const hasLive = !spawnSync(sprag, ['view', 'no.yaml'], {env, encoding: 'utf8'}).stderr.includes('libwebsockets');

// ---- live ----------------------------------------------------------------------------------------

async function live(scene, ...more) {
  const child = spawn(sprag, ['view', scene, '-q', '--no-open', ...more], {env, cwd: source, stdio: ['ignore', 'pipe', 'pipe']});
  let said = '', wrong = '';
  child.stderr.on('data', (d) => { wrong += d; });
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address: ${wrong}`)), 20000);
    child.stdout.on('data', (d) => { said += d; if (said.includes('\n')) { clearTimeout(timer); resolve(said.trim()); } });
    child.on('exit', (c) => { clearTimeout(timer); reject(new Error(`sprag view ended with ${c}: ${wrong}`)); });
  });
  const origin = new URL(address).origin;
  const stop = () => new Promise((resolve, reject) => {
    child.removeAllListeners('exit');
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`sprag view ended with ${code}: ${wrong}`))));
    child.kill('SIGINT');
  });
  return {child, address, origin, stop};
}
const request = (port, path, headers, method = 'GET') => new Promise((resolve, reject) => {
  const r = http.request({host: '127.0.0.1', port, path, headers, method}, (a) => { a.resume(); a.on('end', () => resolve(a.statusCode)); });
  r.on('error', reject);
  r.end();
});
/** The answer to a handshake, as its first line; '' if the server hangs up. */
const handshake = (port, path, headers, send = null) => new Promise((resolve) => {
  let said = '';
  const s = net.connect(port, '127.0.0.1', () => {
    const all = {Host: `127.0.0.1:${port}`, Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Protocol': 'sprag', ...headers};
    s.write(`GET ${path} HTTP/1.1\r\n${Object.entries(all).filter(([, v]) => v !== null).map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n`);
  });
  const end = () => { resolve(said.split('\r\n')[0]); s.destroy(); };
  s.on('data', (d) => { said += d.toString('latin1'); if (said.includes('\r\n\r\n')) { if (send) { s.write(send); send = null; setTimeout(end, 150); } else end(); } });
  s.on('close', end);
  s.on('error', end);
  setTimeout(end, 3000);
});

(hasLive ? test : () => undefined)('live: the friction slider changes the verdict; reset; two viewers', async () => {
  const server = await live('examples/painleve-none.yaml', '--set', 'mu=0.5');
  const first = await open(server.address, {allow: server.origin}), second = await open(server.address, {allow: server.origin});
  const heading = (page, word) => page.waitForFunction((w) => document.querySelector('#vhead')?.textContent.includes(w), word, {timeout: 30000});
  await heading(first, 'One solution');
  await heading(second, 'One solution');
  check((await text(first, '#conn')).includes('Live'), 'it says that it is live');
  const slider = first.locator('[data-par=mu]');
  await slider.fill('2.2');
  await heading(first, 'No rigid solution');
  await heading(second, 'No rigid solution');
  await second.waitForFunction(() => Math.abs(Number(document.querySelector('[data-par=mu]').value) - 2.2) < 1e-9, null, {timeout: 30000});
  await first.locator('[data-do=reset]').click();
  await heading(first, 'One solution');
  await heading(second, 'One solution');
  await first.waitForFunction(() => Math.abs(Number(document.querySelector('[data-par=mu]').value) - 0.5) < 1e-9, null, {timeout: 30000});
  // forward: play, pause, a single step; slowly, so that a busy machine does not miss the pause
  await first.locator('#speed').selectOption('0.01');
  await first.locator('#scene').focus();
  await first.keyboard.press('Space');
  await first.waitForFunction(() => window.sprag.run.T1 > 0.005, null, {timeout: 30000});
  await first.keyboard.press('Space');
  await first.waitForFunction(() => document.querySelector('#conn').textContent.includes('paused'), null, {timeout: 30000});
  await second.waitForFunction((t) => window.sprag.run.T1 >= t, await first.evaluate(() => window.sprag.run.T1), {timeout: 30000});
  const at = await first.evaluate(() => { window.sprag.seek(window.sprag.run.T1); return window.sprag.run.T1; });
  await first.keyboard.press('ArrowRight');
  await first.waitForFunction((t) => window.sprag.run.T1 > t, at, {timeout: 30000});
  near(await first.evaluate(() => window.sprag.run.T1), at + 1e-3, 1.1e-3, 'a step on');
  // a pull by hand
  await first.evaluate(() => window.sprag.live.send('pull 1 0.2 0 0 0.5 2 0'));
  await first.evaluate(() => { window.sprag.live.send('speed 0.1'); window.sprag.live.send('go'); });
  await first.waitForFunction((t) => window.sprag.run.T1 > t + 0.05, at, {timeout: 30000});
  check(await first.evaluate(() => window.sprag.run.energy[2].a.slice(0, window.sprag.run.n).some((e) => e > 0.01)), 'the spring has energy');
  await first.evaluate(() => window.sprag.live.send('release'));
  await first.done();
  await second.done();
  await server.stop();
});

(hasLive ? test : () => undefined)('live: strangers are refused, garbage harms nobody', async () => {
  const server = await live('examples/falling-rod.yaml'), {port} = new URL(server.address), path = new URL(server.address).search, good = {Origin: server.origin};
  equal(await request(port, `/${path}`, {Host: `127.0.0.1:${port}`}), 200, 'the page');
  equal(await request(port, `/${path}`, {Host: `evil.example:${port}`}), 403, 'another host');
  // other interfaces than loopback do not even accept
  const opens = (host) => new Promise((done) => { const s = net.connect({port, host, timeout: 2000}, () => { s.destroy(); done(true); }); s.on('error', () => done(false)); s.on('timeout', () => { s.destroy(); done(false); }); });
  const addresses = Object.values(networkInterfaces()).flat();
  for (const a of addresses.filter((x) => !x.internal && !x.address.startsWith('fe80'))) check(!(await opens(a.address)), `${a.address} is listened on`);
  if (addresses.some((a) => a.address === '::1')) check(await opens('::1'), '::1 is listened on');
  equal(await request(port, '/?token=wrong', {Host: `127.0.0.1:${port}`}), 403, 'a wrong token');
  equal(await request(port, '/', {Host: `127.0.0.1:${port}`}), 403, 'no token');
  equal(await request(port, `/etc/passwd${path}`, {Host: `127.0.0.1:${port}`}), 404, 'another path');
  equal(await request(port, `/${path}`, {Host: `127.0.0.1:${port}`}, 'POST'), 405, 'POST');
  check((await handshake(port, `/live${path}`, good)).includes('101'), 'a socket of our own');
  for (const [what, p, headers] of [['a foreign origin', `/live${path}`, {Origin: 'http://evil.example'}], ['no origin', `/live${path}`, {}], ['a wrong token', '/live?token=00', good],
    ['a foreign host', `/live${path}`, {...good, Host: 'evil.example'}], ['another protocol', `/live${path}`, {...good, 'Sec-WebSocket-Protocol': 'chat'}], ['no protocol', `/live${path}`, {...good, 'Sec-WebSocket-Protocol': null}]])
    check(!(await handshake(port, p, headers)).includes('101'), `${what} is refused`);
  const masked = (payload, opcode = 1) => { const b = Buffer.from(payload), head = b.length < 126 ? Buffer.from([0x80 | opcode, 0x80 | b.length]) : Buffer.from([0x80 | opcode, 0x80 | 126, b.length >> 8, b.length & 255]); return Buffer.concat([head, Buffer.from([0, 0, 0, 0]), b]); };
  for (const junk of [masked('set mu nan'), masked('set mu 1e999'), masked('set nothing 1'), masked('set mu'), masked('pull 99 0 0 0 0 0 0'), masked('pull -1 0 0 0 0 0 0'), masked('pull 1 x y z 1 1 1'), masked('speed -1'),
    masked('%n%n%s'), masked('x'.repeat(60000)), masked('binary', 2), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(3000, 0x81)])
    await handshake(port, `/live${path}`, good, junk);
  // a reader that never reads
  const slow = net.connect(port, '127.0.0.1', () => slow.write(`GET /live${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sprag\r\nOrigin: ${server.origin}\r\n\r\n`));
  slow.on('error', () => undefined);
  slow.pause();
  const page = await open(server.address, {allow: server.origin});
  await page.waitForFunction(() => window.sprag?.run.n > 0, null, {timeout: 30000});
  await page.locator('#speed').selectOption('0');
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.sprag.run.end, null, {timeout: 30000});
  near(await page.evaluate(() => window.sprag.run.T1), 0.4, 1e-9, 'the run went to its end');
  slow.destroy();
  // the server goes away: what has arrived stays
  await server.stop();
  await page.waitForFunction(() => !document.querySelector('#notice').hidden, null, {timeout: 30000});
  check((await text(page, '#notice')).includes('lost'), 'the page says that the connection is lost');
  check(await page.locator('[data-par=mu]').isDisabled(), 'sliders are locked');
  await page.close();
});

// ---- all -----------------------------------------------------------------------------------------

browser = await chromium.launch({executablePath, args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-accelerated-2d-canvas']});
async function perform([name, body]) {
  if (only && !name.includes(only)) return;
  const begin = Date.now();
  try {
    await body();
    console.log(`ok   ${name} (${((Date.now() - begin) / 1e3).toFixed(1)} s)`);
  } catch (e) {
    failures++;
    const place = (e.stack ?? '').split('\n').find((l) => l.includes('browser.mjs')) ?? '';
    console.log(`FAIL ${name}: ${e.message.split('\n').slice(0, 6).join(' | ')} ${place.trim()}`);
  }
}
const began = Date.now(), lane = async () => { for (let next = tests.shift(); next; next = tests.shift()) await perform(next); };
if (!only) void scene('twenty', TWENTY).catch(() => undefined); // it takes longest
await Promise.all([lane(), lane()]);
for (const t of slow) await perform(t);
console.log(`all in ${((Date.now() - began) / 1e3).toFixed(1)} s`);
await browser.close();
rmSync(folder, {recursive: true, force: true});
process.exit(failures ? 1 : 0);
