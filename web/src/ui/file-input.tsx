import { useTranslation } from 'react-i18next';
import { useFieldWiring } from './field.tsx';

/** One file, chosen or dropped: the browser's input covers the whole area, invisibly. */
export function FileInput({
  file,
  onChoose,
  accept,
  disabled,
}: {
  file: File | undefined;
  onChoose: (file: File | undefined) => void;
  /** Endings, as the browser's own picker takes them. */
  accept: string;
  disabled?: boolean;
}) {
  const { t } = useTranslation('common');
  return (
    <div className="relative flex min-h-24 flex-col items-center justify-center gap-1 rounded-md border border-dashed border-border bg-surface px-3 py-4 text-center transition-colors duration-150 focus-within:outline-2 focus-within:outline-accent hover:bg-sunken has-aria-invalid:border-danger">
      <span aria-hidden className="max-w-full font-medium break-words">
        {file ? file.name : t('file.choose')}
      </span>
      <span aria-hidden className="text-xs text-muted">
        {file ? t('file.other') : t('file.drop')}
      </span>
      <input
        {...useFieldWiring()}
        type="file"
        name="file"
        accept={accept}
        disabled={disabled}
        className="absolute inset-0 cursor-pointer opacity-0 disabled:cursor-default"
        onChange={({ target }) => onChoose(target.files?.[0])}
      />
    </div>
  );
}
