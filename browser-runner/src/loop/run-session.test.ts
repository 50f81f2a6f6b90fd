import {
  BrowserCrashed,
  BrowserFault,
  BrowserNotOpened,
  PagesTooLarge,
  SessionTooLate,
} from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it, vi } from 'vitest';
import { CallRefused } from '../internal/command-client.ts';
import { PAGE, session } from '../testing/running-session.ts';
import { click, finish, type Line, note, open } from '../testing/scripted-planner.ts';
import { inShort, takenStep } from '../testing/session.ts';

const NO_FAILURE = { error: null, code: null, params: {} };
const failedBy = ({ code, params, text: error }: Sentence) => ({
  reason: 'error',
  code,
  params,
  error,
  outcome: null,
});

describe('a session', () => {
  it('takes the steps that its planner decides, and ends with its outcome', async () => {
    const { reported, done, planner, host } = session({
      script: [open(PAGE), click('e2'), note('It costs 9 EUR'), finish()],
    });
    await done;
    expect(reported.steps.map(inShort)).toEqual([
      `open ${PAGE}`,
      'click Element e2',
      'note It costs 9 EUR',
      'finish All was looked at.',
    ]);
    expect(reported.begun).toEqual([1, 2, 3, 4]);
    expect(reported.steps.map(({ url }) => url)).toEqual([PAGE, PAGE, PAGE, PAGE]);
    expect(reported.steps.map(({ screenshots }) => screenshots.length)).toEqual([1, 1, 0, 0]);
    expect(reported.steps[2]?.finding).toEqual({ text: 'It costs 9 EUR', url: PAGE });
    expect(reported.ends).toEqual([
      {
        reason: 'goal-reached',
        ...NO_FAILURE,
        outcome: { summary: 'All was looked at.', keyFindings: ['One'], nextSteps: ['Two'] },
      },
    ]);
    expect(planner.asked.map(({ stepsLeft }) => stepsLeft)).toEqual([15, 14, 13, 12]);
    expect(host.last.isClosed).toBe(true);
  });

  it('fails with its outcome when the goal was not reached', async () => {
    const { reported, done } = session({ script: [finish('not-reached')] });
    await done;
    expect(reported.steps.map(inShort)).toEqual(['finish All was looked at. failed']);
    expect(reported.ends).toMatchObject([
      // The agent's own words have no code.
      {
        reason: 'error',
        error: 'All was looked at.',
        code: null,
        outcome: { keyFindings: ['One'] },
      },
    ]);
  });

  it('completes without a certain answer where pages were read', async () => {
    const { reported, done } = session({ script: [finish('uncertain')] });
    await done;
    expect(reported.steps.map(inShort)).toEqual(['finish All was looked at.']);
    expect(reported.ends).toMatchObject([
      { reason: 'answer-uncertain', ...NO_FAILURE, outcome: { keyFindings: ['One'] } },
    ]);
  });

  it('continues from the last page of another runner', async () => {
    const steps = [
      takenStep(1, { url: PAGE }),
      takenStep(2, { takenBy: newId(), action: 'click', url: `${PAGE}a` }),
    ];
    const { reported, done, planner, host } = session({
      script: [finish()],
      assignment: { steps },
    });
    await done;
    expect(host.last.acts).toEqual([open(`${PAGE}a`)]);
    expect(reported.begun).toEqual([3]);
    const [request] = planner.asked;
    expect(request?.steps.map(({ isByPerson }) => isByPerson)).toEqual([false, true]);
    expect(request?.stepsLeft).toBe(14);
  });

  it('uses a tool of the agent, and no other', async () => {
    const id = newId();
    const operation = { name: 'stock', description: '', parameters: {}, isRead: true };
    const tool = { id, title: 'Warehouse', description: '', operations: [operation] };
    const use = (name: string): Line => ({
      type: 'use_tool',
      toolId: id,
      operation: name,
      args: { a: 1 },
    });
    const { reported, done } = session({
      script: [use('stock'), use('drop'), finish()],
      assignment: { tools: [tool] },
    });
    await done;
    expect(reported.steps[0]).toMatchObject({ toolUsed: 'Warehouse', output: 'stock says 42' });
    expect(reported.steps[1]).toMatchObject({
      success: false,
      output: 'The agent has no such tool.',
    });
  });

  it('keeps texts within their lengths', async () => {
    const long = 'x'.repeat(40_000);
    const { reported, done } = session({ script: [note(long), finish()] });
    await done;
    expect(reported.steps[0]?.input.length).toBe(8_000);
    expect(reported.steps[0]?.finding?.text.length).toBe(2_000);
  });
});

