import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeIf } from '@tallyhand/test-kit/needs';
import { expect, it } from 'vitest';

const NOBODY = 65_534;
const LAUNCH_MS_MAX = 60_000;
const fixture = fileURLToPath(new URL('./fixtures/sandbox.fixture.ts', import.meta.url));

/**
 * Chromium has no sandbox for root: the test then uses another user, who must be able to read the
 * project.
 */
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const canRun = () =>
  spawnSync('unshare', ['--user', '--net', process.execPath, '--check', fixture], user).status ===
  0;
const isPossible = process.platform === 'linux' && canRun();

describeIf(isPossible, 'a sandbox for a user of this machine')('a page', () => {
  it(
    "runs in Chromium's sandbox where its user is not root",
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'tallyhand-sandbox-'));
      chmodSync(folder, 0o777);
      try {
        const { stdout, stderr } = spawnSync(process.execPath, [fixture], {
          ...user,
          env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
          timeout: LAUNCH_MS_MAX,
          encoding: 'utf8',
        });
        expect(stdout, stderr).not.toBe('');
        expect(JSON.parse(stdout)).toEqual({
          hasOwnUsers: true,
          hasOwnNetwork: true,
          filtersCalls: true,
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    LAUNCH_MS_MAX * 2,
  );
});
