import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import problems from '../locales/en/problems.json' with { type: 'json' };
import { dismissToast, toastStore } from '../ui/toast.ts';
import { announceOutcome } from './announce.ts';
import { problemOf } from './problem.ts';

beforeAll(async () => {
  await i18next.init({ lng: 'en', resources: { en: { problems } } });
});

const t = i18next.getFixedT('en');
const refusal = problemOf(402, {
  detail: 'The balance is too low',
  code: 'insufficient-credits',
  params: { available: 0, requested: 1 },
});

/** The toast that an announcement leads to. */
async function toastAfter(...[outcome, texts]: [{ data?: unknown; error?: unknown }, object]) {
  const before = toastStore.current();
  if (before) dismissToast(before.id);
  await announceOutcome(t, Promise.resolve(outcome), { failed: 'Failed to run', ...texts });
  const { id: _, ...toast } = toastStore.current() ?? { id: 0 };
  return toast;
}

describe('announceOutcome', () => {
  it('names the success, with a description where there is one', async () => {
    expect(await toastAfter({ data: 1 }, { done: 'Saved' })).toEqual({ title: 'Saved' });
    const done = { title: 'Saved', description: 'The old link is dead' };
    expect(await toastAfter({ data: 1 }, { done })).toEqual(done);
  });
  it('may depend on the answer, or leave the success to the page', async () => {
    const done = (sent: { byMail: boolean }) => (sent.byMail ? 'Sent' : undefined);
    expect(await toastAfter({ data: { byMail: true } }, { done })).toEqual({ title: 'Sent' });
    expect(await toastAfter({ data: { byMail: false } }, { done })).toEqual({});
    expect(await toastAfter({ data: null }, {})).toEqual({});
  });
  it('explains a refusal in the language of the page', async () => {
    expect(await toastAfter({ error: refusal }, { done: 'Saved' })).toEqual({
      variant: 'destructive',
      title: 'Failed to run',
      description: expect.stringContaining('Not enough credits'),
    });
  });
  it('shows the fallback when the answer has no reason', async () => {
    const error = problemOf(502, '<html>');
    const toast = await toastAfter({ error }, { fallback: 'Please try again' });
    expect(toast).toMatchObject({ description: 'Please try again' });
  });
  it('shows no toast for a refusal that the page shows itself', async () => {
    const shown: unknown[] = [];
    const onRefused = (error: unknown) => shown.push(error) > 1;
    expect(await toastAfter({ error: refusal }, { onRefused })).toMatchObject({
      title: 'Failed to run',
    });
    expect(await toastAfter({ error: refusal }, { onRefused })).toEqual({});
    expect(shown).toEqual([refusal, refusal]);
  });
  it('may describe the failure in its own words', async () => {
    const failed = { title: 'Failed', description: 'The reason is below' };
    expect(await toastAfter({ error: refusal }, { failed })).toMatchObject(failed);
  });
  it('returns the outcome', async () => {
    const outcome = { data: { id: 'a' } };
    const announced = announceOutcome(t, Promise.resolve(outcome), { failed: 'Failed' });
    expect(await announced).toBe(outcome);
  });
});
