import { Type } from 'typebox'
import { PlatformKey } from './key-declarations.ts'
import { TenantDeclaration } from './tenant-declaration.ts'
import { closed, EMAIL, list, text } from './text-forms.ts'

/** The platform file (decisions, "First start, and configuration"). */
export const PlatformFile = Type.Object(
  {
    operators: list(text(EMAIL, 'A mail address.'), 'Super admins; one who is not named here stays.'),
    platform_keys: list(PlatformKey, 'API keys of operators; one that is not named here stays.'),
    tenants: list(TenantDeclaration, 'Tenants; one that is not named here stays as it is.'),
  },
  closed,
)
export type PlatformFile = Type.Static<typeof PlatformFile>

/** A name of the environment stands for a text of any form. */
const FILLED_IN = '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}'

/** The JSON Schema that editors complete a platform file with, as it is committed. */
export function platformJsonSchema(): Record<string, unknown> {
  const schema = JSON.stringify(PlatformFile, (name, value: unknown) =>
    name === 'pattern' ? `${value}|${FILLED_IN}` : value,
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: "Usher's platform file",
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a file says
      'What `usher apply` and USHER_APPLY bring the platform to. ${NAME} in a text is taken from the environment.',
    ...(JSON.parse(schema) as Record<string, unknown>),
  }
}
