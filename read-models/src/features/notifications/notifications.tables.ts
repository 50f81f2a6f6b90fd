import { readModel, readPage } from '../../kernel/read-model.ts';

/** What members should know of. Balances stand here again, so that a notice comes once. */
export const notificationsModel = readModel({
  name: 'notifications',
  feature: 'notifications',
  version: 1,
  tables: {
    notifications: `
      notification_id uuid primary key,
      organization_id uuid not null,
      kind text not null,
      severity text not null,
      params jsonb not null,
      object_kind text not null,
      object_id uuid not null,
      created_at timestamptz not null`,
    notice_balances: `
      organization_id uuid primary key,
      posted bigint not null,
      reserved bigint not null`,
  },
  indexes: [
    `create index on read_model.notifications
      (organization_id, created_at desc, notification_id desc)`,
  ],
});

export type NotificationsTable = {
  notification_id: string;
  organization_id: string;
  kind: string;
  severity: string;
  params: Readonly<Record<string, string | number>>;
  object_kind: string;
  object_id: string;
  created_at: string;
};

export type NoticeBalancesTable = {
  organization_id: string;
  posted: number;
  reserved: number;
};

export const readNotifications = readPage(
  'notifications',
  `select notification_id as id, kind, severity, params,
     json_build_object('kind', object_kind, 'id', object_id) as object,
     created_at as "createdAt", null::timestamptz as "readAt"
   from read_model.notifications where organization_id = me.organization_id`,
);
