import type {
  McpOffer,
  OfferedMcpTool,
  Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { useFieldMessage } from '../../app/form.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { asProblem, type CallProblem } from '../../app/problem.ts';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, FormDialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { changeFor, choicesOf, type McpChoice } from './mcp-choice.ts';
import { OperationPolicy } from './policy-fields.tsx';
import { SignInButton, takesSignIn } from './sign-in.tsx';
import { useChangeToolMutation, useConnectToolQuery } from './tools.api.ts';

type DialogProps = { tool: Tool; close: () => void };

/** Connects to an MCP server, and chooses which of its tools agents can use. */
export function McpToolsDialog({ tool, close }: DialogProps) {
  const { t } = useTranslation('tools');
  const query = useConnectToolQuery(tool.id, { refetchOnMountOrArgChange: true });
  const offer = query.isFetching ? undefined : query.data;
  if (offer?.success) return <ChooseTools tool={tool} offer={offer} close={close} />;
  return (
    <Dialog
      size="wide"
      close={close}
      title={t('mcp.title', { name: tool.name })}
      description={t('mcp.description')}
    >
      <DialogBody className="min-h-60">
        {offer ? (
          <NotConnected tool={tool} offer={offer} retry={() => void query.refetch()} />
        ) : (
          <NotLoaded query={query} label={t('mcp.connecting')} count={4} skeleton="h-12" />
        )}
      </DialogBody>
    </Dialog>
  );
}

type NotConnectedProps = { tool: Tool; offer: McpOffer; retry: () => void };

function NotConnected({ tool, offer, retry }: NotConnectedProps) {
  const { t } = useTranslation(['tools', 'common']);
  return (
    <div className="flex flex-col items-start gap-3">
      <Banner tone="danger">
        {t('mcp.failed')} {offer.error}
      </Banner>
      {takesSignIn(tool) && <SignInButton tool={tool} />}
      <Button onClick={retry}>{t('common:actions.retry')}</Button>
    </div>
  );
}

function ChooseTools({ tool, offer, close }: DialogProps & { offer: McpOffer }) {
  const { t } = useTranslation('tools');
  const [before] = useState(() => choicesOf(offer.tools, tool));
  const [choices, setChoices] = useState(before);
  const [errors, setErrors] = useState<CallProblem['errors']>([]);
  const message = useFieldMessage();
  const [change, { isLoading }] = useChangeToolMutation();
  const announce = useAnnounce();
  const mayReview = mayCall(useCurrentUser().role, ADMINS);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isLoading) return;
    const body = changeFor(tool, offer.tools, choices, mayReview);
    const { error } = await announce(change({ seen: tool, body }), {
      done: t('toasts.updated'),
      failed: t('toasts.updateFailed'),
    });
    if (!error) return close();
    setErrors(asProblem(error).errors);
  };
  const enabled = Object.values(choices).filter((choice) => choice.enabled).length;
  const faultOf = (name: string) => {
    const path = `config.mcpTools.${Object.keys(choices).indexOf(name)}.alias`;
    return message(errors.find((error) => error.path === path));
  };
  return (
    <FormDialog
      size="wide"
      title={t('mcp.title', { name: tool.name })}
      description={t('mcp.description')}
      dirty={JSON.stringify(choices) !== JSON.stringify(before) && !isLoading}
      submit={(event) => void submit(event)}
      submitLabel={t('form.submitEdit')}
      pending={isLoading}
      pendingLabel={t('form.saving')}
      close={close}
    >
      <p className="text-muted" aria-live="polite">
        {offer.server?.name} {offer.server?.version} ·{' '}
        {t('mcp.enabled', { count: enabled, total: Object.keys(choices).length })}
      </p>
      {offer.tools.some(({ state }) => state === 'changed') && (
        <Banner tone="warning">{t(mayReview ? 'mcp.changedHelp' : 'mcp.changedForAdmins')}</Banner>
      )}
      {offer.tools.length === 0 && <p>{t('mcp.none')}</p>}
      <p className="text-xs text-muted">{t('mcp.aliasHelp')}</p>
      <ul className="flex flex-col divide-y divide-line">
        {offer.tools.map((one) => (
          <li key={one.name} className="py-3">
            <OfferedTool
              tool={one}
              server={tool}
              choice={choices[one.name]}
              mayReview={mayReview}
              isNew={one.state === 'new' && tool.config.mcpTools !== undefined}
              error={faultOf(one.name)}
              choose={(choice) => setChoices({ ...choices, [one.name]: choice })}
            />
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}

function OfferedTool({
  server,
  tool: { name, title, description, isRead, state },
  choice,
  mayReview,
  isNew,
  error,
  choose,
}: {
  server: Tool;
  tool: OfferedMcpTool;
  choice: McpChoice | undefined;
  /** May accept a changed description. */
  mayReview: boolean;
  /** Added by the server since its tools were chosen. */
  isNew: boolean;
  error: string | undefined;
  choose: (choice: McpChoice) => void;
}) {
  const { t } = useTranslation('tools');
  const help = (
    <>
      {title !== name && <span className="block font-mono break-all">{name}</span>}
      <span className="block whitespace-pre-line break-words">{description}</span>
    </>
  );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-60">
          {choice ? (
            <Switch
              label={title}
              help={help}
              checked={choice.enabled}
              disabled={state === 'changed' && !mayReview}
              onCheckedChange={(enabled) => choose({ ...choice, enabled })}
            />
          ) : (
            <p className="text-muted">{title}</p>
          )}
        </div>
        <div className="flex flex-wrap gap-1 pl-12 sm:pl-0">
          {isNew && <Badge tone="accent">{t('mcp.state.new')}</Badge>}
          {(state === 'changed' || state === 'gone') && (
            <Badge tone="warning">{t(`mcp.state.${state}`)}</Badge>
          )}
          <Badge>{isRead ? t('mcp.reads') : t('mcp.writes')}</Badge>
        </div>
      </div>
      {choice?.enabled && (
        <div className="grid gap-3 pl-12 sm:grid-cols-2">
          <Field label={t('mcp.alias')} error={error}>
            <Input
              autoComplete="off"
              spellCheck={false}
              placeholder={name}
              maxLength={64}
              value={choice.alias}
              onChange={(event) => choose({ ...choice, alias: event.target.value })}
            />
          </Field>
          <Field label={t('approval.title')}>
            <OperationPolicy
              name={name}
              isRead={isRead}
              type={server.type}
              present={server.policies}
              changes={server.policies?.changes ?? 'allow'}
              value={choice.policy}
              choose={(policy) => choose({ ...choice, policy })}
            />
          </Field>
        </div>
      )}
    </div>
  );
}
