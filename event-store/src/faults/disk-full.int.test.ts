import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { EventStoreDBClient, jsonEvent, UnavailableError } from '@eventstore/db-client';
import { describeIf } from '@tallyhand/test-kit/needs';
import { expect, it, vi } from 'vitest';
import { newStream, temporaryFolder } from '../conformance/subject.ts';
import { ChildServer } from './child-server.ts';

const FILE_LIMIT_BLOCKS = 3_000;

/** On Linux one process can lift another's limits: this simulates that the disk has space again. */
const canLiftLimits = (() => {
  try {
    execFileSync('prlimit', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

describeIf(canLiftLimits, 'prlimit')('a full disk', () => {
  it('makes the server read-only, with the reason, until there is space', async () => {
    await using folder = await temporaryFolder();
    await using server = await ChildServer.startWithFileLimit(folder.path, FILE_LIMIT_BLOCKS);
    const client = EventStoreDBClient.connectionString`${server.url}`;
    const stream = newStream();
    const large = () => jsonEvent({ type: 'Large', data: 'x'.repeat(200_000) });
    let acknowledged = 0;
    let failure: unknown = null;
    while (failure === null && acknowledged < 200) {
      await client.appendToStream(stream, large()).then(
        () => {
          acknowledged += 1;
        },
        (error) => {
          failure = error;
        },
      );
    }
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(String(failure)).toMatch(/read-only: .*(full|I\/O)/);
    expect(acknowledged).toBeGreaterThan(0);
    const stored = await Array.fromAsync(client.readStream(stream));
    expect(stored).toHaveLength(acknowledged);

    const pid = `${server.process.pid}`;
    await promisify(execFile)('prlimit', ['--pid', pid, '--fsize=unlimited:unlimited']);
    await vi.waitFor(() => client.appendToStream(stream, large()));
    expect(await Array.fromAsync(client.readStream(stream))).toHaveLength(acknowledged + 1);
    expect(server.output).toContain('read-only');
    await client.dispose();
    const { code } = await server.kill('SIGTERM');
    expect(code).toBe(0);
    const { output } = await ChildServer.run('verify', ['--data', folder.path]);
    expect(output).toMatch(/whole/);
  });
});
