// gallery.mjs: the screenshots of docs/guide/viewer.md and README.  usage: node test/gallery.mjs SPRAG SOURCE-FOLDER OUT-FOLDER [NAME]
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {chromium} from 'playwright-core';

const [tool, source, out, only] = process.argv.slice(2), sprag = resolve(tool), folder = mkdtempSync(join(tmpdir(), 'sprag-gallery-'));
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', process.env.SPRAG_BROWSER].find((p) => p && existsSync(p));
if (!executablePath) { console.log('no browser: the screenshots stay as they are'); process.exit(0); }
// name, what is run, where it is looked at, the size of the window (1280 × 720)
const SCENES = [
  ['painleve', ['examples/painleve-none.yaml', '--until', '0.12', '--output-step', '0.2 ms'], 't=0.0062&tab=0'],
  ['falling-rod', ['examples/falling-rod.yaml'], 't=0.16'],
  ['branches', ['examples/song-case2.yaml', '--until', '10 ms', '--output-step', '0.05 ms'], 't=0.004&branch=1'],
  ['rocking', ['examples/rocking-block.yaml', '--until', '3'], 't=0.75&tab=1'],
  ['space', ['examples/rolling-ball.yaml'], 't=0.3'],
  ['machine', ['examples/slider-crank-clearance.yaml'], 't=0.012&tab=1'],
  ['stepping', ['examples/box-stack.yaml', '--motion', 'stepping', '--step', '1 ms', '--until', '0.5'], 't=0.25&tab=1'],
  ['phone', ['examples/falling-rod.yaml'], 't=0.16', [390, 844]],
  ['wall', ['examples/painleve-none.yaml', '--until', '0.12', '--output-step', '0.2 ms'], 't=0.0062', [1920, 1080]],
];
symlinkSync(resolve(source, 'examples'), join(folder, 'examples'));
const browser = await chromium.launch({executablePath, args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-accelerated-2d-canvas']});
for (const [name, run, hash, [width, height] = [1280, 720]] of SCENES) {
  if (only && only !== name) continue;
  // run beside the examples: the command in the page names no folder of this machine
  const page = join(folder, 'run.html');
  rmSync(page, {force: true});
  const done = spawnSync(sprag, ['run', ...run, '-q', '-o', 'run.html'], {cwd: folder, encoding: 'utf8'});
  if (!existsSync(page)) { console.log(`${name}: ${done.stderr}`); process.exitCode = 1; continue; }
  for (const theme of ['light', 'dark']) {
    const context = await browser.newContext({viewport: {width, height}, colorScheme: theme}), tab = await context.newPage();
    tab.on('pageerror', (e) => { console.log(`${name}: ${e.message}`); process.exitCode = 1; });
    await tab.goto(`file://${page}#${hash}`);
    await tab.waitForTimeout(500);
    await tab.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
    await tab.screenshot({path: join(out, `viewer-${name}-${theme}.png`)});
    await context.close();
  }
}
await browser.close();
rmSync(folder, {recursive: true, force: true});
