import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { freePort } from '@tallyhand/service-kit/free-port';
import type { Page } from 'playwright';
import { prepare } from '../../../scripts/prepare.js';
import { demoEmail, fillDemo } from '../demo/fill.ts';
import { startSupervisor } from '../supervisor/start-supervisor.ts';
import { AcceptedPictures } from './accepted-pictures.ts';
import { takeMarks, takePictures } from './pictures.ts';
import type { Scene } from './scene.ts';
import { scenes } from './scenes.ts';
import { fillBilling } from './shared-demo.ts';
import { isKept, looksOf, type Shot, sweepOf } from './sweep.ts';
import { takeFilm } from './take-film.ts';
import { nameOf, savePicture, takeShots } from './take-shots.ts';

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const screens = pathOf('../../../docs/screens/');
const images = pathOf('../../../docs/images/');
const film = pathOf('../../../docs/film/');
const webFiles = pathOf('../../../web/public/');
const password = randomUUID();
/** Only the pictures of the product's own pages, all or those of the named scenes. */
const PICTURES_ONLY = '--pictures';
/** Takes no picture: those of the last run are right, all or those whose names begin as the others. */
const ACCEPT = '--accept';
/** Only the film of "Watch demo". */
const FILM_ONLY = '--film';
/** Prefixes of the names of scenes. */
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isPicturesOnly = process.argv.includes(PICTURES_ONLY);
const isWanted = ({ name }: Scene) =>
  wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning));

/** The languages with the most different lengths and forms of words. */
const LANGUAGES = ['en', 'de', 'ja'].filter((code) =>
  existsSync(pathOf(`../../../web/src/locales/${code}`)),
);
const named = scenes.filter(isWanted);
const taken = isPicturesOnly ? [] : named;
const shots = wanted.length > 0 ? looksOf(taken) : sweepOf(taken, LANGUAGES);

const pictures = new AcceptedPictures(screens);
if (process.argv.includes(ACCEPT)) {
  console.log(`${await pictures.accept(wanted)} pictures are accepted`);
  process.exit();
}

async function keep(page: Page, shot: Shot, scene: Scene) {
  const isWhole = scene.act === undefined || scene.isWhole === true;
  if (isKept(shot, scene)) await savePicture(page, join(screens, `${scene.name}.webp`), isWhole);
  await pictures.take(page, nameOf(shot), isWhole);
}

await prepare({ web: true });
const dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-screens-'));
await using ends = new AsyncDisposableStack();
ends.defer(() => rm(dataDir, { recursive: true, force: true }));
// PostgreSQL does not run as root: its own user must be able to enter the folder.
await chmod(dataDir, 0o755);
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
const port = await freePort();
const supervisor = await startSupervisor({
  env: { DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT_SCALE: '1000' },
  baseDir: dataDir,
  programs: {
    eventStore: pathOf('../../../event-store/src/main.ts'),
    application: pathOf('../application.main.ts'),
    browserRunner: pathOf('../../../browser-runner/src/main.ts'),
  },
  say: (line) => console.log(line),
  stopping: stopping.signal,
});
ends.defer(() => supervisor.stop());
const browser = await launchChromium();
ends.defer(() => browser.close());
if (process.argv.includes(FILM_ONLY)) {
  const filming = { browser, baseURL: supervisor.publicUrl, folder: film, password };
  console.log(await takeFilm(filming));
  await ends.disposeAsync();
  process.exit();
}
await fillDemo(supervisor.publicUrl, password);
await fillBilling(supervisor.publicUrl, demoEmail, password);
if (!isPicturesOnly) await pictures.clear();
const account = { admin: demoEmail, password };
// First, because other scenes change the demo's data.
if (wanted.length === 0 || isPicturesOnly) {
  const baseURL = supervisor.publicUrl;
  await takePictures({ browser, baseURL, by: account, folder: images, scenes: named });
}
if (wanted.length === 0) await takeMarks(browser, supervisor.publicUrl, webFiles);
const taking = { browser, url: supervisor.publicUrl, scenes, account, keep };
const faults = await takeShots(shots, taking);
for (const fault of faults) console.log(fault);
console.log(`${shots.length} pictures of ${taken.length} scenes are in ${screens} and ${images}`);
if (!isPicturesOnly) console.log(await pictures.compare());
console.log(faults.length === 0 ? 'Nothing stands in the way.' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
