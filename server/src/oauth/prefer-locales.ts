/** Accept-Language with the languages that a client wishes before those of the browser, as `ui_locales` has them (OpenID
 *  Connect Core 3.1.2.1). */
export const preferLocales = (
  acceptLanguage: string | undefined,
  uiLocales: string | null,
): string | undefined =>
  uiLocales === null ? acceptLanguage : `${uiLocales.replaceAll(' ', ',')},${acceptLanguage ?? ''}`
