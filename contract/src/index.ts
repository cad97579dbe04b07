export * from './errors.ts'
export * from './flags.ts'
export * from './tenancy.ts'
