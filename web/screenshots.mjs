// Pictures of every page, in both themes and both widths: one file a page, docs/screens/NAME.webp, with the wide
// and the narrow screen in light and in dark; and the two pictures of the README. `scripts/screenshots` runs it.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { laboratory } from './tests/lab.mjs';

const docs = join(dirname(fileURLToPath(import.meta.url)), '../docs');
const screens = join(docs, 'screens');
const wide = { width: 1200, height: 800 };
const narrow = { width: 390, height: 844 };
/** Pictures are half as large as screens. */
const SCALE = 0.5;
const GAP = 12;

const lab = await laboratory();
async function finished(path, body) {
  let job = await lab.ask(path, body);
  while (!['done', 'failed', 'cancelled'].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = await lab.ask(`/api/jobs/${job.id}`);
  }
  if (job.status !== 'done') throw new Error(`${path}: ${job.error}`);
  return job.subject;
}
await finished('/api/runs', {
  name: 'krk5-q', recipe: 'ypma-q', endgame: 'KRK', board: 5, episodes: 20_000, seed: 1, evaluate: ['random', 'perfect'],
});
const proof = (await lab.ask('/api/certificates')).find((c) => c.player === 'net:krk.safetensors').id;
const failing = await finished('/api/certificates', { player: 'minimax:depth=2,history=off', material: 'KRK', board: 5 });
const { failures } = await lab.ask(`/api/certificates/${failing}`);

const start = '8/8/8/3k4/8/8/8/KQ6 w - - 0 1';
const { uci } = await lab.ask(`/api/line?${new URLSearchParams({ fen: start })}`);
const whole = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
/** What is pressed before a picture is taken. */
const presses = {
  analyse: async (page) => {
    for (let n = 0; n < 2; n++) await page.getByRole('button', { name: 'Think' }).first().click();
    await page.waitForFunction(() => document.querySelectorAll('[data-thinking=yes]').length === 0);
  },
  review: async (page) => {
    await page.getByRole('button', { name: 'Review the game' }).click();
    await page.waitForFunction(() => document.querySelector('svg[data-worst]')?.dataset.points === '8');
  },
};
const pages = {
  home: '',
  play: `#/play?fen=${start}&moves=${uci.slice(0, 8)}`,
  distances: '#/play?fen=8/8/8/3k4/8/8/8/KQ6 w - - 0 1&overlay=1',
  mate: '#/play?fen=k7/8/1K6/8/8/8/8/7R w - - 0 1&moves=h1h8',
  drill: '#/drill',
  setup: '#/setup?fen=8/8/8/3k4/8/8/8/KBN5 w - - 0 1',
  watch: '#/watch?fen=8/8/8/3k4/8/8/8/KR6 w - - 0 1&white=net:krk.safetensors&moves=a1b2,d5d4,b1e1,d4d3,e1e8,d3d4',
  chess: `#/play?${new URLSearchParams({ fen: whole, moves: 'e2e4,e7e5,g1f3,b8c6,f1c4,f8c5', vs: 'minimax:depth=4', clock: '5+3' })}`,
  analyse: `#/analyse?${new URLSearchParams({ moves: 'e2e4,e7e5,g1f3,b8c6', b: 'minimax:depth=4' })}`,
  review: '#/analyse?moves=e2e4,e7e5,d1h5,b8c6,f1c4,g8f6,h5f7',
  train: '#/train',
  run: '#/train/krk5-q',
  certify: '#/certify',
  certificate: `#/certify/${proof}`,
  failures: `#/certify/${failing}`,
  refutation: `#/certify/${failing}/${failures[0].kind}/1`,
  papers: '#/papers',
  paper: '#/papers/Y6.9',
};

rmSync(screens, { recursive: true, force: true });
mkdirSync(screens, { recursive: true });
const easel = await lab.browser.newPage();
let total = 0;
for (const [name, hash] of Object.entries(pages)) {
  const shots = [];
  for (const viewport of [wide, narrow]) {
    const page = await lab.open('', { viewport, reducedMotion: 'reduce' });
    // The same drill for everybody who looks.
    await page.addInitScript(() => (Math.random = () => 0.25));
    await page.goto('about:blank');
    await page.goto(lab.base + hash);
    await page.waitForLoadState('networkidle').catch(() => {});
    await page.waitForTimeout(600);
    await presses[name]?.(page);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const png = await page.screenshot();
      shots.push({ data: png.toString('base64'), ...viewport });
      if (colorScheme === 'light' && viewport === wide && name === 'distances') writeFileSync(join(docs, 'play.png'), png);
      if (colorScheme === 'light' && viewport === wide && name === 'failures') writeFileSync(join(docs, 'certificate.png'), png);
    }
    await page.close();
  }
  // Drawn into one picture by the browser itself, which needs no other program.
  const picture = await easel.evaluate(
    async ({ shots, SCALE, GAP }) => {
      const canvas = document.createElement('canvas');
      canvas.width = GAP + shots.reduce((sum, shot) => sum + shot.width * SCALE + GAP, 0);
      canvas.height = 2 * GAP + Math.max(...shots.map((shot) => shot.height * SCALE));
      const pen = canvas.getContext('2d');
      pen.fillStyle = '#8a8a8a';
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.imageSmoothingQuality = 'high';
      let x = GAP;
      for (const shot of shots) {
        const image = new Image();
        image.src = `data:image/png;base64,${shot.data}`;
        await image.decode();
        pen.drawImage(image, x, GAP, shot.width * SCALE, shot.height * SCALE);
        x += shot.width * SCALE + GAP;
      }
      return canvas.toDataURL('image/webp', 0.8).split(',')[1];
    },
    { shots, SCALE, GAP },
  );
  const bytes = Buffer.from(picture, 'base64');
  total += bytes.length;
  writeFileSync(join(screens, `${name}.webp`), bytes);
}
writeFileSync(
  join(screens, 'README.md'),
  `# The pages\n\nMade by \`scripts/screenshots\`: each page on a wide and on a narrow screen, in light and in dark.\n\n${Object.keys(pages)
    .map((name) => `## ${name}\n\n![${name}](${name}.webp)\n`)
    .join('\n')}`,
);
await lab.end();
console.log(`${Object.keys(pages).length} pages, ${Math.round(total / 1000)} kB, in docs/screens`);
