import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { letterOf } from '@tallyhand/command-service/features/support/letters';
import { composeMail } from '@tallyhand/command-service/kit/mail/compose';
import { START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { OperatorError } from './operator-error.ts';

export const MESSAGES_USAGE = `Prints what was written to support, while the product runs:
  npm run messages -- --all
  npm run messages -- --since DAY      as 2026-11-21`;

const PAGE_LENGTH = 1000;
const RULE = '-'.repeat(72);

/** Where no mail is sent this is how whoever runs the product reads what is sent to them. */
export async function runMessagesCommand(
  args: readonly string[],
  { kit }: Pick<OpenedKit, 'kit'>,
): Promise<{ readonly lines: readonly string[]; readonly isWell: boolean }> {
  const since = sinceOf(args);
  if (since === null) throw new OperatorError(MESSAGES_USAGE);
  const lines: string[] = [];
  let count = 0;
  for (let from = START, isLast = false; !isLast; ) {
    const page = await readAllAfter(kit.streams.eventLog, from, PAGE_LENGTH);
    for (const event of page.events) {
      if (event.envelope.recordedAt < since) continue;
      const letter = await letterOf(kit.personKeys, event);
      if (!letter) continue;
      count += 1;
      const { subject, text } = composeMail(letter.text);
      lines.push(RULE, `${event.envelope.recordedAt}  ${subject}`, '', text.trimEnd(), '');
    }
    ({ position: from, isLast } = page);
  }
  return { lines: [...lines, count === 1 ? '1 message' : `${count} messages`], isWell: true };
}

/** The first day that is asked for, or the beginning of all; null for what is not understood. */
function sinceOf([what, day = '', ...more]: readonly string[]): string | null {
  if (more.length > 0) return null;
  if (what === '--all') return day === '' ? '' : null;
  return what === '--since' && /^\d{4}-\d\d-\d\d$/.test(day) ? day : null;
}
