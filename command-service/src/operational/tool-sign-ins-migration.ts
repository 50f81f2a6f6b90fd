import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Sign-ins at MCP servers that members have begun, and which process renews a tool's tokens. */
export const toolSignInsMigration: Migration = {
  id: '0032-tool-sign-ins',
  sql: `
    create table operational.tool_sign_ins (
      -- A hash of the state.
      state_hash text primary key,
      tool_id uuid not null,
      organization_id uuid not null,
      -- The member or API key that may complete it.
      user_id uuid not null,
      sealed bytea not null,
      -- A hash of what the tool was at its beginning.
      bound_to text not null,
      begun_at timestamptz not null default now());
    create index on operational.tool_sign_ins (begun_at);
    alter table operational.tool_credentials
      add column claim uuid, add column claimed_until timestamptz;
  `,
};
