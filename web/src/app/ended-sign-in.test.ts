import { afterEach, describe, expect, it } from 'vitest';
import { endedSignIn } from './ended-sign-in.ts';

let end: (() => void) | undefined;
afterEach(() => {
  end?.();
  end = undefined;
});

describe('a sign-in that ended', () => {
  it('is asked for again once, and whoever waits goes on', async () => {
    end = endedSignIn.watch();
    const both = Promise.all([endedSignIn.askAgain(), endedSignIn.askAgain()]);
    expect(endedSignIn.isEnded()).toBe(true);
    endedSignIn.signedIn();
    expect(await both).toEqual([true, true]);
    expect(endedSignIn.isEnded()).toBe(false);
  });

  it('stays ended for those who waited when somebody would rather not sign in', async () => {
    end = endedSignIn.watch();
    const asked = endedSignIn.askAgain();
    endedSignIn.giveUp();
    expect(await asked).toBe(false);
  });

  it('is not asked for where nobody was signed in, nor after they left', async () => {
    expect(await endedSignIn.askAgain()).toBe(false);
    const leave = endedSignIn.watch();
    const asked = endedSignIn.askAgain();
    leave();
    expect(await asked).toBe(false);
    expect(endedSignIn.isEnded()).toBe(false);
  });

  it('tells those who show it', () => {
    end = endedSignIn.watch();
    let told = 0;
    const stop = endedSignIn.subscribe(() => told++);
    void endedSignIn.askAgain();
    endedSignIn.signedIn();
    stop();
    expect(told).toBe(2);
  });
});
