import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { type Plugin, runnerImport } from 'vite';

const IMPORT = /import\s*\{([^}]*)\}\s*from\s*'(@tallyhand\/contracts\/[^']+)'/g;
const PREFIX = 'contract-values:';

type Values = Readonly<Record<string, unknown>>;

/**
 * Pages mostly need of the contracts where a call goes, or a list of names, and not the schemas that
 * stand in the same files. An import of nothing but such values is given them as JSON, so that the
 * schemas, and zod with them, are loaded by the pages that check something: those with forms.
 */
export function contractValues(): Plugin {
  const known = new Map<string, Promise<Values>>();
  const valuesOf = (specifier: string) => {
    const values = known.get(specifier) ?? readValues(specifier);
    known.set(specifier, values);
    return values;
  };
  return {
    name: 'contract-values',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    async load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      const values = Object.entries(await valuesOf(id.slice(PREFIX.length + 1)));
      return values
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n');
    },
    async transform(code, id) {
      if (!/\/web\/src\/.*\.tsx?$/.test(id)) return null;
      let changed = code;
      for (const [whole, names = '', specifier = ''] of code.matchAll(IMPORT)) {
        const values = await valuesOf(specifier);
        if (!valueNamesOf(names).every((name) => name in values)) continue;
        changed = changed.replace(whole, whole.replace(specifier, PREFIX + specifier));
      }
      return changed === code ? null : { code: changed, map: null };
    },
  };
}

/** What an import takes beside types. */
const valueNamesOf = (names: string) =>
  names
    .split(',')
    .map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
    .filter((name) => name !== '' && !name.startsWith('type '));

async function readValues(specifier: string): Promise<Values> {
  const { module } = await runnerImport<Values>(specifier, {
    configFile: false,
    logLevel: 'error',
  });
  const values = Object.entries(module).map(([name, value]) => [name, addressOf(value)] as const);
  return Object.fromEntries(values.filter(([, value]) => isData(value)));
}

/** Of a call what is needed to make it, and to know who may. */
function addressOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!('method' in value && 'path' in value && 'summary' in value)) return value;
  const { method, path, roles } = value as Endpoint;
  return { method, path, roles };
}

/** Whether JSON holds all of it. */
function isData(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isData);
  if (typeof value !== 'object') return false;
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isData);
}
