import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const HASH_BYTES = 32;

export const ADMINISTRATORS = '$admins';
export const WRITERS = 'writers';
export const READERS = 'readers';

/** The users that the store knows from its start, by name, with their passwords. */
export type StoreUsers = {
  /** Appends and reads. */
  readonly writer: string;
  /** Only reads. */
  readonly reader: string;
  /** May do everything, and makes further users. */
  readonly admin?: string;
};

const GROUPS: Record<keyof StoreUsers, readonly string[]> = {
  writer: [WRITERS],
  reader: [READERS],
  admin: [ADMINISTRATORS],
};

/** The authenticated caller. */
export type User = { readonly name: string; readonly groups: readonly string[] };

/** A user that an administrator made, as the event of its stream has it. */
export type StoredUser = {
  readonly loginName: string;
  readonly fullName: string;
  readonly groups: readonly string[];
  /** In base64; a password chosen by a person is stored only as an scrypt hash. */
  readonly salt: string;
  readonly hash: string;
};

export async function storedUser(
  { loginName, fullName, groups }: Pick<StoredUser, 'loginName' | 'fullName' | 'groups'>,
  password: string,
): Promise<StoredUser> {
  const bytes = randomBytes(16);
  const hashed = await derive(password, bytes, HASH_BYTES);
  const [salt, hash] = [bytes.toString('base64'), hashed.toString('base64')];
  return { loginName, fullName, groups, salt, hash };
}

function parseUser(name: string, data: Uint8Array): StoredUser | null {
  try {
    const user: StoredUser = JSON.parse(Buffer.from(data).toString());
    const isUser =
      user.loginName === name &&
      Array.isArray(user.groups) &&
      typeof user.salt === 'string' &&
      Buffer.from(user.hash, 'base64').length === HASH_BYTES;
    return isUser ? user : null;
  } catch {
    return null;
  }
}

const digest = (text: string) => hash('sha256', text, 'buffer');

/** Compared with when there is no such user, so that an unknown name takes as long. */
const NOBODY = randomBytes(HASH_BYTES);
const REFUSED_NAMES_MAX = 100;
const VERIFIED_MAX = 1_000;

/** Authenticates a call by the header `authorization: Basic …`. */
export class Users {
  readonly #given = new Map<string, { readonly user: User; readonly password: Buffer }>();
  readonly #stored = new Map<string, StoredUser>();
  readonly #verified = new LRUCache<string, User>({ max: VERIFIED_MAX });
  readonly #refusedNames = new Set<string>();
  readonly #warn: (line: string) => void;

  constructor(users: StoreUsers, warn: (line: string) => void) {
    this.#warn = warn;
    for (const name of ['writer', 'reader', 'admin'] as const) {
      const password = users[name];
      if (password === undefined) continue;
      this.#given.set(name, { user: { name, groups: GROUPS[name] }, password: digest(password) });
    }
  }

  has(name: string): boolean {
    return this.#given.has(name) || this.#stored.has(name);
  }

  stored(name: string): StoredUser | undefined {
    return this.#stored.get(name);
  }

  /** Applies the newest event of a user's stream; a malformed one disables the user. */
  store(name: string, data: Uint8Array): void {
    const user = parseUser(name, data);
    if (user) this.#stored.set(name, user);
    else this.#stored.delete(name);
    this.#verified.clear();
  }

  /** Null for a wrong password, an unknown user, and another header. */
  async verify(header: string): Promise<User | null> {
    const key = hash('sha256', header);
    const known = this.#verified.get(key);
    if (known) return known;
    const [, encoded = ''] = /^Basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(header) ?? [];
    const text = Buffer.from(encoded, 'base64').toString();
    const colon = text.indexOf(':');
    const name = colon < 0 ? text : text.slice(0, colon);
    const user = await this.#check(name, colon < 0 ? '' : text.slice(colon + 1));
    if (!user) {
      this.#note(name);
      return null;
    }
    this.#verified.set(key, user);
    return user;
  }

  async #check(name: string, password: string): Promise<User | null> {
    const stored = this.#given.has(name) ? undefined : this.#stored.get(name);
    if (stored) {
      const hashed = await derive(password, Buffer.from(stored.salt, 'base64'), HASH_BYTES);
      if (!timingSafeEqual(hashed, Buffer.from(stored.hash, 'base64'))) return null;
      // The password may have been changed meanwhile.
      return this.#stored.get(name) === stored ? { name, groups: stored.groups } : null;
    }
    const given = this.#given.get(name);
    const isRight = timingSafeEqual(digest(password), given?.password ?? NOBODY);
    return given && isRight ? given.user : null;
  }

  /** Once per name: repeated guesses must not fill the log. */
  #note(name: string): void {
    const shown = JSON.stringify(name.slice(0, 64));
    if (this.#refusedNames.has(shown) || this.#refusedNames.size >= REFUSED_NAMES_MAX) return;
    this.#refusedNames.add(shown);
    this.#warn(`event store: refused a wrong password or unknown user, ${shown}`);
  }
}
