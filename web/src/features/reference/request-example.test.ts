import { describe, expect, it } from 'vitest';
import type { Operation } from './document.ts';
import { codeOf } from './request-code.ts';
import { answerExampleOf, requestOf, variantsOf } from './request-example.ts';

const ID = '0193a1b2-0000-7000-8000-000000000001';
const origin = 'https://desk.example';
const json = (schema = {}) => ({ 'application/json': { schema } });

const executeTask: Operation = {
  operationId: 'executeTask',
  tags: ['tasks'],
  summary: 'Run a task',
  description: 'Runs a task.',
  security: [{ cookie: [] }, { apiKey: [] }],
  'x-client-method': 'agents.execute',
  responses: {
    '200': {
      description: 'Done.',
      content: { ...json(), 'text/event-stream': {} },
    },
  },
  method: 'post',
  path: '/api/agents/{id}/execute',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } },
  ],
  requestBody: {
    content: {
      'application/json': {
        example: { input: "What's new?", options: { isShort: true, at: null } },
      },
    },
  },
};

const listTasks: Operation = {
  ...executeTask,
  'x-client-method': 'tasks.list',
  method: 'get',
  path: '/api/tasks',
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
    { name: 'cursor', in: 'query', schema: { type: 'string' } },
    { name: 'status', in: 'query', required: true, schema: { type: 'string', enum: ['failed'] } },
  ],
  requestBody: undefined,
  responses: { '200': { description: 'Done.', content: json() } },
};

const importArticle: Operation = {
  ...executeTask,
  'x-client-method': 'articles.import',
  path: '/api/knowledge/import',
  parameters: [],
  requestBody: {
    content: { ...json(), 'multipart/form-data': { schema: { required: ['file'] } } },
  },
  responses: { '201': { description: 'Done.', content: json() } },
};

const readReceipt: Operation = {
  ...executeTask,
  operationId: 'getReceipt',
  'x-client-method': 'payments.receipt',
  method: 'get',
  path: '/api/payments/{id}/receipt',
  parameters: executeTask.parameters?.slice(0, 1),
  requestBody: undefined,
  responses: { '200': { description: 'Done.', content: { 'application/pdf': {} } } },
};

const lines = (...text: string[]) => text.join('\n');

describe('a request example in curl', () => {
  const curl = (operation: Operation, at = 0) =>
    codeOf('curl', requestOf(operation, variantsOf(operation)[at] ?? 'json'), origin);

  it('has the path, the key, an idempotency key and the example body, quoted for a shell', () => {
    expect(curl(executeTask)).toBe(
      lines(
        `curl '${origin}/api/agents/${ID}/execute' \\`,
        '  -H "Authorization: Bearer $TALLYHAND_API_KEY" \\',
        '  -H "Idempotency-Key: $(openssl rand -hex 16)" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"input": "What'\\''s new?", "options": {"isShort": true, "at": null}}'`,
      ),
    );
  });

  it('has a page size and the required query', () => {
    expect(curl(listTasks)).toContain(`curl '${origin}/api/tasks?limit=20&status=failed'`);
  });

  it('asks for a stream of events', () => {
    expect(curl(executeTask, 1)).toContain("-N -H 'Accept: text/event-stream'");
  });

  it('sends a file in a form', () => {
    expect(variantsOf(importArticle)).toEqual(['json', 'file']);
    expect(curl(importArticle, 1)).toContain("-F 'file=@returns.md'");
    expect(curl(importArticle, 1)).not.toContain('Content-Type');
  });

  it('saves a file', () => {
    expect(curl(readReceipt)).toContain("-o 'getReceipt.pdf'");
  });

  it('breaks a long body into lines', () => {
    const body = { name: 'n'.repeat(40), tags: ['t'.repeat(40)] };
    const content = { 'application/json': { example: body } };
    expect(curl({ ...executeTask, requestBody: { content } })).toContain(
      lines("  -d '{", `    "name": "${body.name}",`, `    "tags": ["${body.tags[0]}"]`, "  }'"),
    );
  });

  it('names the method where the data does not imply it', () => {
    expect(curl({ ...executeTask, requestBody: undefined })).toContain(`curl -X POST '`);
  });

  it('has no key where the call is public', () => {
    expect(curl({ ...executeTask, security: [] })).not.toContain('Authorization');
  });
});

