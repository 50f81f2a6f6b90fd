import { describe, expect, it } from 'vitest';
import { editedArguments, readableArguments } from './call-arguments.ts';

describe('the arguments of a call', () => {
  it('are shown line by line', () => {
    expect(readableArguments('{"number":7,"items":["tent"]}')).toBe(
      '{\n  "number": 7,\n  "items": [\n    "tent"\n  ]\n}',
    );
  });
  it.each([
    ['a number that is too long for a program', '{"id":12345678901234567890}'],
    ['a name that comes twice', '{"to":"anna","to":"ben"}'],
    ['no JSON', 'to anna'],
  ])('are shown as they are with %s', (_, text) => {
    expect(readableArguments(text)).toBe(text);
  });
  it('show characters that are not seen, or turn the text around', () => {
    expect(readableArguments('{"to":"anna\u202eneb\u200b"}')).toBe(
      '{\n  "to": "anna\\u202eneb\\u200b"\n}',
    );
  });
});

describe('edited arguments', () => {
  const text = '{"number":7}';
  const edited = (now: string, lengthMax = 100) => editedArguments(now, text, lengthMax);
  it('are sent if they differ', () => {
    expect(edited('{"number": 8}')).toEqual({ changed: { number: 8 } });
  });
  it('are not sent if they were only written otherwise', () => {
    expect(edited(readableArguments(text))).toEqual({ changed: undefined });
    expect(edited('{  "number": 7 }')).toEqual({ changed: undefined });
  });
  it('are not sent if the text that can not be shown otherwise was left alone', () => {
    const long = '{"id":12345678901234567890}';
    expect(editedArguments(long, long, 100)).toEqual({ changed: undefined });
  });
  it.each([
    ['notJson', '{"number": }'],
    ['notJson', ''],
    ['notObject', '[7]'],
    ['notObject', 'null'],
    ['tooLong', JSON.stringify({ text: 'x'.repeat(100) })],
  ] as const)('have the fault %s: %s', (fault, now) => {
    expect(edited(now)).toEqual({ fault });
  });
});
