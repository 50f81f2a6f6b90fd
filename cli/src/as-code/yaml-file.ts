import { type Document, isNode, LineCounter, parseDocument, stringify } from 'yaml';
import { type Fields, fileSchemas, type Item, itemOf, type Kind } from './kinds.ts';

/** A place in a file, as editors and terminals link it: `agents/support.yaml:3: …`. */
export type Fault = { readonly file: string; readonly line: number; readonly message: string };

export const faultLine = ({ file, line, message }: Fault) => `${file}:${line}: ${message}`;

/** A file that was read: its item, and where the parts of the item are. */
export type ReadFile = {
  readonly file: string;
  readonly item: Item;
  /** The line of a field: `articles`, 0. */
  readonly lineOf: (...path: readonly PropertyKey[]) => number;
};

const ALIASES_MAX = 100;

/** Reads a file of a kind. Every fault of it is returned, with its line. */
export function readYaml(kind: Kind, file: string, text: string): ReadFile | Fault[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const at = (offset: number) => Math.max(lines.linePos(offset).line, 1);
  const fault = (line: number, message: string): Fault => ({ file, line, message });
  if (document.errors.length > 0) {
    return document.errors.map(({ pos, message }) => fault(at(pos[0]), firstLine(message)));
  }
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    return [fault(1, firstLine(error instanceof Error ? error.message : String(error)))];
  }
  const lineOf = (...path: readonly PropertyKey[]) => lineIn(document, path, at);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return [fault(1, `A file describes one ${kind}: write its fields as "name: value"`)];
  }
  const checked = fileSchemas[kind].safeParse(content);
  if (!checked.success) {
    return checked.error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') {
        const path = issue.path.join('.');
        return [fault(lineOf(...issue.path), `${path ? `${path}: ` : ''}${issue.message}`)];
      }
      return issue.keys.map((key) =>
        fault(lineOf(...issue.path, key), unknownField(key, issue.path)),
      );
    });
  }
  const item = itemOf(kind, checked.data);
  const address = openapiOf(item.fields);
  if (/^https?:\/\//.test(address.trim())) {
    const message = 'config.openapi: write the document itself; the one at an address may change';
    return [fault(lineOf('config', 'openapi'), message)];
  }
  return { file, item, lineOf };
}

const firstLine = (message: string) => message.split('\n')[0]?.replace(/ at line \d+.*/, '') ?? '';

function unknownField(key: string, path: readonly PropertyKey[]): string {
  const isSecret = key === 'authCredentials';
  const why = isSecret ? '; credentials are entered in Tallyhand, never in a file' : '';
  return `${[...path, key].join('.')}: there is no such field${why}`;
}

/** The line of a field; of what is missing, the line of what should have it. */
function lineIn(
  document: Document,
  path: readonly PropertyKey[],
  at: (offset: number) => number,
): number {
  for (let length = path.length; length > 0; length -= 1) {
    const key = path[length - 1];
    const parent =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const items = (parent as { items?: readonly unknown[] } | null)?.items ?? [];
    const pair = items.find((one) => String((one as { key?: unknown }).key) === String(key));
    const node =
      (pair as { key?: unknown } | undefined)?.key ?? (typeof key === 'number' ? items[key] : null);
    if (isNode(node) && node.range) return at(node.range[0]);
  }
  return 1;
}

/** The text of an item's file. The same item has the same text. */
export function writeYaml(item: Item): string {
  const { kind, fields, assigned, credentials } = item;
  const openapi = openapiOf(fields);
  const config = openapi && {
    ...(fields.config as Fields),
    openapi: `${JSON.stringify(parsedOpenapi(openapi), null, 2)}\n`,
  };
  const content = {
    ...fields,
    ...(config && { config }),
    ...assigned,
    ...(kind === 'tool' && { credentials: [...credentials].toSorted() }),
  };
  return stringify(content, { lineWidth: 0, aliasDuplicateObjects: false });
}

export function openapiOf({ config }: Fields): string {
  const { openapi } = (config ?? {}) as { openapi?: string };
  return openapi ?? '';
}

/** Tallyhand stores the document as JSON: files may have it as YAML, and with other spaces. */
export function parsedOpenapi(text: string): unknown {
  const document = parseDocument(text.replace(/^\ufeff/, ''));
  return document.errors.length > 0 ? text : document.toJS({ maxAliasCount: ALIASES_MAX });
}
