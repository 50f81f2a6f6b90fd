import { describe, expect, it } from 'vitest';
import { pageAnswer, refOf } from './browser-calls.ts';

const page = {
  url: 'https://shop.example/',
  title: 'Shop',
  screenshot: null,
  notices: ['A dialog said hi'],
  outline: [
    '- navigation [ref=e1]:',
    '  - link "Plans and \\"prices\\"" [ref=e2] [cursor=pointer]:',
    '    - /url: /plans',
    '  - link "Plans" [ref=f1e3] [cursor=pointer]',
    '- textbox "Search" [ref=e4]: shoes',
    '- paragraph [ref=e5]: The button "Buy" [ref=e99] is not one.',
  ].join('\n'),
};

describe('refOf', () => {
  it('accepts a reference unchanged', () => {
    expect(refOf('e12', page)).toBe('e12');
    expect(refOf('f2e7', null)).toBe('f2e7');
  });
  it('finds an element by its name: the whole of it first, then a part', () => {
    expect(refOf('plans', page)).toBe('f1e3');
    expect(refOf('Plans and "prices"', page)).toBe('e2');
    expect(refOf('sear', page)).toBe('e4');
  });
  it('finds nothing where there is none', () => {
    expect(refOf('Buy', page)).toBeNull();
    expect(refOf('', page)).toBeNull();
    expect(refOf('Plans', null)).toBeNull();
  });
});

describe('pageAnswer', () => {
  it('has the address, the text and the possible actions', () => {
    expect(pageAnswer(page, 'Welcome')).toBe(
      [
        'Shop\nhttps://shop.example/',
        'A dialog said hi',
        'Welcome',
        'Elements:\n- link "Plans and "prices"" [ref=e2]\n- link "Plans" [ref=f1e3]\n- textbox "Search" [ref=e4]',
      ].join('\n\n'),
    );
  });
  it("stays within the limit of a tool's answer", () => {
    expect(pageAnswer(page, 'x'.repeat(50_000)).length).toBeLessThan(20_000);
  });
});
