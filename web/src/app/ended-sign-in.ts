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

/** A sign-in that has ended while somebody works: whoever needs one waits until there is one again. */
export const endedSignIn = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isEnded: () => state === 'ended',
  /** Says that there is somebody who can be asked to sign in again, until the returned end. */
  watch() {
    watchers += 1;
    return () => {
      watchers -= 1;
      if (watchers === 0) settle(false);
    };
  },
  /** Asks for a new sign-in; false where nobody can be asked, or they would rather not. */
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
