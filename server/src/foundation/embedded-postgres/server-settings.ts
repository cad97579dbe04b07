import type { Endpoint } from './endpoint.ts'

/**
 * The settings of a server that shares a small machine with the platform. They go onto the command line, so the
 * files of the cluster stay as initdb wrote them.
 */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  // What was answered with 2xx is on the disk. Never less, whatever a setting of the cluster says.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Enough for the pools of a few processes on one machine.
  max_connections: '100',
  // Twice the default: the log's newest pages and its indexes stay in; still fine on a machine with 1 GB.
  shared_buffers: '256MB',
  // Checkpoints by time rather than by volume: under load the default of 1 GB is full every few seconds.
  // It is also the disk space and about the time to recover that a crash may cost.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // WAL files are used again; making new ones costs the commits that wait for them.
  min_wal_size: '256MB',
  // The package is built with pglz alone, which made the WAL of 100,000 inserted rows 1 to 2 % smaller (72.7 MB
  // instead of 73.9): not worth the processor that commits wait for.
  wal_compression: 'off',
  // Statements here are short; compiling one takes longer than running it.
  jit: 'off',
  // A process that was killed must not go on holding locks through the statement it was running. (Not on Windows.)
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '5s' }),
  // Days of partitions and timestamps in the log do not depend on the machine.
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The file is small, and a start that fails tells its last lines.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
}

/** The arguments of `postgres` for this cluster. `extra` wins over the defaults. */
export function serverArguments(
  clusterDir: string,
  cluster: string,
  endpoint: Endpoint,
  extra: Record<string, string>,
): string[] {
  const { socketDir, port } = endpoint
  const settings = {
    ...DEFAULT_SETTINGS,
    ...extra,
    cluster_name: cluster,
    port: String(port),
    listen_addresses: socketDir === undefined ? '127.0.0.1' : '',
    // A list; the quotes keep a comma in the path from ending an item.
    unix_socket_directories: socketDir === undefined ? '' : `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
  return [
    '-D',
    clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}
