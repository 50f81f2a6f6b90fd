import { describe, expect, it } from 'vitest';
import { llmsTxt, markdownOf } from './llms-txt.ts';

const documentation = {
  title: 'Documentation',
  description: 'In the order in which you need it.',
  sections: [
    {
      id: 'first',
      title: 'First',
      blocks: [
        'See [pricing](/pricing).',
        { steps: ['Sign up.', 'Ask.'] },
        { list: ['One'] },
        { code: 'curl x' },
        { image: 'agent', alt: 'An agent' },
        { sample: 'first' },
      ],
    },
  ],
};
const origin = 'https://tallyhand.example';

describe('llms.txt', () => {
  const text = llmsTxt({
    origin,
    summary: 'Agents that answer.',
    documentation,
    pages: [{ path: '/pricing', title: 'Pricing', description: 'What a credit costs.' }],
  });

  it('begins with the name and a summary, and has links in its sections', () => {
    expect(text.startsWith('# Tallyhand\n\n> Agents that answer.\n\n')).toBe(true);
    expect(text.match(/^## .*/gm)).toEqual(['## API', '## Guides', '## Pages']);
  });

  it('links to the document, the reference, the guides and the pages', () => {
    const links = [...text.matchAll(/^- \[(.+?)\]\((\S+)\)/gm)].map(([, , address]) => address);
    expect(links).toEqual([
      `${origin}/api/openapi.json`,
      `${origin}/api`,
      `${origin}/downloads/tallyhand-client.tgz`,
      `${origin}/downloads/tallyhand-cli.tgz`,
      `${origin}/documentation.md`,
      `${origin}/documentation#first`,
      `${origin}/pricing`,
    ]);
  });
});

describe('the documentation as Markdown', () => {
  it('has its texts, steps, lists and code', () => {
    const programs = { sh: 'curl y\n', py: 'print()\n' };
    expect(markdownOf(documentation, origin, () => programs)).toBe(
      [
        '# Documentation',
        'In the order in which you need it.',
        '## First',
        'See [pricing](https://tallyhand.example/pricing).',
        '1. Sign up.\n2. Ask.',
        '- One',
        '```\ncurl x\n```',
        '```sh\ncurl y\n```',
        '```py\nprint()\n```\n',
      ].join('\n\n'),
    );
  });
});
