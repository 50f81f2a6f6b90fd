import { Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../app/copy-text.ts';
import { Button } from '../../ui/button.tsx';
import type { Source } from '../../ui/citations.ts';
import { CitedText, SourceList } from '../../ui/cited-text.tsx';

/** An answer in large type, with its sources beside its sentences and below it. */
export function AnswerText({
  text,
  sources,
  level = 'h3',
}: {
  text: string;
  sources: readonly Source[];
  /** Of its headings, in the order of the page's. */
  level?: 'h2' | 'h3';
}) {
  const { t } = useTranslation('tasks');
  return (
    <>
      <CitedText
        text={text}
        sources={sources}
        heading={level}
        className="max-w-[68ch] text-base leading-7"
      />
      <SourceList level={level} title={t('answer.sources')} sources={sources} />
    </>
  );
}

/** How the agent came to its answer, folded. */
export function Reasoning({ text }: { text: string | null }) {
  const { t } = useTranslation('tasks');
  return <Folded title={t('answer.reasoning')} text={text} />;
}

/** What a program sent along with the input, folded. */
export function EarlierConversation({ text }: { text: string | null }) {
  const { t } = useTranslation('tasks');
  return <Folded title={t('detail.context')} text={text} />;
}

function Folded({ title, text }: { title: string; text: string | null }) {
  if (!text) return null;
  return (
    <details>
      <summary className="cursor-pointer rounded-sm text-muted">{title}</summary>
      <p className="mt-2 max-w-[68ch] break-words whitespace-pre-wrap text-muted">{text}</p>
    </details>
  );
}

/** What can be done with an answer, in one line. */
export function AnswerActions({ text, children }: { text: string; children?: ReactNode }) {
  const { t } = useTranslation('tasks');
  const copy = () => copyText(text, { done: t('answer.copied'), failed: t('answer.copyFailed') });
  return (
    <div className="-mx-3 flex flex-wrap items-center gap-x-1 gap-y-1 print:hidden">
      {text && (
        <Button icon={Copy} variant="ghost" size="sm" onClick={copy}>
          {t('answer.copy')}
        </Button>
      )}
      {children}
    </div>
  );
}
