import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CardSection } from '../../ui/card.tsx';
import { PlainCode } from '../../ui/code-sample.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { MCP_CLIENTS, type McpClient, mcpClientNames, snippetOf } from './connect-snippets.ts';

/** How programs that speak the Model Context Protocol connect to this server. */
export function McpCard() {
  const { t } = useTranslation('developers');
  const [client, setClient] = useState<McpClient>('claude');
  return (
    <CardSection title={t('mcp.title')}>
      <p className="mb-3 text-sm text-muted">{t('mcp.explained')}</p>
      <Tabs
        value={client}
        onChange={setClient}
        tabs={MCP_CLIENTS.map((value) => ({ value, label: mcpClientNames[value] }))}
        label={t('mcp.client')}
      >
        {MCP_CLIENTS.map((value) => {
          const { file, text } = snippetOf(value, window.location.origin);
          return (
            <TabPanel key={value} value={value}>
              <PlainCode title={file ?? t('mcp.terminal')} text={text} />
            </TabPanel>
          );
        })}
      </Tabs>
    </CardSection>
  );
}
