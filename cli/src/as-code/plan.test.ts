import { describe, expect, it } from 'vitest';
import { type Item, itemOf } from './kinds.ts';
import { planOf, unknownNames } from './plan.ts';
import { Present, type PresentItem } from './present.ts';
import type { ReadFile } from './yaml-file.ts';

const article = (title: string, content = 'Items can be returned.'): Item =>
  itemOf('article', { title, content, category: 'General', tags: [], isPublic: false });
const agent = (name: string, articles: string[] = []): Item =>
  itemOf('agent', {
    name,
    description: 'Answers',
    isActive: true,
    articles,
    playbooks: [],
    tools: [],
  });
const tool = (baseUrl: string, openapi?: string): Item => ({
  ...itemOf('tool', {
    name: 'Orders',
    description: 'Looks orders up',
    type: 'api',
    config: { baseUrl, authType: 'bearer', extras: {}, ...(openapi && { openapi }) },
  }),
  credentials: ['token'],
});

const fileOf = (item: Item): ReadFile => ({ file: `${item.name}.yaml`, item, lineOf: () => 1 });
const presentOf = (...items: readonly Item[]) =>
  new Present(
    items.map(
      (item, index): PresentItem => ({
        ...item,
        id: `${index}`,
        tag: '"1"',
        credentialsRequired: null,
      }),
    ),
  );
const plan = (files: readonly Item[], present: Present, prune = false) =>
  planOf(files.map(fileOf), present, prune);
const actionsOf = ({ changes }: ReturnType<typeof planOf>) =>
  changes.map(({ action, item }) => `${action} ${item.name}`);

describe('a plan', () => {
  it('has no change for objects that match the files', () => {
    const same = plan(
      [article('A'), agent('S', ['A'])],
      presentOf(agent('S', ['A']), article('A')),
    );
    expect(same).toMatchObject({ changes: [], unchanged: 2, extra: [] });
  });

  it('makes what an agent uses before the agent', () => {
    expect(actionsOf(plan([agent('S', ['A']), article('A')], presentOf()))).toEqual([
      'create A',
      'create S',
    ]);
  });

  it('sends only the fields that differ', () => {
    const { changes } = plan([article('A', 'Something else')], presentOf(article('A')));
    expect(changes).toEqual([expect.objectContaining({ action: 'update', fields: ['content'] })]);
    const assigned = plan([agent('S', ['A']), article('A')], presentOf(agent('S'), article('A')));
    expect(assigned.changes).toEqual([expect.objectContaining({ fields: [], isReassigned: true })]);
  });

  it('deletes what no file describes only with prune, agents first', () => {
    const present = presentOf(article('A'), article('B'), agent('S'));
    expect(plan([article('A')], present)).toMatchObject({ changes: [], extra: [{}, {}] });
    expect(actionsOf(plan([article('A')], present, true))).toEqual(['delete S', 'delete B']);
  });

  it('refuses a name that two objects share, unless no file uses it', () => {
    const present = presentOf(article('A'), article('A'), article('B'));
    expect(() => plan([article('A')], present)).toThrow('2 articles have the name "A"');
    expect(actionsOf(plan([article('B')], present))).toEqual([]);
  });

  it('says which credentials a tool loses because it would send them elsewhere', () => {
    const moved = plan([tool('https://b.example')], presentOf(tool('https://a.example')));
    expect(moved.changes).toEqual([expect.objectContaining({ droppedCredentials: ['token'] })]);
    const [one, other] = [tool('https://a.example', '{"a": 1}'), tool('https://a.example', 'a: 1')];
    expect(plan([one], presentOf(other)).changes).toEqual([]);
    const changed = plan([tool('https://a.example', '{"a": 2}')], presentOf(other));
    expect(changed.changes).toEqual([expect.objectContaining({ droppedCredentials: [] })]);
  });
});

describe('the names that an agent uses', () => {
  it('are those of files or of Tallyhand, and not of what is deleted', () => {
    const files = [fileOf(agent('S', ['A', 'B', 'C'])), fileOf(article('A'))];
    const present = presentOf(article('B'));
    expect(unknownNames(files, present, false).map(({ message }) => message)).toEqual([
      'articles: the article "C" does not exist',
    ]);
    expect(unknownNames(files, present, true).map(({ message }) => message)).toEqual([
      'articles: the article "B" would be deleted, because no file describes it',
      'articles: the article "C" does not exist',
    ]);
  });
});
