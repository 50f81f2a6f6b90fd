import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tallyhand-test-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

/** A folder with something in it, as the process with this id would have made it. */
async function leftBy(pid: number): Promise<string> {
  const { path } = await temporaryFolder(parent);
  const name = basename(path).replace(`-${process.pid}-`, `-${pid}-`);
  await rename(path, join(dirname(path), name));
  await mkdir(join(parent, name, 'profile'));
  await writeFile(join(parent, name, 'profile', 'cookies'), 'secret');
  return name;
}

it('removes the leftovers of dead processes, and nothing else', async () => {
  const { pid: gone } = spawnSync('true');
  await leftBy(gone);
  await leftBy(process.pid);
  const kept = [await leftBy(process.ppid), 'other'];
  await mkdir(join(parent, 'other'));
  const { path } = await temporaryFolder(parent);
  expect((await readdir(parent)).toSorted()).toEqual([...kept, basename(path)].toSorted());
});

it('disappears with its process, and everything in it', async () => {
  const folder = await temporaryFolder(parent);
  await writeFile(join(folder.path, 'cookies'), 'secret');
  await folder[Symbol.asyncDispose]();
  expect(await readdir(parent)).toEqual([]);
});
