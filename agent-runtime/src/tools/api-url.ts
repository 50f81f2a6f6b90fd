/** A call of a tool that can't be made. The message is for the model and members. */
export class ToolCallRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolCallRefused';
  }
}

/** Names and values in the order in which they are sent; a repeated name is sent repeatedly. */
export type QueryPairs = [name: string, value: string][];

const urlLengthMax = 8_000;
const decodingsMax = 5;

/**
 * The URL of a path below a base, which keeps its own path and query. Throws ToolCallRefused for
 * absolute URLs, dot segments in any encoding and backslashes, which could lead elsewhere.
 */
export function urlBelow(baseUrl: string, path: string, query: QueryPairs): URL {
  const base = readBase(baseUrl);
  const [pathOnly = '', ...queryInPath] = path.split('?');
  if (/^[a-z][a-z0-9+.-]*:[/\\]/i.test(path) || /^[/\\]{2}/.test(path)) {
    throw new ToolCallRefused('The path must be below the base URL of the tool, not a URL.');
  }
  if (path.includes('#') || hasDotSegment(pathOnly)) {
    throw new ToolCallRefused('The path must not contain "#", "\\" or segments like "..".');
  }
  const url = new URL(base);
  const relative = pathOnly.replace(/^\//, '');
  if (relative !== '') url.pathname = `${base.pathname.replace(/\/$/, '')}/${relative}`;
  const pairs = [...new URLSearchParams(queryInPath.join('?')), ...query];
  for (const [name, value] of pairs) {
    if (base.searchParams.has(name)) {
      throw new ToolCallRefused(`The query "${name.slice(0, 50)}" is set by the base URL.`);
    }
    url.searchParams.append(name, value);
  }
  if (!isBelow(url, baseUrl)) throw new ToolCallRefused('The path leaves the base URL.');
  if (url.href.length > urlLengthMax) throw new ToolCallRefused('The path and query are too long.');
  return url;
}

/** Whether a URL is of the base's origin, and its path the base's or below it. */
export function isBelow(url: URL, baseUrl: string): boolean {
  const base = readBase(baseUrl);
  const folder = base.pathname.replace(/\/$/, '');
  const isInside = `${url.pathname}/`.startsWith(`${folder}/`);
  return url.origin === base.origin && isInside && !hasDotSegment(url.pathname);
}

function readBase(baseUrl: string): URL {
  const base = URL.parse(baseUrl);
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new ToolCallRefused('The tool has no base URL that begins with http:// or https://.');
  }
  return base;
}

/**
 * Whether a server could read a segment of this path as its parent, after any number of decodings,
 * or by cutting segments at a semicolon.
 */
function hasDotSegment(path: string): boolean {
  let decoded = path;
  for (let times = 0; times < decodingsMax; times += 1) {
    if (/[\\\p{Cc}]/u.test(decoded)) return true;
    const segments = decoded.split('/').map((segment) => segment.replace(/;.*$/, '').trim());
    if (segments.some((segment) => segment === '.' || segment === '..')) return true;
    const next = decodedOnce(decoded);
    if (next === decoded) return false;
    decoded = next;
  }
  // Legitimate paths are not encoded this often.
  return true;
}

/** Sequences that are not UTF-8 stay as they are: some servers take other encodings. */
function decodedOnce(path: string): string {
  return path.replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replace(/%([2-7][0-9a-f])/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    }
  });
}
