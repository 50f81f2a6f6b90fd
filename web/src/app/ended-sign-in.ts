type State = 'signed-in' | 'ended';

let state: State = 'signed-in';
let watchers = 0;
let isDeclined = false;
let waiting: ((isSignedIn: boolean) => void)[] = [];
const listeners = new Set<() => void>();

function become(next: State) {
  state = next;
  for (const listener of listeners) listener();
}

function settle(isSignedIn: boolean) {
  const settled = waiting;
  waiting = [];
  isDeclined = !isSignedIn;
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
  /** Whether the user was asked and has not signed in since. */
  isDeclined: () => isDeclined,
  /** Announces that a user can be asked to sign in again, until the returned end. */
  watch() {
    watchers += 1;
    isDeclined = false;
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
  /** Resolves at once where no sign-in is waited for. */
  whenSettled: (): Promise<unknown> =>
    state === 'ended' ? endedSignIn.askAgain() : Promise.resolve(),
};
