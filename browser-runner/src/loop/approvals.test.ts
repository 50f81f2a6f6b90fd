import { BrowserCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import { describe, expect, it, vi } from 'vitest';
import type { SessionApi } from '../internal/session-api.ts';
import type { SentForm } from '../session-browser.ts';
import { PAGE, session } from '../testing/running-session.ts';
import { click, finish, open } from '../testing/scripted-planner.ts';
import { pauseMs } from './take-step.ts';

type Answer = Awaited<ReturnType<SessionApi['ask']>>;
const deadline = new Date(Date.now() + 3_600_000).toISOString();
const answered = (answer: Answer['answer'], output: string | null = null): Answer => ({
  answer,
  output,
  isApproved: false,
  deadline,
});
const approved: Answer = { ...answered('go'), isApproved: true };

/** Answers one after the other; the last one again and again. */
function asks(...answers: readonly Answer[]) {
  const left = [...answers];
  return vi.fn<SessionApi['ask']>(async () => {
    const next = left.length > 1 ? left.shift() : left[0];
    return next ?? answered('go');
  });
}

const times = { askMs: 1 };
const form: SentForm = {
  name: 'Send it',
  host: 'shop.example',
  args: { fields: { name: 'Ada' } },
  print: 'one',
};

describe('a call of a tool', () => {
  const tool = {
    id: 'orders',
    title: 'Orders',
    description: '',
    operations: [{ name: 'refund', description: '', parameters: {}, isRead: false }],
  };
  const use = { type: 'use_tool', toolId: 'orders', operation: 'refund', args: { id: 7 } } as const;
  const assignment = { tools: [tool] };

  it('is made once its approval is there, and its runner asks until then', async () => {
    const ask = asks(answered('wait'), answered('wait'), answered('go'));
    const useTool = vi.fn<SessionApi['useTool']>(async () => ({ success: true, output: 'Done' }));
    const { done, reported } = session({
      script: [use, finish()],
      assignment,
      times,
      api: { ask, useTool },
    });
    await done;
    expect(ask.mock.calls.map(([number, call]) => [number, call])).toEqual(
      Array(3).fill([1, { kind: 'tool', toolId: 'orders', operation: 'refund', args: { id: 7 } }]),
    );
    expect(useTool).toHaveBeenCalledTimes(1);
    expect(reported.steps[0]).toMatchObject({ success: true, output: 'Done' });
  });

  it('is not made after a refusal, which the agent reads', async () => {
    const ask = asks(answered('refused', 'A person refused this call.'));
    const useTool = vi.fn<SessionApi['useTool']>();
    const { done, reported } = session({
      script: [use, finish()],
      assignment,
      times,
      api: { ask, useTool },
    });
    await done;
    expect(useTool).not.toHaveBeenCalled();
    expect(reported.steps[0]).toMatchObject({
      success: false,
      interrupted: false,
      output: 'A person refused this call.',
    });
  });

  it('waits longer than a step may take, and the wait does not count', async () => {
    let asked = 0;
    const ask = vi.fn<SessionApi['ask']>(async () => {
      asked += 1;
      return answered(asked < 20 ? 'wait' : 'go');
    });
    const { done, reported } = session({
      script: [use, finish()],
      assignment,
      times: { askMs: 10, stepMs: 150 },
      api: { ask },
    });
    await done;
    expect(reported.steps[0]).toMatchObject({ success: true });
    expect(reported.steps[0]?.executionTimeMs).toBeLessThan(150);
  });

  it('is interrupted by a member who takes over while it waits', async () => {
    const ask = asks(answered('wait'));
    const running = session({ script: [use, finish()], assignment, times, api: { ask } });
    await vi.waitUntil(() => ask.mock.calls.length > 2);
    running.takeOver();
    await vi.waitUntil(() => running.reported.steps.length === 1);
    expect(running.reported.steps[0]).toMatchObject({ success: false, interrupted: true });
    running.handBack();
    await running.done;
    expect(running.reported.ends).toHaveLength(1);
  });

  it('waits on in another browser if its own is lost', async () => {
    const ask = asks(answered('wait'));
    const useTool = vi.fn<SessionApi['useTool']>(async () => ({ success: true, output: 'Done' }));
    const api = { ask, useTool };
    const running = session({ script: [use, use, finish()], assignment, times, api });
    await vi.waitUntil(() => ask.mock.calls.length > 0);
    running.host.last.lose(BrowserCrashed({}));
    await vi.waitUntil(() => running.host.browsers.length === 2);
    ask.mockResolvedValue(approved);
    await running.done;
    expect([...new Set(ask.mock.calls.map(([number]) => number))]).toEqual([1]);
    expect(running.reported.steps[0]).toMatchObject({ action: 'use_tool', success: true });
    expect(useTool).toHaveBeenCalledTimes(1);
  });

  it('asks less often the longer it waits', () => {
    expect([1, 15, 30, 75, 1_000].map((asked) => pauseMs(asked, 1_000))).toEqual([
      1_000, 1_000, 2_000, 5_000, 5_000,
    ]);
  });

  it('ends with its session', async () => {
    const ask = asks(answered('wait'));
    const running = session({ script: [use, finish()], assignment, times, api: { ask } });
    await vi.waitUntil(() => ask.mock.calls.length > 0);
    running.controlState.change({ control: 'ended', personId: null });
    await running.done;
    expect(running.reported.steps).toEqual([]);
  });

  it('waits past the deadline that the session had before', async () => {
    const soon = new Date(Date.now() + 100).toISOString();
    let asked = 0;
    const ask = vi.fn<SessionApi['ask']>(async () => {
      asked += 1;
      return answered(asked < 20 ? 'wait' : 'go');
    });
    const { done, reported } = session({
      script: [use, finish()],
      assignment: { ...assignment, deadline: soon },
      times: { askMs: 10 },
      api: { ask },
    });
    await done;
    expect(reported.ends[0]?.reason).toBe('goal-reached');
  });
});

describe('a form', () => {
  const script = [open(PAGE), click('e1'), finish()];
  const begun = (ask: SessionApi['ask'], onAsk?: () => void) => {
    const running = session({
      script,
      times,
      api: {
        ask: async (...call) => {
          onAsk?.();
          return ask(...call);
        },
      },
    });
    const page: { sends: SentForm | null | 'unread' } = { sends: form };
    running.host.onForm = ({ type }) => (type === 'click' ? page.sends : null);
    return { ...running, page };
  };
  const clicks = ({ host }: ReturnType<typeof begun>) =>
    host.last.acts.filter(({ type }) => type === 'click').length;

  it('is sent once it is approved', async () => {
    const ask = asks(answered('wait'), approved);
    const running = begun(ask);
    await running.done;
    const { host, args } = form;
    expect(ask.mock.calls[0]?.slice(0, 2)).toEqual([2, { kind: 'form', host, args }]);
    expect(clicks(running)).toBe(1);
  });

  it('is not sent after a refusal', async () => {
    const running = begun(asks(answered('refused', 'A person refused this form.')));
    await running.done;
    expect(clicks(running)).toBe(0);
    expect(running.reported.steps[1]).toMatchObject({
      input: 'Send it',
      success: false,
      output: 'A person refused this form.',
    });
  });

  it.each([
    ['changed', { ...form, print: 'other' }],
    ['gone', null],
    ['become unreadable', 'unread' as const],
  ])('is not sent if it has %s since it was shown', async (_, later) => {
    const running = begun(asks(answered('wait'), approved), () => {
      running.page.sends = later;
    });
    await running.done;
    expect(clicks(running)).toBe(0);
    expect(running.reported.steps[1]?.output).toContain('has changed');
  });

  it('is sent without another look if it needs no approval', async () => {
    const running = begun(asks(answered('go')), () => {
      running.page.sends = { ...form, print: 'other' };
    });
    await running.done;
    expect(clicks(running)).toBe(1);
  });

  it.each([
    [answered('go'), 1],
    [answered('refused', 'It could not be seen.'), 0],
  ])('is sent by its policy if the page does not say what it sends', async (answer, sent) => {
    const ask = asks(answer);
    const running = begun(ask);
    running.page.sends = 'unread';
    await running.done;
    expect(ask.mock.calls.map(([, call]) => call)).toEqual([{ kind: 'unread-form' }]);
    expect(clicks(running)).toBe(sent);
    if (answer.output) expect(running.reported.steps[1]?.output).toBe(answer.output);
  });

  it('keeps what was to be typed out of a refused step', async () => {
    const running = session({
      script: [open(PAGE), { type: 'type', ref: 'e1', text: 'secret', submit: true }, finish()],
      times,
      api: { ask: asks(answered('refused', 'No.')) },
    });
    running.host.onForm = ({ type }) => (type === 'type' ? form : null);
    await running.done;
    expect(JSON.stringify(running.reported.steps)).not.toContain('secret');
  });
});
