import {
  type OwnRating,
  RATINGS,
  type Rating,
  type RatingCounts,
  REASON_MAX,
} from '@tallyhand/contracts/features/ratings/ratings.fields';
import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Outcome, useAnnounce } from '../../app/announce.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Field, Input } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useRateReplyMutation, useRateTaskMutation } from './ratings.api.ts';

export const RATING_ICONS = { up: ThumbsUp, down: ThumbsDown } as const;

type Given = { rating: Rating | null; reason?: string };
/** With the message that is announced once it is saved. */
type Saving = { given: Given; message: string };

/** Rates the answer of a task. All members see it, so the buttons count. */
export function TaskRating({ task }: { task: Pick<TaskDetail, 'id' | 'rating' | 'ratings'> }) {
  const { id: userId } = useCurrentUser();
  const [rate] = useRateTaskMutation();
  const { id, rating, ratings } = task;
  const reason = ratings.find(({ ratedBy }) => ratedBy.id === userId)?.reason ?? null;
  return (
    <RatingButtons
      key={id}
      own={rating.own && { rating: rating.own, reason }}
      counts={rating}
      seen="task"
      rate={(given) => rate({ id, ...given })}
    />
  );
}

/** Rates a reply, which only the member of the conversation reads. */
export function ReplyRating({
  conversationId: id,
  messageId,
  rating,
}: {
  conversationId: string;
  messageId: string;
  rating: OwnRating | null;
}) {
  const [rate] = useRateReplyMutation();
  return (
    <RatingButtons own={rating} seen="reply" rate={(given) => rate({ id, messageId, ...given })} />
  );
}

type RatingButtonsProps = {
  own: OwnRating | null;
  counts?: RatingCounts;
  /** Where others see the reason. */
  seen: 'task' | 'reply';
  rate: (given: Given) => PromiseLike<Outcome>;
};

/** Thumbs up and down; pressing the same again takes the rating back. */
function RatingButtons({ own, counts, seen, rate }: RatingButtonsProps) {
  const { t } = useTranslation('ratings');
  const announce = useAnnounce();
  const saved = own?.rating ?? null;
  // What was pressed while that was saved: another answer of the server replaces it.
  const [pressed, setPressed] = useState<{ rating: Rating | null; saved: Rating | null }>();
  const isSaving = useRef(false);
  /** What was pressed while another rating was being saved. */
  const next = useRef<Saving>(undefined);
  const [isAsking, setAsking] = useState(false);
  const shown = pressed?.saved === saved ? pressed.rating : saved;

  async function save(saving: Saving) {
    if (isSaving.current) {
      next.current = saving;
      return;
    }
    isSaving.current = true;
    const { error } = await announce(rate(saving.given), { failed: t('failed') });
    isSaving.current = false;
    const following = next.current;
    next.current = undefined;
    if (following) return save(following);
    if (error) setPressed(undefined);
    else say(saving.message);
  }
  function press(rating: Rating) {
    const isTaken = shown !== rating;
    const wanted = isTaken ? rating : null;
    setPressed({ rating: wanted, saved });
    setAsking(wanted === 'down');
    const message = t(wanted === 'down' ? 'savedDown' : isTaken ? 'saved' : 'removed');
    void save({ given: { rating: wanted }, message });
  }
  const countOf = (rating: Rating) =>
    counts && counts[rating] - Number(saved === rating) + Number(shown === rating);
  return (
    <>
      <fieldset aria-label={t('label')} className="flex items-center gap-1">
        {RATINGS.map((rating) => (
          <RateButton
            key={rating}
            rating={rating}
            count={countOf(rating) ?? 0}
            isPressed={shown === rating}
            onClick={() => press(rating)}
          />
        ))}
      </fieldset>
      {shown === 'down' && !isAsking && (
        <Button variant="ghost" size="sm" onClick={() => setAsking(true)}>
          {t(own?.reason ? 'reason.change' : 'reason.add')}
        </Button>
      )}
      {shown === 'down' && isAsking && (
        <Reason
          reason={own?.reason ?? ''}
          help={t(`reason.seen.${seen}`)}
          close={() => setAsking(false)}
          send={(reason) => {
            setAsking(false);
            void save({ given: { rating: 'down', reason }, message: t('reason.saved') });
          }}
        />
      )}
      {shown === 'down' && !isAsking && own?.reason && (
        <p className="basis-full px-3 break-words text-muted">{own.reason}</p>
      )}
    </>
  );
}

