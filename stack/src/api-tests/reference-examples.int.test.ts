import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { apiDocument } from '@tallyhand/query-service/app/routes';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  groupsOf,
  type Operation,
  resolvedDocument,
} from '../../../web/src/features/reference/document.ts';
import { codeOf } from '../../../web/src/features/reference/request-code.ts';
import {
  type RequestExample,
  requestOf,
  type Variant,
  variantsOf,
} from '../../../web/src/features/reference/request-example.ts';
import { type ExampleTargets, exampleTargets, type Target } from '../testing/example-targets.ts';
import { sharedProduct } from '../testing/product.ts';

/*
 * The request examples of the reference page, run as the page shows them: only the address of the
 * product, the ids and the hosts outside it are this test's. A machine without curl or requests
 * skips theirs.
 */

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

/** Runs each file whose path it reads, and writes its failure; null if there was none. */
const runners = {
  js: `import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';

for await (const file of createInterface({ input: process.stdin })) {
  const failure = await import(file).then(() => null, inspect);
  writeSync(3, JSON.stringify(failure) + '\\n');
}
`,
  py: `import json, os, runpy, sys, traceback

for line in sys.stdin:
    failure = None
    try:
        runpy.run_path(line.strip(), run_name="__main__")
    except BaseException:
        failure = traceback.format_exc()
    os.write(3, (json.dumps(failure) + "\\n").encode())
`,
};

const programs = {
  curl: {
    ending: 'sh',
    command: 'bash',
    isThere: works('curl', '--fail-with-body', '--version'),
    oneIn: 3,
  },
  javascript: { ending: 'js', command: process.execPath, isThere: true, oneIn: 4 },
  python: {
    ending: 'py',
    command: 'python3',
    isThere: works('python3', '-c', 'import requests'),
    oneIn: 6,
  },
} as const;
type Language = keyof typeof programs;
type Interpreted = Exclude<Language, 'curl'>;
const languages = (Object.keys(programs) as Language[]).filter((one) => programs[one].isThere);

/** Refused because what they are about has ended or is not there: other tests do what they do. */
const refused: Readonly<Record<string, { readonly status: number; readonly code: string }>> = {
  cancelTask: { status: 409, code: 'task-ended' },
  retryTask: { status: 409, code: 'task-not-retried' },
  handBackSession: { status: 409, code: 'session-ended' },
  takeOverSession: { status: 409, code: 'session-ended' },
  terminateSession: { status: 409, code: 'session-ended' },
  authorizeTool: { status: 409, code: 'tool-sign-in-failed' },
  authorizedTool: { status: 409, code: 'tool-sign-in-failed' },
  sendReplyAgain: { status: 404, code: 'not-found' },
};

type Case = { readonly operation: Operation; readonly variant: Variant };
/** The calls that an API key can make. */
const cases: readonly Case[] = groupsOf(resolvedDocument(apiDocument('http://127.0.0.1')))
  .flatMap(({ operations }) => operations)
  .filter(({ security }) => security.some((way) => 'apiKey' in way))
  .flatMap((operation) => variantsOf(operation).map((variant) => ({ operation, variant })));

