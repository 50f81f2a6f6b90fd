import { ADMINISTRATORS, READERS, type User, WRITERS } from './users.ts';

export type AccessKind = 'read' | 'write';

type RightName = '$r' | '$w' | '$mr' | '$mw';
type Acl = Readonly<Partial<Record<RightName, readonly string[]>>>;

const EVERY_USER = '$all';
export const ALL_STREAM = '$all';
export const SETTINGS_STREAM = '$settings';

/** For streams without their own list, until `$settings` says otherwise. */
const USER_STREAMS: Acl = { $r: [READERS, WRITERS], $w: [WRITERS] };
const ALL_EVENTS: Acl = { $r: [READERS, WRITERS] };
const ONLY_ADMINISTRATORS: readonly string[] = [ADMINISTRATORS];
/** A list that can't be read lets only administrators in. */
const UNREADABLE: Acl = { $r: [], $w: [], $mr: [], $mw: [] };

const isMetastream = (stream: string) => stream.startsWith('$$') && stream.length > 2;

/** Whether the events of a stream change rights. */
export const isAboutRights = (stream: string): boolean =>
  stream === SETTINGS_STREAM || isMetastream(stream);

/**
 * Who may read and write a stream, by EventStoreDB's rules: the stream's access control list,
 * otherwise that of `$settings`, otherwise a default; administrators may do everything. Lists are
 * kept in memory, so that a call needs no look-up.
 */
export class StreamRights {
  readonly #own = new Map<string, Acl>();
  #userStreams: Acl = USER_STREAMS;
  #systemStreams: Acl = {};

  /** Applies the newest event of a stream about rights. */
  change(stream: string, data: Uint8Array): void {
    const value = parse(data);
    if (stream === SETTINGS_STREAM) {
      this.#userStreams = value ? aclOf(value.$userStreamAcl, USER_STREAMS) : UNREADABLE;
      this.#systemStreams = value ? aclOf(value.$systemStreamAcl, {}) : UNREADABLE;
    } else {
      this.#own.set(stream.slice(2), value ? aclOf(value.$acl, {}) : UNREADABLE);
    }
  }

  allows({ name, groups }: User, kind: AccessKind, stream: string): boolean {
    if (groups.includes(ADMINISTRATORS)) return true;
    const isMeta = isMetastream(stream);
    const original = isMeta ? stream.slice(2) : stream;
    const right: RightName = kind === 'read' ? (isMeta ? '$mr' : '$r') : isMeta ? '$mw' : '$w';
    const allowed = this.#rolesOf(original, right);
    return [EVERY_USER, name, ...groups].some((role) => allowed.includes(role));
  }

  #rolesOf(stream: string, right: RightName): readonly string[] {
    const own = this.#own.get(stream)?.[right];
    if (own) return own;
    if (stream === ALL_STREAM && ALL_EVENTS[right]) return ALL_EVENTS[right];
    const common = stream.startsWith('$') ? this.#systemStreams : this.#userStreams;
    return common[right] ?? ONLY_ADMINISTRATORS;
  }
}

function parse(data: Uint8Array): Record<string, unknown> | null {
  try {
    const value = JSON.parse(Buffer.from(data).toString());
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Each right is one role, or a list of them. */
function aclOf(value: unknown, missing: Acl): Acl {
  if (value === undefined) return missing;
  if (typeof value !== 'object' || value === null) return UNREADABLE;
  const rights = (['$r', '$w', '$mr', '$mw'] as const).flatMap((right) => {
    const roles = (value as Record<string, unknown>)[right];
    if (roles === undefined) return [];
    return [[right, [roles].flat().filter((role) => typeof role === 'string')] as const];
  });
  return Object.fromEntries(rights);
}
