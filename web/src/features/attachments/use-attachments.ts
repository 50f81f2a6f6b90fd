import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENTS_MAX,
} from '@tallyhand/contracts/features/attachments/attachments.fields';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { showFailure } from '../../ui/toast.ts';
import { useDeleteAttachmentMutation, useUploadAttachmentMutation } from './attachments.api.ts';

/** A file on its way to the next message or task. */
export type PickedFile = {
  readonly key: string;
  readonly name: string;
  /** Once it is uploaded. */
  readonly attachment?: Attachment;
  /** Why it was not uploaded. */
  readonly error?: string;
};

export type Attachments = {
  readonly files: readonly PickedFile[];
  /** Those that can be sent. */
  readonly ready: readonly Attachment[];
  readonly isUploading: boolean;
  /** The latest event, for screen readers. */
  readonly news: string;
  add(files: Iterable<File>): void;
  remove(file: PickedFile): void;
  /** Empties the list when its files are sent, and returns it. */
  take(): readonly PickedFile[];
  /** Puts back what was not sent after all. */
  restore(files: readonly PickedFile[]): void;
};

/** The files of a message or task that is being written; each is uploaded at once. */
export function useAttachments(): Attachments {
  const { t } = useTranslation('tasks');
  const [files, setFiles] = useState<readonly PickedFile[]>([]);
  const [news, setNews] = useState('');
  const [upload] = useUploadAttachmentMutation();
  const [discard] = useDeleteAttachmentMutation();

  async function send(key: string, file: File) {
    const { name, size } = file;
    const tooLarge = { code: 'attachment-refused', params: { reason: 'too-large' } };
    const { data, error } =
      size > ATTACHMENT_BYTES_MAX
        ? { data: undefined, error: { status: 422, errors: [], message: '', ...tooLarge } }
        : await upload(file);
    const why = error ? describeProblem(t, error) : undefined;
    setNews(why ? `${name}: ${why}` : t('attachments.uploaded', { name }));
    setFiles((now) => {
      const isThere = now.some((one) => one.key === key);
      // It was removed meanwhile.
      if (!isThere && data) void discard(data.id);
      return now.map((one) =>
        one.key === key
          ? { ...one, ...(data && { attachment: data }), ...(why !== undefined && { error: why }) }
          : one,
      );
    });
  }

  return {
    files,
    ready: files.flatMap(({ attachment }) => attachment ?? []),
    isUploading: files.some(({ attachment, error }) => !attachment && error === undefined),
    news,
    add(chosen) {
      const room = ATTACHMENTS_MAX - files.length;
      const all = [...chosen];
      if (all.length > room) {
        showFailure({ title: t('attachments.tooMany', { max: ATTACHMENTS_MAX }) });
      }
      const taken = all.slice(0, Math.max(0, room)).map((file) => {
        const picked = { key: crypto.randomUUID(), name: file.name };
        return { file, picked };
      });
      if (taken.length === 0) return;
      setFiles((now) => [...now, ...taken.map(({ picked }) => picked)]);
      setNews(
        t('attachments.uploading', { name: taken.map(({ picked }) => picked.name).join(', ') }),
      );
      for (const { file, picked } of taken) void send(picked.key, file);
    },
    remove({ key, attachment }) {
      setFiles((now) => now.filter((one) => one.key !== key));
      if (attachment) void discard(attachment.id);
    },
    take() {
      setFiles([]);
      return files;
    },
    restore: (taken) => setFiles((now) => [...taken, ...now]),
  };
}
