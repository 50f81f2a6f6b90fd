import { randomUUID } from 'node:crypto';
import type { AuditExport } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { LogStreaming } from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import type { Page, Route } from 'playwright';
import { chooseFromMenu, dialog, field, press } from './steps.ts';

/** Moves a slider by a key, and waits for its content. */
export function slide(name: string, key: string) {
  return async (page: Page) => {
    await page.getByRole('slider', { name }).press(key);
    await page.getByRole('button', { name: 'Reset to today' }).waitFor();
  };
}

export function historyThen(name: string) {
  return async (page: Page) => {
    await chooseFromMenu(page, name, 'History');
    await slide('View at a past time', 'Home')(page);
  };
}

export async function taskHistory(page: Page) {
  await press(page, /^View task/);
  await dialog(page).getByRole('tab', { name: 'History' }).click();
  await press(dialog(page), 'Details: Task requested');
}

export async function exported(page: Page) {
  await press(dialog(page), 'Start export');
  await dialog(page).getByText('Finished').first().waitFor();
}

export async function publishing(page: Page) {
  await dialog(page).getByLabel('How often').selectOption('day');
  await dialog(page).getByRole('checkbox').first().waitFor();
  await dialog(page).getByLabel('How often').scrollIntoViewIfNeeded();
}

export async function refusedReceiver(page: Page) {
  await dialog(page).getByLabel('Receiver').selectOption('Splunk');
  await field(page, 'address').fill('siem.northwind.example.com');
  await press(dialog(page).getByRole('form'), 'Start');
  await dialog(page).getByText('Enter a full address').scrollIntoViewIfNeeded();
}

/** Sends, or fails to. */
export const streaming = (isFailing: boolean) => async (page: Page) => {
  const [createdAt, deliveredAt, failingSince, nextAttemptAt] = [0, 2, 3, 4].map((hours) =>
    new Date(Date.UTC(2026, 10, 21, 9 + hours)).toISOString(),
  );
  const failing = {
    failingSince: failingSince ?? null,
    failure: 'It answered 503.',
    nextAttemptAt: nextAttemptAt ?? null,
  };
  const json: LogStreaming = {
    stream: {
      kind: 'webhook',
      address: 'https://siem.northwind.example.com:8443',
      delivered: isFailing ? 118_204 : 120_000,
      deliveredAt: deliveredAt ?? null,
      failingSince: null,
      failure: null,
      nextAttemptAt: null,
      createdAt: createdAt ?? '',
      ...(isFailing && failing),
    },
    entries: 120_000,
  };
  await page.route('**/api/audit/stream', (route) => route.fulfill({ json }));
  await page.reload();
  await dialog(page).getByRole('button', { name: 'End stream' }).scrollIntoViewIfNeeded();
};

export async function exporting(page: Page) {
  await page.route('**/api/audit/exports', exportsUnderWay);
  await page.reload();
  await dialog(page).getByText('This export failed').waitFor();
}

/** Answers the list of exports with one that waits, one a quarter of which is made, and a failed one. */
export function exportsUnderWay(route: Route): Promise<void> {
  const statuses = ['queued', 'running', 'failed'] as const;
  const [createdAt, expiresAt] = [0, 7].map((days) =>
    new Date(Date.UTC(2026, 10, 21 + days, 9)).toISOString(),
  );
  const exports = statuses.map(
    (status): AuditExport => ({
      id: randomUUID(),
      status,
      format: 'ndjson',
      rows: 0,
      bytes: null,
      ...(status === 'failed' ? { filter: { kind: 'ledger', q: 'returns' } } : { filter: {} }),
      upTo: 120_000,
      since: null,
      done: status === 'running' ? 30_000 : 0,
      requestedBy: { id: randomUUID(), name: 'Anna Berg' },
      createdAt: createdAt ?? '',
      expiresAt: expiresAt ?? '',
    }),
  );
  return route.fulfill({ json: exports });
}
