import {
  type Attachment,
  getAttachmentImage,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/loaded.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { useGetAttachmentTextQuery } from './attachments.api.ts';

export const imageAddress = ({ id }: Attachment) => pathOf(getAttachmentImage, { id });

/** The files of a message or a task; each opens large. */
export function AttachedFiles({ attachments }: { attachments: readonly Attachment[] }) {
  const { t } = useTranslation('tasks');
  const [open, setOpen] = useState<Attachment>();
  if (attachments.length === 0) return null;
  return (
    <>
      <ul aria-label={t('attachments.list')} className="flex flex-wrap gap-2">
        {attachments.map((one) => (
          <li key={one.id} className="max-w-full">
            <button
              type="button"
              aria-label={t('attachments.open', { name: one.name })}
              title={one.name}
              className="flex max-w-full items-center gap-2 overflow-hidden rounded-md border border-line bg-surface hover:border-border"
              onClick={() => setOpen(one)}
            >
              {one.kind === 'image' ? (
                <img
                  src={imageAddress(one)}
                  alt=""
                  loading="lazy"
                  className="size-24 object-cover"
                />
              ) : (
                <span className="flex min-w-0 items-center gap-2 px-3 py-2 text-sm">
                  <FileText aria-hidden className="size-4 shrink-0 text-muted" />
                  <span className="max-w-60 truncate">{one.name}</span>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {open && <OpenFile attachment={open} close={() => setOpen(undefined)} />}
    </>
  );
}

function OpenFile({ attachment, close }: { attachment: Attachment; close: () => void }) {
  const { t } = useTranslation('tasks');
  const { name, kind } = attachment;
  const isImage = kind === 'image';
  return (
    <Dialog
      close={close}
      title={name}
      size="large"
      description={isImage ? t('attachments.image') : t('attachments.text')}
    >
      <DialogBody>
        {isImage ? (
          <img src={imageAddress(attachment)} alt={name} className="mx-auto max-w-full" />
        ) : (
          <DocumentText id={attachment.id} />
        )}
      </DialogBody>
    </Dialog>
  );
}

function DocumentText({ id }: { id: string }) {
  const { t } = useTranslation('tasks');
  const { data, error, refetch } = useGetAttachmentTextQuery(id);
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading label={t('attachments.loading')} className="flex flex-col gap-3">
        <Skeletons count={5} className="h-6" />
      </Loading>
    );
  }
  return <p className="break-words whitespace-pre-wrap">{data.text}</p>;
}
