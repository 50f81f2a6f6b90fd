import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { tarballOf } from '../../../scripts/tarball.js';

const run = promisify(execFile);
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** A project of a stranger, outside the repository, with a package installed from its tarball. */
export type PackedProject = AsyncDisposable & { readonly folder: string };

export async function packedProject(
  workspace: 'client' | 'cli' | 'verifier',
): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), `${workspace}-project-`));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const { file, bytes } = tarballOf(workspace);
  await writeFile(join(folder, file), bytes);
  await run('npm', ['install', '--offline', `./${file}`], { cwd: folder });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** The system's Node, which is often older than the one that Tallyhand brings. */
export function systemNode(): string {
  const found = (readEnvironment().PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(repository))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path));
  return found[0] ?? process.execPath;
}
