/** Browsers by what only they write, those first that write the names of others too. */
const browsers: readonly [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
]
const systems: readonly [string, RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac(?:intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
]

const nameIn = (userAgent: string, names: typeof browsers): string | undefined =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0]

/** The browser and the system that a user agent names, as people call them. */
export function recognizeDevice(userAgent: string): {
  browser: string | undefined
  system: string | undefined
} {
  return { browser: nameIn(userAgent, browsers), system: nameIn(userAgent, systems) }
}

/** A user agent in words, such as `Firefox on Windows`; for a person who looks for a session that is not his. */
export function describeDevice(userAgent: string): string {
  const { browser, system } = recognizeDevice(userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown device'
}
