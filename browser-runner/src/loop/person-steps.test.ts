import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { StepReport } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it, vi } from 'vitest';
import { LOOP_TIMES } from '../config.ts';
import { CallRefused } from '../internal/command-client.ts';
import { fakeHost } from '../testing/fake-browser.ts';
import { inShort } from '../testing/session.ts';
import { personSteps } from './person-steps.ts';
import { sessionMemory } from './session-memory.ts';

const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const text = (words: string): LiveInput => ({ type: 'input', kind: 'text', text: words });
const key = (name: 'Enter' | 'Backspace'): LiveInput => ({ type: 'input', kind: 'key', key: name });
const scroll = (deltaY: number): LiveInput => ({
  type: 'input',
  kind: 'scroll',
  x: 0.5,
  y: 0.5,
  deltaY,
});
const click: LiveInput = { type: 'input', kind: 'click', x: 0.5, y: 0.5 };

async function person(refusal?: CallRefused) {
  const host = fakeHost();
  await host.open('one');
  const browser = host.last;
  const memory = sessionMemory([]);
  const noted: StepReport[] = [];
  const handBackIdle = vi.fn(async () => undefined);
  const steps = personSteps({
    memberId: newId(),
    browser,
    memory,
    log,
    times: { ...LOOP_TIMES, quietMs: 10 },
    stopped: new AbortController().signal,
    feed: { acted: () => undefined },
    api: {
      handBackIdle,
      async notePersonStep(_memberId, _stepId, step) {
        if (refusal) throw refusal;
        noted.push(step);
      },
    },
  });
  return { host, browser, memory, noted, steps, handBackIdle };
}

describe('input of a member', () => {
  it('is one step for each click, key and address', async () => {
    const { steps, noted, memory } = await person();
    steps.input({ type: 'input', kind: 'open', url: 'https://a.example/' });
    for (const each of [click, click, key('Enter')]) steps.input(each);
    await steps.flush();
    expect(noted.map(inShort)).toEqual([
      'open https://a.example/',
      'click Buy',
      'click Buy',
      'type Enter',
    ]);
    expect(noted[0]).toMatchObject({
      url: 'https://a.example/',
      screenshots: [expect.any(String)],
    });
    expect(memory.steps.every(({ isByPerson }) => isByPerson)).toBe(true);
    await steps[Symbol.asyncDispose]();
  });

  it('is one step for text typed in one go, with its corrections', async () => {
    const { steps, noted } = await person();
    for (const each of [text('he'), text('lp'), key('Backspace'), text('lo')]) steps.input(each);
    steps.input(key('Enter'));
    await steps.flush();
    expect(noted.map(inShort)).toEqual(['type hello', 'type Enter']);
    await steps[Symbol.asyncDispose]();
  });

  it('is one step for scrolling, in the direction that it came to', async () => {
    const { steps, noted } = await person();
    for (const each of [scroll(100), scroll(-300), text('a'), scroll(5)]) steps.input(each);
    await steps.flush();
    expect(noted.map(inShort)).toEqual(['scroll up', 'type a', 'scroll down']);
    await steps[Symbol.asyncDispose]();
  });

  it('is a step once it was quiet for a while', async () => {
    const { steps, noted } = await person();
    steps.input(text('hello'));
    await vi.waitUntil(() => noted.length === 1);
    await steps[Symbol.asyncDispose]();
  });

  it('never shows text typed into a password field', async () => {
    const { steps, noted, host } = await person();
    steps.input(text('me'));
    await steps.flush();
    host.isSecret = true;
    steps.input(text('hunter2'));
    await steps.flush();
    expect(noted.map(inShort)).toEqual(['type me', 'type ••••••']);
    expect(JSON.stringify(noted)).not.toContain('hunter2');
    await steps[Symbol.asyncDispose]();
  });

  it('reaches the browser in order, with a bounded queue', async () => {
    const { steps, browser } = await person();
    const taken = Array.from({ length: 120 }, () => steps.input(click));
    expect(taken.filter(Boolean)).toHaveLength(100);
    await steps[Symbol.asyncDispose]();
    expect(browser.inputs).toHaveLength(100);
  });

  it('is handed back when it cannot be recorded', async () => {
    const { steps, handBackIdle } = await person(
      new CallRefused(409, 'too-many-person-steps', 'Too many'),
    );
    steps.input(click);
    await steps.flush();
    expect(handBackIdle).toHaveBeenCalledOnce();
    await steps[Symbol.asyncDispose]();
  });
});
