import { CopyButton } from './copy-button.tsx';

const SHORT_ID_LENGTH = 8;

/** The end of an id or hash, which tells it from its neighbours, and the way to the whole. */
export function ShortId({ id, copyLabel }: { id: string; copyLabel: string }) {
  return (
    <span className="-my-1 inline-flex items-center gap-1">
      <code className="font-mono" title={id}>
        {id.slice(-SHORT_ID_LENGTH)}
      </code>
      <CopyButton text={id} label={copyLabel} />
    </span>
  );
}
