import { type Algorithm, hash, verify } from '@node-rs/argon2';
import type { Kit } from '../../kit/app.ts';

/** OWASP's second profile for Argon2id: 19 MiB, 2 passes. */
const COST = { memoryCost: 19_456, timeCost: 2 };

export function passwordsOf({ settings }: Pick<Kit, 'settings'>) {
  const options = {
    algorithm: 2 as Algorithm,
    parallelism: 1,
    ...(settings.passwordCost ?? COST),
  };
  const hashOf = (password: string) => hash(password, options);
  let decoy: Promise<string> | undefined;

  return {
    hash: hashOf,

    /** Takes the same time whether there is a hash to compare with or not. */
    async isRight(known: string | null, password: string): Promise<boolean> {
      decoy ??= hashOf('no account has this password');
      const right = await verify(known ?? (await decoy), password);
      return known !== null && right;
    },
  };
}
