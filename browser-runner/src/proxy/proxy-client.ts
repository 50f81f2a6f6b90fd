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

/** A client of the proxy: one browser context. */
export type ProxyClient = ReturnType<typeof proxyClient>;

/** One client's counters, and its refusals. */
export function proxyClient(limits: ProxyLimits, onGone: () => void) {
  const username = randomBytes(12).toString('hex');
  const password = randomBytes(24).toString('hex');
  const open = new Set<Duplex>();
  const refusals = new Map<string, string>();
  let bytes = 0;
  let isGone = false;
  let onLimit: (sentence: string) => void = () => undefined;

  const cutOff = (sentence: string) => {
    onLimit(sentence);
    return sentence;
  };

  return {
    username,
    password,
    /** Where a sentence goes when a limit has cut something off. */
    tellLimits(listener: (sentence: string) => void) {
      onLimit = listener;
    },
    isPassword(given: string): boolean {
      const [one, other] = [Buffer.from(given), Buffer.from(password)];
      return one.length === other.length && timingSafeEqual(one, other);
    },
    /** Why the latest request to this host and port came to nothing; once. */
    takeRefusal(authority: string): string | undefined {
      const sentence = refusals.get(authority);
      refusals.delete(authority);
      return sentence;
    },
    refused(authority: string, sentence: string) {
      refusals.delete(authority);
      if (refusals.size >= REFUSALS_MAX) refusals.delete([...refusals.keys()][0] ?? '');
      refusals.set(authority, sentence);
    },
    /** A sentence if no further request is allowed. */
    exhausted(): string | undefined {
      if (isGone) return 'This browser is closed.';
      if (bytes >= limits.clientBytes) return `${spent(limits.clientBytes)} are used up.`;
      if (open.size >= limits.connections) return 'Too many connections are open at once.';
      return undefined;
    },
    /** Ends the connection with the client, at the latest. */
    holds(connection: Duplex) {
      open.add(connection);
      connection.once('close', () => open.delete(connection));
      if (isGone) connection.destroy();
    },
    /** Counts the bytes of one answer or tunnel; returns the reason when it must be cut off. */
    meter(host: string, isTunnel: boolean) {
      let answer = 0;
      let lastAt = 0;
      return (count: number, isAnswer: boolean): string | undefined => {
        bytes += count;
        if (bytes > limits.clientBytes) {
          return cutOff(`${spent(limits.clientBytes)} are used up: nothing more is loaded.`);
        }
        if (!isAnswer) return undefined;
        const now = performance.now();
        answer = isTunnel && now - lastAt > PAUSE_MS ? count : answer + count;
        lastAt = now;
        return answer <= limits.answerBytes ? undefined : cutOff(tooLarge(host, limits));
      };
    },
    [Symbol.dispose]() {
      isGone = true;
      onGone();
      for (const connection of open) connection.destroy();
    },
  };
}

export function tooLarge(host: string, limits: ProxyLimits): string {
  return `${host} sent more than ${megabytes(limits.answerBytes)} at once: it was cut off.`;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
const spent = (bytes: number) => `The ${megabytes(bytes)} that this browser may load`;