describe('a request example in Python', () => {
  const python = (operation: Operation, at = 0) =>
    codeOf('python', requestOf(operation, variantsOf(operation)[at] ?? 'json'), origin);

  it('is a program that uses requests, with values as Python writes them', () => {
    expect(python(executeTask)).toBe(
      lines(
        'import os',
        'import uuid',
        '',
        'import requests',
        '',
        'response = requests.post(',
        `    "${origin}/api/agents/${ID}/execute",`,
        '    headers={',
        `        "Authorization": f"Bearer {os.environ['TALLYHAND_API_KEY']}",`,
        '        "Idempotency-Key": str(uuid.uuid4()),',
        '    },',
        `    json={"input": "What's new?", "options": {"isShort": True, "at": None}},`,
        '    timeout=150,',
        ')',
        'response.raise_for_status()',
        'print(response.json())',
      ),
    );
  });

  it('reads a stream line by line', () => {
    expect(python(executeTask, 1)).toContain('stream=True');
    expect(python(executeTask, 1)).toContain('for line in response.iter_lines():');
  });

  it('sends and saves files', () => {
    expect(python(importArticle, 1)).toContain('files={"file": open("returns.md", "rb")}');
    expect(python(readReceipt)).toContain('with open("getReceipt.pdf", "wb") as file:');
  });
});

describe('a request example in JavaScript', () => {
  const javaScript = (operation: Operation, at = 0) =>
    codeOf('javascript', requestOf(operation, variantsOf(operation)[at] ?? 'json'), origin);

  it('calls the method of the client library with the ids of the path and the body', () => {
    expect(javaScript(executeTask)).toBe(
      lines(
        `import { Tallyhand } from '@tallyhand/client';`,
        '',
        'const client = new Tallyhand({',
        `  baseUrl: '${origin}',`,
        '  apiKey: process.env.TALLYHAND_API_KEY,',
        '});',
        '',
        `const answer = await client.agents.execute('${ID}', {`,
        `  input: 'What\\'s new?',`,
        '  options: { isShort: true, at: null },',
        '});',
        'console.log(answer);',
      ),
    );
  });

  it('iterates over pages and events', () => {
    expect(javaScript(listTasks)).toContain(
      `for await (const item of client.tasks.list({ limit: 20, status: 'failed' })) console.log(item);`,
    );
    expect(javaScript(executeTask, 1)).toContain(
      'for await (const { event, data } of client.agents.executeStream(',
    );
  });

  it('sends and saves files', () => {
    expect(javaScript(importArticle, 1)).toContain(
      `client.articles.import({ file: { name: 'returns.md', content: await readFile('returns.md') } })`,
    );
    expect(javaScript(readReceipt)).toContain(`await writeFile('getReceipt.pdf', response.body);`);
  });

  it('is left out where the library has no method', () => {
    expect(javaScript({ ...executeTask, 'x-client-method': undefined })).toBeUndefined();
  });
});

describe('the example of an answer', () => {
  it('is the one that the document has', () => {
    const answered = (media: object) => ({
      ...listTasks,
      responses: { '200': { description: 'Done.', content: { 'application/json': media } } },
    });
    expect(answerExampleOf(answered({ example: { a: 1 } }))).toEqual({ a: 1 });
    expect(answerExampleOf(answered({ examples: { answer: { value: [2] } } }))).toEqual([2]);
    expect(answerExampleOf(listTasks)).toBeUndefined();
  });
});
