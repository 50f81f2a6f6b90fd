import { shopList } from '@tallyhand/agent-runtime/browsing/fixtures/outlines';
import { describe, expect, it } from 'vitest';
import { headingsOf, mainOf, nodesIn, parseOutline, textIn } from './outline.ts';

const rolesOf = (outline: string) => [...nodesIn(parseOutline(outline))].map(({ role }) => role);

describe('parseOutline', () => {
  it('reads names, references, states and addresses', () => {
    const nodes = [...nodesIn(parseOutline(shopList))];
    expect(nodes.find(({ ref }) => ref === 'f1e23')).toMatchObject({
      role: 'link',
      name: 'Alpine 40',
      url: '/shop/alpine-40',
    });
    const options = nodes.filter(({ role }) => role === 'option');
    expect(options.map(({ name, states }) => [name, states])).toEqual([
      ['Name', ['selected']],
      ['Price: low to high', []],
    ]);
    expect(nodes.find(({ ref }) => ref === 'f1e25')?.text).toBe('€129.00');
  });

  it('reads quoted YAML', () => {
    const root = parseOutline(
      `- 'link "It''s 5: \\"six\\"" [ref=e1]':\n  - /url: "/a: b"\n- text: "x: y"`,
    );
    expect(root.children[0]).toMatchObject({ name: 'It\'s 5: "six"', url: '/a: b', ref: 'e1' });
    expect(root.children[1]).toMatchObject({ role: 'text', text: 'x: y' });
  });

  it('leaves out lines that it does not know, and outlines that are cut', () => {
    expect(rolesOf('- main:\n  - ??? [x\n  - heading "A" [level=1] [ref=e2]\n      - lin')).toEqual(
      ['document', 'main', 'heading', 'lin'],
    );
    expect(rolesOf('not an outline')).toEqual(['document']);
    expect(rolesOf('')).toEqual(['document']);
  });

  it('accepts thousands of lines, deeply nested too', () => {
    const deep = Array.from({ length: 5_000 }, (_, at) => `${'  '.repeat(at)}- generic:`);
    expect(rolesOf(deep.join('\n')).length).toBeLessThanOrEqual(5_001);
  });
});

describe('textIn', () => {
  it('is the text that a person reads, once', () => {
    expect(textIn(parseOutline('- link "Read more" [ref=e1]:\n  - text: Read more'))).toBe(
      'Read more',
    );
    expect(textIn(mainOf(parseOutline(shopList)))).toContain(
      'Alpine 40 A pack for long days, with a rain cover. €129.00',
    );
  });

  it('finds headings that hold links', () => {
    expect(headingsOf(parseOutline(shopList))).toEqual(['Backpacks', 'Alpine 40', 'City 18']);
  });
});
