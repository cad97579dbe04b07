import type { Branding, SignInSettings } from '../tenant.ts'
import { findPageSettings, updateBranding, updateSignInSettings } from '../tenants.store.ts'
import { type Application, recordChange, type TenantName } from './changes.ts'
import type { TenantDeclaration } from './tenant-declaration.ts'

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Signs members in as declared, on pages that look as declared; what the file does not name stays. */
export async function applyPageSettings(
  application: Application,
  tenant: TenantName,
  declared: TenantDeclaration,
): Promise<void> {
  const current = await findPageSettings(application.trx, tenant.id)
  if (!current) return
  const { branding = {} } = declared
  const signIn: SignInSettings = {
    signUp: declared.sign_up ?? current.signIn.signUp,
    loginMethods: declared.login_methods ?? current.signIn.loginMethods,
    accessTokenTtlS: declared.access_token_ttl_s ?? current.signIn.accessTokenTtlS,
    mailFrom: declared.mail_from ?? current.signIn.mailFrom,
  }
  const look: Branding = {
    color: branding.color?.toLowerCase() ?? current.branding.color,
    logoUrl: branding.logo_url ?? current.branding.logoUrl,
    languages: branding.languages ?? current.branding.languages,
  }
  if (!isSame(signIn, current.signIn)) {
    await updateSignInSettings(application.trx, tenant.id, signIn)
    await recordChange(application, tenant, {
      action: 'tenant.sign_in_changed',
      target: tenant.slug,
      details: { from: current.signIn, to: signIn },
      text: 'signing in changed',
    })
  }
  if (!isSame(look, current.branding)) {
    await updateBranding(application.trx, tenant.id, look)
    await recordChange(application, tenant, {
      action: 'tenant.branding_changed',
      target: tenant.slug,
      details: { from: current.branding, to: look },
      text: 'look of the pages changed',
    })
  }
}
