import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { PAGE, session } from '../testing/running-session.ts';
import { finish, open } from '../testing/scripted-planner.ts';
import { inShort } from '../testing/session.ts';

describe('a takeover', () => {
  it('interrupts the decision, and the step keeps its number and credit', async () => {
    const { reported, done, planner, takeOver, handBack, steering } = session({
      script: ['hangs', finish()],
    });
    await vi.waitUntil(() => planner.asked.length === 1);
    takeOver();
    const person = await steering();
    expect(person.input({ type: 'input', kind: 'click', x: 0.5, y: 0.25 })).toBe(true);
    await vi.waitUntil(() => reported.persons.length === 1);
    handBack();
    await done;
    expect(reported.begun).toEqual([1, 1]);
    expect(reported.persons.map(inShort)).toEqual(['click Buy']);
    expect(planner.asked[1]?.steps.map(({ isByPerson }) => isByPerson)).toEqual([true]);
    expect(reported.steps.map(inShort)).toEqual(['finish All was looked at.']);
  });

  it('interrupts the current step, which neither succeeds nor fails', async () => {
    const { reported, done, host, planner, takeOver, handBack, steering } = session({
      script: [open(PAGE), finish()],
    });
    host.onAct = () => new Promise(() => undefined);
    await vi.waitUntil(() => host.browsers[0]?.acts.length);
    takeOver();
    await steering();
    handBack();
    await done;
    expect(reported.steps[0]).toMatchObject({
      success: false,
      interrupted: true,
      output: 'A person took over while this was under way.',
    });
    // It used up none of the agent's steps.
    expect(planner.asked.map(({ stepsLeft }) => stepsLeft)).toEqual([15, 15]);
    expect(planner.asked[1]?.steps).toMatchObject([{ interrupted: true }]);
  });

  it('interrupts typing, of which nothing is kept: it may be a password', async () => {
    const { reported, done, host, takeOver, handBack, steering } = session({
      script: [{ type: 'type', ref: 'e1', text: 'hunter2', submit: false }, finish()],
    });
    host.onAct = () => new Promise(() => undefined);
    await vi.waitUntil(() => host.browsers[0]?.acts.length);
    takeOver();
    await steering();
    handBack();
    await done;
    expect(reported.steps[0]).toMatchObject({
      action: 'type',
      input: 'e1: ••••••',
      success: false,
    });
  });

  it('may do so at any moment, and any number of times: the work still ends', async () => {
    const addresses = [PAGE, `${PAGE}prices`, `${PAGE}contact`];
    /** Opens a closed gate; later calls do nothing. */
    const reader: Planner = {
      model: 'reader',
      seesImages: false,
      async next({ steps }) {
        const isOpened = (url: string) =>
          steps.some((step) => !step.isByPerson && step.success && step.input === url);
        const url = addresses.find((one) => !isOpened(one));
        return { action: url === undefined ? finish() : open(url), reasoning: 'In order.' };
      },
    };
    const anyMoments = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 12 }), input: fc.boolean() }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(anyMoments, async (moments) => {
        // Every read, action and screenshot of the browser, and every call, is a moment.
        let left = moments[0]?.after ?? 0;
        let next = 0;
        let isPersons = false;
        const moment = () => {
          const now = moments[next];
          if (!now || isPersons || left-- > 0) return;
          next += 1;
          left = moments[next]?.after ?? 0;
          isPersons = true;
          at.takeOver();
          void at.steering().then(async (person) => {
            if (now.input) person.input({ type: 'input', kind: 'open', url: `${PAGE}contact` });
            isPersons = false;
            at.handBack();
          });
        };
        const at = session({ script: reader, onCall: moment });
        at.host.onAct = async (action) => {
          await Promise.resolve();
          moment();
          await Promise.resolve();
          if (action.type === 'open') at.host.last.go(action.url);
          return { success: true, output: 'Done.', name: null, isSecret: false };
        };
        await at.done;
        const { steps, ends } = at.reported;
        expect(ends).toMatchObject([{ reason: 'goal-reached' }]);
        expect(steps.filter((step) => !step.success && !step.interrupted)).toEqual([]);
        expect(steps.filter((step) => step.success && step.interrupted)).toEqual([]);
        const done = steps.filter(({ success }) => success).map(({ input }) => input);
        expect(done).toEqual([...addresses, 'All was looked at.']);
        expect(steps.filter(({ interrupted }) => interrupted).length).toBeLessThanOrEqual(next);
      }),
      { numRuns: 200 },
    );
  });

  it('hands back by doing nothing', async () => {
    const { reported, done, planner, takeOver } = session({
      script: ['hangs', finish()],
      times: { idleMs: 20 },
    });
    await vi.waitUntil(() => planner.asked.length === 1);
    takeOver();
    await done;
    expect(reported.idle).toBe(1);
    expect(reported.ends[0]?.reason).toBe('goal-reached');
  });

  it('records the last typed text when handing back', async () => {
    const { reported, done, planner, takeOver, handBack, steering } = session({
      script: ['hangs', finish()],
    });
    await vi.waitUntil(() => planner.asked.length === 1);
    takeOver();
    const person = await steering();
    person.input({ type: 'input', kind: 'text', text: 'half' });
    handBack();
    await done;
    expect(reported.persons.map(inShort)).toEqual(['type half']);
  });
});
