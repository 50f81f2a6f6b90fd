import { FileText, Paperclip, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Spinner } from '../../ui/loading.tsx';
import { imageAddress } from './attached-files.tsx';
import type { Attachments, PickedFile } from './use-attachments.ts';

const KINDS = '.png,.jpg,.jpeg,.webp,.pdf,.docx,.html,.htm,.md,.markdown,.txt';

type Props = { attachments: Attachments; disabled: boolean };

/** Opens the browser's choice of files. */
export function AttachButton({ attachments, disabled }: Props) {
  const { t } = useTranslation('tasks');
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={KINDS}
        tabIndex={-1}
        aria-hidden
        className="hidden"
        onChange={({ target }) => {
          attachments.add(target.files ?? []);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
      <IconButton
        icon={Paperclip}
        label={t('attachments.add')}
        disabled={disabled}
        className="mb-0.5"
        onClick={() => input.current?.click()}
      />
    </>
  );
}

/** Takes files that are dropped on or pasted into what it surrounds. */
export function FileDrop({ attachments, disabled, children }: Props & { children: ReactNode }) {
  const { t } = useTranslation('tasks');
  const [isOver, setIsOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  const listeners = {
    onDragOver(event: DragEvent) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(!disabled);
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      if (!currentTarget.contains(relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      if (!disabled) attachments.add(event.dataTransfer.files);
    },
    onPaste(event: ClipboardEvent) {
      const { files, types } = event.clipboardData;
      // Office programs add a picture of the text that was copied.
      if (disabled || files.length === 0 || types.includes('text/plain')) return;
      event.preventDefault();
      attachments.add(files);
    },
  };
  return (
    <div className="relative" {...listeners}>
      {children}
      {isOver && (
        <p className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center rounded-md border border-dashed border-accent bg-raised font-medium">
          {t('attachments.drop')}
        </p>
      )}
      <p role="status" className="sr-only">
        {attachments.news}
      </p>
    </div>
  );
}

/** The files of what is being written, each with its state and a way to remove it. */
export function AttachmentChips({ attachments, disabled }: Props) {
  const { t } = useTranslation('tasks');
  if (attachments.files.length === 0) return null;
  return (
    <ul aria-label={t('attachments.list')} className="flex flex-wrap gap-2">
      {attachments.files.map((file) => (
        <Chip key={file.key} file={file} disabled={disabled} remove={attachments.remove} />
      ))}
    </ul>
  );
}

function Chip({
  file,
  disabled,
  remove,
}: {
  file: PickedFile;
  disabled: boolean;
  remove: (file: PickedFile) => void;
}) {
  const { t } = useTranslation('tasks');
  const { name, attachment, error } = file;
  const isUploading = !attachment && error === undefined;
  return (
    <li
      aria-busy={isUploading || undefined}
      className={cx(
        'flex max-w-full min-w-0 items-center gap-2 rounded-md border bg-surface py-1 pr-1 pl-2',
        error === undefined ? 'border-line' : 'border-danger',
      )}
    >
      {attachment?.kind === 'image' ? (
        <img
          src={imageAddress(attachment)}
          alt=""
          className="size-8 shrink-0 rounded-sm object-cover"
        />
      ) : (
        <FileText aria-hidden className="size-4 shrink-0 text-muted" />
      )}
      <span className="flex min-w-0 flex-col">
        <span className="max-w-48 truncate text-sm" title={name}>
          {name}
        </span>
        {error !== undefined && <span className="max-w-72 text-xs text-danger">{error}</span>}
      </span>
      {isUploading && <Spinner />}
      <IconButton
        icon={X}
        label={t('attachments.remove', { name })}
        disabled={disabled}
        className="size-7"
        onClick={() => remove(file)}
      />
    </li>
  );
}
