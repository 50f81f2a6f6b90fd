import {
  CREDENTIAL_FIELDS,
  type ToolConfig,
} from '@tallyhand/contracts/features/tools/tools.fields';
import { parse } from 'yaml';
import { z } from 'zod';
import { usageError } from '../kit/failures.ts';
import type { Item } from './kinds.ts';
import type { Change } from './plan.ts';
import type { Fault, ReadFile } from './yaml-file.ts';

/** The values of credentials by tool and name. They come from a file outside of the folder. */
export type Credentials = Readonly<Record<string, Readonly<Record<string, string>>>>;

const Schema = z.record(z.string(), z.record(z.string(), z.string()));

/** Reads the text of `--credentials`. Its errors show no value. */
export function readCredentials(text: string): Credentials {
  let content: unknown;
  try {
    content = parse(text, { logLevel: 'silent' });
  } catch {
    throw usageError('The file of --credentials is no YAML and no JSON.');
  }
  const read = Schema.safeParse(content);
  if (read.success) return read.data;
  throw usageError(
    'The file of --credentials must have names of tools, each with names and texts.',
  );
}

export const givenTo = ({ kind, name }: Item, credentials: Credentials) =>
  (kind === 'tool' && credentials[name]) || {};

/** New tools that Tallyhand would refuse, because nothing gives their credentials. */
export function lackingCredentials(
  changes: readonly Change[],
  files: readonly ReadFile[],
  credentials: Credentials,
): Fault[] {
  return changes.flatMap((change) => {
    const { action, item } = change;
    if (action !== 'create' || item.kind !== 'tool') return [];
    const given = givenTo(item, credentials);
    const { authType } = item.fields.config as ToolConfig;
    const lacking = CREDENTIAL_FIELDS[authType].filter((name) => !Object.hasOwn(given, name));
    if (lacking.length === 0) return [];
    const line = files.find(({ file }) => file === change.file)?.lineOf('config', 'authType') ?? 1;
    const message = `the new tool "${item.name}" needs its credentials (${lacking.join(', ')}): give them with --credentials`;
    return [{ file: change.file, line, message }];
  });
}
