import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { getTaskStats, type TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import { apiClient } from '@tallyhand/test-kit/api-client';
import { describe, expect, it } from 'vitest';
import { restoreBackup } from '../backup/restore-backup.ts';
import { demoEmail } from '../demo/fill.ts';
import { sharedFolder, startSupervised } from './supervised-product.ts';

const TEST_MS_MAX = 600_000;

/** Each release leaves one; docs/backup.md explains how to make it. */
const folder = join(import.meta.dirname, 'fixtures');
const fixtures = readdirSync(folder).filter((name) => name.endsWith('.backup'));

describe('the data of an earlier release', () => {
  it.each(fixtures)(
    '%s is restored, verified, and opened by this one',
    async (name) => {
      await using place = await sharedFolder();
      const dataDir = join(place.path, 'data');
      const said: string[] = [];
      const passphrase = 'a passphrase of the fixtures';
      await restoreBackup(join(folder, name), dataDir, { passphrase }, (line) => said.push(line));
      expect(said.join('\n')).toMatch(/1 ledgers and [1-9]\d* signed checkpoints hold/);

      await using product = await startSupervised(dataDir);
      const client = apiClient(product.url);
      const body = { email: demoEmail, password: 'a password of the fixtures' };
      expect((await client.call(signIn, { body })).status).toBe(200);
      const { body: organization } = await client.call<Organization>(getOrganization);
      expect(organization).toMatchObject({ creditBalance: 92, reserved: 0 });
      const { body: stats } = await client.call<TaskStats>(getTaskStats);
      expect(stats).toMatchObject({ total: 9, success: 8, failed: 1, creditsUsed: 8 });
      const { body: members } = await client.call<{ username: string }[]>(listMembers);
      // Names are sealed: they are read with the keys that the backup has brought.
      expect(members.map(({ username }) => username).toSorted()).toEqual([
        'Ada Quint',
        'Kim Marlow',
        'Robin Vale',
      ]);
    },
    TEST_MS_MAX,
  );
});
