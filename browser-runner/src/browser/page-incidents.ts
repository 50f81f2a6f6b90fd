import { PageCrashed } from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { Dialog, Download, Page } from 'playwright';
import type { Notices } from './notices.ts';

/** In one action. */
const DIALOGS_MAX = 20;
const WINDOWS_MAX = 150;
/** In a session. */
const CRASHES_MAX = 2;

export type Fate = {
  /** The session cannot continue. */
  lose: (why: Sentence) => void;
  /** Why a page that crashed this moment was ended by us, if it was. */
  crashReason: () => Sentence | undefined;
};

type Pages = {
  current(): Page | null;
  close(page: Page): void;
  /** Puts an empty page in the place of the one that counts. */
  replace(why: string): void;
};

/** Unrequested actions of pages end here, as a notice, and too many of them end the page. */
export function pageIncidents(pages: Pages, notices: Notices, fate: Fate) {
  let dialogs = 0;
  let windows = 0;
  let crashes = 0;

  const end = (page: Page, why: string) => {
    if (page === pages.current()) pages.replace(why);
    else pages.close(page);
  };

  return {
    actionBegins() {
      dialogs = 0;
      windows = 0;
    },
    onDialog(page: Page, dialog: Dialog) {
      // Leaving is never held up.
      if (dialog.type() === 'beforeunload') {
        void dialog.accept().catch(() => undefined);
        return;
      }
      dialogs += 1;
      if (dialogs <= DIALOGS_MAX) {
        notices.add(`A dialog of the page was dismissed: ${dialog.message() || dialog.type()}`);
        void dialog.dismiss().catch(() => undefined);
      } else if (dialogs === DIALOGS_MAX + 1) {
        end(page, 'The page showed one dialog after the other and was closed.');
      } else pages.close(page);
    },
    onWindow(page: Page) {
      windows += 1;
      pages.close(page);
      notices.add('A window that the page opened was closed: there are too many.');
      if (windows === WINDOWS_MAX) {
        pages.replace('The page opened one window after the other and was closed.');
      }
    },
    onCrash(page: Page) {
      if (page !== pages.current()) {
        pages.close(page);
        return;
      }
      crashes += 1;
      const reason = fate.crashReason();
      if (reason !== undefined) fate.lose(reason);
      else if (crashes >= CRASHES_MAX) fate.lose(PageCrashed({}));
      else pages.replace('The page crashed and was closed.');
    },
    onDownload(download: Download) {
      notices.add(`A download was refused: ${download.suggestedFilename()} (${download.url()})`);
      void download.cancel().catch(() => undefined);
    },
  };
}
