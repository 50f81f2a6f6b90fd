import { MESSAGE_MAX, MESSAGE_TOO_LONG } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import type { Talk } from './use-talk.ts';

type ComposerProps = {
  talk: Talk;
  isPaused: boolean;
  text: string;
  setText: (text: string) => void;
  className: string;
};

/**
 * Enter sends, Shift and Enter makes a line; a message that was not taken comes back, and one that
 * is too long stays as it was pasted.
 */
export function Composer({ talk, isPaused, text, setText, className }: ComposerProps) {
  const { t } = useTranslation(['chat', 'validation']);
  const { isWaiting, send, stop } = talk;
  const below = useId();
  const message = text.trim();
  const isTooLong = message.length > MESSAGE_MAX;
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const isSending = useRef(false);
  useEffect(() => {
    if (isWaiting || !isSending.current) return;
    isSending.current = false;
    // A field that can't be used loses the focus; who went elsewhere meanwhile stays there.
    const focused = document.activeElement;
    const isNear = focused?.contains(form.current) || form.current?.contains(focused);
    if (isNear && window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [isWaiting]);

  async function submit() {
    if (message === '' || isTooLong || isWaiting || isPaused) return;
    isSending.current = true;
    setText('');
    if (!(await send(message))) setText(message);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  }
  return (
    <form
      ref={form}
      className={cx('border-t border-line py-3', className)}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="mx-auto flex max-w-3xl items-end gap-2">
        <Textarea
          ref={field}
          rows={1}
          aria-label={t('input')}
          placeholder={isPaused ? t('pausedPlaceholder') : t('placeholder')}
          aria-describedby={below}
          aria-invalid={isTooLong || undefined}
          disabled={isPaused || isWaiting}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton
          icon={SendHorizontal}
          label={t('send')}
          disabled={isPaused || isWaiting || isTooLong || message === ''}
          type="submit"
          className="mb-0.5"
        />
      </div>
      {/* Stop stands apart from Send, so that a second click on the one is never the other. */}
      <div className="mx-auto mt-1 flex min-h-8 max-w-3xl items-center justify-between gap-3">
        <p
          id={below}
          aria-live="polite"
          className={cx('text-xs', isTooLong ? 'text-danger' : 'text-muted')}
        >
          {isTooLong ? t(MESSAGE_TOO_LONG, { ns: 'validation' }) : t('footer')}
        </p>
        {isWaiting && (
          <Button size="sm" onClick={stop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        )}
      </div>
    </form>
  );
}
