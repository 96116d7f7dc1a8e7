// server.mjs: the live server without a browser: everything that viewers and strangers can do wrong.  usage: node test/server.mjs SPRAG SOURCE-FOLDER [NAME]
//
// Under AddressSanitizer the session reports leaks when it ends, and then does not end with status 0.
import http from 'node:http';
import net from 'node:net';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {Client, frame, handshakeText, live} from './socket.mjs';

const [tool, tree, only] = process.argv.slice(2), sprag = resolve(tool), source = resolve(tree), tests = [];
let failures = 0;
const test = (name, body) => tests.push([name, body]);
const check = (ok, what) => { if (!ok) throw new Error(what); };
const pause = (ms) => new Promise((r) => setTimeout(r, ms));
/** What a server says to raw bytes until it hangs up, or for some time. */
const talk = (port, bytes, ms = 400) => new Promise((done) => {
  let said = '', over = false;
  const end = () => { if (!over) { over = true; done(said); s.destroy(); } }, s = net.connect(port, '127.0.0.1', () => { for (const b of [bytes].flat()) s.write(b); setTimeout(end, ms); });
  s.on('data', (d) => { said += d.toString('latin1'); });
  s.on('close', end);
  s.on('error', end);
});

test('hosts, origins, tokens and methods', async () => {
  const server = await live(sprag, source, 'examples/falling-rod.yaml'), {port, search, origin} = server, token = search.replace('?token=', '');
  const get = (path, headers, method = 'GET') => new Promise((done) => { const r = http.request({host: '127.0.0.1', port, path, headers, method}, (a) => { a.resume(); a.on('end', () => done(a.statusCode)); }); r.on('error', () => done(0)); r.end(); });
  const here = `127.0.0.1:${port}`;
  check((await get(`/${search}`, {Host: here})) === 200, 'the page');
  check((await get(`/${search}`, {Host: `localhost:${port}`})) === 200, 'localhost');
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `127.0.0.1.:${port}`, `localhost.evil.example:${port}`, `127.0.0.1:${port}.evil.example`, `x${'y'.repeat(300)}:${port}`])
    check((await get(`/${search}`, {Host: host})) !== 200, `host ${host.slice(0, 40)}`);
  for (const path of ['/', '/?token=', `/?token=${token.slice(0, -1)}`, `/?token=${token}0`, `/?token=${'0'.repeat(5000)}`, `/?tokens=${token}`, '/?token=%00', `/?token=${token.toUpperCase()}x`])
    check((await get(path, {Host: here})) !== 200, `path ${path.slice(0, 40)}`);
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) check((await get(`/${search}`, {Host: here}, method)) !== 200, method);
  const answers = async (path, headers) => (await talk(port, handshakeText(port, path, headers), 150)).startsWith('HTTP/1.1 101');
  check(await answers(`/live${search}`, {Origin: origin}), 'a viewer of our own');
  for (const foreign of ['null', 'http://evil.example', `https://127.0.0.1:${port}`, `http://127.0.0.1:${port}.evil.example`, `http://127.0.0.1:${port}/`, `http://127.0.0.1:${port + 1}`, 'file://', null])
    check(!(await answers(`/live${search}`, {Origin: foreign})), `origin ${foreign}`);
  check(!(await answers('/live?token=wrong', {Origin: origin})), 'a wrong token');
  check(!(await answers('/live', {Origin: origin})), 'no token');
  check(!(await answers(`/live${search}`, {Origin: origin, Host: `evil.example:${port}`})), 'another host');
  await server.stop();
});

test('garbage in frames', async () => {
  const server = await live(sprag, source, 'examples/falling-rod.yaml'), hello = handshakeText(server.port, `/live${server.search}`, {Origin: server.origin});
  const lines = ['', ' ', 'set', 'set mu', 'set mu nan', 'set mu inf', 'set mu 1e999', 'set mu 0x', 'set nothing 1', 'set mu 1 2', 'set simulate.until 1', 'set ../../x 1', 'pull', 'pull 99 0 0 0 0 0 0', 'pull -1 0 0 0 0 0 0', 'pull 0 0 0 0 1 1 1',
    'pull 1e300 0 0 0 0 0 0', 'pull 1 x y z 1 1 1', 'pull 1 0 0 0 1e300 1e300 0', 'release', 'pull 1 0.1 0 0 0 1 0', 'release', 'release', 'speed', 'speed -1', 'speed nan', 'speed 1e308', 'go', 'pause', 'step', 'reset', 'restart', 'restart x', 'quit', '%n%s%x', '\u0000set mu 1', 'set mu 1\u0000', 'ä'.repeat(100)];
  const raw = [frame('x'.repeat(60000)), frame('x'.repeat(2000000)), frame('binary', {opcode: 2}), frame('set mu 0.1', {mask: false}), frame('set mu 0.1', {reserved: 7}), frame('x', {opcode: 3}), frame('x', {opcode: 0}), frame('x', {opcode: 15}), frame('', {opcode: 8}), frame('x', {opcode: 8}),
    frame('x'.repeat(200), {opcode: 9}), frame('', {opcode: 9}), frame('', {opcode: 10}), Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 65]),
    Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(5000, 0x81), Buffer.alloc(5000), Buffer.from(Array.from({length: 4000}, (_, i) => (i * 7919 + (i >> 3)) & 255)), Buffer.concat([frame('set ', {final: false}), frame('mu 0.1', {opcode: 1})]),
    Buffer.concat(Array.from({length: 600}, () => frame('y', {final: false, opcode: 0}))), Buffer.concat([frame('set', {final: false}), ...Array.from({length: 900}, () => frame(' ', {final: false, opcode: 0})), frame('', {opcode: 0})])];
  const viewer = new Client(server);
  await viewer.until(() => viewer.chunks > 0, 'the first samples');
  for (const line of lines) viewer.send(line);
  await Promise.all(raw.map((bytes) => talk(server.port, [hello, bytes], 300)));
  await Promise.all(['\r\n\r\n', 'GET', 'GET / HTTP/9.9\r\n\r\n', `${hello.slice(0, 60)}`, `GET /${'a'.repeat(20000)} HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX: ${'b'.repeat(60000)}\r\n\r\n`, Buffer.alloc(20000, 0xff), '\u0016\u0003\u0001'].map((bytes) => talk(server.port, bytes, 300)));
  // fragments that make a whole line are one
  viewer.send('reset');
  viewer.socket.write(Buffer.concat([frame('set ', {final: false}), frame('mu ', {final: false, opcode: 0}), frame('0.125', {opcode: 0})]));
  const mu = () => viewer.now()[0]?.head?.parameters.find((p) => p.name === 'mu')?.value;
  await viewer.until(() => mu() === 0.125, 'a line in three fragments');
  viewer.send('reset');
  viewer.send('speed 0');
  viewer.send('go');
  await viewer.until(() => viewer.ended(), 'the end of the run');
  viewer.close();
  await server.stop();
});

