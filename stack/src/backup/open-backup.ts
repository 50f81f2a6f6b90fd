import { hash } from 'node:crypto';
import {
  type OpenBundle,
  openBundle,
  UnreadableBundle,
} from '@tallyhand/service-kit/audit-bundle/zip-reader';
import { OperatorError } from '../operator/operator-error.ts';
import { linesOf } from './event-lines.ts';
import {
  BACKUP_VERSION,
  MANIFEST_FILE,
  MANIFEST_HASH_FILE,
  Manifest,
  ManifestHead,
  SECRETS_FILE,
} from './manifest.ts';

const FILES_MAX = 1_000_000;
const MANIFEST_BYTES_MAX = 512 * 1024 * 1024;

/** A backup of which every byte that will be used was found to be as it was written. */
export type Backup = Disposable & {
  readonly manifest: Manifest;
  readonly manifestHash: string;
  /** Sealed; null where they were left out. */
  readonly secrets: Buffer | null;
  /** The lines of a folder, in their order. */
  lines(folder: string): AsyncGenerator<string[]>;
};

/** Reads the whole file once. Throws an OperatorError that names the fault. */
export async function openBackup(file: string): Promise<Backup> {
  try {
    return await opened(file);
  } catch (error) {
    if (!(error instanceof UnreadableBundle)) throw error;
    throw new OperatorError(`${file} is not restored: ${error.message}`);
  }
}

async function opened(file: string): Promise<Backup> {
  const archive = await openBundle(file, FILES_MAX);
  try {
    const { manifest, manifestHash } = await readManifest(archive);
    const names = new Set([
      MANIFEST_FILE,
      MANIFEST_HASH_FILE,
      ...manifest.files.map((f) => f.name),
    ]);
    if (manifest.hasSecrets) names.add(SECRETS_FILE);
    if (names.size !== archive.names.length || archive.names.some((name) => !names.has(name))) {
      throw new UnreadableBundle('its files are not those of its manifest.');
    }
    for (const { name, bytes, sha256 } of manifest.files) {
      const contents = await readWhole(archive, name, bytes);
      if (hash('sha256', contents) !== sha256) throw altered(name);
    }
    return {
      manifest,
      manifestHash,
      secrets: manifest.hasSecrets
        ? await readWhole(archive, SECRETS_FILE, MANIFEST_BYTES_MAX)
        : null,
      async *lines(folder) {
        for (const { name, bytes } of manifest.files) {
          if (!name.startsWith(`${folder}/`)) continue;
          yield await linesOf(await readWhole(archive, name, bytes));
        }
      },
      [Symbol.dispose]: () => archive[Symbol.dispose](),
    };
  } catch (error) {
    archive[Symbol.dispose]();
    throw error;
  }
}

async function readManifest(archive: OpenBundle) {
  if (!archive.names.includes(MANIFEST_FILE)) {
    throw new UnreadableBundle('it is no backup of Tallyhand: it has no manifest.');
  }
  const contents = await readWhole(archive, MANIFEST_FILE, MANIFEST_BYTES_MAX);
  const manifestHash = hash('sha256', contents);
  const noted = await readWhole(archive, MANIFEST_HASH_FILE, MANIFEST_BYTES_MAX);
  if (noted.toString().trim() !== manifestHash) throw altered(MANIFEST_FILE);
  const json: unknown = JSON.parse(contents.toString());
  const head = ManifestHead.safeParse(json);
  if (!head.success) throw new UnreadableBundle('it is no backup of Tallyhand.');
  if (head.data.version > BACKUP_VERSION) {
    throw new UnreadableBundle('it was made by a newer release. Restore it with that one.');
  }
  const manifest = Manifest.safeParse(json);
  if (!manifest.success) throw altered(MANIFEST_FILE);
  return { manifest: manifest.data, manifestHash };
}

const altered = (name: string) =>
  new UnreadableBundle(`${name} in it is not as it was written: it was altered or damaged.`);

async function readWhole(archive: OpenBundle, name: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of archive.read(name)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw altered(name);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
