import { type Algorithm, hash, verify } from '@node-rs/argon2';
import type { PasswordWarning } from '@tallyhand/contracts/features/identity/identity.fields';
import type { CommandSettings } from '../../kit/app.ts';

/** OWASP's second profile for Argon2id: 19 MiB, 2 passes. */
const COST = { memoryCost: 19_456, timeCost: 2 };

export class Passwords {
  readonly #options;
  #decoy: Promise<string> | undefined;

  constructor({ passwordCost }: Pick<CommandSettings, 'passwordCost'>) {
    this.#options = { algorithm: 2 as Algorithm, parallelism: 1, ...(passwordCost ?? COST) };
  }

  hash(password: string): Promise<string> {
    return hash(password, this.#options);
  }

  /** Takes the same time whether there is a hash to compare with or not. */
  async isRight(known: string | null, password: string): Promise<boolean> {
    this.#decoy ??= this.hash('no account has this password');
    const right = await verify(known ?? (await this.#decoy), password);
    return known !== null && right;
  }
}

let passwords: Promise<ReadonlySet<string>> | undefined;

/** 50,000 passwords from published break-ins, by how often they were found; read at first use. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

/** A warning about a new password, or null. It is checked locally. */
export async function passwordWarning(password: string): Promise<PasswordWarning | null> {
  passwords ??= load();
  return (await passwords).has(password.toLowerCase()) ? 'common-password' : null;
}
