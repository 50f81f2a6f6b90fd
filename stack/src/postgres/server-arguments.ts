/** Settings for one organization's machine: small memory, loopback only, durable commits. */
const settings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_permissions: '0700',
  password_encryption: 'scram-sha-256',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '100',
  shared_buffers: '64MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '512MB',
  max_wal_size: '256MB',
  // Each of these is a process, or a buffer in each process, that a small machine can do without.
  io_method: 'sync',
  autovacuum_max_workers: '2',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  jit: 'off',
  huge_pages: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  // A statement may hold personal data, so only the message of an error is written.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** `socketDir`: where it listens beside the loopback address; null for nowhere else. */
export function serverArguments(
  port: number,
  socketDir: string | null,
  others: Readonly<Record<string, string>> = {},
) {
  const sockets = { unix_socket_directories: socketDir ?? '' };
  const all = Object.entries({ ...settings, ...sockets, ...others });
  return ['-p', String(port), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
