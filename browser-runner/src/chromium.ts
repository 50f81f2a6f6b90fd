import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, lstatSync, statfsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium, type LaunchOptions } from 'playwright';
import { browserEnvironment, chromiumPath } from './env.ts';

/** The web's security features stay on; only features useless for a headless browser are off. */
const FLAGS = [
  '--headless=shell',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Frames and network data pass between Chromium's processes in files here. They are in memory,
 * where a file costs much less than on a disk; containers often have 64 MB of it, too few for pages.
 */
const SHARED_MEMORY = '/dev/shm';
const SHARED_MEMORY_BYTES_MIN = 1024 ** 3;

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export type ChromiumOptions = {
  /** Besides the arguments of every launch. */
  flags?: readonly string[];
  /** The default proxy for traffic of contexts without their own. */
  proxy?: { server: string };
  /** Whether signals to this process close it; false where the caller does. */
  handlesSignals?: boolean;
};

/**
 * Launches the first available Chromium: `CHROMIUM_PATH`, Playwright's, the system's, otherwise the
 * bundled one. It ends with this process, however that ends, because its control pipe closes. Pages
 * run in Chromium's sandbox if the system allows it: never for root, and seldom in a container.
 */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const { flags = [], proxy, handlesSignals = true } = options;
  const known = [chromiumPath(), chromium.executablePath(), ...SYSTEM_BROWSERS].find(
    (path) => path && existsSync(path),
  );
  const { executablePath, env } = known
    ? { executablePath: known, env: {} }
    : await unpackChromium();
  return launchSandboxed({
    executablePath,
    args: [...FLAGS, ...flags],
    ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
    env: { ...browserEnvironment(), ...env },
    proxy,
    handleSIGINT: handlesSignals,
    handleSIGTERM: handlesSignals,
    handleSIGHUP: handlesSignals,
  });
}

function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= SHARED_MEMORY_BYTES_MIN;
  } catch {
    // Only Linux has the folder.
    return false;
  }
}

let isSandboxRefused = process.getuid?.() === 0;

/** Reports once that there is no sandbox: pages are then confined only by the system. */
async function launchSandboxed(options: LaunchOptions): Promise<Browser> {
  if (!isSandboxRefused) {
    try {
      return await chromium.launch({ ...options, chromiumSandbox: true });
    } catch (error) {
      if (!/sandbox/i.test(String(error))) throw error;
      isSandboxRefused = true;
      process.emitWarning('The system lets no sandbox be made for pages; they run without one.');
    }
  }
  return chromium.launch({ ...options, chromiumSandbox: false });
}

const run = promisify(execFile);

const UNPACK_TIMEOUT_MS = 30_000;

type UnpackedChromium = {
  readonly executablePath: string;
  /** What it needs to find its own libraries and fonts on a bare machine. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Unpacks the Chromium that comes as a package, once for each version and user; Linux x64 only.
 * Throws when another user of the machine was at that place first.
 */
async function unpackChromium(): Promise<UnpackedChromium> {
  // The package exports its entry only; its root is two folders above.
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const user = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `tallyhand-chromium-${version}-${user}`);
  if (!existsSync(folder)) await unpackTo(folder, join(root, 'bin'));
  // Everyone may write to the folder above: no other user's program is run from there.
  const { uid, mode } = lstatSync(folder);
  if (uid !== user || (mode & 0o022) !== 0) {
    throw new Error(`${folder} can be changed by others: remove it, or set CHROMIUM_PATH.`);
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder },
  };
}

/** Under another name first, so that it is never found half unpacked. */
async function unpackTo(folder: string, packed: string) {
  const draft = await mkdtemp(`${folder}-`);
  try {
    await fill(draft, folder, packed);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been quicker.
    if (!existsSync(folder)) throw error;
  }
}

async function fill(draft: string, folder: string, packed: string) {
  await pipeline(
    createReadStream(join(packed, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(join(draft, 'chromium')),
  );
  await chmod(join(draft, 'chromium'), 0o755);
  for (const archive of ['al2023', 'fonts', 'swiftshader']) {
    await untar(join(packed, `${archive}.tar.br`), draft);
  }
  await mkdir(join(draft, 'fonts'), { recursive: true });
  await writeFile(join(draft, 'fonts.conf'), fontSettings(folder));
  await chmod(draft, 0o755);
}

/** From a file: tar may end before it has read all of a pipe, which would break then. */
async function untar(archive: string, folder: string) {
  const plain = join(folder, 'archive.tar');
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(plain));
  await run('tar', ['-x', '-f', plain, '-C', folder], { timeout: UNPACK_TIMEOUT_MS });
  await rm(plain);
}

const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
