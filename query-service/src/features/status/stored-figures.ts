import type { Metric, Sample } from '@tallyhand/service-kit/metrics/text-format';
import type pg from 'pg';

type Figure = { readonly figure: string; readonly label: string; readonly value: number };

/** What is told as a number of its own, by figure and label. */
const SINGLE: Readonly<Record<string, readonly [name: string, help: string]>> = {
  'reservations overdue-seconds': [
    'reservation_overdue_seconds',
    'How long ago the oldest reservation that is still open has expired.',
  ],
  'runners alive': ['runners', 'Browser runners that were heard of within 30 s.'],
  'runners free-places': ['runner_places_free', 'Sessions that they could take up.'],
  'mails overdue-seconds': [
    'mail_overdue_seconds',
    'How long the oldest mail is due that has not been tried.',
  ],
  'replies waiting': ['mailbox_replies_waiting', 'Replies of mailboxes that are to be sent.'],
  'deliveries waiting': ['webhook_deliveries_waiting', 'Deliveries of webhooks to be sent.'],
  'deliveries overdue-seconds': [
    'webhook_overdue_seconds',
    'How long the oldest delivery is due that has not been tried.',
  ],
  'payments pending': ['payments_pending', 'Payments that have not ended, or not been settled.'],
  'payments oldest-seconds': ['payment_pending_seconds', 'Age of the oldest of them.'],
  'erasures pending': ['erasures_pending', 'Erasures of persons that are not done.'],
  'backup made-at': [
    'last_backup_timestamp_seconds',
    'When the newest backup was made; not told where none was, as of a cluster.',
  ],
  'backup bytes': ['last_backup_size_bytes', 'Size of the newest backup.'],
  'database bytes': ['database_size_bytes', 'What the database takes on its disk.'],
};

/** What is told by states. */
const BY_STATE: Readonly<Record<string, string>> = {
  reservations: 'Credits set aside whose end is not known; expired ones are about to be settled.',
  sessions: 'Autonomous sessions that have not ended; unheard: no word of their runner for 1 min.',
  mails: 'Mail to be sent, and of the last day what failed or may have arrived.',
  mailboxes: 'Connected mailboxes; failing: three looks in a row; stopped: given up.',
  webhooks: 'Webhooks; failing: the last attempt failed; disabled: by a person or given up.',
};

/** Figures of what lies in tables that the query service may not read. */
export async function storedFigures(pool: pg.Pool): Promise<Metric[]> {
  const { rows } = await pool.query<Figure>(
    'select figure, label, value from operational.product_figures()',
  );
  return metricsOf(rows);
}

function metricsOf(figures: readonly Figure[]): Metric[] {
  const metrics = new Map<string, { help: string; samples: Sample[] }>();
  for (const { figure, label, value } of figures) {
    const [name, help, labels] = placeOf(figure, label);
    const known = metrics.get(name) ?? { help, samples: [] };
    known.samples.push({ labels, value });
    metrics.set(name, known);
  }
  return [...metrics].map(([name, { help, samples }]) => ({
    name: `tallyhand_${name}`,
    help,
    samples,
    type: 'gauge',
  }));
}

function placeOf(figure: string, label: string): [string, string, Record<string, string>] {
  const single = SINGLE[`${figure} ${label}`];
  return single ? [...single, {}] : [figure, BY_STATE[figure] ?? '', { state: label }];
}
