import type { PasswordWarning } from '@tallyhand/contracts/features/identity/identity.fields';

let passwords: Promise<ReadonlySet<string>> | undefined;

/** 50,000 passwords from published break-ins, by how often they were found; read at first use. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

/** What to warn of about a new password, or null. Nothing leaves the machine. */
export async function passwordWarning(password: string): Promise<PasswordWarning | null> {
  passwords ??= load();
  return (await passwords).has(password.toLowerCase()) ? 'common-password' : null;
}
