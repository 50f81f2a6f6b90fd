import { type Algorithm, hash, verify } from '@node-rs/argon2';

/** OWASP's second profile: 19 MiB, 2 passes. */
const OPTIONS = { algorithm: 2 as Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string) => hash(password, OPTIONS);

let decoy: Promise<string> | undefined;

/** Takes the same time whether there is a hash to compare with or not. */
export async function isRightPassword(known: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  const right = await verify(known ?? (await decoy), password);
  return known !== null && right;
}
