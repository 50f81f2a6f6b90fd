/** A host name or address, with an optional port; http only when it is written. */
const HOST = /^(?:(https?):\/\/)?([^\s/?#@\\]+)\/?$/i;

/**
 * The origin that an entry of `allowedHosts` stands for: `api.example.com` and
 * `api.example.com:8443` mean https, `http://10.1.2.3:8080` means plain http. Null for anything
 * else: paths, wildcards, user names.
 */
export function originOfHost(entry: string): string | null {
  const [, scheme = 'https', host = ''] = HOST.exec(entry.trim()) ?? [];
  const url = host === '' || host.includes('*') ? null : URL.parse(`${scheme}://${host}`);
  return url !== null && url.hostname !== '' ? url.origin : null;
}

/** The shortest way to write an entry: without `https://`, in lower case, without a usual port. */
export function shortHost(entry: string): string {
  const origin = originOfHost(entry);
  return origin === null ? entry : origin.replace(/^https:\/\//, '');
}
