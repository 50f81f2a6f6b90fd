import { jsonOf } from './answers.ts';
import { type Answered, Call } from './call.ts';
import { AnswerError } from './errors.ts';
import { EventStream, type Lost, type Opened, ReplyStream } from './event-stream.ts';
import type { Api, ExecutionAccepted, ExecutionResult, TaskDetail } from './generated/api.ts';
import { type Operation, operations } from './operations.ts';
import type { ClientOptions, JoinOptions, RequestOptions } from './options.ts';
import { PageCall, type PageQuery } from './pages.ts';
import { retryAfterMs, sleep } from './timing.ts';
import { type Deadline, type Request, randomKey, Transport } from './transport.ts';
import { verifyWebhook } from './webhooks.ts';

export { type Answered, Call } from './call.ts';
export {
  AnswerError,
  ApiError,
  type CallName,
  ConnectionError,
  type FieldError,
  isProblem,
  TallyhandError,
  TimeoutError,
} from './errors.ts';
export { EventStream, ReplyStream } from './event-stream.ts';
export type * from './generated/api.ts';
export type {
  ChangeOptions,
  ClientOptions,
  JoinOptions,
  RequestOptions,
  StreamOptions,
} from './options.ts';
export { Page, PageCall } from './pages.ts';
export type { FileInput } from './request-body.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookSignatureError,
} from './webhooks.ts';

/** What the client adds to the calls of the API. */
type Helpers = {
  readonly tasks: {
    /** Waits until the task has ended, whatever its outcome. */
    wait(taskId: string, options?: RequestOptions): Call<TaskDetail>;
  };
  readonly webhooks: { readonly verify: typeof verifyWebhook };
  /** How far this client has seen. Give it to another client, and that reads what this one wrote. */
  readonly position: string | undefined;
};

export type Tallyhand = Api & Helpers;

const IDLE_TIMEOUT_MS = 60_000;
const ACCEPTED = 202;

type Group = { [name: string]: unknown };

/** Each call has its method at the path that its name spells: `billing.ledger.export`. */
class Client {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    const groups = this as unknown as Group;
    for (const operation of operations) {
      const path = operation.name.split('.');
      const name = path.pop() ?? '';
      const group = path.reduce(groupIn, groups);
      group[name] = (...given: unknown[]) => this.#call(operation, given);
      if (!operation.isStreamed) continue;
      group[`${name}Stream`] = (...given: unknown[]) =>
        new ReplyStream(this.#source(operation, given));
    }
    groupIn(groups, 'tasks').wait = (taskId: string, own: RequestOptions = {}) =>
      new Call(this.#ended(taskId, own));
    groupIn(groups, 'webhooks').verify = verifyWebhook;
  }

  get position(): string | undefined {
    return this.#transport.position;
  }

  #call(operation: Operation, given: readonly unknown[]) {
    if (operation.isResumed) return new ReplyStream(this.#source(operation, given));
    if (operation.isStream) return new EventStream(this.#source(operation, given));
    const { request, options } = requestOf(operation, given);
    if (!operation.isPaged) return new Call(this.#answered(request, options));
    return new PageCall(request.query ?? {}, (query: PageQuery) =>
      this.#answered<unknown[]>({ ...request, query }, options),
    );
  }

  #answered<T>(request: Request, options: RequestOptions): Promise<Answered<T>> {
    const { operation } = request;
    const transport = this.#transport;
    return transport.within(options, async (deadline) => {
      if (operation.isFile) {
        const file = { ...request, headers: { accept: '*/*' } };
        return transport.send(file, options, deadline, async (response) => response as T);
      }
      const isAsync = operation.mayBeAccepted && options.wait === false;
      const asked = isAsync ? { ...request, headers: { prefer: 'respond-async' } } : request;
      const answered = await transport.send(asked, options, deadline, async (response) =>
        response.status === 204 ? undefined : jsonOf(response),
      );
      if (!operation.mayBeAccepted || isAsync || answered.response.status !== ACCEPTED) {
        return answered as Answered<T>;
      }
      const taskId = acceptedTask(answered.data);
      const ended = await endedTask(transport, retrieveTask, taskId, {
        options,
        deadline,
        firstWaitMs: retryAfterMs(answered.response),
      });
      return { ...ended, data: resultOf(ended.data) as T };
    });
  }

  #ended(taskId: string, options: RequestOptions): Promise<Answered<TaskDetail>> {
    return this.#transport.within(options, (deadline) =>
      endedTask(this.#transport, retrieveTask, taskId, { options, deadline }),
    );
  }

  #source(operation: Operation, given: readonly unknown[]) {
    const { request, options: own } = requestOf(operation, given);
    const { idempotencyKey = randomKey(), lastEventId } = own as JoinOptions;
    // A stream that is requested again has the same key: its task runs once.
    const options: JoinOptions = { ...own, idempotencyKey };
    const transport = this.#transport;
    const send = (one: Request, headers: Record<string, string> = {}) => {
      const asked = { ...one, headers: { accept: 'text/event-stream', ...headers } };
      return transport.within(options, (deadline) =>
        transport.send(asked, options, deadline, async (response) => response),
      );
    };
    const join = (taskId: string, after: string | undefined): Promise<Opened> =>
      send(
        { operation: streamTask, ids: [taskId] },
        after === undefined ? {} : { 'last-event-id': after },
      );
    const notePosition = (position: string) => transport.notePosition(position);
    const open = async (): Promise<Opened> =>
      operation.isResumed
        ? join(request.ids[0] ?? '', lastEventId)
        : { ...(await send(request)), notePosition };
    const resume = ({ taskId = request.ids[0] ?? '', lastEventId: after = lastEventId }: Lost) =>
      operation.isResumed || after !== undefined ? join(taskId, after) : open();
    const isTask = operation.isResumed || operation.mayBeAccepted;
    return {
      call: operation.name,
      open,
      resume: isTask ? resume : undefined,
      retries: transport.retriesOf(options),
      signal: options.signal,
      idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    };
  }
}

