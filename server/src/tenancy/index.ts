export type { Actor } from './audit.store.ts'
export { createDemo, type Demo, findDemo } from './create-demo.ts'
export { type Ability, abilities } from './credential.ts'
export { describeUnknownTenant } from './describe-unknown-tenant.ts'
export { addEdge, type RouteSite } from './edge.routes.ts'
export { type Editor, editorOf } from './editor.ts'
export { listHostnames } from './hostnames.store.ts'
export { landlordRoutes } from './landlord.routes.ts'
export { openTenancy, type Tenancy } from './open-tenancy.ts'
export { applyPlatformFile } from './platform-file/apply-platform-file.ts'
export type {
  Applied,
  AppliedClients,
  Change,
  CheckedProviders,
  DeclaredProviders,
  TenantHooks,
} from './platform-file/changes.ts'
export type { ClientDeclaration } from './platform-file/client-declaration.ts'
export type { Path, Problem } from './platform-file/problems.ts'
export type { ProviderDeclaration } from './platform-file/provider-declaration.ts'
export { platformJsonSchema } from './platform-file/schema.ts'
export { recordAudit } from './record-audit.ts'
export { readTenancyCommand, tenancyUsage } from './tenancy-command.ts'
export type { Branding, EventSettings, Language, LoginMethod, Tenant } from './tenant.ts'
export { tenantOrigin } from './tenant-origin.ts'
export { findTenantById, findTenantBySlug, listTenants } from './tenants.store.ts'
