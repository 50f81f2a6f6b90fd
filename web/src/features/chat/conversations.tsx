import type { Conversation } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { TITLE_MAX } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { MoreMenu } from '../../app/resource-list.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import {
  useDeleteConversationMutation,
  useListConversationsQuery,
  useRenameConversationMutation,
} from './chat.api.ts';

type ConversationsProps = {
  agentId: string;
  chosen: string;
  choose: (id: string) => void;
};

/** The own conversations with an agent: one is chosen, or a new one begins. */
export function Conversations({ agentId, chosen, choose }: ConversationsProps) {
  const { t } = useTranslation('chat');
  const { data: conversations = [] } = useListConversationsQuery(agentId);
  const [changed, setChanged] = useState<{ kind: 'rename' | 'delete'; of: Conversation }>();
  const close = () => setChanged(undefined);
  return (
    <nav
      aria-label={t('conversations.title')}
      className="flex max-h-40 shrink-0 flex-col gap-2 overflow-y-auto border-b border-line p-3 md:sticky md:top-14 md:h-[calc(100dvh-3.5rem)] md:max-h-none md:w-64 md:border-r md:border-b-0"
    >
      <Button size="sm" onClick={() => choose('')}>
        <Plus aria-hidden />
        {t('conversations.new')}
      </Button>
      {conversations.length === 0 && (
        <p className="px-1 text-xs text-muted">{t('conversations.none')}</p>
      )}
      <ul className="flex flex-col gap-1">
        {conversations.map((conversation) => (
          <li key={conversation.id} className="flex items-center gap-1">
            <button
              type="button"
              aria-current={conversation.id === chosen ? 'true' : undefined}
              title={conversation.title}
              onClick={() => choose(conversation.id)}
              className={cx(
                'min-w-0 flex-1 truncate rounded-md px-3 py-2 text-left text-sm text-muted',
                'hover:bg-sunken hover:text-text aria-[current]:bg-sunken aria-[current]:text-text',
              )}
            >
              {conversation.title}
            </button>
            <MoreMenu label={t('conversations.actions', { title: conversation.title })}>
              <MenuItem
                icon={Pencil}
                onSelect={() => setChanged({ kind: 'rename', of: conversation })}
              >
                {t('conversations.rename')}
              </MenuItem>
              <MenuItem
                icon={Trash2}
                danger
                onSelect={() => setChanged({ kind: 'delete', of: conversation })}
              >
                {t('conversations.delete')}
              </MenuItem>
            </MoreMenu>
          </li>
        ))}
      </ul>
      {changed?.kind === 'rename' && <RenameDialog conversation={changed.of} close={close} />}
      {changed?.kind === 'delete' && (
        <DeleteConversation
          conversation={changed.of}
          close={close}
          onDeleted={() => changed.of.id === chosen && choose('')}
        />
      )}
    </nav>
  );
}

function RenameDialog({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const { t } = useTranslation('chat');
  const [rename, { isLoading }] = useRenameConversationMutation();
  const [title, setTitle] = useState(conversation.title);
  const announce = useAnnounce();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '' || isLoading) return;
    const { error } = await announce(rename({ id: conversation.id, title: title.trim() }), {
      done: t('conversations.renamed'),
      failed: t('conversations.failed'),
    });
    if (!error) close();
  };
  return (
    <FormDialog
      title={t('conversations.renameTitle')}
      submit={submit}
      submitLabel={t('conversations.save')}
      pending={isLoading}
      dirty={title !== conversation.title}
      close={close}
    >
      <Field label={t('conversations.titleField')} required>
        <Input
          maxLength={TITLE_MAX}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function DeleteConversation({
  conversation,
  close,
  onDeleted,
}: {
  conversation: Conversation;
  close: () => void;
  onDeleted: () => void;
}) {
  const { t } = useTranslation('chat');
  const [remove] = useDeleteConversationMutation();
  return (
    <ConfirmAction
      title={t('conversations.deleteTitle')}
      description={t('conversations.deleteDescription')}
      confirmLabel={t('conversations.delete')}
      run={() => remove(conversation.id)}
      announcement={{ done: t('conversations.deleted'), failed: t('conversations.failed') }}
      staysOnFailure
      onDone={onDeleted}
      close={close}
    />
  );
}
