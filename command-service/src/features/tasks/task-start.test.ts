import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandContext } from '../../kit/context.ts';
import type { RequestedTask, TaskCommand } from './task.decider.ts';
import { startTask } from './task-start.ts';

const taskId = 'the task';
const context = {} as CommandContext;
const running = { taskId, end: null } as RequestedTask;
const ended = { ...running, end: { success: true } } as RequestedTask;
const started = { command: { type: 'StartTask', data: {} } as TaskCommand, context };
const succeeded = { command: { type: 'SucceedTask', data: {} } as TaskCommand, context };

/** A stream that notes its writes, and answers with a state. */
function stream(state: RequestedTask = running) {
  const writes: string[][] = [];
  const accepted = { kind: 'accepted', events: [], state, position: { commit: 0n, prepare: 0n } };
  const tasks = {
    send: async (_id: string, { type }: TaskCommand) => {
      writes.push([type]);
      return accepted;
    },
    sendAll: async (_id: string, sent: readonly { readonly command: TaskCommand }[]) => {
      writes.push(sent.map(({ command }) => command.type));
      return sent.map(() => accepted);
    },
  } as unknown as Parameters<typeof startTask>[0];
  return { writes, start: startTask(tasks, taskId, started) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the start of a task', () => {
  it('is written together with an end that comes soon', async () => {
    const { writes, start } = stream();
    await vi.advanceTimersByTimeAsync(40);
    await start.end(succeeded);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes).toEqual([['StartTask', 'SucceedTask']]);
  });

  it('is written without an end that is long in coming', async () => {
    const { writes, start } = stream();
    await vi.advanceTimersByTimeAsync(50);
    expect(writes).toEqual([['StartTask']]);
    await start.end(succeeded);
    expect(writes).toEqual([['StartTask'], ['SucceedTask']]);
  });

  it('is written once if it cannot wait, and returns what others have done', async () => {
    const { writes, start } = stream();
    expect(await start.now()).toBe(running);
    await vi.advanceTimersByTimeAsync(1_000);
    await start.end(succeeded);
    expect(writes).toEqual([['StartTask'], ['SucceedTask']]);
  });

  it('reports when the task has ended meanwhile, and writes no end then', async () => {
    const { writes, start } = stream(ended);
    await vi.advanceTimersByTimeAsync(50);
    expect(start.isOver.aborted).toBe(true);
    await start.end(succeeded);
    expect(writes).toEqual([['StartTask']]);
    expect(await start.now()).toBeNull();
  });

  it('is left to others by a worker that stops', async () => {
    const { writes, start } = stream();
    start[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes).toEqual([]);
  });
});
