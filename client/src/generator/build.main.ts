import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { document, keyedItemsOf, withoutKey } from './document.ts';
import { type Method, methods, problemCodes, rowOf, signaturesOf } from './methods.ts';
import { comment, nameOf, type Schema, typeText } from './type-text.ts';

/*
 * Builds the client library. Writes ../generated, the table of its calls and their types, both
 * derived from the contracts and not kept in the repository; then compiles all to ../../dist.
 */

/** The hand-written types that the generated ones use, by their module. */
const USED = {
  call: 'Call',
  'event-stream': 'EventStream, ReplyStream',
  options: 'ChangeOptions, JoinOptions, RequestOptions, StreamOptions',
  pages: 'PageCall',
  'request-body': 'FileInput',
};

/** A group of methods and of further groups. */
type Group = { readonly methods: Method[]; readonly groups: Map<string, Group> };

const client = fileURLToPath(new URL('../..', import.meta.url));
const folder = new URL('../generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
write('operations.ts', [`export const operations = \`${methods.map(rowOf).join('\n')}\`;\n`]);
write('api.ts', [
  imports(),
  ...schemas(),
  problemCodes(),
  webhookEvents(),
  ...interfacesOf('Api', tree()),
]);
compile();

function compile() {
  rmSync(`${client}/dist`, { recursive: true, force: true });
  const { status, stdout, stderr } = spawnSync('tsc', ['-p', client], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The client library does not compile\n${stdout}${stderr}`);
  // Older compilers do not find the declarations of a `.ts` file.
  for (const file of globSync(`${client}/dist/**/*.d.ts`)) {
    const text = readFileSync(file, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'");
    writeFileSync(file, text);
  }
}

function write(file: string, parts: readonly string[]) {
  const head = '// Generated from the contracts. Changes are overwritten.\n';
  writeFileSync(new URL(file, folder), [head, ...parts].join('\n'));
}

function imports(): string {
  const lines = Object.entries(USED).map(([file, names]) => `{ ${names} } from '../${file}.ts';\n`);
  return lines.map((line) => `import type ${line}`).join('');
}

function schemas(): string[] {
  const keyed = methods.map(({ operation }) => keyedItemsOf(operation)?.$ref);
  return Object.entries(document.components.schemas).map(([name, declared]) => {
    const isKeyed = keyed.some((ref) => ref !== undefined && nameOf(ref) === name);
    const schema = isKeyed ? withoutKey(declared) : declared;
    return `${comment(schema.description, '')}export type ${name} = ${typeText(schema)};\n`;
  });
}

function tree(): Group {
  const root: Group = { methods: [], groups: new Map() };
  const taken = new Set<string>();
  for (const method of methods) {
    if (taken.has(method.name)) throw new Error(`Two calls have the method ${method.name}`);
    taken.add(method.name);
    let group = root;
    for (const name of method.name.split('.').slice(0, -1)) {
      const inner = group.groups.get(name) ?? { methods: [], groups: new Map() };
      group.groups.set(name, inner);
      group = inner;
    }
    group.methods.push(method);
  }
  return root;
}

function interfacesOf(name: string, group: Group): string[] {
  const inner = [...group.groups].map(([key, one]) => {
    const title = `${name === 'Api' ? '' : name.replace(/Methods$/, '')}${key.charAt(0).toUpperCase()}${key.slice(1)}Methods`;
    return { key, title, one };
  });
  const fields = inner.map(({ key, title }) => `  readonly ${key}: ${title};\n`);
  const own = group.methods.map((method) => signaturesOf(method, '  '));
  return [
    ...inner.flatMap(({ title, one }) => interfacesOf(title, one)),
    `export interface ${name} {\n${[...fields, ...own].join('')}}\n`,
  ];
}

/** The data of each event that a webhook delivers, by its type. */
function webhookEvents(): string {
  const rows = Object.entries(document.webhooks).map(([type, { post }]) => {
    const [, own] = post.requestBody?.content['application/json']?.schema.allOf ?? [];
    const data: Schema | undefined = own?.properties?.data?.properties?.data;
    return `  ${type}: ${nameOf(data?.$ref ?? '')};\n`;
  });
  return `export interface EventData {\n${rows.join('')}}\n`;
}
