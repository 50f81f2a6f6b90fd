import { SIGNED_IN_PATH } from '@tallyhand/contracts/features/tools/oauth-client';
import type { Tool, ToolAuthorization } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { OAUTH_CLIENT_FIELDS } from '@tallyhand/contracts/features/tools/tools.fields';
import { isHttpUrl } from '@tallyhand/contracts/kernel/http-url';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { useFieldMessage } from '../../app/form.ts';
import { withReason } from '../../app/sentence.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Field, Input, PasswordInput } from '../../ui/field.tsx';
import type { ToolFormApi } from './tool-form.ts';
import { useAuthorizeToolMutation } from './tools.api.ts';

/** Whether members sign in at the tool's server. */
export const takesSignIn = ({ config }: Pick<Tool, 'config'>) => config.authType === 'oauth';

/**
 * Leaves the page for the authorization page of the tool's server. If a secret is sent to the
 * authorization server, which the MCP server has named, `confirmation` asks first.
 */
export function useSignIn(tool: Pick<Tool, 'id' | 'credentialNames'>) {
  const { t } = useTranslation('tools');
  const announce = useAnnounce();
  const [authorize] = useAuthorizeToolMutation();
  const [isLeaving, setLeaving] = useState(false);
  const [asked, ask] = useState<ToolAuthorization>();
  useEffect(() => {
    // The browser's Back shows the page as it was left.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && setLeaving(false);
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, []);
  const leave = ({ authorizationUrl }: ToolAuthorization) => {
    setLeaving(true);
    window.location.assign(authorizationUrl);
  };
  const signIn = async () => {
    if (isLeaving) return;
    setLeaving(true);
    const asking = authorize(tool.id).then(({ data, error }) => ({
      data,
      error: error && withReason(t, error),
    }));
    const { data } = await announce(asking, { failed: t('signIn.failed') });
    setLeaving(false);
    if (!data || !isHttpUrl(data.authorizationUrl)) return;
    if (tool.credentialNames.includes('clientSecret')) ask(data);
    else leave(data);
  };
  const confirmation = asked && (
    <ConfirmDialog
      open
      variant="primary"
      title={t('signIn.confirm.title', { host: new URL(asked.issuer).host })}
      description={t('signIn.confirm.description')}
      confirmLabel={t('signIn.confirm.action')}
      onOpenChange={() => ask(undefined)}
      onConfirm={() => {
        ask(undefined);
        leave(asked);
      }}
    />
  );
  return { signIn, isLeaving, confirmation };
}

export function SignInButton({ tool }: { tool: Tool }) {
  const { t } = useTranslation('tools');
  const { signIn, isLeaving, confirmation } = useSignIn(tool);
  return (
    <>
      <Button
        size="sm"
        icon={KeyRound}
        className="self-start"
        pending={isLeaving}
        onClick={() => void signIn()}
      >
        {t('signIn.action')}
      </Button>
      {confirmation}
    </>
  );
}

/** The client at the authorization server, if it was registered by hand. */
export function OAuthFields({ form, tool }: { form: ToolFormApi; tool: Tool | undefined }) {
  const { t } = useTranslation('tools');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const { errors } = form.formState;
  const isKept = tool?.credentialNames.includes('clientId');
  return (
    <>
      <p className="text-xs text-muted">{t('signIn.help')}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {OAUTH_CLIENT_FIELDS.map((name) => {
          const Control = name === 'clientId' ? Input : PasswordInput;
          return (
            <Field
              key={name}
              label={t(`access.fields.${name}`)}
              hint={common('optional')}
              help={isKept ? t('access.replaceHelp') : t('access.help')}
              error={message(errors.credentials?.[name])}
            >
              <Control autoComplete="new-password" {...form.register(`credentials.${name}`)} />
            </Field>
          );
        })}
      </div>
      <p className="text-xs text-muted [overflow-wrap:anywhere]">
        {t('signIn.clientHelp', { address: `${window.location.origin}${SIGNED_IN_PATH}` })}
      </p>
    </>
  );
}
