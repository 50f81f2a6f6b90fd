type State = 'signed-in' | 'ended';

let state: State = 'signed-in';
let watchers = 0;
let waiting: ((isSignedIn: boolean) => void)[] = [];
const listeners = new Set<() => void>();

function become(next: State) {
  state = next;
  for (const listener of listeners) listener();
}

function settle(isSignedIn: boolean) {
  const settled = waiting;
  waiting = [];
  become('signed-in');
  for (const resolve of settled) resolve(isSignedIn);
}

/** A sign-in that ended during work: calls wait until there is one again. */
export const endedSignIn = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isEnded: () => state === 'ended',
  /** Announces that a user can be asked to sign in again, until the returned end. */
  watch() {
    watchers += 1;
    return () => {
      watchers -= 1;
      if (watchers === 0) settle(false);
    };
  },
  /** Requests a new sign-in; false if no user can be asked, or the user declines. */
  askAgain(): Promise<boolean> {
    if (watchers === 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      waiting.push(resolve);
      become('ended');
    });
  },
  signedIn: () => settle(true),
  giveUp: () => settle(false),
  /** Whether there is a sign-in, once none is waited for. */
  whenSettled: (): Promise<boolean> =>
    state === 'ended' ? endedSignIn.askAgain() : Promise.resolve(true),
};
