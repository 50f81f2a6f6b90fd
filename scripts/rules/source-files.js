import { execFileSync } from 'node:child_process';

/** Every file that belongs to the project, tracked or about to be, by its path from the root. */
export function projectFiles(root) {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return list.split('\n').filter((file) => file !== '');
}

export const isSource = (file) => /^[a-z-]+\/src\/.*\.tsx?$/.test(file);
