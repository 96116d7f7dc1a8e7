// socket.mjs: a plain WebSocket client and a live session, for tests: nothing is hidden, so that everything can be done wrong.
import {spawn} from 'node:child_process';
import net from 'node:net';

/** `sprag view` as a child; stop() ends it by Ctrl-C and fails unless it ends well and says nothing. */
export async function live(sprag, cwd, scene, ...more) {
  const child = spawn(sprag, ['view', scene, '-q', '--no-open', ...more], {env: {...process.env, DISPLAY: '', WAYLAND_DISPLAY: ''}, cwd, stdio: ['ignore', 'pipe', 'pipe']});
  let said = '', wrong = '';
  child.stderr.on('data', (d) => { wrong += d; });
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address: ${wrong}`)), 60000);
    child.stdout.on('data', (d) => { said += d; if (said.includes('\n')) { clearTimeout(timer); resolve(said.trim()); } });
    child.on('exit', (c) => { clearTimeout(timer); reject(new Error(`sprag view ended with ${c}: ${wrong}`)); });
  });
  const {origin, port, search} = new URL(address);
  const stop = () => new Promise((resolve, reject) => {
    child.removeAllListeners('exit');
    child.on('exit', (code) => (code === 0 && !wrong ? resolve() : reject(new Error(`sprag view ended with ${code}: ${wrong.slice(0, 2000)}`))));
    if (child.exitCode !== null) reject(new Error(`sprag view had ended with ${child.exitCode}: ${wrong.slice(0, 2000)}`));
    child.kill('SIGINT');
  });
  return {child, address, origin, port: Number(port), search, stop};
}

export function handshakeText(port, path, headers = {}) {
  const all = {Host: `127.0.0.1:${port}`, Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Protocol': 'sprag', ...headers};
  return `GET ${path} HTTP/1.1\r\n${Object.entries(all).filter(([, v]) => v !== null).map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n`;
}
/** A frame as a client sends it, masked with zeros. */
export function frame(payload, {opcode = 1, final = true, mask = true, reserved = 0} = {}) {
  const b = Buffer.from(payload), first = (final ? 0x80 : 0) | (reserved << 4) | opcode, m = mask ? 0x80 : 0;
  const head = b.length < 126 ? Buffer.from([first, m | b.length]) : b.length < 65536 ? Buffer.from([first, m | 126, b.length >> 8, b.length & 255]) : Buffer.from([first, m | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((s) => (b.length >>> s) & 255)]);
  return Buffer.concat([head, mask ? Buffer.alloc(4) : Buffer.alloc(0), b]);
}

/** A viewer that reads everything: send(), and until(test) of the JSON messages. */
export class Client {
  messages = [];
  bytes = 0;
  chunks = 0;
  closed = false;
  #waiting = [];
  #rest = Buffer.alloc(0);
  #upgraded = false;
  constructor(server, headers = {}) {
    this.socket = net.connect(server.port, '127.0.0.1', () => this.socket.write(handshakeText(server.port, `/live${server.search}`, {Origin: server.origin, ...headers})));
    this.ready = new Promise((resolve, reject) => { this.#waiting.push({test: () => this.#upgraded, resolve, reject}); });
    this.socket.on('data', (d) => this.#hear(d));
    this.socket.on('error', () => this.#end());
    this.socket.on('close', () => this.#end());
  }
  #end() { this.closed = true; for (const w of this.#waiting.splice(0)) w.reject(new Error('the server hung up')); }
  #hear(data) {
    this.bytes += data.length;
    this.#rest = Buffer.concat([this.#rest, data]);
    if (!this.#upgraded) {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!this.#rest.subarray(0, end).toString('latin1').includes(' 101 ')) { this.socket.destroy(); return; }
      this.#upgraded = true;
      this.#rest = this.#rest.subarray(end + 4);
    }
    while (this.#take());
    this.#waiting = this.#waiting.filter((w) => { if (!w.test()) return true; w.resolve(); return false; });
  }
  #take() {
    const b = this.#rest;
    if (b.length < 2) return false;
    let length = b[1] & 127, at = 2;
    if (length === 126) { if (b.length < 4) return false; length = b.readUInt16BE(2); at = 4; } else if (length === 127) { if (b.length < 10) return false; length = Number(b.readBigUInt64BE(2)); at = 10; }
    if (b.length < at + length) return false;
    if ((b[0] & 15) === 1) this.messages.push(JSON.parse(b.subarray(at, at + length).toString()));
    if ((b[0] & 15) === 2) this.chunks++;
    this.#rest = b.subarray(at + length);
    return true;
  }
  send(text) { this.socket.write(frame(text)); }
  until(test, what, ms = 60000) {
    return new Promise((resolve, reject) => {
      if (test()) { resolve(); return; }
      const timer = setTimeout(() => reject(new Error(`${what}: nothing came`)), ms);
      this.#waiting.push({test, resolve: () => { clearTimeout(timer); resolve(); }, reject: (e) => { clearTimeout(timer); reject(e); }});
    });
  }
  /** Messages since the last head. */
  now() { let i = this.messages.length - 1; while (i > 0 && !this.messages[i].head) i--; return this.messages.slice(Math.max(i, 0)); }
  ended() { return this.now().some((m) => m.tail?.end); }
  close() { this.socket.destroy(); }
}
