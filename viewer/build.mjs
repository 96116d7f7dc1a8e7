// build.mjs: the viewer as one HTML file without a single request.  usage: node build.mjs OUT.html
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {buildSync} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'page.html');
const built = buildSync({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  write: false,
  charset: 'utf8',
  legalComments: 'inline',
  loader: {'.css': 'text'},
  logLevel: 'warning',
});
// What would end or confuse the script element that this stands in.
const script = built.outputFiles[0].text.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
const style = readFileSync(join(here, 'src/page.css'), 'utf8').replace(/\/\*[^]*?\*\//g, '').replace(/\n\s*/g, '\n');
const page = readFileSync(join(here, 'src/page.html'), 'utf8');
const put = (text, marker, value) => {
  const [before, after, more] = text.split(marker);
  if (after === undefined || more !== undefined) throw new Error(`page.html: ${marker} must stand there once`);
  return before + value + after;
};
writeFileSync(out, put(put(page, '/*style*/', style), '/*script*/', script));
