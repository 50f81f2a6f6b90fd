import {
  TaskApprovalDecided,
  TaskApprovalRequested,
  TaskCancelled,
  TaskFailed,
  TaskRequested,
  TaskStarted,
  TaskStepCompleted,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { taskStream } from './task.decider.ts';

const own = { taskId: derivedId('task'), organizationId: derivedId('organization') };
const request = {
  ...own,
  agentId: derivedId('agent'),
  taskType: 'query' as const,
  input: 'Within how many days?',
  requestedBy: derivedId('member'),
  price: 1,
  deadline: '2026-11-21T08:05:00.000Z',
};
const start = { model: 'built-in', agentVersion: 1, articles: [] };
const success = {
  output: 'Within 30 days.',
  reasoning: null,
  sources: [],
  model: 'built-in',
  executionTimeMs: 12,
};
const failure = {
  code: 'deadline-passed',
  params: {},
  error: 'It took too long.',
  executionTimeMs: null,
};

const requestTask = { type: 'RequestTask' as const, data: request };
const startTask = { type: 'StartTask' as const, data: start };
const succeed = { type: 'SucceedTask' as const, data: success };
const fail = { type: 'FailTask' as const, data: failure };

const cancel = { type: 'CancelTask' as const, data: { cancelledBy: request.requestedBy } };

const requested = TaskRequested(request);
const started = TaskStarted({ ...own, ...start });
const succeeded = TaskSucceeded({ ...own, ...success });
const failed = TaskFailed({ ...own, ...failure });

const cancelled = TaskCancelled({ ...own, cancelledBy: request.requestedBy });

const call = {
  approvalId: derivedId('approval'),
  toolId: derivedId('tool'),
  toolVersion: 1,
  toolName: 'Orders',
  operation: 'refundOrder',
  arguments: '{"orderId":"7"}',
  step: null,
  turns: '[]',
  deadline: '2026-11-22T08:00:00.000Z',
};
const decision = {
  approvalId: call.approvalId,
  decision: 'approved' as const,
  forRun: false,
  decidedBy: derivedId('manager'),
  deadline: '2026-11-21T09:05:00.000Z',
};
const ask = { type: 'RequestApproval' as const, data: call };
const approve = { type: 'DecideApproval' as const, data: decision };
const refuse = {
  type: 'DecideApproval' as const,
  data: { ...decision, decision: 'refused' as const, note: 'Not without an invoice.' },
};
const asked = TaskApprovalRequested({ ...own, ...call });
const approved = TaskApprovalDecided({ ...own, ...decision });

const given = rulesOf(taskStream);

describe('RequestTask', () => {
  it('begins the task', () => {
    given().when(requestTask).thenAppended(requested);
  });
  it('does nothing the second time it arrives, before the end and after it', () => {
    given(requested).when(requestTask).thenNothing();
    given(requested, started, succeeded).when(requestTask).thenNothing();
  });
});

describe('StartTask', () => {
  it('records the versions that the task uses', () => {
    given(requested).when(startTask).thenAppended(started);
  });
  it('records each start: a worker that resumes uses the current versions', () => {
    given(requested, started).when(startTask).thenAppended(started);
  });
  it('changes nothing for an unknown task, or after its end', () => {
    given().when(startTask).thenNothing();
    given(requested, failed).when(startTask).thenNothing();
  });
});

describe('SucceedTask', () => {
  it('ends the task with its answer', () => {
    given(requested, started).when(succeed).thenAppended(succeeded);
    expect(given(requested, started, succeeded).state()?.end).toMatchObject({
      success: true,
      output: 'Within 30 days.',
    });
  });
  it('does nothing the second time it arrives', () => {
    given(requested, started, succeeded).when(succeed).thenNothing();
  });
  it('arrives too late for a task that was given up', () => {
    given(requested, started, failed).when(succeed).thenNothing();
  });
  it('changes nothing for an unknown task', () => {
    given().when(succeed).thenNothing();
  });
});

describe('FailTask', () => {
  it('ends the task with the cause, whether or not it was started', () => {
    given(requested, started).when(fail).thenAppended(failed);
    given(requested).when(fail).thenAppended(failed);
    expect(given(requested, failed).state()?.end).toMatchObject({
      success: false,
      error: 'It took too long.',
    });
  });
  it('does nothing the second time it arrives', () => {
    given(requested, failed).when(fail).thenNothing();
  });
  it('comes too late for a task that has succeeded', () => {
    given(requested, started, succeeded).when(fail).thenNothing();
  });
});

describe('CancelTask', () => {
  it('ends the task before its own end, whether or not it was started', () => {
    given(requested).when(cancel).thenAppended(cancelled);
    given(requested, started).when(cancel).thenAppended(cancelled);
    expect(given(requested, cancelled).state()?.end).toMatchObject({ isCancelled: true });
  });
  it('does nothing the second time it arrives', () => {
    given(requested, cancelled).when(cancel).thenNothing();
  });
  it('is refused for a task that has ended otherwise', () => {
    given(requested, started, succeeded)
      .when(cancel)
      .thenRefused('task-ended', { status: 'success' });
    given(requested, failed).when(cancel).thenRefused('task-ended', { status: 'failed' });
  });
  it('makes later events ineffective', () => {
    given(requested, cancelled).when(succeed).thenNothing();
    given(requested, cancelled).when(fail).thenNothing();
    given(requested, cancelled).when(startTask).thenNothing();
  });
});

describe('CompleteStep', () => {
  const step = (ordinal: number) => ({
    ordinal,
    instruction: 'Find the order',
    output: 'It is 4711.',
    sources: [],
    executionTimeMs: 5,
  });
  const complete = (ordinal: number) => ({ type: 'CompleteStep' as const, data: step(ordinal) });
  const completed = (ordinal: number) => TaskStepCompleted({ ...own, ...step(ordinal) });

  it('records the result of a step', () => {
    given(requested, started).when(complete(1)).thenAppended(completed(1));
    given(requested, started, completed(1)).when(complete(2)).thenAppended(completed(2));
    expect(given(requested, started, completed(1)).state()?.steps).toHaveLength(1);
  });
  it('does nothing for a step that is done, or not next', () => {
    given(requested, started, completed(1)).when(complete(1)).thenNothing();
    given(requested, started).when(complete(2)).thenNothing();
  });
  it('comes too late after the end', () => {
    given(requested, started, cancelled).when(complete(1)).thenNothing();
  });
});

describe('RequestApproval', () => {
  it('lets the task wait for a decision on the call', () => {
    given(requested, started).when(ask).thenAppended(asked);
  });
  it('does nothing while the task waits, so that two workers ask once', () => {
    given(requested, started, asked).when(ask).thenNothing();
  });
  it('does nothing when a worker that was left behind asks again', () => {
    given(requested, started, asked, approved).when(ask).thenNothing();
  });
  it('may be followed by another after a decision', () => {
    const again = { ...call, approvalId: derivedId('another') };
    given(requested, started, asked, approved)
      .when({ ...ask, data: again })
      .thenAppended(TaskApprovalRequested({ ...own, ...again }));
  });
  it('does nothing once the task has ended', () => {
    given(requested, started, cancelled).when(ask).thenNothing();
  });
});

describe('DecideApproval', () => {
  it('records the decision, with what the agent is told', () => {
    given(requested, started, asked).when(approve).thenAppended(approved);
    given(requested, started, asked)
      .when(refuse)
      .thenAppended(TaskApprovalDecided({ ...own, ...refuse.data }));
  });
  it('does nothing when it is repeated, also after the end', () => {
    given(requested, started, asked, approved).when(approve).thenNothing();
    given(requested, started, asked, approved, succeeded).when(approve).thenNothing();
  });
  it('is refused when another decision was made', () => {
    given(requested, started, asked, approved)
      .when(refuse)
      .thenRefused('approval-decided', { decision: 'approved' });
  });
  it('is refused when the task has ended without a decision', () => {
    given(requested, started, asked, cancelled)
      .when(approve)
      .thenRefused('task-ended', { status: 'cancelled' });
  });
  it('is refused for an unknown approval', () => {
    given(requested, started).when(approve).thenRefused('not-found', { what: 'approval' });
    given(requested, started, succeeded)
      .when(approve)
      .thenRefused('not-found', { what: 'approval' });
  });
});
