export { findRunningPostgres } from './find-running-postgres.ts'
export { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts'
