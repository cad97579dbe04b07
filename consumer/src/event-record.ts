export type { EventRecord } from '@usher/contract'
