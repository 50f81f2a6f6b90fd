import {
  createTool,
  type Tool,
  ToolFilter,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { TOOL_TYPES } from '@tallyhand/contracts/features/tools/tools.fields';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import {
  Code,
  FlaskConical,
  Globe,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Network,
  Plug,
  Plus,
  Stamp,
  Wrench,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { addressFilter, DayFields, SearchField } from '../../app/address-filter.ts';
import type { BulkState } from '../../app/bulk-bar.tsx';
import {
  ListFilters,
  NothingFound,
  type ObjectFilterState,
  useObjectFilters,
} from '../../app/list-filters.tsx';
import { laterPart } from '../../app/part.ts';
import { ResourceCard, ResourceGrid } from '../../app/resource-list.tsx';
import { type ResourceActions, ResourcePage } from '../../app/resource-page.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { listFormat } from '../../ui/formats.ts';
import { DateText } from '../../ui/time.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { McpToolsDialog } from './mcp-tools-dialog.tsx';
import { SignInButton, takesSignIn, useSignIn } from './sign-in.tsx';
import { TestToolDialog } from './test-tool-dialog.tsx';
import { ToolDialog } from './tool-dialog.tsx';
import { hasAddress } from './tool-values.ts';
import { useListToolsQuery } from './tools.api.ts';

/** The filter in the address. */
const toolFilter = addressFilter({ ...SearchField, ...ToolFilter, ...DayFields });

const ToolBulkBar = laterPart(['bulk', 'problems'], async () => {
  const { AssignableBulkBar } = await import('../agents/assignable-bulk.tsx');
  return AssignableBulkBar<Tool>;
});
const toolBulkBar = (state: BulkState<Tool>) => (
  <ToolBulkBar {...state} kind="tools" create={createTool} nameOf={({ name }) => name} />
);

type ToolActions = ResourceActions<Tool, 'test' | 'connect' | 'review'>;

export function ToolsPage() {
  const { t } = useTranslation(['tools', 'lists']);
  const filters = useObjectFilters(toolFilter);
  const query = useListToolsQuery();
  const found = useListToolsQuery(filters.asked);
  return (
    <ResourcePage
      kind="tools"
      query={query}
      create={createTool}
      title={t('title')}
      description={t('description')}
      createLabel={t('add')}
      banner={(actions) => <WithoutPolicies tools={query.data ?? []} {...actions} />}
      intro={
        <>
          <ToolTypes />
          {query.data?.length !== 0 && <ToolFilters {...filters} />}
        </>
      }
      list={(actions) => (
        <ResourceGrid
          query={query}
          found={{ query: found, none: <NothingFound clear={filters.state.clear} /> }}
          label={t('list')}
          loading={t('loading')}
          skeleton="h-48 rounded-lg"
          selecting={{ label: ({ name }) => t('lists:select', { name }), bar: toolBulkBar }}
          empty={{
            icon: Wrench,
            title: t('empty.title'),
            description: actions.mayChange ? t('empty.description') : t('empty.forOthers'),
            action: actions.mayChange && (
              <Button icon={Plus} variant="primary" onClick={actions.create}>
                {t('add')}
              </Button>
            ),
          }}
        >
          {(tool) => <ToolCard tool={tool} {...actions} />}
        </ResourceGrid>
      )}
      form={(tool, close) => <ToolDialog tool={tool} close={close} />}
      dialogs={{
        test: (tool, close) => <TestToolDialog tool={tool} close={close} />,
        review: (tool, close) => <ToolDialog tool={tool} close={close} reviewsPolicies />,
        connect: (tool, close) => <McpToolsDialog tool={tool} close={close} />,
      }}
      history={(tool) => ({
        title: tool ? t('history.title', { name: tool.name }) : t('history.untitled'),
        description: t('history.description'),
      })}
    />
  );
}

/** Asks Admins to review tools that have no policies. */
function WithoutPolicies({ tools, open }: ToolActions & { tools: readonly Tool[] }) {
  const { t } = useTranslation('tools');
  const { role } = useCurrentUser();
  const unset = tools.filter(({ policies }) => policies === null);
  const [first] = unset;
  if (!first || !mayCall(role, ADMINS)) return null;
  return (
    <Banner
      tone="warning"
      action={
        <Button size="sm" onClick={() => open('review', first)}>
          {t('approval.review')}
        </Button>
      }
    >
      {t('approval.unreviewed', { count: unset.length })}
    </Banner>
  );
}

type ToolFiltersProps = ObjectFilterState<(typeof toolFilter.names)[number]>;

/** A search, the type and the host, and the order. */
function ToolFilters({ state, sort, columns }: ToolFiltersProps) {
  const { t } = useTranslation(['tools', 'lists']);
  const types = TOOL_TYPES.map((value) => ({ value, label: t(`types.${value}.name`) }));
  return (
    <ListFilters
      list="tools"
      state={state}
      sort={sort}
      columns={columns}
      search={t('search')}
      fields={[
        { name: 'type', label: t('filters.type'), options: types },
        {
          name: 'needsCredentials',
          label: t('filters.needsCredentials'),
          options: [
            { value: 'true', label: t('lists:filters.yes') },
            { value: 'false', label: t('lists:filters.no') },
          ],
        },
        { name: 'host', label: t('filters.host') },
      ]}
      dates={t('filters.created')}
    />
  );
}

function ToolCard({ tool, mayChange, open, showHistory }: ToolActions & { tool: Tool }) {
  const { t, i18n } = useTranslation('tools');
  const names = listFormat(i18n.language, { type: 'unit' }).format(tool.credentialNames);
  const { signIn, confirmation } = useSignIn(tool);
  const mustSignIn = takesSignIn(tool) && !tool.credentialNames.includes('accessToken');
  const menu = (
    <VersionedItems
      kind="tools"
      onEdit={mayChange ? () => open('edit', tool) : undefined}
      onHistory={() => showHistory(tool.id)}
      onDelete={mayChange ? () => open('delete', tool) : undefined}
    >
      {mayChange && takesSignIn(tool) && (
        <MenuItem icon={KeyRound} onSelect={() => void signIn()}>
          {t('signIn.action')}
        </MenuItem>
      )}
      {mayChange && tool.type === 'mcp' && (
        <MenuItem icon={ListChecks} onSelect={() => open('connect', tool)}>
          {t('menu.connect')}
        </MenuItem>
      )}
      {mayChange && (
        <MenuItem icon={FlaskConical} onSelect={() => open('test', tool)}>
          {t('menu.test')}
        </MenuItem>
      )}
    </VersionedItems>
  );
  return (
    <ResourceCard name={tool.name} subtitle={<Reach tool={tool} />} menu={menu}>
      {confirmation}
      <p className="line-clamp-3 flex-1 break-words text-muted" title={tool.description}>
        {tool.description}
      </p>
      {tool.credentialsRequired && (
        <p className="flex items-center gap-2 text-xs text-warning">
          <KeyRound aria-hidden className="size-3.5 shrink-0" />
          {mustSignIn ? t('signIn.required') : t('card.credentialsRequired')}
        </p>
      )}
      <Policy tool={tool} />
      {mustSignIn && mayChange && <SignInButton tool={tool} />}
      {tool.type === 'mcp' && !mustSignIn && (
        <McpTools
          tools={tool.config.mcpTools}
          choose={mayChange ? () => open('connect', tool) : undefined}
        />
      )}
      {names !== '' && (
        <p className="flex items-center gap-2 text-xs text-muted">
          <KeyRound aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate" title={names}>
            {t('card.credentials', { names })}
          </span>
        </p>
      )}
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3 text-xs text-muted">
        <ToolTypeBadge type={tool.type} />
        <span>
          {t('card.version', { version: tool.version })} · <DateText at={tool.createdAt} />
        </span>
      </div>
    </ResourceCard>
  );
}

/** Whether agents change anything with the tool, and who decides. */
function Policy({ tool: { policies } }: { tool: Tool }) {
  const { t } = useTranslation('tools');
  return (
    <p className={cx('flex items-center gap-2 text-xs', policies ? 'text-muted' : 'text-warning')}>
      <Stamp aria-hidden className="size-3.5 shrink-0" />
      {t(`approval.card.${policies?.changes ?? 'allow'}`)}
    </p>
  );
}

/** How many tools of an MCP server agents can use. Until they are chosen, none. */
function McpTools({
  tools,
  choose,
}: {
  tools: Tool['config']['mcpTools'];
  choose: (() => void) | undefined;
}) {
  const { t } = useTranslation('tools');
  if (!tools && choose) {
    return (
      <Button size="sm" icon={ListChecks} className="self-start" onClick={choose}>
        {t('menu.connect')}
      </Button>
    );
  }
  const count = (tools ?? []).filter(({ enabled }) => enabled).length;
  return (
    <p className="text-xs text-muted">{t('mcp.enabled', { count, total: tools?.length ?? 0 })}</p>
  );
}

/** Where the tool goes, or what it runs. */
function Reach({ tool: { type, config } }: { tool: Tool }) {
  const { t } = useTranslation('tools');
  const { script = '', startUrl = '' } = config.extras;
  const lines = script.trim() === '' ? 0 : script.trim().split('\n').length;
  const address = hasAddress(type) ? config.baseUrl : type === 'browser' ? startUrl : '';
  const missing = {
    api: t('card.noBaseUrl'),
    mcp: t('card.noAddress'),
    browser: t('card.noStartUrl'),
    custom: lines > 0 ? t('card.script', { count: lines }) : t('card.noScript'),
  };
  return (
    <p className="truncate text-xs text-muted" title={address}>
      {address === '' ? missing[type] : hostOf(address)}
    </p>
  );
}

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : address);

const typeIcons: Record<Tool['type'], LucideIcon> = {
  browser: Globe,
  api: Plug,
  custom: Code,
  mcp: Network,
};

function ToolTypeBadge({ type }: { type: Tool['type'] }) {
  const { t } = useTranslation('tools');
  const Icon = typeIcons[type];
  return (
    <Badge>
      <Icon aria-hidden />
      {t(`types.${type}.name`)}
    </Badge>
  );
}

/** What each type of tool does. */
function ToolTypes() {
  const { t } = useTranslation('tools');
  return (
    <section aria-label={t('kindsOfTools')}>
      <ul className="grid gap-2 sm:grid-cols-2 sm:gap-4 lg:grid-cols-4">
        {TOOL_TYPES.map((type) => {
          const Icon = typeIcons[type];
          return (
            // Without the ground of a card: they explain, the cards below are what one has.
            <li key={type} className="flex gap-3 rounded-lg border border-line p-3 sm:p-4">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
              <div className="min-w-0">
                <h2 className="font-semibold">{t(`types.${type}.name`)}</h2>
                <p className="text-muted">{t(`types.${type}.about`)}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