test('connections that drop, and more viewers than there is room for', async () => {
  const server = await live(sprag, source, 'examples/falling-rod.yaml'), hello = handshakeText(server.port, `/live${server.search}`, {Origin: server.origin}), page = `GET /${server.search} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`;
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({length: 30}, (_, i) => new Promise((done) => {
      const whole = i % 2 ? hello : page, s = net.connect(server.port, '127.0.0.1', () => {
        s.write(i % 3 ? whole : whole.slice(0, 10 + 3 * i));
        setTimeout(() => { if (i % 5) s.destroy(); else s.resetAndDestroy(); done(); }, i % 4 ? 3 * i : 0);
      });
      s.on('error', () => done());
    })));
  await pause(200);
  const all = Array.from({length: 32}, () => new Client(server));
  await Promise.all(all.map((c) => c.ready));
  const late = new Client(server);
  check(await late.ready.then(() => false, () => true), 'the 33rd viewer is refused');
  await Promise.all(all.map((c) => c.until(() => c.chunks > 0, 'samples for everybody')));
  all[0].close();
  await pause(300);
  const next = new Client(server);
  await next.ready;
  all[1].send('set mu 0.5');
  for (const c of [...all.slice(1), next]) await c.until(() => c.now()[0]?.head?.parameters.find((p) => p.name === 'mu')?.value === 0.5, 'all see what one did');
  for (const c of [...all, next]) c.close();
  await server.stop();
});

test('slow readers and noise do not slow the simulation', async () => {
  // much to tell: tops that fly, whose numbers never repeat
  const folder = mkdtempSync(join(tmpdir(), 'sprag-server-')), scene = join(folder, 'swings.yaml');
  writeFileSync(scene, `sprag: 1
dimension: 3
bodies:
  - {name: top$(i), repeat: {i: 20}, mass: 1, inertia: [1e-3, 2e-3, 2.5e-3], position: [10*i, 0, 0], velocity: [1, 2, 3], spin: [3 + i, 1, 7], shapes: [{sphere: {radius: 0.1}}]}
simulate: {until: 3, output-step: 1 ms}
`);
  const server = await live(sprag, source, scene);
  const viewer = new Client(server);
  await viewer.until(() => viewer.chunks > 0, 'the first samples');
  const through = async () => {
    viewer.send('restart');
    await viewer.until(() => !viewer.ended(), 'a new run');
    const begin = performance.now();
    viewer.send('speed 0');
    viewer.send('go');
    await viewer.until(() => viewer.ended(), 'the end of the run', 120000);
    return performance.now() - begin;
  };
  const quiet = await through(), hello = handshakeText(server.port, `/live${server.search}`, {Origin: server.origin});
  const slow = Array.from({length: 20}, () => { const s = net.connect(server.port, '127.0.0.1', () => s.write(hello)); s.pause(); s.on('error', () => undefined); return s; });
  const noisy = new Client(server);
  await noisy.ready;
  const noise = setInterval(() => { for (let i = 0; i < 50; i++) noisy.send('nothing of this is a wish'); }, 5);
  const loud = await through();
  clearInterval(noise);
  console.log(`    alone ${quiet.toFixed(0)} ms, with 20 slow readers and noise ${loud.toFixed(0)} ms; ${(viewer.bytes / 2e6).toFixed(1)} MB a viewer`);
  check(loud < 3 * quiet + 3000, `${loud.toFixed(0)} ms instead of ${quiet.toFixed(0)} ms`);
  // one that wakes up gets everything
  const woken = new Client(server);
  await woken.until(() => woken.ended(), 'the whole run for one who comes late');
  for (const s of slow) s.destroy();
  for (const c of [viewer, noisy, woken]) c.close();
  await server.stop();
  rmSync(folder, {recursive: true});
});

for (const [name, body] of tests) {
  if (only && !name.includes(only)) continue;
  const begin = Date.now();
  try {
    await body();
    console.log(`ok   ${name} (${((Date.now() - begin) / 1e3).toFixed(1)} s)`);
  } catch (e) {
    failures++;
    console.log(`FAIL ${name}: ${e.stack?.split('\n').slice(0, 4).join(' | ')}`);
  }
}
process.exit(failures ? 1 : 0);