function RateButton({
  rating,
  count,
  isPressed,
  onClick,
}: {
  rating: Rating;
  /** Not shown as 0. */
  count: number;
  isPressed: boolean;
  onClick: () => void;
}) {
  const { t, i18n } = useTranslation('ratings');
  const Icon = RATING_ICONS[rating];
  const times = count > 0 && numberFormat(i18n.language).format(count);
  return (
    <Tooltip label={t(rating)}>
      <button
        type="button"
        aria-pressed={isPressed}
        onClick={onClick}
        className={cx(
          'inline-flex h-8 min-w-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-2',
          'transition-colors duration-150 ease-out hover:bg-sunken',
          isPressed ? 'text-accent [&_svg]:fill-accent/25' : 'text-muted hover:text-text',
        )}
      >
        <Icon aria-hidden className="size-4" />
        <span className="sr-only">{t(rating)}</span>
        {times && <span className="tabular text-xs">{times}</span>}
      </button>
    </Tooltip>
  );
}

/** No form: it may be inside one. */
function Reason({
  reason,
  help,
  send,
  close,
}: {
  reason: string;
  help: string;
  send: (reason: string) => void;
  close: () => void;
}) {
  const { t } = useTranslation('ratings');
  const { t: common } = useTranslation('common');
  const [text, setText] = useState(reason);
  return (
    <div className="flex max-w-[68ch] basis-full flex-col gap-2 px-3 py-1">
      <Field label={t('reason.label')} hint={common('optional')} help={help}>
        <Input
          value={text}
          maxLength={REASON_MAX}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send(text.trim());
          }}
        />
      </Field>
      <div className="flex gap-2">
        <Button size="sm" onClick={() => send(text.trim())}>
          {t('reason.send')}
        </Button>
        <Button size="sm" variant="ghost" onClick={close}>
          {t('reason.skip')}
        </Button>
      </div>
    </div>
  );
}

/** The reasons that other members gave. The caller's own is beside the buttons. */
export function TaskReasons({ ratings }: Pick<TaskDetail, 'ratings'>) {
  const { t } = useTranslation('ratings');
  const { id: userId } = useCurrentUser();
  const given = ratings.filter(({ ratedBy, reason }) => reason && ratedBy.id !== userId);
  if (given.length === 0) return null;
  return (
    <ul aria-label={t('reason.ofOthers')} className="flex max-w-[68ch] flex-col gap-2">
      {given.map(({ rating, reason, ratedBy: { id, name } }) => {
        const Icon = RATING_ICONS[rating];
        return (
          <li key={id} className="flex gap-2">
            <Icon aria-label={t(rating)} className="mt-0.5 size-4 shrink-0 text-muted" />
            <span className="min-w-0 break-words">
              {reason} <span className="text-muted">– {name ?? t('formerMember')}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

// There before the first message: screen readers announce only changes of what they know.
const region = document.createElement('div');
region.setAttribute('role', 'status');
// Exempts it from the hiding of everything behind a dialog.
region.setAttribute('aria-live', 'polite');
region.className = 'sr-only';
document.body.append(region);

/** Announces a message to screen readers, also if the component that sends it is replaced. */
function say(message: string) {
  // The same message twice is two changes.
  region.replaceChildren(Object.assign(document.createElement('p'), { textContent: message }));
}
