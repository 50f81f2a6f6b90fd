import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withDeadline } from './with-deadline.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('aborts at the deadline, though no one listens and garbage is collected', async () => {
  const signal = withDeadline(new AbortController().signal, 200);
  const aborted = () => {
    collectGarbage();
    return signal.aborted;
  };
  expect(aborted()).toBe(false);
  await expect.poll(aborted, { timeout: 5_000 }).toBe(true);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

it('aborts as the signal does', () => {
  const leaving = new AbortController();
  const signal = withDeadline(leaving.signal, 60_000);
  leaving.abort('left');
  expect(signal.reason).toBe('left');
});
