export * from './errors.ts'
export * from './events.ts'
export * from './flags.ts'
export * from './tenancy.ts'
