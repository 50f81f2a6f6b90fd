import type { CodeLanguage } from '../../ui/code-language.ts';

/** An address as OpenAI's libraries take it. */
export const baseUrlOf = (origin: string) => `${origin}/v1`;

type NamedAgent = { readonly id: string; readonly name: string; readonly isActive: boolean };

/** The first active agent: its name, or its id if another active agent has the same name. */
export function modelOf(agents: readonly NamedAgent[]): string {
  const active = agents.filter(({ isActive }) => isActive);
  const [first] = active;
  if (!first) return 'AGENT_ID';
  return active.filter(({ name }) => name === first.name).length > 1 ? first.id : first.name;
}

/** A program that asks an agent through OpenAI's API. `model`: the agent's id or name. */
export function openAiSample(language: CodeLanguage, origin: string, model: string): string {
  const baseUrl = baseUrlOf(origin);
  const name = JSON.stringify(model);
  switch (language) {
    case 'curl':
      return `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer $TALLYHAND_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${shellText(`{"model": ${name}, "messages": [{"role": "user", "content": "Hello"}]}`)}`;
    case 'javascript':
      return `import OpenAI from 'openai';
const openai = new OpenAI({ baseURL: '${baseUrl}', apiKey: process.env.TALLYHAND_API_KEY });
const messages = [{ role: 'user', content: 'Hello' }];
const { choices } = await openai.chat.completions.create({ model: ${name}, messages });
console.log(choices[0].message.content);`;
    case 'python':
      return `import os, openai
client = openai.OpenAI(base_url="${baseUrl}", api_key=os.environ["TALLYHAND_API_KEY"])
messages = [{"role": "user", "content": "Hello"}]
completion = client.chat.completions.create(model=${name}, messages=messages)
print(completion.choices[0].message.content)`;
  }
}

/** One word of a shell, whatever is in it. */
const shellText = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
