import { html } from 'ghtml'
import type { Language, LoginMethod, Tenant } from '../tenancy/index.ts'
import { palettesOf } from './pages/palette.ts'
import { textsIn } from './texts/choose-language.ts'

export interface SignInMailContent {
  tenant: Pick<Tenant, 'name' | 'branding'>
  language: Language
  methods: readonly LoginMethod[]
  link: string
  code: string
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Words that stand in a mail in the order of both of its forms. */
function wordsOf({ tenant, language, methods }: SignInMailContent) {
  const { mail } = textsIn(language)
  const hasLink = methods.includes('magic_link')
  const hasCode = methods.includes('one_time_code')
  return { mail, hasLink, hasCode, codeText: hasLink ? mail.codeText : mail.codeOnlyText(tenant.name) }
}

function textOf(content: SignInMailContent): string {
  const { mail, hasLink, hasCode, codeText } = wordsOf(content)
  const lines = [
    mail.greeting,
    '',
    ...(hasLink ? [mail.linkText(content.tenant.name), '', content.link, ''] : []),
    ...(hasCode ? [codeText, '', content.code, ''] : []),
    mail.until,
    '',
    mail.notYou,
    '',
    '-- ',
    content.tenant.name,
  ]
  return `${lines.join('\n')}\n`
}

// Mail programs know tables and inline styles, and little else.
function htmlOf(content: SignInMailContent): string {
  const { tenant, language, link, code } = content
  const { mail, hasLink, hasCode, codeText } = wordsOf(content)
  const { light } = palettesOf(tenant.branding.color)
  const { logoUrl } = tenant.branding
  const head =
    logoUrl === null
      ? html`<span style="!${font};font-size:18px;font-weight:700;color:#15171c">${tenant.name}</span>`
      : html`<img src="${logoUrl}" alt="${tenant.name}" height="40" style="height:40px;max-width:220px;border:0">`
  const button = html`<p style="margin:0 0 16px;!${font};font-size:16px;line-height:24px;color:#15171c">${mail.linkText(tenant.name)}</p>
<p style="margin:0 0 24px"><a href="${link}" style="display:inline-block;padding:13px 28px;border-radius:10px;border:1px solid !${light.edge};background:!${light.button};color:!${light.onButton};!${font};font-size:16px;font-weight:700;text-decoration:none">${mail.button}</a></p>`
  const digits = html`<p style="margin:0 0 12px;!${font};font-size:16px;line-height:24px;color:#15171c">${codeText}</p>
<p style="margin:0 0 24px;font-family:Menlo,Consolas,monospace;font-size:32px;line-height:40px;font-weight:700;letter-spacing:6px;color:#15171c">${code}</p>`
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${mail.subject(tenant.name)}</title></head>
<body style="margin:0;padding:0;background:!${light.back}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:!${light.back}"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px">
<tr><td style="padding:0 8px 20px">!${head}</td></tr>
<tr><td style="background:#ffffff;border-radius:16px;padding:32px 28px">
<p style="margin:0 0 8px;!${font};font-size:16px;line-height:24px;color:#15171c">${mail.greeting}</p>
!${hasLink ? button : ''}
!${hasCode ? digits : ''}
<p style="margin:0;!${font};font-size:14px;line-height:21px;color:#545b69">${mail.until}</p>
</td></tr>
<tr><td style="padding:20px 8px;!${font};font-size:13px;line-height:20px;color:#545b69">${mail.notYou}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

/** The mail with which somebody signs in: link and code on a line each in its text (decisions, "Signing in"). */
export function signInMail(content: SignInMailContent): { subject: string; text: string; html: string } {
  const { mail } = textsIn(content.language)
  const { name } = content.tenant
  const subject = content.methods.includes('one_time_code')
    ? mail.subjectWithCode(name, content.code)
    : mail.subject(name)
  return { subject, text: textOf(content), html: htmlOf(content) }
}
