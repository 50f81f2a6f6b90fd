import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { letterOf } from '@tallyhand/command-service/features/support/mail-support.reaction';
import { composeMail } from '@tallyhand/command-service/kit/mail/compose';
import { START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { OperatorError, type Outcome } from './command.ts';

export const MESSAGES_USAGE = `Prints messages to support, while the product runs:
  npm run messages -- --all
  npm run messages -- --since DAY      as 2026-11-21
  npm run messages -- --erase ID       permanently, from a person without an account`;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PAGE_LENGTH = 1000;
const RULE = '-'.repeat(72);

/** Without a mail server the operator reads support messages here. */
export async function runMessagesCommand(
  args: readonly string[],
  opened: Pick<OpenedKit, 'kit' | 'features'>,
): Promise<Outcome> {
  if (args[0] === '--erase') return erase(args.slice(1), opened);
  const { kit } = opened;
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
      const about = `${event.envelope.recordedAt}  ${subject}`;
      lines.push(RULE, about, `Id: ${letter.id}`, '', text.trimEnd(), '');
    }
    ({ position: from, isLast } = page);
  }
  return { lines: [...lines, count === 1 ? '1 message' : `${count} messages`], isWell: true };
}

async function erase(
  [id = '', ...more]: readonly string[],
  { features }: Pick<OpenedKit, 'features'>,
) {
  if (!ID.test(id) || more.length > 0) throw new OperatorError(MESSAGES_USAGE);
  const outcome = await features.support.eraseVisitors(id.toLowerCase());
  if (outcome === 'unknown') throw new OperatorError('There is no message with this id.');
  if (outcome === 'of-account') {
    throw new OperatorError('It was sent from an account. It is erased with the person.');
  }
  return { lines: ['The message is erased.'], isWell: true };
}

/** The first requested day, or an empty text for all; null if it is invalid. */
function sinceOf([what, day = '', ...more]: readonly string[]): string | null {
  if (more.length > 0) return null;
  if (what === '--all') return day === '' ? '' : null;
  return what === '--since' && /^\d{4}-\d\d-\d\d$/.test(day) ? day : null;
}
