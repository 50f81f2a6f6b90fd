import type {
  GetPromptResult,
  Prompt,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { nameFor } from './names.ts';

const ARTICLE = 'tallyhand://articles/';
const ARTICLE_URI = /^tallyhand:\/\/articles\/([0-9a-f-]{36})$/;

export const articleUri = (id: string) => ARTICLE + id;

/** The id in the address of an article; null for any other address. */
export const articleIdIn = (uri: string): string | null => ARTICLE_URI.exec(uri)?.[1] ?? null;

export const MARKDOWN = 'text/markdown';

export const ARTICLE_TEMPLATE: ResourceTemplateType = {
  uriTemplate: `${ARTICLE}{id}`,
  name: 'article',
  title: 'Article',
  description: 'An article of the knowledge base, by its id',
  mimeType: MARKDOWN,
};

export const resourceOf = ({ id, title, category, tags, updatedAt }: Article): Resource => ({
  uri: articleUri(id),
  name: title,
  title,
  description: [category, ...tags].join(', '),
  mimeType: MARKDOWN,
  annotations: { lastModified: updatedAt },
});

export const promptOf = ({ id, title, description }: Playbook): Prompt => ({
  name: nameFor('', title, id),
  title,
  description,
  arguments: [{ name: 'input', description: 'What the playbook is applied to', required: false }],
});

/** The steps as a request to the model of the client. Nothing runs at Tallyhand. */
export function promptText(
  { title, description, steps }: Playbook,
  input: string | undefined,
): GetPromptResult {
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
  const parts = [`Follow the playbook "${title}".`, description, list];
  if (input) parts.push(`Apply it to this:\n${input}`);
  const text = parts.filter(Boolean).join('\n\n');
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
