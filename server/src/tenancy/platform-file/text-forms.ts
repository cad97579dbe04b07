import { Type } from 'typebox'

/** What a text in the platform file must look like: the pattern for editors, the words for people. */
interface Form {
  pattern: string
  words: string
}

const LABEL = '(?!-)[A-Za-z0-9-]{1,63}(?<!-)'

export const HOST: Form = {
  pattern: `^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`,
  words: 'must be a host name alone, like members.example.com: no scheme, port, path or trailing dot',
}
export const COOKIE_DOMAIN: Form = {
  pattern: `^$|${HOST.pattern}`,
  words: 'must be a host name alone, like example.com, without a leading dot; "" is none',
}
export const SLUG: Form = {
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  words: 'must be 1 to 63 lower-case letters, digits and inner hyphens',
}
const MAILBOX = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})*`
export const EMAIL: Form = {
  pattern: `^(?=.{3,254}$)${MAILBOX}$`,
  words: 'must be a mail address, like ops@example.com',
}
export const TIME: Form = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?(Z|[+-]\\d{2}:\\d{2}))?$',
  words: 'must be a day like 2027-12-31, or a time with its offset like 2027-12-31T12:00:00Z',
}
export const NAME: Form = {
  pattern: '^(?! )[^\\u0000-\\u001f\\u007f]{1,200}(?<! )$',
  words: 'must be 1 to 200 characters on one line, without spaces around it',
}
export const PROVIDER_NAME: Form = {
  pattern: '^(?!\\s)[^\\u0000-\\u001f\\u007f-\\u009f]{1,100}(?<!\\s)$',
  words: 'must be 1 to 100 characters on one line, without spaces around it',
}
export const TOKEN: Form = {
  pattern: '^[!-~]{32,512}$',
  words: 'must be 32 to 512 letters, digits and marks without spaces; leave it out to have one made',
}
export const CLIENT_ID: Form = {
  pattern: '^[A-Za-z0-9._-]{1,128}$',
  words: 'must be 1 to 128 letters, digits, dots, underscores and hyphens',
}
export const ADDRESS: Form = {
  pattern: '^[!-~]{1,2048}$',
  words: 'must be an address of visible ASCII characters, like https://app.example.com/callback',
}
export const PROVIDER_ID: Form = {
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  words: 'must be 1 to 40 lower-case letters, digits and hyphens',
}
export const FOREIGN_SECRET: Form = {
  pattern: '^[!-~]{1,4096}$',
  words: 'must be 1 to 4,096 visible ASCII characters',
}
export const APPLE_ID: Form = {
  pattern: '^[A-Z0-9]{10}$',
  words: 'must be the 10 capital letters and digits that Apple shows',
}
export const PEM: Form = {
  pattern: '^\\s*-----BEGIN PRIVATE KEY-----[\\s\\S]{1,4000}$',
  words: 'must be the text of the .p8 file, which begins with -----BEGIN PRIVATE KEY-----',
}
export const ADDRESS_OR_NONE: Form = {
  pattern: `^$|${ADDRESS.pattern}`,
  words: `${ADDRESS.words}; "" is none`,
}
export const PARAMETER: Form = {
  pattern: '^[!-~]{1,100}$',
  words: 'must be 1 to 100 letters, digits and marks without spaces',
}
export const SENDER: Form = {
  pattern: `^(?:[^<>",;:@\\u0000-\\u001f\\u007f]{1,100} <${MAILBOX}>|${MAILBOX})$`,
  words: 'must be a mail address, or a name with one like Acme Daily <hello@acme.example>',
}
export const COLOR: Form = {
  pattern: '^#[0-9A-Fa-f]{6}$',
  words: 'must be a color like "#8b1e3f" (in quotes: # begins a comment in YAML)',
}
export const LOGO: Form = {
  pattern:
    '^(?:https://|http://(?:[A-Za-z0-9.-]+\\.)?localhost[:/]|http://127\\.0\\.0\\.1[:/])[!-~]{1,2000}$',
  words: 'must be an https URL; http is for localhost alone',
}

const words = new Map<string, string>()
/** The words of each form that a field has, by its pattern. */
export const formWords: ReadonlyMap<string, string> = words

/** A text of a form. */
export function text(form: Form, description: string) {
  words.set(form.pattern, form.words)
  return Type.String({ pattern: form.pattern, description })
}
/** A list that may be left out. */
export const list = <T extends Parameters<typeof Type.Array>[0]>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { description }))
/** No other fields. */
export const closed = { additionalProperties: false } as const
