import type { Block, PageWords } from './src/features/support/page-words.ts';

type Page = { readonly path: string; readonly title: string; readonly description: string };

type Site = {
  /** The address before each path. */
  readonly origin: string;
  /** What the product is, in a sentence. */
  readonly summary: string;
  readonly documentation: PageWords;
  readonly pages: readonly Page[];
};

/** /llms.txt: what a language model should read about the product (llmstxt.org). */
export function llmsTxt({ origin, summary, documentation, pages }: Site): string {
  const link = (path: string, title: string, note?: string) =>
    `- [${title}](${origin}${path})${note ? `: ${note}` : ''}`;
  return [
    '# Tallyhand',
    `> ${summary}`,
    [
      `Programs call the API at ${origin}/api/ with an API key in the header`,
      `\`Authorization: Bearer th_…\`. An Admin creates keys on ${origin}/developers. Refusals are`,
      '`application/problem+json` with a stable `code`.',
    ].join(' '),
    '## API',
    [
      link(
        '/api/openapi.json',
        'OpenAPI document',
        'every call, event and refusal, as OpenAPI 3.1',
      ),
      link('/api', 'API reference', 'the same for people, with examples'),
      link(
        '/downloads/tallyhand-client.tgz',
        'Client library',
        'for JavaScript and TypeScript: `npm install` this address',
      ),
      link('/downloads/tallyhand-cli.tgz', 'Command line', '`npm install --global` this address'),
    ].join('\n'),
    '## Guides',
    [
      link('/documentation.md', documentation.title, 'all guides as one Markdown file'),
      ...documentation.sections.map(({ id, title }) => link(`/documentation#${id}`, title)),
    ].join('\n'),
    '## Pages',
    `${pages.map(({ path, title, description }) => link(path, title, description)).join('\n')}\n`,
  ].join('\n\n');
}

/** The programs of a sample, by the endings of their files. */
type ProgramsOf = (sample: string) => Readonly<Record<string, string>>;

/** A page of text as Markdown, without its pictures. Its own marks are Markdown already. */
export function markdownOf(
  { title, description, sections }: PageWords,
  origin: string,
  programsOf: ProgramsOf,
): string {
  const text = [
    `# ${title}`,
    description,
    ...sections.flatMap(({ title: heading, blocks }) => [
      `## ${heading}`,
      ...blocks.flatMap((block) => markdownBlock(block, programsOf)),
    ]),
  ].join('\n\n');
  return `${text.replaceAll('](/', `](${origin}/`)}\n`;
}

function markdownBlock(block: Block, programsOf: ProgramsOf): string[] {
  if (typeof block === 'string') return [block];
  if ('code' in block) return [`\`\`\`\n${block.code}\n\`\`\``];
  if ('sample' in block) {
    return Object.entries(programsOf(block.sample)).map(
      ([ending, text]) => `\`\`\`${ending}\n${text.trimEnd()}\n\`\`\``,
    );
  }
  if ('steps' in block) return [block.steps.map((step, at) => `${at + 1}. ${step}`).join('\n')];
  return 'list' in block ? [block.list.map((item) => `- ${item}`).join('\n')] : [];
}