const product = await sharedProduct();
let targets: ExampleTargets;
let folder: string;
const interpreters = new Map<Language, Interpreter>();
beforeAll(async () => {
  targets = await exampleTargets(product);
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'returns.md'), '# Returns\n\nItems can be returned within 30 days.');
  // A refusal fails, as it does in the other languages.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
});
afterAll(async () => {
  for (const interpreter of interpreters.values()) interpreter.end();
  await targets[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** The example with what is really there in place of its placeholders. */
function aimed(request: RequestExample, { path }: Operation, target: Target): RequestExample {
  const { id } = target;
  return {
    ...request,
    ...(id === undefined ? {} : { path: path.replace(/\{\w+\}/, id), pathValues: [id] }),
    query: { ...request.query, ...target.query },
    body: request.body === undefined ? undefined : { ...(request.body as object), ...target.body },
  };
}

type Run = { readonly code: number; readonly out: string; readonly error: string };

function run(command: string, file: string): Promise<Run> {
  const env = environment();
  const { promise, resolve } = Promise.withResolvers<Run>();
  execFile(command, [file], { env, cwd: folder, maxBuffer: 2 ** 26 }, (failure, out, error) =>
    resolve({ code: failure ? Number(failure.code ?? 1) : 0, out, error }),
  );
  return promise;
}

/**
 * Runs examples one after another in one process, each from its beginning: most of the time of a
 * short program goes into loading the language and its libraries.
 */
class Interpreter {
  readonly #process: ChildProcess;
  readonly #failures: AsyncIterator<string>;
  readonly #exit: Promise<unknown>;
  #last: Promise<unknown> = Promise.resolve();

  static async start(language: Interpreted): Promise<Interpreter> {
    const { command, ending } = programs[language];
    const file = join(folder, `all-examples.${ending}`);
    await writeFile(file, runners[ending]);
    const stdio = ['pipe', 'ignore', 'inherit', 'pipe'] as const;
    return new Interpreter(
      spawn(command, [file], { env: environment(), cwd: folder, stdio: [...stdio] }),
    );
  }

  constructor(child: ChildProcess) {
    this.#process = child;
    this.#exit = once(child, 'exit');
    const input = child.stdio[3] as Readable;
    this.#failures = createInterface({ input })[Symbol.asyncIterator]();
  }

  run(file: string): Promise<Run> {
    const done = this.#last.then(async () => {
      this.#process.stdin?.write(`${file}\n`);
      const next = await this.#failures.next();
      if (next.done) throw new Error(`The process ended: ${await this.#exit}`);
      const error: string | null = JSON.parse(next.value);
      return { code: error === null ? 0 : 1, out: '', error: error ?? '' };
    });
    this.#last = done.catch(() => {});
    return done;
  }

  end() {
    this.#process.stdin?.end();
  }
}

const environment = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  TALLYHAND_API_KEY: targets.apiKey,
});

/** Runs a program that never ends by itself until it has printed an event. */
async function firstEvent(command: string, file: string): Promise<string> {
  const child = spawn(command, [file], { env: environment(), cwd: folder, detached: true });
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  try {
    await expect
      .poll(async () => {
        await targets.change();
        return printed;
      })
      .toContain('change');
    return printed;
  } finally {
    // With the programs that it started.
    if (child.pid) process.kill(-child.pid);
  }
}

describe.each(languages)(`the examples in %s (${sampleName()})`, (language) => {
  const { command, ending, oneIn } = programs[language];
  // The client library has no methods for OpenAI's API: its users have OpenAI's own.
  const own = cases.filter(({ operation: { path } }) => !path.startsWith('/v1/'));
  const tried = sampleOf(language === 'javascript' ? own : cases, oneIn).map(
    (one) => [`${one.operation.operationId}, ${one.variant}`, one] as const,
  );
  beforeAll(async () => {
    if (language !== 'curl') interpreters.set(language, await Interpreter.start(language));
  });
  it.concurrent.each(tried)('%s', async (name, { operation, variant }) => {
    const target = await targets.targetOf(operation);
    const request = aimed(requestOf(operation, variant), operation, target);
    const program = codeOf(language, request, product.url) ?? expect.fail('has no example');
    const file = join(folder, `${name.replace(', ', '-')}-${language}.${ending}`);
    await writeFile(file, program);
    if (operation.operationId === 'streamChanges') {
      await firstEvent(command, file);
      return;
    }
    // One of each language is a program of its own, as a reader starts it.
    const isFirst = name === tried[0]?.[0];
    const shared = isFirst ? undefined : interpreters.get(language);
    const { code: ended, out, error } = await (shared?.run(file) ?? run(command, file));
    const refusal = refused[operation.operationId];
    if (refusal) {
      const { status, code } = refusal;
      expect(`${out}${error}`).toContain(language === 'python' ? `${status} Client Error` : code);
    } else {
      expect(ended, `${program}\n\n${out}\n${error}`).toBe(0);
    }
  });
});
