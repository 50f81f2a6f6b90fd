import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isolatedDeclarationSync, transformSync } from 'rolldown/experimental';
import { document, keyedItemsOf, withoutKey } from './document.ts';
import { type Method, methods, problemCodes, rowOf, signaturesOf } from './methods.ts';
import { comment, nameOf, type Schema, typeText } from './type-text.ts';

/*
 * Builds the client library. Writes ../generated, the table of its calls and their types, both
 * derived from the contracts and not kept in the repository; then writes ../../dist, file by file.
 * No type is checked here, so that the product is built without a compiler: `npm run check` does.
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
  const source = `${client}/src`;
  rmSync(`${client}/dist`, { recursive: true, force: true });
  mkdirSync(`${client}/dist/generated`, { recursive: true });
  for (const file of globSync('{*,generated/*}.ts', { cwd: source })) {
    if (file.endsWith('.test.ts')) continue;
    const text = readFileSync(`${source}/${file}`, 'utf8');
    const { code, errors } = transformSync(file, text, {
      target: 'es2022',
      typescript: { rewriteImportExtensions: 'rewrite' },
    });
    const declared = isolatedDeclarationSync(file, text);
    const [error] = [...errors, ...declared.errors];
    if (error) throw new Error(`${file}: ${error.message}`);
    const target = `${client}/dist/${file.replace(/\.ts$/, '')}`;
    writeFileSync(`${target}.js`, code);
    // Older compilers do not find the declarations of a `.ts` file.
    const declarations = declared.code.replace(
      /((?:from |import\()["']\.[^"']*)\.ts(["'])/g,
      '$1.js$2',
    );
    writeFileSync(`${target}.d.ts`, declarations);
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
