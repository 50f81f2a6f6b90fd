import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slugOf } from './folder.ts';
import { type Item, itemOf } from './kinds.ts';
import { type Fault, faultLine, type ReadFile, readYaml, writeYaml } from './yaml-file.ts';

const read = (kind: Item['kind'], text: string) => readYaml(kind, `${kind}.yaml`, text);
const itemIn = (kind: Item['kind'], text: string) => (read(kind, text) as ReadFile).item;
const faultsIn = (kind: Item['kind'], text: string) => (read(kind, text) as Fault[]).map(faultLine);

const AGENT = `name: Support
description: Answers the questions of customers
personaConfig:
  role: Support agent
  personality: Patient and kind
  expertise: [Returns]
tools: [Orders, CRM]
`;

describe('a file', () => {
  it('gives the fields of the API, with their defaults, and names in place of ids', () => {
    const item = itemIn('agent', AGENT);
    expect(item.name).toBe('Support');
    expect(item.fields).toEqual({
      name: 'Support',
      description: 'Answers the questions of customers',
      personaConfig: {
        role: 'Support agent',
        personality: 'Patient and kind',
        expertise: ['Returns'],
        communicationStyle: 'professional',
        responseFormat: 'detailed',
      },
      isActive: true,
      model: null,
    });
    expect(item.assigned).toEqual({ articles: [], playbooks: [], tools: ['CRM', 'Orders'] });
  });

  it('names the connection of a model, or has its id as older files do', () => {
    const model = (text: string) => `${AGENT}model:\n  model: large\n${text}`;
    const fields = { model: 'large', temperature: null, maxOutputTokens: null };
    const id = '7b1f8d0e-1df3-4a2b-9c0a-3f0e5d6c7b8a';
    const named = itemIn('agent', model('  connection: Mistral\n  fallback: {connection: null}\n'));
    expect(named.fields.model).toEqual({
      ...fields,
      connection: 'Mistral',
      reasoningEffort: null,
      fallback: { connection: null, model: null },
    });
    expect(itemIn('agent', writeYaml(named))).toEqual(named);
    const older = itemIn('agent', model(`  connectionId: ${id}\n`));
    expect(older.fields.model).toMatchObject({ ...fields, connectionId: id, fallback: null });
    const fault = 'agent.yaml:8: model: Write connection, the name, or connectionId, and not both';
    expect(faultsIn('agent', model(''))).toEqual([fault]);
    expect(faultsIn('agent', model(`  connection: A\n  connectionId: ${id}\n`))).toEqual([fault]);
  });

  it('is read again as it was written, whatever the texts hold', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 10, maxLength: 300 }),
      fc
        .array(fc.constantFrom('a', ' ', '\n', '\t', '#', ':', '- ', '"', '|', '\r', 'é'))
        .map((parts) => `0123456789${parts.join('')}`),
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (content, tags) => {
        const fields = { title: 'Returns', content, category: 'General', tags, isPublic: false };
        const parsed = { ...fields, content: content.trim() };
        // Characters count as code points.
        fc.pre([...parsed.content].length >= 10);
        const item = itemOf('article', {
          ...parsed,
          tags: [...new Set(tags.map((tag) => tag.trim().slice(0, 50).trim()))].filter(Boolean),
        });
        expect(itemIn('article', writeYaml(item))).toEqual(item);
      }),
    );
  });

  it('names the line of each fault', () => {
    expect(faultsIn('agent', 'name: S\ndescription: Short\nextra: 1\n')).toEqual([
      'agent.yaml:1: name: Name must be at least 2 characters',
      'agent.yaml:2: description: Description must be at least 10 characters',
      'agent.yaml:1: personaConfig: The persona must be an object',
      'agent.yaml:3: extra: there is no such field',
    ]);
    const deep = AGENT.replace('[Returns]', '[3]').replace('[Orders, CRM]', '\n  - Orders\n  - 7');
    expect(faultsIn('agent', deep)).toEqual([
      'agent.yaml:6: personaConfig.expertise.0: An expertise area must be a text',
      'agent.yaml:9: tools.1: A name in tools must be a text',
    ]);
  });

  it('is refused when it is no YAML, a list, or nothing', () => {
    expect(faultsIn('agent', 'name: "Support\n')[0]).toMatch(/^agent\.yaml:[12]: Missing closing/);
    expect(faultsIn('agent', 'name: A\nname: B\n')[0]).toMatch(/^agent\.yaml:2: Map keys must be/);
    expect(faultsIn('agent', '- Support\n')[0]).toContain(
      'agent.yaml:1: A file describes one agent',
    );
    expect(faultsIn('agent', '')[0]).toContain('agent.yaml:1: A file describes one agent');
    const bomb = `a: &a [x, x]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]}, `.repeat(9)}]`)
      .join('\n')}\n`;
    expect(faultsIn('agent', bomb)[0]).toContain('agent.yaml:1: Excessive alias count');
  });

  it('has no secrets, and no document that may change', () => {
    const tool =
      'name: Orders\ndescription: Looks orders up\nconfig:\n  baseUrl: https://a.example\n';
    expect(faultsIn('tool', `${tool}authCredentials:\n  token: secret\n`)).toEqual([
      'tool.yaml:5: authCredentials: there is no such field; credentials are entered in Tallyhand, never in a file',
    ]);
    expect(faultsIn('tool', `${tool}  openapi: https://a.example/openapi.json\n`)).toEqual([
      expect.stringContaining('tool.yaml:5: config.openapi: write the document itself'),
    ]);
  });
});

describe('the name of a file', () => {
  it('has letters of any language, and cannot leave its folder', () => {
    expect(slugOf('Refund a customer!')).toBe('refund-a-customer');
    expect(slugOf('../../etc/passwd')).toBe('etc-passwd');
    expect(slugOf('Возврат')).toBe('возврат');
    expect(slugOf('...')).toBe('');
    expect(slugOf('x'.repeat(300))).toHaveLength(60);
  });
});
