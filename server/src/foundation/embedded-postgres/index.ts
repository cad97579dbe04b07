export { findRunningPostgres } from './find-running-postgres.ts'
export type { EmbeddedPostgres, EmbeddedPostgresOptions } from './start-embedded-postgres.ts'
export { startEmbeddedPostgres } from './start-embedded-postgres.ts'
