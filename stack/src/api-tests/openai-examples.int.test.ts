import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { getOpenAiModel } from '@tallyhand/contracts/features/openai/openai.endpoints';
import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAiSample } from '../../../web/src/features/openai/openai-samples.ts';
import { embeddingModel } from '../testing/connections.ts';
import { newKey } from '../testing/members.ts';
import { sharedProduct } from '../testing/product.ts';

/*
 * Commands for curl, run by a shell: those of OpenAI's documentation with another host, those of
 * docs/protocols.md, and that of the page for developers.
 */

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--fail-with-body', '--version']).status === 0;

/** Of the form that OpenAI's API reference has. */
const MODEL = 'gpt-5.4';
const EMBEDDING_MODEL = 'text-embedding-ada-002';
const examples = {
  'the list of models': `curl https://api.openai.com/v1/models \\
  -H "Authorization: Bearer $OPENAI_API_KEY"`,
  'a model': `curl https://api.openai.com/v1/models/${MODEL} \\
  -H "Authorization: Bearer $OPENAI_API_KEY"`,
  'a chat completion': `curl https://api.openai.com/v1/chat/completions \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -d '{
    "model": "${MODEL}",
    "messages": [
      {
        "role": "developer",
        "content": "You are a helpful assistant."
      },
      {
        "role": "user",
        "content": "Hello!"
      }
    ]
  }'`,
  'a streamed chat completion': `curl https://api.openai.com/v1/chat/completions \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -d '{
    "model": "${MODEL}",
    "messages": [
      {
        "role": "developer",
        "content": "You are a helpful assistant."
      },
      {
        "role": "user",
        "content": "Hello!"
      }
    ],
    "stream": true
  }'`,
  'a response': `curl https://api.openai.com/v1/responses \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -d '{
    "model": "${MODEL}",
    "input": "Tell me a three sentence bedtime story about a unicorn."
  }'`,
  'a streamed response': `curl https://api.openai.com/v1/responses \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -d '{
    "model": "${MODEL}",
    "instructions": "You are a helpful assistant.",
    "input": "Hello!",
    "stream": true
  }'`,
  embeddings: `curl https://api.openai.com/v1/embeddings \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "input": "The food was delicious and the waiter...",
    "model": "${EMBEDDING_MODEL}",
    "encoding_format": "float"
  }'`,
} as const;

/** What each prints. */
const printed: Readonly<Record<keyof typeof examples, RegExp>> = {
  'the list of models': /^\{"object":"list","data":\[\{"id":/,
  'a model': /^\{"id":"[^"]+","object":"model"/,
  'a chat completion': /"object":"chat\.completion".*"finish_reason":"stop"/,
  'a streamed chat completion': /"object":"chat\.completion\.chunk".*\n\ndata: \[DONE\]\n\n$/s,
  'a response': /"object":"response".*"status":"completed".*"type":"output_text"/,
  'a streamed response': /^event: response\.created\n.*\nevent: response\.completed\n/s,
  embeddings: /"object":"list".*"object":"embedding","index":0,"embedding":\[0\.6\d*,0\.8\d*\]/,
};

describeIf(hasCurl, 'curl')('the examples in curl', () => {
  let url: string;
  let admin: ApiClient;
  let key: string;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    ({ url } = await sharedProduct());
    admin = (await registerOrganization(url)).client;
    ({ key } = await newKey(admin, 'AgentManager'));
    opened.use(await embeddingModel(admin, EMBEDDING_MODEL));
    await admin.call(createAgent, { body: { ...agentInput, name: MODEL } });
    // A member's read waits for what the member has written; a read by the key does not.
    expect((await admin.call(getOpenAiModel, { params: { id: MODEL } })).status).toBe(200);
  });
  afterAll(() => opened.disposeAsync());

  async function shell(command: string): Promise<string> {
    const { PATH } = process.env;
    const env = { PATH, OPENAI_API_KEY: key, TALLYHAND_API_KEY: key };
    const failing = command.replace('curl ', 'curl --silent --show-error --fail-with-body ');
    const { stdout } = await run('bash', ['-c', failing], { env });
    return stdout;
  }

  it.each(Object.entries(examples))("of OpenAI's documentation: %s", async (name, command) => {
    const answer = await shell(command.replace('https://api.openai.com', url));
    expect(answer).toMatch(printed[name as keyof typeof examples]);
  });

  it('of docs/protocols.md', async () => {
    const file = fileURLToPath(new URL('../../../docs/protocols.md', import.meta.url));
    const [, ours = ''] = (await readFile(file, 'utf8')).split("## Agents behind OpenAI's API");
    const commands = [...ours.matchAll(/^```\n(curl .*?)\n```$/gms)].map(([, one = '']) => one);
    const answers = [];
    for (const command of commands) {
      const here = command
        .replace('https://tallyhand.example.com', url)
        .replace('"Support"', `"${MODEL}"`)
        .replace('"text-embedding-3-small"', `"${EMBEDDING_MODEL}"`);
      answers.push(JSON.parse(await shell(here)));
    }
    expect(answers.map(({ object }) => object)).toEqual(['chat.completion', 'list']);
  });

  it('of the page for developers', async () => {
    const answer = await shell(openAiSample('curl', url, MODEL));
    expect(answer).toContain('"chat.completion"');
    const { body } = await admin.call<Task[]>(listTasks);
    expect(body.map(({ status }) => status)).not.toContain('failed');
  });
});
