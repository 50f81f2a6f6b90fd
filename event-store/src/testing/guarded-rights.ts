import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  StreamNotFoundError,
} from '@eventstore/db-client';

/** Who calls, as was proved; null where nobody said. */
export type Caller = { readonly name: string; readonly groups: readonly string[] } | null;
export type Access = { readonly stream: string; readonly kind: 'read' | 'write' };

type Roles = string | readonly string[];
type Acl = Partial<Record<'$r' | '$w' | '$mr' | '$mw', Roles>>;

const EVERYBODY = '$all';
const ADMINISTRATORS = '$admins';

/**
 * Whether EventStoreDB would let the caller do it: by the list of the stream, else the one of
 * `$settings`, else its own; who is in $admins may do everything, who says no name nothing.
 */
export async function isAllowed(
  client: EventStoreDBClient,
  caller: Caller,
  { stream, kind }: Access,
): Promise<boolean> {
  if (!caller) return false;
  if (caller.groups.includes(ADMINISTRATORS)) return true;
  const isMeta = stream.startsWith('$$') && stream !== '$$';
  const original = isMeta ? stream.slice(2) : stream;
  const key = kind === 'read' ? (isMeta ? '$mr' : '$r') : isMeta ? '$mw' : '$w';
  const isSystem = original.startsWith('$');
  const own = await lastData<{ $acl?: Acl }>(client, `$$${original}`);
  const settings = await lastData<{ $userStreamAcl?: Acl; $systemStreamAcl?: Acl }>(
    client,
    '$settings',
  );
  const common = isSystem ? settings?.$systemStreamAcl : settings?.$userStreamAcl;
  const roles = own?.$acl?.[key] ?? common?.[key] ?? (isSystem ? ADMINISTRATORS : EVERYBODY);
  const named = [roles].flat();
  return [EVERYBODY, caller.name, ...caller.groups].some((role) => named.includes(role));
}

async function lastData<T>(client: EventStoreDBClient, stream: string): Promise<T | null> {
  const newest = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
  let data: T | null = null;
  try {
    for await (const { event } of client.readStream(stream, newest)) data = event?.data as T;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return data;
}
