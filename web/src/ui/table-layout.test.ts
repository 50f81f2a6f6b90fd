import { describe, expect, it } from 'vitest';
import {
  PLAIN,
  parseLayouts,
  shownOf,
  WIDTH_MAX,
  WIDTH_MIN,
  withShown,
  withWidth,
} from './table-layout.ts';

const columns = [{ key: 'agent' }, { key: 'type' }, { key: 'input' }];
const keysOf = (layout: typeof PLAIN) => shownOf(columns, layout).map(({ key }) => key);

describe('the columns of a table', () => {
  it('are hidden and shown again', () => {
    const hidden = withShown(withShown(PLAIN, 'type', false), 'type', false);
    expect(hidden.hidden).toEqual(['type']);
    expect(keysOf(hidden)).toEqual(['agent', 'input']);
    expect(keysOf(withShown(hidden, 'type', true))).toEqual(['agent', 'type', 'input']);
  });

  it('always include the first one, which names the row', () => {
    expect(keysOf(withShown(PLAIN, 'agent', false))).toEqual(['agent', 'type', 'input']);
  });

  it('are never narrower or wider than can be used', () => {
    expect(withWidth(PLAIN, 'type', -5).widths).toEqual({ type: WIDTH_MIN });
    expect(withWidth(PLAIN, 'type', 9_999).widths).toEqual({ type: WIDTH_MAX });
  });
});

describe('the remembered layouts', () => {
  it('are those that were stored', () => {
    const tasks = withWidth(withShown(PLAIN, 'type', false), 'input', 300);
    expect(parseLayouts(JSON.stringify({ tasks }))).toEqual({ tasks });
  });

  it.each([null, '', 'nonsense', '[]', '7', '{"tasks":7}'])('are none in %j', (text) => {
    expect(parseLayouts(text)).toEqual({});
  });

  it('lose only what is damaged', () => {
    const stored = { tasks: { hidden: ['type'], widths: { input: -1 }, density: 'tiny' } };
    expect(parseLayouts(JSON.stringify(stored))).toEqual({ tasks: { ...PLAIN, hidden: ['type'] } });
  });
});
