export { classifyDatabaseError, type DatabaseFault, isDatabaseUnavailable } from './errors.ts'
export { type Listener, listen } from './listen.ts'
export { migrate } from './migrate.ts'
export {
  type Database,
  type DatabaseOptions,
  type DatabaseTransaction,
  type OpenDatabase,
  openDatabase,
} from './open-database.ts'
