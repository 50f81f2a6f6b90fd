import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { type Plugin, runnerImport } from 'vite';

const CONTRACTS = '@tallyhand/contracts/';
const DATA = '\0contract-data:';

type Values = Readonly<Record<string, unknown>>;

/**
 * Pages mostly need the plain data of the contracts: where a call goes, who may make it, a list of
 * names. An import of nothing but such data gets it as JSON, so that only the pages that use a schema
 * load the schemas, and zod with them. No page loads the examples of calls.
 */
export function contractData(): Plugin {
  const known = new Map<string, Promise<Values>>();
  const dataOf = (specifier: string) => {
    const data = known.get(specifier) ?? readData(specifier);
    known.set(specifier, data);
    return data;
  };
  return {
    name: 'contract-data',
    apply: 'build',
    enforce: 'post',
    resolveId: (id) => (id.startsWith(DATA) ? id : null),
    async load(id) {
      if (!id.startsWith(DATA)) return null;
      const values = Object.entries(await dataOf(id.slice(DATA.length)));
      const lines = values.map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return lines.join('\n');
    },
    async transform(code, id) {
      if (id.includes('/contracts/src/')) return withoutExamples(code, this.parse(code));
      if (!id.includes('/web/src/') || !code.includes(CONTRACTS)) return null;
      let changed = code;
      for (const node of this.parse(code).body) {
        if (node.type !== 'ImportDeclaration') continue;
        const { value: specifier, raw = '' } = node.source;
        if (!specifier.startsWith(CONTRACTS)) continue;
        const data = await dataOf(specifier);
        const isData = node.specifiers.every(
          (each) =>
            each.type === 'ImportSpecifier' &&
            each.imported.type === 'Identifier' &&
            each.imported.name in data,
        );
        if (isData) changed = changed.replace(raw, () => JSON.stringify(DATA + specifier));
      }
      return changed === code ? null : { code: changed, map: null };
    },
  };
}

const EXAMPLES = ['example', 'answerExample'];

type Property = {
  readonly key: { readonly name?: string };
  readonly shorthand: boolean;
  readonly start: number;
  readonly end: number;
};

function withoutExamples(code: string, program: object) {
  let rest = code;
  visit(program);
  return rest === code ? null : { code: rest, map: null };

  /** From the end of the module on, so that the positions before it stay right. */
  function visit(node: object): void {
    if (isExample(node)) {
      rest = rest.slice(0, node.start) + rest.slice(node.end).replace(/^\s*,/, '');
      return;
    }
    for (const child of Object.values(node).toReversed()) {
      if (typeof child === 'object' && child !== null) visit(child);
    }
  }
}

const isExample = (node: object): node is Property => {
  const { key, shorthand } = node as Partial<Property>;
  return shorthand === false && EXAMPLES.includes(key?.name ?? '');
};

async function readData(specifier: string): Promise<Values> {
  const { module } = await runnerImport<Values>(specifier, {
    configFile: false,
    logLevel: 'error',
  });
  const values = Object.entries(module).map(([name, value]) => [name, withoutSchemas(value)]);
  return Object.fromEntries(values.filter(([, value]) => isJson(value)));
}

/** What the client needs to know of an endpoint. Other values stay as they are. */
function withoutSchemas(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('method' in value)) return value;
  const { method, path, roles } = value as Endpoint;
  return { method, path, roles };
}

function isJson(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== 'object') return false;
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
}