describe('a planner that fails', () => {
  it('is a failed step with its sentence', async () => {
    const { reported, done } = session({ script: [{ fails: 'It makes no sense.' }, finish()] });
    await done;
    expect(reported.steps[0]).toMatchObject({
      action: 'plan',
      success: false,
      output: 'It makes no sense.',
    });
    expect(reported.ends[0]?.reason).toBe('goal-reached');
  });

  it('ends the session the third time in a row, not before', async () => {
    const fails = { fails: 'It makes no sense.' };
    const { reported, done } = session({ script: [fails, fails, open(PAGE), fails, fails, fails] });
    await done;
    expect(reported.steps).toHaveLength(6);
    expect(reported.ends).toMatchObject([
      { reason: 'error', code: 'model-output-invalid', error: 'It makes no sense.' },
    ]);
  });

  it('is not waited for too long', async () => {
    const { reported, done } = session({ script: ['hangs', finish()], times: { planMs: 20 } });
    await done;
    expect(reported.steps[0]?.output).toBe("The agent didn't decide on the next step in time.");
  });
});

describe('an end from outside', () => {
  it('comes while the planner decides', async () => {
    const { reported, done, planner, controlState, host } = session({ script: ['hangs'] });
    await vi.waitUntil(() => planner.asked.length === 1);
    controlState.change({ control: 'ended', personId: null });
    await done;
    expect(reported).toMatchObject({ steps: [], ends: [] });
    expect(host.last.isClosed).toBe(true);
  });

  it('comes while the browser acts', async () => {
    const { reported, done, controlState, host } = session({ script: [open(PAGE)] });
    host.onAct = () => new Promise(() => undefined);
    await vi.waitUntil(() => host.browsers[0]?.acts.length);
    controlState.change({ control: 'ended', personId: null });
    await done;
    expect(reported).toMatchObject({ steps: [], ends: [] });
  });

  it('is the deadline, with a sentence', async () => {
    const { reported, done } = session({ script: ['hangs'], isLate: true });
    await done;
    expect(reported.ends[0]?.error).toBe(SessionTooLate({}).text);
  });

  it('is not reported when the runner stops', async () => {
    const { reported, done, planner, leaving, host } = session({ script: ['hangs'] });
    await vi.waitUntil(() => planner.asked.length === 1);
    leaving.abort();
    await done;
    expect(reported).toMatchObject({ steps: [], ends: [] });
    expect(host.last.isClosed).toBe(true);
  });

  it("is the command service's decision before a step", async () => {
    const credits = session({ script: [], api: { begin: async () => 'out-of-credits' } });
    await credits.done;
    expect(credits.reported.ends[0]?.reason).toBe('out-of-credits');
    const steps = session({ script: [open(PAGE)], assignment: { maxSteps: 1 } });
    await steps.done;
    expect(steps.reported.ends).toEqual([{ reason: 'out-of-steps', outcome: null, ...NO_FAILURE }]);
    const over = session({ script: [], api: { begin: async () => 'ended' } });
    await over.done;
    expect(over.reported.ends).toEqual([]);
  });

  it('is a session that another runner has by now', async () => {
    const refused = async () => {
      throw new CallRefused(409, 'not-your-claim', 'Another has it');
    };
    const { reported, done, host } = session({ script: [open(PAGE)], api: { complete: refused } });
    await done;
    expect(reported.ends).toEqual([]);
    expect(host.last.isClosed).toBe(true);
  });
});

describe('a refusal that would come again', () => {
  it('ends the session with a sentence', async () => {
    const refused = async () => {
      throw new CallRefused(422, 'validation-failed', 'step.output: Must be valid.');
    };
    const { reported, done } = session({ script: [open(PAGE)], api: { complete: refused } });
    await done;
    expect(reported.ends).toEqual([failedBy(BrowserFault({}))]);
  });
});

describe('a browser that cannot be started', () => {
  it('ends the session with its own sentence', async () => {
    const { reported, done } = session({ script: [open(PAGE)], hasBrowser: false });
    await done;
    expect(reported.ends).toEqual([failedBy(BrowserNotOpened({}))]);
  });
});

describe('a browser that is lost', () => {
  it('is followed by another one at the same page, and the step failed', async () => {
    const { reported, done, host } = session({ script: [open(PAGE), click('e1'), finish()] });
    host.onAct = async (action) => {
      if (action.type !== 'click')
        return { success: true, output: '', name: null, isSecret: false };
      host.last.lose(PagesTooLarge({}));
      return new Promise(() => undefined);
    };
    await done;
    expect(reported.opened).toBe(2);
    expect(reported.steps[1]).toMatchObject({ success: false, output: PagesTooLarge({}).text });
    expect(reported.ends[0]?.reason).toBe('goal-reached');
    expect(host.browsers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it('ends the session with its sentence the third time', async () => {
    const { reported, done, host } = session({ script: ['hangs', 'hangs', 'hangs'] });
    for (const number of [1, 2, 3]) {
      await vi.waitUntil(() => host.browsers.length === number);
      host.last.lose(BrowserCrashed({}));
    }
    await done;
    expect(reported.ends).toEqual([failedBy(BrowserCrashed({}))]);
  });
});
