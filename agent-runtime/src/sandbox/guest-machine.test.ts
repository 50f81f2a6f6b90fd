import { describe, expect, it } from 'vitest';
import { guestLog } from './guest-machine.ts';
import type { CutText } from './guest-messages.ts';
import { defaultScriptLimits } from './script-run.ts';

function logged(limits: { logLines?: number; logBytes?: number }, lines: string[]): CutText[] {
  const kept: CutText[] = [];
  const log = guestLog({ ...defaultScriptLimits, ...limits }, (line) => kept.push(line));
  for (const line of lines) log(line);
  return kept;
}

describe('the log of a script', () => {
  it('keeps as many lines as are allowed', () => {
    expect(logged({ logLines: 2 }, ['a', 'b', 'c'])).toEqual([
      { text: 'a', isCut: false },
      { text: 'b', isCut: false },
    ]);
  });

  it('cuts the line with which the bytes are used up, and drops the rest', () => {
    expect(logged({ logBytes: 5 }, ['éé', 'abc', 'd'])).toEqual([
      { text: 'éé', isCut: false },
      { text: 'a', isCut: true },
    ]);
  });

  it('keeps a line that just fits', () => {
    expect(logged({ logBytes: 3 }, ['abc', 'd'])).toEqual([{ text: 'abc', isCut: false }]);
  });
});
