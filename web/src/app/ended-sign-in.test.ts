import { afterEach, describe, expect, it } from 'vitest';
import { endedSignIn } from './ended-sign-in.ts';

let end: (() => void) | undefined;
afterEach(() => {
  end?.();
  end = undefined;
});

describe('a sign-in that ended', () => {
  it('is requested again once, and waiting calls continue', async () => {
    end = endedSignIn.watch();
    const both = Promise.all([endedSignIn.askAgain(), endedSignIn.askAgain()]);
    expect(endedSignIn.isEnded()).toBe(true);
    endedSignIn.signedIn();
    expect(await both).toEqual([true, true]);
    expect(endedSignIn.isEnded()).toBe(false);
  });

  it('stays ended for the waiting calls when the user declines to sign in', async () => {
    end = endedSignIn.watch();
    const asked = endedSignIn.askAgain();
    endedSignIn.giveUp();
    expect(await asked).toBe(false);
  });

  it('is not requested when no user was signed in, nor after signing out', async () => {
    expect(await endedSignIn.askAgain()).toBe(false);
    const leave = endedSignIn.watch();
    const asked = endedSignIn.askAgain();
    leave();
    expect(await asked).toBe(false);
    expect(endedSignIn.isEnded()).toBe(false);
  });

  it('informs its listeners', () => {
    end = endedSignIn.watch();
    let told = 0;
    const stop = endedSignIn.subscribe(() => told++);
    void endedSignIn.askAgain();
    endedSignIn.signedIn();
    stop();
    expect(told).toBe(2);
  });
});
