/** A host name or address, with an optional port; http only if written. */
const HOST = /^(?:(https?):\/\/)?([^\s/?#@\\]+)\/?$/i;

/**
 * The origin of an entry of `allowedHosts`: `api.example.com` and `api.example.com:8443` mean
 * https, `http://10.1.2.3:8080` means plain http. Null for anything else: paths, wildcards, user
 * names.
 */
export function originOfHost(entry: string): string | null {
  const [, scheme = 'https', host = ''] = HOST.exec(entry.trim()) ?? [];
  const url = host === '' || host.includes('*') ? null : URL.parse(`${scheme}://${host}`);
  return url !== null && url.hostname !== '' ? url.origin : null;
}

/** The shortest form of an entry: without `https://`, in lower case, without a default port. */
export function shortHost(entry: string): string {
  const origin = originOfHost(entry);
  return origin === null ? entry : origin.replace(/^https:\/\//, '');
}
