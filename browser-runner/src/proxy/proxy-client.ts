import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';

export type ProxyLimits = {
  /** Of one client, both ways together. */
  clientBytes: number;
  /**
   * Maximum of one answer; of a tunnel, whose answers are indistinguishable, maximum without a
   * pause.
   */
  answerBytes: number;
  /** Open at once for one client. */
  connections: number;
  connectMs: number;
  /** Without a byte in either direction. */
  idleMs: number;
};

/** How long a tunnel is silent between two answers. */
const PAUSE_MS = 1_000;
const REFUSALS_MAX = 100;

/** A client of the proxy, one browser context: its counters and its refusals. */
export class ProxyClient implements Disposable {
  readonly username = randomBytes(12).toString('hex');
  readonly password = randomBytes(24).toString('hex');
  readonly #limits: ProxyLimits;
  readonly #onGone: (client: ProxyClient) => void;
  readonly #open = new Set<Duplex>();
  readonly #refusals = new Map<string, string>();
  #bytes = 0;
  #isGone = false;
  #limitListener: (sentence: string) => void = () => undefined;

  constructor(limits: ProxyLimits, onGone: (client: ProxyClient) => void) {
    this.#limits = limits;
    this.#onGone = onGone;
  }

  /** Calls the listener with a sentence when a limit has cut something off. */
  onLimit(listener: (sentence: string) => void): void {
    this.#limitListener = listener;
  }

  isPassword(given: string): boolean {
    const [one, other] = [Buffer.from(given), Buffer.from(this.password)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  /** Why the latest request to this host and port failed; returned once. */
  takeRefusal(authority: string): string | undefined {
    const sentence = this.#refusals.get(authority);
    this.#refusals.delete(authority);
    return sentence;
  }

  refused(authority: string, sentence: string): void {
    const refusals = this.#refusals;
    refusals.delete(authority);
    if (refusals.size >= REFUSALS_MAX) refusals.delete([...refusals.keys()][0] ?? '');
    refusals.set(authority, sentence);
  }

  /** A sentence if no further request is allowed. */
  exhausted(): string | undefined {
    const { clientBytes, connections } = this.#limits;
    if (this.#isGone) return 'This browser is closed.';
    if (this.#bytes >= clientBytes) return `${spent(clientBytes)} are used up.`;
    if (this.#open.size >= connections) return 'Too many connections are open at once.';
    return undefined;
  }

  /** Closes the connection with the client at the latest. */
  holds(connection: Duplex): void {
    this.#open.add(connection);
    connection.once('close', () => this.#open.delete(connection));
    if (this.#isGone) connection.destroy();
  }

  /** Counts the bytes of one answer or tunnel; returns the reason when it must be cut off. */
  meter(host: string, isTunnel: boolean): (count: number, isAnswer: boolean) => string | undefined {
    let answer = 0;
    let lastAt = 0;
    return (count, isAnswer) => {
      const { clientBytes, answerBytes } = this.#limits;
      this.#bytes += count;
      if (this.#bytes > clientBytes) {
        return this.#cutOff(`${spent(clientBytes)} are used up: nothing more is loaded.`);
      }
      if (!isAnswer) return undefined;
      const now = performance.now();
      answer = isTunnel && now - lastAt > PAUSE_MS ? count : answer + count;
      lastAt = now;
      return answer <= answerBytes ? undefined : this.#cutOff(tooLarge(host, this.#limits));
    };
  }

  #cutOff(sentence: string): string {
    this.#limitListener(sentence);
    return sentence;
  }

  [Symbol.dispose](): void {
    this.#isGone = true;
    this.#onGone(this);
    for (const connection of this.#open) connection.destroy();
  }
}

export function tooLarge(host: string, limits: ProxyLimits): string {
  return `${host} sent more than ${megabytes(limits.answerBytes)} at once: it was cut off.`;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
const spent = (bytes: number) => `The ${megabytes(bytes)} that this browser may load`;
