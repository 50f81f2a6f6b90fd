import {
  SessionApprovalDecided,
  SessionApprovalRequested,
  SessionApprovalUsed,
  SessionRequested,
  SessionStarted,
  SessionTakenOver,
  SessionTerminated,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import {
  approvalClosed,
  approvalDecided,
  approvalMsLeft,
  approvalRequested,
  deadlineOf,
  formClosed,
  NO_APPROVALS,
  waitsFor,
} from './approval-state.ts';
import { formPolicyOf } from './ask-approval.ts';
import { verdictOn } from './call-verdict.ts';
import { sessionStream } from './session.decider.ts';

const own = { sessionId: derivedId('session'), organizationId: derivedId('organization') };
const [ada, bob] = [derivedId('ada'), derivedId('bob')];
const [first, second] = [derivedId('first'), derivedId('second')];
const requested = SessionRequested({
  ...own,
  agentId: derivedId('agent'),
  goal: 'Refund order 7',
  context: null,
  maxSteps: 3,
  price: 1,
  requestedBy: ada,
  deadline: '2026-11-21T09:00:00.000Z',
});
const startedIn = (browser: string) =>
  SessionStarted({
    ...own,
    browserSessionId: derivedId(browser),
    model: 'built-in engine',
    agentVersion: 1,
    tools: [],
  });
const started = startedIn('browser');
const call = {
  toolId: derivedId('orders'),
  toolVersion: 2,
  toolName: 'Orders',
  operation: 'refundOrder',
  arguments: '{"orderId":"7"}',
};
const form = {
  toolId: null,
  toolVersion: null,
  toolName: 'shop.example',
  operation: 'submit-form',
  arguments: '{"fields":{"name":"Ada"}}',
};
const deadline = '2026-11-21T08:30:00.000Z';
const askFor = (approvalId = first, change: object = {}) => ({
  type: 'RequestApproval' as const,
  data: { approvalId, ...call, deadline, ...change },
});
const asked = SessionApprovalRequested({ ...own, approvalId: first, ...call, deadline });
const askedForForm = SessionApprovalRequested({ ...own, approvalId: first, ...form, deadline });
const approval = {
  approvalId: first,
  decision: 'approved',
  forRun: false,
  decidedBy: bob,
} as const;
const refusal = { ...approval, decision: 'refused', note: 'Not now.' } as const;
const decide = (data: typeof approval | typeof refusal) => ({
  type: 'DecideApproval' as const,
  data,
});
const approved = SessionApprovalDecided({ ...own, ...approval });
const use = { type: 'UseApproval' as const, data: { approvalId: first } };
const used = SessionApprovalUsed({ ...own, approvalId: first });
const taken = (takenBy: string | null) =>
  StepTaken({
    ...own,
    stepId: derivedId('step', String(takenBy)),
    stepNumber: 1,
    takenBy,
    action: 'use_tool',
    toolUsed: 'Orders',
    input: '',
    output: '',
    reasoning: null,
    success: true,
    interrupted: false,
    creditsUsed: 1,
    executionTimeMs: 5,
    url: null,
    title: null,
    screenshots: [],
    finding: null,
  });
const terminated = SessionTerminated({
  ...own,
  reason: 'by-person',
  terminatedBy: ada,
  outcome: { summary: '', keyFindings: [], nextSteps: [] },
});
const takenOver = SessionTakenOver({ ...own, takenOverBy: bob });

const given = rulesOf(sessionStream);

describe('RequestApproval', () => {
  it('records the call, and nothing when the runner asks again, before and after the decision', () => {
    given(requested, started).when(askFor()).thenAppended(asked);
    given(requested, started, asked).when(askFor(second)).thenNothing();
    given(requested, started, asked, approved).when(askFor(second)).thenNothing();
  });
  it('records the call again after the step that asked first, or after a change of the tool', () => {
    const again = SessionApprovalRequested({ ...own, approvalId: second, ...call, deadline });
    given(requested, started, asked, approved, taken(null))
      .when(askFor(second))
      .thenAppended(again);
    given(requested, started, asked, approved)
      .when(askFor(second, { toolVersion: 3 }))
      .thenAppended(
        SessionApprovalRequested({
          ...own,
          approvalId: second,
          ...call,
          toolVersion: 3,
          deadline,
        }),
      );
  });
  it('does nothing while a member steers, and is refused after the end', () => {
    given(requested, started, takenOver).when(askFor()).thenNothing();
    given(requested, started, terminated).when(askFor()).thenRefused('session-ended');
  });
});

describe('DecideApproval', () => {
  const waiting = [requested, started, asked];
  it('records the decision once, and a repeated one is a retry, also after the end', () => {
    given(...waiting)
      .when(decide(approval))
      .thenAppended(approved);
    for (const later of [[], [taken(null)], [terminated]]) {
      given(...waiting, approved, ...later)
        .when(decide(approval))
        .thenNothing();
      given(...waiting, approved, ...later)
        .when(decide(refusal))
        .thenRefused('approval-decided', { decision: 'approved' });
    }
  });
  it('is refused of an unknown call, after the end, and of a call that no longer waits', () => {
    given(requested, started).when(decide(approval)).thenRefused('not-found', { what: 'approval' });
    given(...waiting, terminated)
      .when(decide(approval))
      .thenRefused('session-ended');
    for (const later of [taken(null), takenOver]) {
      given(...waiting, later)
        .when(decide(approval))
        .thenRefused('approval-lapsed');
    }
    given(...waiting, taken(bob))
      .when(decide(approval))
      .thenAppended(approved);
  });
  it('is refused of a form whose browser was lost, but not of a call', () => {
    given(requested, started, askedForForm, startedIn('another browser'))
      .when(decide(approval))
      .thenRefused('approval-lapsed');
    given(...waiting, startedIn('another browser'))
      .when(decide(approval))
      .thenAppended(approved);
  });
});

describe('UseApproval', () => {
  const decided = [requested, started, asked, approved];
  it('counts once, and in the step that asked', () => {
    given(...decided)
      .when(use)
      .thenAppended(used);
    given(...decided, used)
      .when(use)
      .thenRefused('approval-lapsed');
    given(...decided, taken(null))
      .when(use)
      .thenRefused('approval-lapsed');
  });
  it('is refused without an approval, and after the end', () => {
    given(requested, started, asked).when(use).thenRefused('approval-lapsed');
    const refused = SessionApprovalDecided({ ...own, ...refusal });
    given(requested, started, asked, refused).when(use).thenRefused('approval-lapsed');
    given(...decided, terminated)
      .when(use)
      .thenRefused('session-ended');
  });
});

/** A session of which nothing but its approvals matters, from 8:00. */
const session = { ...NO_APPROVALS, deadline: '2026-11-21T09:00:00.000Z', end: null };
const request = { ...call, approvalId: first, deadline };
const waiting = approvalRequested(session, request, RECORDED_AT);
const after = (minutes: number) => `2026-11-21T08:${String(minutes).padStart(2, '0')}:00.000Z`;

describe('the time of a session', () => {
  it('stands still while it waits', () => {
    expect(deadlineOf(session)).toBe('2026-11-21T09:00:00.000Z');
    expect(deadlineOf(waiting)).toBe('2026-11-21T09:30:00.000Z');
    const decided = approvalDecided(waiting, approval, after(10));
    expect([deadlineOf(decided), decided.waitedMs]).toEqual(['2026-11-21T09:10:00.000Z', 600_000]);
    const closed = approvalClosed(waiting, after(20));
    expect([deadlineOf(closed), closed.waitedMs]).toEqual(['2026-11-21T09:20:00.000Z', 1_200_000]);
    expect(approvalClosed(decided, after(20)).waitedMs).toBe(600_000);
  });
  it('is not counted when it has ended', () => {
    expect(waitsFor({ ...waiting, end: {} })).toBeNull();
  });
});

describe('a call of a tool', () => {
  const always = () => true;
  it('waits where its policy asks, and is made where it does not', () => {
    expect(verdictOn(session, call, always)).toEqual({ kind: 'ask' });
    const go = { kind: 'go', args: { orderId: '7' }, approvalId: null };
    expect(verdictOn(session, call, () => false)).toEqual(go);
    expect(verdictOn(waiting, call, always)).toMatchObject({ kind: 'wait' });
    expect(verdictOn(waiting, { ...call, arguments: '{}' }, always)).toEqual({ kind: 'ask' });
  });
  it('is made with the arguments that were approved', () => {
    const changed = { ...approval, arguments: '{"orderId":"8"}' };
    const decided = approvalDecided(waiting, changed, after(1));
    const go = { kind: 'go', args: { orderId: '8' }, approvalId: first };
    expect(verdictOn(decided, call, always)).toEqual(go);
    expect(verdictOn(decided, { ...call, toolVersion: 3 }, always)).toEqual({ kind: 'ask' });
    const closed = approvalClosed(decided, after(2));
    expect(verdictOn(closed, call, always)).toEqual({ kind: 'ask' });
  });
  it('is not made after a refusal, even if the policy has changed', () => {
    const said = (change: object) =>
      verdictOn(approvalDecided(waiting, { ...refusal, ...change }, after(1)), call, () => false);
    const because = (output: string) => ({ kind: 'refused', output });
    expect(said({})).toEqual(because('A person refused this call: Not now.'));
    expect(said({ note: undefined })).toEqual(because('A person refused this call.'));
    expect(said({ decidedBy: null })).toEqual(because('No decision was made in time.'));
  });
  it('needs no approval after one for the whole session, of this version of the tool', () => {
    const decided = approvalDecided(waiting, { ...approval, forRun: true }, after(1));
    const later = approvalClosed(decided, after(2));
    const other = { ...call, arguments: '{"orderId":"9"}' };
    const go = { kind: 'go', args: { orderId: '9' }, approvalId: null };
    expect(verdictOn(later, other, always)).toEqual(go);
    expect(verdictOn(later, { ...other, toolVersion: 3 }, always)).toEqual({ kind: 'ask' });
  });
});

describe('the time for a decision', () => {
  it('is what is left of two hours, and none if that is less than a minute', () => {
    const left = (waitedSeconds: number) =>
      approvalMsLeft({ ...NO_APPROVALS, waitedMs: waitedSeconds * 1_000 }, 1_800_000);
    expect([0, 7_000, 7_140].map(left)).toEqual([1_800_000, 200_000, 60_000]);
    expect([7_141, 7_198, 7_200, 7_205].map(left)).toEqual([null, null, null, null]);
  });
});

describe('a form', () => {
  it('is sent without a policy only by an agent that exists', () => {
    const agents = [null, {}, { formPolicy: 'ask' } as const];
    expect(agents.map(formPolicyOf)).toEqual(['never', 'allow', 'ask']);
  });
  it('is lost with its browser, which a call is not', () => {
    const asking = approvalRequested(session, { ...request, ...form }, RECORDED_AT);
    expect(waitsFor(formClosed(asking, after(1)))).toBeNull();
    expect(waitsFor(formClosed(waiting, after(1)))).not.toBeNull();
  });
});
