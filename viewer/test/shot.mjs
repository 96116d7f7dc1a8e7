// shot.mjs: screenshots of pages.  usage: node test/shot.mjs OUT-FOLDER PAGE.html[#hash] [WxH] [light|dark] …
import {chromium} from 'playwright-core';
import {resolve, basename} from 'node:path';
import {existsSync} from 'node:fs';

const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync);
const [folder, page, size = '1280x720', theme = 'light', name] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const browser = await chromium.launch({executablePath, args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
const context = await browser.newContext({viewport: {width, height}, colorScheme: theme});
const tab = await context.newPage();
tab.on('console', (m) => { if (m.type() === 'error') console.log('console:', m.text()); });
tab.on('pageerror', (e) => console.log('error:', e.stack));
const [file, hash = ''] = page.split('#');
await tab.goto((/^https?:/.test(file) ? file : 'file://' + resolve(file)) + (hash ? '#' + hash : ''));
await tab.waitForTimeout(400);
await tab.screenshot({path: `${folder}/${name ?? basename(file, '.html') + '-' + theme + '-' + width}.png`});
await browser.close();
