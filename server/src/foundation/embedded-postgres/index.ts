export { findRunningPostgres } from './find-running-postgres.ts'
export { hasDatabase } from './has-database.ts'
export { startEmbeddedPostgres } from './start-embedded-postgres.ts'
