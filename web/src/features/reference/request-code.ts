import type { CodeLanguage } from '../../ui/code-language.ts';
import type { RequestExample } from './request-example.ts';

const WIDTH_MAX = 80;
/** An execution is answered after up to 120 seconds. */
const TIMEOUT_SECONDS = 150;

/**
 * A call as a program. It reads the key from the environment, so that none is typed into code or a
 * shell. Undefined if the language can't make it.
 */
export function codeOf(
  language: CodeLanguage,
  request: RequestExample,
  origin: string,
): string | undefined {
  switch (language) {
    case 'curl':
      return asCurl(request, origin);
    case 'python':
      return asPython(request, origin);
    case 'javascript':
      return asJavaScript(request, origin);
  }
}

function asCurl(request: RequestExample, origin: string): string {
  const { method, path, query, isByKey, takesIdempotencyKey, body, fileField, answer } = request;
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const hasData = body !== undefined || fileField !== null;
  const isImplied = method === 'get' || (method === 'post' && hasData);
  const parts = [
    `curl ${isImplied ? '' : `-X ${method.toUpperCase()} `}${quoted(origin + path + (text && `?${text}`))}`,
  ];
  if (isByKey) parts.push(`-H "Authorization: Bearer $TALLYHAND_API_KEY"`);
  if (takesIdempotencyKey) parts.push(`-H "Idempotency-Key: $(openssl rand -hex 16)"`);
  if (answer === 'events') parts.push(`-N -H 'Accept: text/event-stream'`);
  if (body !== undefined) {
    parts.push(
      `-H 'Content-Type: application/json'`,
      `-d ${quoted(literal(body, JSON_STYLE, 2, "-d '"))}`,
    );
  }
  if (fileField) parts.push(`-F ${quoted(`${fileField}=@returns.md`)}`);
  if (answer === 'file') parts.push(`-o ${quoted(request.fileName)}`);
  return parts.join(' \\\n  ');
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function asPython(request: RequestExample, origin: string): string {
  const { method, path, query, isByKey, takesIdempotencyKey, body, fileField, answer } = request;
  const headers = [
    ...(isByKey ? [`"Authorization": f"Bearer {os.environ['TALLYHAND_API_KEY']}"`] : []),
    ...(takesIdempotencyKey ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
    ...(answer === 'events' ? ['"Accept": "text/event-stream"'] : []),
  ];
  const given = [
    JSON.stringify(origin + path),
    ...(headers.length > 0
      ? [`headers={\n${headers.map((one) => `        ${one},\n`).join('')}    }`]
      : []),
    ...(Object.keys(query).length > 0
      ? [`params=${literal(query, PYTHON_STYLE, 4, 'params=')}`]
      : []),
    ...(body === undefined ? [] : [`json=${literal(body, PYTHON_STYLE, 4, 'json=')}`]),
    ...(fileField ? [`files={${JSON.stringify(fileField)}: open("returns.md", "rb")}`] : []),
    ...(answer === 'events' ? ['stream=True'] : []),
    `timeout=${TIMEOUT_SECONDS}`,
  ];
  const imports = [
    ...(isByKey ? ['import os'] : []),
    ...(takesIdempotencyKey ? ['import uuid'] : []),
  ];
  return [
    ...imports,
    ...(imports.length > 0 ? [''] : []),
    'import requests',
    '',
    `response = requests.${method}(`,
    ...given.map((one) => `    ${one},`),
    ')',
    'response.raise_for_status()',
    ...pythonAnswer(request),
  ].join('\n');
}

function pythonAnswer({ answer, fileName }: RequestExample): string[] {
  switch (answer) {
    case 'json':
      return ['print(response.json())'];
    case 'text':
      return ['print(response.text)'];
    case 'events':
      return ['for line in response.iter_lines():', '    print(line.decode())'];
    case 'file':
      return [
        `with open(${JSON.stringify(fileName)}, "wb") as file:`,
        '    file.write(response.content)',
      ];
    case 'none':
      return ['print(response.status_code)'];
  }
}

/** With the client library, which makes idempotency keys and follows pages itself. */
function asJavaScript(request: RequestExample, origin: string): string | undefined {
  const { clientMethod, pathValues, query, isByKey, body, fileField, answer } = request;
  if (!clientMethod) return undefined;
  const ids = pathValues.map((value) => textIn(value));
  const content = body ?? (Object.keys(query).length > 0 ? query : undefined);
  const before = `const answer = await client.${clientMethod}(${ids.join(', ')}`;
  const given = [
    ...ids,
    ...(fileField
      ? [`{ ${fileField}: { name: 'returns.md', content: await readFile('returns.md') } }`]
      : []),
    ...(content === undefined ? [] : [literal(content, JAVASCRIPT_STYLE, 0, before)]),
  ].join(', ');
  const call = `client.${clientMethod}(${given})`;
  const needsFiles = [
    ...(fileField ? ['readFile'] : []),
    ...(answer === 'file' ? ['writeFile'] : []),
  ];
  return [
    ...(needsFiles.length > 0
      ? [`import { ${needsFiles.join(', ')} } from 'node:fs/promises';`]
      : []),
    `import { Tallyhand } from '@tallyhand/client';`,
    '',
    'const client = new Tallyhand({',
    `  baseUrl: ${textIn(origin)},`,
    ...(isByKey ? ['  apiKey: process.env.TALLYHAND_API_KEY,'] : []),
    '});',
    '',
    ...javaScriptAnswer(request, call),
  ].join('\n');
}

function javaScriptAnswer({ answer, isPaged, fileName }: RequestExample, call: string): string[] {
  if (isPaged) return [`for await (const item of ${call}) console.log(item);`];
  switch (answer) {
    case 'json':
      return [`const answer = await ${call};`, 'console.log(answer);'];
    case 'text':
      return [`const response = await ${call};`, 'console.log(await response.text());'];
    case 'events':
      return [`for await (const { event, data } of ${call}) console.log(event, data);`];
    case 'file':
      return [
        `const response = await ${call};`,
        `await writeFile(${textIn(fileName)}, response.body);`,
      ];
    case 'none':
      return [`await ${call};`];
  }
}

/** In single quotes. */
const textIn = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** How a language writes values. */
type Style = {
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  readonly plain: (value: unknown) => string;
  /** Spaces before what is inside another value. */
  readonly step: number;
  /** Whether an object on one line has spaces inside its braces, and a list a comma at its end. */
  readonly hasSpaces: boolean;
  readonly endsWithComma: boolean;
};

const JSON_STYLE: Style = {
  text: (text) => JSON.stringify(text),
  name: (name) => JSON.stringify(name),
  plain: (value) => String(value),
  step: 2,
  hasSpaces: false,
  endsWithComma: false,
};
const PYTHON_STYLE: Style = {
  ...JSON_STYLE,
  plain: (value) =>
    value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : String(value),
  step: 4,
  endsWithComma: true,
};
const JAVASCRIPT_STYLE: Style = {
  text: textIn,
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textIn(name)),
  plain: (value) => String(value),
  step: 2,
  hasSpaces: true,
  endsWithComma: true,
};

/**
 * A JSON value in a language; on one line if there is room. `indent`: of the line that it begins
 * on; `before`: the text before it there.
 */
function literal(value: unknown, style: Style, indent: number, before = ''): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) return style.plain(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const within = indent + style.step;
  const inside = isList
    ? value.map((one) => literal(one, style, within))
    : Object.entries(value).map(([name, one]) => {
        const named = `${style.name(name)}: `;
        return named + literal(one, style, within, named);
      });
  const space = style.hasSpaces && !isList && inside.length > 0 ? ' ' : '';
  const line = `${open}${space}${inside.join(', ')}${space}${close}`;
  const isShort = indent + before.length + line.length <= WIDTH_MAX;
  if (isShort && !line.includes('\n')) return line;
  const start = `\n${' '.repeat(within)}`;
  const end = `${style.endsWithComma ? ',' : ''}\n${' '.repeat(indent)}`;
  return `${open}${start}${inside.join(`,${start}`)}${end}${close}`;
}

/** A value as JSON with short parts on one line. */
export const jsonText = (value: unknown): string => literal(value, JSON_STYLE, 0);
