export { openSecrets, type Secrets } from './open-secrets.ts'
export { keepSecretKey, parseSecretKeys } from './secret-key.ts'