const operationOf = (wanted: string) => operations.find(({ name }) => name === wanted) as Operation;
const retrieveTask = operationOf('tasks.retrieve');
const streamTask = operationOf('tasks.events.stream');

function groupIn(parent: Group, name: string): Group {
  parent[name] ??= {};
  return parent[name] as Group;
}

/** The arguments of a method: the ids of the path, the body or query, and the options. */
function requestOf(operation: Operation, given: readonly unknown[]) {
  const count = operation.path.split('{').length - 1;
  const ids = given.slice(0, count) as string[];
  const [content, last] = operation.takes ? given.slice(count) : [undefined, given[count]];
  const options = (last ?? {}) as RequestOptions;
  const request: Request = {
    operation,
    ids,
    ...(operation.takes === 'query' && { query: textQuery(content) }),
    ...(operation.takes === 'body' && { body: content }),
  };
  return { request, options };
}

/** Values that are left out, or null, are not sent. */
function textQuery(query: unknown): Record<string, string> {
  const given = Object.entries(query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** The client of an installation of Tallyhand. */
export const Tallyhand = Client as unknown as new (options: ClientOptions) => Tallyhand;

const WAIT_MS_MIN = 250;
const WAIT_MS_MAX = 5_000;
const WAIT_MS = 1_000;
const GROWTH = 1.3;
const OPEN: readonly TaskDetail['status'][] = ['queued', 'running', 'waiting'];

/** The answer as the contract has it, which a strange server may break. */
function objectOf<T>(data: unknown): T {
  if (typeof data === 'object' && data !== null) return data as T;
  throw new AnswerError('The answer is not an object');
}

/** The task that an answer of status 202 names. */
function acceptedTask(data: unknown): string {
  const { taskId } = objectOf<ExecutionAccepted>(data);
  if (typeof taskId === 'string') return taskId;
  throw new AnswerError('The answer names no task');
}

/** Reads the task until it has ended. */
async function endedTask(
  transport: Transport,
  retrieve: Operation,
  taskId: string,
  {
    options,
    deadline,
    firstWaitMs = 0,
  }: {
    readonly options: RequestOptions;
    readonly deadline: Deadline;
    readonly firstWaitMs?: number;
  },
): Promise<Answered<TaskDetail>> {
  const request = { operation: retrieve, ids: [taskId] };
  let waitMs = firstWaitMs;
  for (let grown = WAIT_MS; ; grown = Math.min(grown * GROWTH, WAIT_MS_MAX)) {
    if (waitMs > 0) await sleep(waitMs, deadline.signal);
    const answered = await transport.send(request, options, deadline, jsonOf);
    const { status } = objectOf<TaskDetail>(answered.data);
    if (!OPEN.includes(status)) return answered as Answered<TaskDetail>;
    waitMs = Math.max(retryAfterMs(answered.response) ?? grown, WAIT_MS_MIN);
  }
}

/** What the execution would have answered. */
function resultOf(task: TaskDetail): ExecutionResult {
  return {
    taskId: task.id,
    success: task.status === 'success',
    output: task.output,
    error: task.errorMessage,
    errorCode: task.errorCode,
    errorParams: task.errorParams,
    creditCost: task.creditCost,
    reasoning: task.reasoning,
    executionTimeMs: task.executionTimeMs,
    sources: task.sources,
  };
}
