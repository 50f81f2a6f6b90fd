/** Per socket; human input is well below. */
const MESSAGES_PER_SECOND = 100;
const INPUTS_PER_SECOND = 50;
/** Each requires a look-up at the command service, and is answered with a picture. */
const SUBSCRIPTIONS_PER_SECOND = 5;
const GARBAGE_MAX = 5;

/** At most `max` a second: true while there is room. */
function perSecond(max: number): () => boolean {
  const now = () => performance.now();
  let since = now();
  let count = 0;
  return () => {
    if (now() - since >= 1_000) {
      since = now();
      count = 0;
    }
    count += 1;
    return count <= max;
  };
}

export type MessageLimits = {
  /** False for the message, or the subscription, with which a flood begins. */
  message(): boolean;
  subscription(): boolean;
  /** False for the last accepted invalid message. */
  garbage(): boolean;
};

/** How much one socket may send. */
export function messageLimits(): MessageLimits {
  let garbage = 0;
  return {
    message: perSecond(MESSAGES_PER_SECOND),
    subscription: perSecond(SUBSCRIPTIONS_PER_SECOND),
    garbage() {
      garbage += 1;
      return garbage < GARBAGE_MAX;
    },
  };
}

/** The input rate of one socket: false if it is too fast. */
export const inputLimit = () => perSecond(INPUTS_PER_SECOND);

const OF_PERSON_MAX = 8;
const OF_SESSION_MAX = 50;

/** The viewers of this runner, limited for each person and each session. */
export class ViewerCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a viewer; null if there is no room, otherwise a function that ends the view. */
  begin(personId: string, sessionId: string): (() => void) | null {
    const [person, session] = [`person ${personId}`, `session ${sessionId}`];
    if ((this.#counts.get(person) ?? 0) >= OF_PERSON_MAX) return null;
    if ((this.#counts.get(session) ?? 0) >= OF_SESSION_MAX) return null;
    for (const key of [person, session]) this.#add(key, 1);
    let isCounted = true;
    return () => {
      if (isCounted) for (const key of [person, session]) this.#add(key, -1);
      isCounted = false;
    };
  }

  #add(key: string, by: number) {
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
