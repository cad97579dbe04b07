export { copyOut } from './copy-out.ts'
export { classifyDatabaseError, isDatabaseUnavailable } from './errors.ts'
export { listen } from './listen.ts'
export { migrate } from './migrate.ts'
export {
  type Database,
  type DatabaseTransaction,
  type OpenDatabase,
  openDatabase,
} from './open-database.ts'
