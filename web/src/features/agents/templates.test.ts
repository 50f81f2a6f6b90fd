import { AgentInput } from '@tallyhand/contracts/features/agents/agents.fields';
import { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { ExecuteInput } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { describe, expect, it } from 'vitest';
import { filesOf, folders } from '../../locales/testing/words.ts';
import { EXPERTISE, TEMPLATE_NAMES, TEMPLATES } from './templates.ts';

describe.each(folders)('the templates in %s', (language) => {
  const words = filesOf(language).get('templates') ?? new Map<string, string>();

  it.each(TEMPLATE_NAMES)(
    '%s: an agent, an article and a question as the server takes them',
    (name) => {
      const text = (key: string) => words.get(`of.${name}.${key}`);
      const expertise = EXPERTISE.map((area) => text(`expertise.${area}`));
      const agent = {
        name: text('name'),
        description: text('description'),
        personaConfig: {
          role: text('role'),
          personality: text('personality'),
          expertise,
          communicationStyle: TEMPLATES[name].communicationStyle,
          responseFormat: 'concise',
        },
      };
      const article = {
        title: text('article.title'),
        content: text('article.content'),
        category: expertise[0],
      };
      expect(AgentInput.parse(agent)).toEqual({
        ...agent,
        isActive: true,
        model: null,
      });
      expect(ArticleInput.parse(article)).toMatchObject(article);
      expect(ExecuteInput.parse({ input: text('question') }).input).toMatch(/[?？]$/);
    },
  );
});
