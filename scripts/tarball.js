import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './prepare.js';

const BLOCK = 512;
/** npm gives every file this moment, so that the same content is the same tarball. */
const MODIFIED = Date.parse('1985-10-26T08:15:00Z') / 1000;
/** What builds a package, and not what is in it: both are bundled, or have no dependencies. */
const OWN = ['dependencies', 'devDependencies', 'scripts'];

/**
 * The tarball of a built package, as npm installs it: manifest, README and dist. Plain JavaScript,
 * because the build of the pages and `npm run pack:client` share it.
 *
 * @param {'client' | 'cli' | 'verifier'} workspace
 */
export function tarballOf(workspace) {
  const folder = join(root, workspace);
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) throw new Error(`${workspace} is not built`);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version } = manifest;
  const published = Object.fromEntries(
    Object.entries(manifest).filter(([key]) => !OWN.includes(key)),
  );
  const built = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const entries = [
    entryOf('package.json', Buffer.from(`${JSON.stringify(published, null, 2)}\n`)),
    ...['README.md', ...built.toSorted()].map((path) =>
      entryOf(path.replaceAll('\\', '/'), readFileSync(join(folder, path))),
    ),
  ];
  const bytes = gzipSync(Buffer.concat([...entries.flat(), Buffer.alloc(2 * BLOCK)]), { level: 9 });
  const stableFile = `${name.replace('@', '').replace('/', '-')}.tgz`;
  return {
    name,
    version,
    bytes,
    /** With the version, and without it. */
    file: stableFile.replace('.tgz', `-${version}.tgz`),
    stableFile,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
}

/** A file in the format ustar of POSIX.1-1988: its header and its content, filled up to whole blocks. */
function entryOf(path, content) {
  const header = Buffer.alloc(BLOCK);
  const number = (value, at, length) =>
    header.write(value.toString(8).padStart(length - 1, '0'), at, 'ascii');
  header.write(`package/${path}`, 0, 100, 'utf8');
  number(0o644, 100, 8);
  number(0, 108, 8);
  number(0, 116, 8);
  number(content.length, 124, 12);
  number(MODIFIED, 136, 12);
  header.write('0', 156, 'ascii');
  header.write('ustar\x0000', 257, 'ascii');
  // Its own place counts as spaces.
  header.fill(' ', 148, 156);
  number(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  header[154] = 0;
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
