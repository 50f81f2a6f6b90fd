import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { BrowserCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import type { BrowserContext, Dialog, Page } from 'playwright';
import { beforeEach, describe, expect, it } from 'vitest';
import { Notices, SessionPages } from './session-pages.ts';

/** Until everything that was begun has ended: nothing here waits for more than a turn. */
async function settled() {
  for (let at = 0; at < 10; at += 1) await turn();
}

/** A page of Playwright, as far as the rules about pages need it. */
class FakePage extends EventEmitter {
  isGone = false;

  isClosed() {
    return this.isGone;
  }

  async close() {
    this.isGone = true;
    this.emit('close');
  }
}

/** A context that opens such pages; `openWindows` is what a page does by itself. */
class FakeContext extends EventEmitter {
  async newPage() {
    await turn();
    const page = new FakePage();
    this.emit('page', page);
    return page;
  }

  async openWindows(count: number) {
    const windows = Array.from({ length: count }, () => new FakePage());
    for (const window of windows) this.emit('page', window);
    await settled();
    return windows;
  }

  /** Shows dialogs on a page, and returns how each was answered. */
  async showDialogs(page: FakePage, count: number, type = 'alert') {
    const answers: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const answer = (how: string) => async () => void answers.push(how);
      const own = { page: () => page, type: () => type, message: () => `Dialog ${at}` };
      const dialog = { ...own, accept: answer('accept'), dismiss: answer('dismiss') };
      this.emit('dialog', dialog as unknown as Dialog);
    }
    await settled();
    return answers;
  }
}

let context: FakeContext;
let notices: Notices;
let lost: string[];
let crashReason: ReturnType<typeof BrowserCrashed> | undefined;
let pages: SessionPages;

const asPage = (page: FakePage) => page as unknown as Page;
const current = () => pages.current() as unknown as FakePage;

beforeEach(async () => {
  context = new FakeContext();
  notices = new Notices();
  lost = [];
  crashReason = undefined;
  pages = new SessionPages(context as unknown as BrowserContext, notices, {
    lose: ({ text }) => lost.push(text),
    crashReason: () => crashReason,
  });
  await pages.open();
  await settled();
});

describe('windows that a page opens', () => {
  it('are followed once after an action, and otherwise stay in the background', async () => {
    const opener = current();
    pages.actionBegins(true);
    const [first, second] = await context.openWindows(2);
    expect(current()).toBe(first);
    expect([first?.isGone, second?.isGone, opener.isGone]).toEqual([false, false, false]);
    expect(notices.take()).toEqual(['The page opened a new window, which is shown now.']);
  });

  it('are not followed when the action does not expect one', async () => {
    const opener = current();
    pages.actionBegins(false);
    await context.openWindows(1);
    expect(current()).toBe(opener);
    expect(notices.take()).toEqual([]);
  });

  it('are closed when there are three pages already, and counted', async () => {
    pages.actionBegins(false);
    const windows = await context.openWindows(100);
    expect(windows.filter(({ isGone }) => !isGone)).toHaveLength(2);
    expect(notices.take()).toEqual([
      'A window that the page opened was closed: there are too many. (98×)',
    ]);
  });

  it('replace the oldest in the background when the next action opens one', async () => {
    pages.actionBegins(false);
    const [oldest] = await context.openWindows(2);
    pages.actionBegins(true);
    const [next] = await context.openWindows(1);
    expect(oldest?.isGone).toBe(true);
    expect(current()).toBe(next);
  });

  it('end the page when it opens 150 too many in one action', async () => {
    const opener = current();
    pages.actionBegins(false);
    await context.openWindows(2 + 149);
    expect(opener.isGone).toBe(false);
    pages.actionBegins(false);
    await context.openWindows(149);
    expect(opener.isGone).toBe(false);
    await context.openWindows(1);
    expect(opener.isGone).toBe(true);
    expect(notices.take().at(-1)).toContain('one window after the other and was closed');
  });
});

describe('dialogs of a page', () => {
  it('are dismissed and reported', async () => {
    expect(await context.showDialogs(current(), 2)).toEqual(['dismiss', 'dismiss']);
    expect(notices.take()).toEqual([
      'A dialog of the page was dismissed: Dialog 0',
      'A dialog of the page was dismissed: Dialog 1',
    ]);
  });

  it('end the page when there are more than 20 in one action', async () => {
    const page = current();
    await context.showDialogs(page, 20);
    pages.actionBegins(false);
    await context.showDialogs(page, 20);
    expect(page.isGone).toBe(false);
    expect(await context.showDialogs(page, 1)).toEqual([]);
    expect(page.isGone).toBe(true);
    expect(current()).not.toBe(page);
  });

  it('never prevent leaving it', async () => {
    const answers = await context.showDialogs(current(), 30, 'beforeunload');
    expect(answers).toEqual(answers.map(() => 'accept'));
    expect(notices.take()).toEqual([]);
  });
});

describe('a page that crashes', () => {
  it('is replaced the first time, and loses the session the second time', async () => {
    const first = current();
    first.emit('crash');
    await settled();
    expect(first.isGone).toBe(true);
    expect(notices.take()).toEqual(['The page crashed and was closed.']);
    current().emit('crash');
    expect(lost).toHaveLength(1);
  });

  it('loses the session at once when the runner ended it', () => {
    crashReason = BrowserCrashed({});
    current().emit('crash');
    expect(lost).toEqual([BrowserCrashed({}).text]);
  });

  it('is closed without further effect in the background', async () => {
    pages.actionBegins(false);
    const [window] = await context.openWindows(1);
    window?.emit('crash');
    expect(window?.isGone).toBe(true);
    expect(lost).toEqual([]);
  });
});

describe('the current page', () => {
  it('is the newest of the others after it was closed', async () => {
    const changes: unknown[] = [];
    const stop = pages.onChange(() => changes.push(pages.current()));
    pages.actionBegins(false);
    const [, newest] = await context.openWindows(2);
    expect(await pages.leave(asPage(current()))).toBe(true);
    expect(current()).toBe(newest);
    stop();
    await pages.open();
    expect(changes).toEqual([newest]);
  });

  it('is not left when it is the only one', async () => {
    expect(await pages.leave(asPage(current()))).toBe(false);
  });

  it('refuses downloads', () => {
    let isCanceled = false;
    current().emit('download', {
      suggestedFilename: () => 'big.zip',
      url: () => 'https://shop.example/big.zip',
      cancel: async () => {
        isCanceled = true;
      },
    });
    expect(isCanceled).toBe(true);
    expect(notices.take()).toEqual([
      'A download was refused: big.zip (https://shop.example/big.zip)',
    ]);
  });
});
