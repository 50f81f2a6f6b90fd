import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

export type UnpackedChromium = {
  readonly executablePath: string;
  /** What it needs to find its own libraries and fonts on a bare machine. */
  readonly env: Readonly<Record<string, string>>;
};

/** Unpacks the Chromium that comes as a package, once for each version; Linux x64 only. */
export async function unpackChromium(): Promise<UnpackedChromium> {
  // The package exports its entry only; its root is two folders above.
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const folder = join(tmpdir(), `tallyhand-chromium-${version}`);
  if (!existsSync(folder)) await unpackTo(folder, join(root, 'bin'));
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder },
  };
}

/** Under another name first, so that nobody finds it half unpacked. */
async function unpackTo(folder: string, packed: string) {
  const draft = await mkdtemp(`${folder}-`);
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
  try {
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

async function untar(archive: string, folder: string) {
  const tar = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise<void>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`tar ended with ${code} on ${archive}`)),
    );
  });
  await pipeline(createReadStream(archive), createBrotliDecompress(), tar.stdin);
  await ended;
}

const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
