import {
  defaultPolicies,
  isForAdmins,
  type ToolPolicies,
} from '@tallyhand/contracts/features/tools/tool-policy';
import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import { type RefObject, useEffect, useId, useRef } from 'react';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { type OpenapiOperation, openapiSummary } from './openapi-summary.ts';
import type { ToolFormApi } from './tool-form.ts';
import {
  changesOptions,
  operationOptions,
  type PolicyChoice,
  policiesOf,
  withOperation,
} from './tool-policies.ts';

type PolicyFieldsProps = {
  form: ToolFormApi;
  tool: Tool | undefined;
  /** The dialog was opened for these fields. */
  isFirst?: boolean;
};

/** Which calls of the tool run, wait for a person, or are refused. */
export function PolicyFields({ form, tool, isFirst = false }: PolicyFieldsProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const { role } = useCurrentUser();
  const group = useRef<HTMLFieldSetElement>(null);
  useFocusWithin(group, isFirst);
  const { type, policies } = form.watch();
  // Other types have other options, which the browser would not select by itself.
  const { field } = useController({ control: form.control, name: 'policies.changes' });
  const { operations } = policies;
  // Of a new tool nothing is allowed yet that its default does not allow.
  const present = tool ? tool.policies : defaultPolicies(type);
  const mayLoosen = mayCall(role, ADMINS);
  const options = changesOptions(type, present).map(({ value, isLooser }) => ({
    value,
    label: t(`approval.policies.${value as Exclude<PolicyChoice, ''>}`),
    disabled: isLooser && !mayLoosen,
  }));
  const isUnset = tool?.policies === null;
  const unset = { value: '', label: t('approval.unset') };
  const known = useOperations(form);
  return (
    <fieldset ref={group} className="flex min-w-0 flex-col gap-3 border-t border-line pt-4">
      <legend className="float-left text-sm font-semibold">{t('approval.title')}</legend>
      <Field
        label={t('approval.changes')}
        help={t(`approval.help.${type}`)}
        error={message(form.formState.errors.policies?.changes)}
      >
        <Select options={isUnset ? [unset, ...options] : options} {...field} />
      </Field>
      {known.length > 0 && (
        <Operations
          operations={known}
          policyOf={(name) => operations.find((one) => one.name === name)?.value ?? ''}
          present={present}
          type={type}
          changes={policies.changes || 'allow'}
          choose={(name, value) =>
            form.setValue('policies.operations', withOperation(policies, name, value).operations, {
              shouldDirty: true,
            })
          }
        />
      )}
      {!mayLoosen &&
        (tool && isForAdmins(type, policiesOf(policies)) ? (
          <Banner tone="info">{t('approval.forAdmins')}</Banner>
        ) : (
          <p className="text-xs text-muted">{t('approval.adminsLoosen')}</p>
        ))}
    </fieldset>
  );
}

/** Those of the document, and others that have a policy. */
function useOperations(form: ToolFormApi): OpenapiOperation[] {
  const { type, openapi, policies } = form.watch();
  if (type !== 'api') return [];
  const found = openapiSummary(openapi);
  const known = found.kind === 'operations' ? found.operations : [];
  const others = policies.operations
    .filter(({ name }) => !known.some((one) => one.name === name))
    .map(({ name }) => ({ name, isRead: false }));
  return [...known, ...others];
}

/** The dialog's own first focus is on its first field. */
function useFocusWithin(group: RefObject<HTMLElement | null>, wanted: boolean) {
  useEffect(() => {
    if (!wanted) return;
    const frame = requestAnimationFrame(() => {
      group.current?.scrollIntoView({ block: 'start' });
      group.current?.querySelector('select')?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [group, wanted]);
}

type OperationsProps = {
  operations: readonly OpenapiOperation[];
  policyOf: (name: string) => PolicyChoice;
  choose: (name: string, value: PolicyChoice) => void;
} & Pick<OperationPolicyProps, 'present' | 'type' | 'changes'>;

/** A policy for each operation that is to have its own. */
function Operations({ operations, policyOf, choose, ...rest }: OperationsProps) {
  const { t } = useTranslation('tools');
  const id = useId();
  return (
    <div>
      <p id={id} className="text-sm font-medium">
        {t('approval.operations')}
      </p>
      <section
        aria-labelledby={id}
        {...scrollable}
        className="mt-1 max-h-72 overflow-y-auto rounded-md border border-line px-3"
      >
        <ul className="divide-y divide-line">
          {operations.map(({ name, isRead }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <span className="flex min-w-0 flex-1 basis-44 flex-wrap items-center gap-x-2">
                <span className="font-mono text-xs break-all">{name}</span>
                {isRead && <Badge>{t('mcp.reads')}</Badge>}
              </span>
              <OperationPolicy
                {...rest}
                className="w-56 max-sm:w-full"
                name={name}
                isRead={isRead}
                value={policyOf(name)}
                choose={(value) => choose(name, value)}
              />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

type OperationPolicyProps = {
  /** The operation's. */
  name: string;
  isRead: boolean;
  type: Tool['type'];
  /** What the tool has now. */
  present: ToolPolicies | null;
  /** What applies to changes of other operations. */
  changes: ToolPolicies['changes'];
  value: PolicyChoice;
  choose: (value: PolicyChoice) => void;
  className?: string;
};

/** The policy of one operation; by default that of the tool. */
export function OperationPolicy({
  name,
  isRead,
  type,
  present,
  changes,
  value,
  choose,
  className,
}: OperationPolicyProps) {
  const { t } = useTranslation('tools');
  const { role } = useCurrentUser();
  const byDefault = t(`approval.policies.${isRead ? 'allow' : changes}`);
  return (
    <Select
      aria-label={t('approval.operation', { operation: name })}
      className={className}
      value={value}
      options={operationOptions(type, present, name).map((option) => ({
        value: option.value,
        label:
          option.value === ''
            ? t('approval.byDefault', { policy: byDefault })
            : t(`approval.policies.${option.value}`),
        disabled: option.isLooser && !mayCall(role, ADMINS) && option.value !== value,
      }))}
      onChange={({ target }) => choose(target.value as PolicyChoice)}
    />
  );
}
