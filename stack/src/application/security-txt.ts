/** RFC 9116 recommends less than a year; readers fetch it again long before. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

type Disclosure = {
  /** The origin of the installation. */
  readonly publicUrl: string;
  /** An email address, or an address with `https:` or `mailto:`. Default: the contact page. */
  readonly contact?: string | undefined;
};

/** /.well-known/security.txt: how to report a weakness (RFC 9116). Expires 180 days after today. */
export function securityTxt({ publicUrl, contact }: Disclosure, now: Date): string {
  const { origin } = new URL(publicUrl);
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const expires = new Date(today + VALID_DAYS * DAY_MS).toISOString();
  return [
    `Contact: ${contact ? uriOf(contact) : `${origin}/contact?category=technical`}`,
    `Expires: ${expires.replace('.000', '')}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    `Policy: ${origin}/security#report`,
    '',
  ].join('\n');
}

const uriOf = (contact: string) => (contact.includes(':') ? contact : `mailto:${contact}`);
