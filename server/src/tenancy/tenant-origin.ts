/** The origin of a tenant's domain: the scheme and port of the platform's public address hold for the
 *  tenants' domains too (decisions, "Addresses"). */
export function tenantOrigin(publicUrl: URL, domain: string): string {
  return `${publicUrl.protocol}//${domain}${publicUrl.port && `:${publicUrl.port}`}`
}
