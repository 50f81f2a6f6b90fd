import { readdirSync, readFileSync } from 'node:fs';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { describe, expect, it } from 'vitest';
import { sharedProduct } from '../testing/product.ts';

type Template = { article: { title: string; content: string }; question: string };

const LOCALES = new URL('../../../web/src/locales/', import.meta.url);
const languages = readdirSync(LOCALES).filter((name) => /^[a-z]{2}$/.test(name));

/** What the answer to each template's question must say. */
const FIGURES = {
  support: '30',
  research: '11',
  data: '28',
  writing: '50',
  operations: '15',
  onboarding: '25',
};

describe.each(languages)('the first questions of the templates in %s', (language) => {
  const file = new URL(`${language}/templates.json`, LOCALES);
  const { of }: { of: Record<string, Template> } = JSON.parse(readFileSync(file, 'utf8'));

  it('are answered by the built-in engine from the example article', async () => {
    const { client } = await registerOrganization((await sharedProduct()).url);
    expect(Object.keys(of)).toEqual(Object.keys(FIGURES));
    const personaConfig = { ...agentInput.personaConfig, responseFormat: 'concise' };
    for (const [name, figure] of Object.entries(FIGURES)) {
      const { article, question } = of[name] as Template;
      const written = await client.call<Article>(createArticle, {
        body: { ...article, category: 'General' },
      });
      const agent = await client.call<Agent>(createAgent, {
        body: { ...agentInput, personaConfig, articles: [written.body.id] },
      });
      const { body } = await client.call<ExecutionResult>(executeTask, {
        params: { id: agent.body.id },
        body: { input: question },
      });
      const [source] = body.sources;
      expect(source, question).toMatchObject({ articleId: written.body.id });
      expect(source?.quote, question).toMatch(new RegExp(`(?<!\\d)${figure}(?!\\d)`));
      expect(body.output, question).toMatch(/^> /);
    }
  });
});
