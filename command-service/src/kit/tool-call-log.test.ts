import type { EngineTool } from '@tallyhand/agent-runtime/engine';
import { describe, expect, it } from 'vitest';
import { type LoggedCall, toolCallLog } from './tool-call-log.ts';

const operation = { name: 'get', description: '', parameters: {}, isRead: true };
const { signal } = new AbortController();

function counting() {
  const asked: unknown[] = [];
  const tool: EngineTool = {
    id: 'tool-1',
    title: 'Orders',
    description: '',
    operations: [operation],
    async call(_, args) {
      asked.push(args);
      return { success: true, output: `answer ${asked.length}` };
    },
  };
  return { tool, asked };
}

function noting(before: readonly LoggedCall[] = []) {
  const noted: LoggedCall[] = [];
  const calls = toolCallLog({
    by: 'task',
    callsMax: 20,
    before,
    note: async (call) => void noted.push(call),
  });
  return { noted, calls };
}

const call = (calls: ReturnType<typeof toolCallLog>, tool: EngineTool, id: number) =>
  calls.tool(tool, 2).call(operation, { id }, signal);

describe('the calls of a task', () => {
  it('are recorded one by one, as they are answered', async () => {
    const { tool } = counting();
    const { noted, calls } = noting();
    await call(calls, tool, 7);
    await call(calls, tool, 7);
    expect(noted).toMatchObject([
      { ordinal: 1, toolId: 'tool-1', step: 2, input: 'get {"id":7}', output: 'answer 1' },
      { ordinal: 2, toolId: 'tool-1', step: 2, input: 'get {"id":7}', output: 'answer 2' },
    ]);
  });

  it('are not repeated by a worker that resumes the task', async () => {
    const { tool, asked } = counting();
    const first = noting();
    for (const id of [7, 8]) await call(first.calls, tool, id);
    const second = noting(first.noted);
    expect(await call(second.calls, tool, 8)).toEqual({ success: true, output: 'answer 2' });
    expect(await call(second.calls, tool, 9)).toEqual({ success: true, output: 'answer 3' });
    expect(await call(second.calls, tool, 8)).toEqual({ success: true, output: 'answer 4' });
    expect(asked).toEqual([{ id: 7 }, { id: 8 }, { id: 9 }, { id: 8 }]);
    expect(second.noted.map(({ ordinal }) => ordinal)).toEqual([3, 4]);
    expect(second.calls.made()).toHaveLength(3);
  });

  it('end at a number of them', async () => {
    const { tool, asked } = counting();
    const { calls } = noting();
    for (let id = 1; id <= 20; id += 1) await call(calls, tool, id);
    expect(await call(calls, tool, 21)).toMatchObject({ success: false });
    expect(asked).toHaveLength(20);
  });
});
