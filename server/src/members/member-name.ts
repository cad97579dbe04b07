/** Longest name of a member, in UTF-16 code units, as a form's `maxlength` counts them. */
export const maxNameLength = 100

/** What breaks a line, or turns the direction of what stands around it. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu

/** A name as it is kept: on one line, with single spaces and none around it; null where nothing is left. */
export function tidyName(text: string): string | null {
  return text.toWellFormed().replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim() || null
}

/** The same of a name that somebody else has told: what is too long of it is cut off, between characters. */
export function shortenName(text: string): string | null {
  let name = ''
  // No reading of a name goes on for ever.
  for (const character of tidyName(text.slice(0, 10 * maxNameLength)) ?? '') {
    if (name.length + character.length > maxNameLength) break
    name += character
  }
  return name.trimEnd() || null
}
